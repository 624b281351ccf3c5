#include "grammar/forest.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "errors.hpp"
#include "grammar/loose_forest.hpp"
#include "no_index.hpp"
#include "stack_space.hpp"

namespace binyan::grammar {
namespace {

struct ItemHash {
  size_t operator()(const Item& item) const {
    uint64_t h = item.symbol;
    for (const Range& r : item.ranges)
      h = (h ^ ((static_cast<uint64_t>(r.begin) << 32) | r.end)) * 0x9e3779b97f4a7c15ULL + (h >> 29);
    return h ^ (h >> 32);
  }
};

constexpr uint32_t kLexical = LooseForest::kLexical;

// Top-down with memory: which items derive, and by which edges. Numbers items in postorder, so children come first.
class Builder {
 public:
  Builder(const CompiledGrammar& g, std::span<const uint32_t> classes, size_t max_bytes)
      : g_(g), classes_(classes), max_bytes_(max_bytes) {
    accepts_.assign(
        static_cast<size_t>(g.symbols()) * (1 + *std::max_element(g.atom_class.begin(), g.atom_class.end())), false);
    class_count_ = accepts_.size() / g.symbols();
    for (uint32_t s = 0; s < g.symbols(); ++s)
      for (uint32_t a = 0; a < g.atoms; ++a)
        if (g.lexical_rule(s, a) != kNoIndex) accepts_[s * class_count_ + g.atom_class[a]] = true;
  }

  LooseForest build(const Item& top) {
    const uint32_t root = node(top);
    return {static_cast<uint32_t>(classes_.size()), root, std::move(built_), std::move(tape_)};
  }

 private:
  // Every walk over a forest goes as deep as its derivations, and each level takes some of the stack.
  static constexpr uint32_t kDeepest = 12'000;
  struct Level {
    explicit Level(Builder& of) : builder(of) {
      require_stack();
      if (++builder.depth_ > kDeepest)
        throw InputError("the derivations of a word of " + std::to_string(builder.classes_.size()) +
                         " atoms are nested too deeply: leave out the longest words, or use a grammar with shorter "
                         "chains of rules");
    }
    ~Level() { --builder.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Builder& builder;
  };

  // The number of the item among the built ones, kNoIndex where it has no derivation.
  uint32_t node(const Item& item) {
    const Level level(*this);
    if (const auto hit = memory_.find(item); hit != memory_.end()) return hit->second;
    std::vector<Edge> edges;
    if (item.ranges.size() == 1 && item.ranges[0].end - item.ranges[0].begin == 1) {
      const uint32_t c = class_at(item.ranges[0].begin);
      if (c < class_count_ && accepts_[item.symbol * class_count_ + c])
        edges.push_back({g_.unit(), kLexical, kNoIndex});
    }
    for (uint32_t p : g_.productions_of[item.symbol]) {
      Binding binding{g_.productions[p], g_.least(p), g_.most(p), g_.begins(p),
                      std::vector<Range>(g_.productions[p].variables)};
      split(binding, item, 0, 0, item.ranges[0].begin, edges);
    }
    uint32_t index = kNoIndex;
    if (!edges.empty()) {
      index = static_cast<uint32_t>(built_.size());
      built_.push_back({item, std::move(edges), false});
      bytes_ += built_.back().edges.size() * sizeof(Edge) + 120;
    }
    bytes_ += item.ranges.size() * 2 * sizeof(Range) + 80;
    if (bytes_ > max_bytes_)
      throw InputError("the derivations of a word of " + std::to_string(classes_.size()) +
                       " atoms go beyond the memory limit: raise it, leave out the longest words, or use a grammar "
                       "with fewer discontiguous symbols");
    memory_.emplace(item, index);
    return index;
  }

  // A production with the bounds of its variables, and the ranges they are bound to.
  struct Binding {
    const Production& production;
    const std::vector<uint32_t>&least, &most;
    const std::vector<bool>& begins;
    std::vector<Range> ranges;
  };

  bool may_begin(const Binding& binding, uint32_t variable, uint32_t atom_class) const {
    return atom_class < class_count_ && binding.begins[variable * class_count_ + atom_class];
  }

  // Bind the parts of the arguments from (argument, place) on, the next at atom `at`, in every way that can derive.
  void split(Binding& binding, const Item& item, size_t argument, size_t place, uint32_t at, std::vector<Edge>& edges) {
    const Level level(*this);
    const Parts& parts = binding.production.arguments[argument];
    const uint32_t end = item.ranges[argument].end;
    if (place == parts.size()) {
      if (at != end) return;
      if (argument + 1 < binding.production.arguments.size())
        return split(binding, item, argument + 1, 0, item.ranges[argument + 1].begin, edges);
      return derive(binding, edges);
    }
    if (parts[place].terminal) {
      if (at < end && class_at(at) == g_.atom_class[parts[place].index])
        split(binding, item, argument, place + 1, at + 1, edges);
      return;
    }
    if (at < end && !may_begin(binding, parts[place].index, class_at(at))) return;
    // The rest of the argument bounds how long this variable may be.
    uint64_t rest_least = 0, rest_most = 0;
    for (size_t i = place + 1; i < parts.size(); ++i) {
      rest_least += parts[i].terminal ? 1 : binding.least[parts[i].index];
      rest_most += parts[i].terminal ? 1 : binding.most[parts[i].index];
    }
    const uint32_t variable = parts[place].index;
    const uint64_t left = end - at, least = binding.least[variable], most = binding.most[variable];
    if (left < rest_least) return;
    const uint64_t low = std::max({least, left > rest_most ? left - rest_most : 0, uint64_t{1}});
    const uint64_t high = std::min(most, left - rest_least);
    for (uint64_t length = low; length <= high; ++length) {
      binding.ranges[variable] = canonical({at, static_cast<uint32_t>(at + length)});
      split(binding, item, argument, place + 1, static_cast<uint32_t>(at + length), edges);
    }
  }

  // The edge of a production all of whose variables are bound, if its children derive.
  void derive(const Binding& binding, std::vector<Edge>& edges) {
    const Production& p = binding.production;
    Edge edge{p.rule, kNoIndex, kNoIndex};
    for (size_t c = 0; c < p.children.size(); ++c) {
      Item child{p.children[c], {}};
      for (const Parts& parts : p.child_arguments[c])
        child.ranges.push_back(parts.size() == 1 && !parts[0].terminal ? binding.ranges[parts[0].index]
                                                                       : underlying(parts, binding.ranges));
      uint32_t& index = c == 0 ? edge.left : edge.right;
      if ((index = node(child)) == kNoIndex) return;
    }
    edges.push_back(edge);
  }

  uint32_t entry(uint32_t position) const {
    return position < classes_.size() ? position : tape_[position - classes_.size()];
  }

  uint32_t class_at(uint32_t position) const {
    const uint32_t e = entry(position);
    return e & kGiven ? g_.atom_class[e ^ kGiven] : classes_[e];
  }

  // The place on the tape of the atoms that the parts stand for.
  Range underlying(const Parts& parts, const std::vector<Range>& ranges) {
    std::vector<uint32_t> content;
    for (const Part& part : parts) {
      if (part.terminal) content.push_back(kGiven | part.index);
      else
        for (uint32_t i = ranges[part.index].begin; i < ranges[part.index].end; ++i) content.push_back(entry(i));
    }
    const auto hit = places_.find(content);
    if (hit != places_.end()) return hit->second;
    const uint32_t begin = static_cast<uint32_t>(classes_.size() + tape_.size());
    const Range range{begin, begin + static_cast<uint32_t>(content.size())};
    tape_.insert(tape_.end(), content.begin(), content.end());
    bytes_ += content.size() * 2 * sizeof(uint32_t) + 80;
    places_.emplace(std::move(content), range);
    return range;
  }

  // The same atoms have the same range, so that what derives them is found once: in the word, or at their first place
  // on the tape.
  Range canonical(Range range) {
    if (range.begin < classes_.size()) return range;
    const auto first = tape_.begin() + (range.begin - classes_.size());
    const std::vector<uint32_t> content(first, first + (range.end - range.begin));
    bool in_word = !(content[0] & kGiven);
    for (size_t i = 1; i < content.size() && in_word; ++i) in_word = content[i] == content[0] + i;
    if (in_word) return {content[0], content[0] + range.end - range.begin};
    return places_.emplace(content, range).first->second;
  }

  const CompiledGrammar& g_;
  std::span<const uint32_t> classes_;
  size_t max_bytes_, bytes_ = 0, class_count_ = 0;
  std::vector<bool> accepts_;
  std::vector<LooseForest::Node> built_;
  std::unordered_map<Item, uint32_t, ItemHash> memory_;
  std::vector<uint32_t> tape_;
  std::map<std::vector<uint32_t>, Range> places_;  // on the tape
  uint32_t depth_ = 0;
};

}  // namespace

size_t Forest::bytes() const {
  return leaves.size() * sizeof(Leaf) + nodes.size() * sizeof(Node) + edges.size() * sizeof(Edge) + adapted.size() * 8 +
         ranges.size() * sizeof(Range) + tape.size() * 4 + sizeof(Forest);
}

LooseForest derive(const CompiledGrammar& grammar, std::span<const uint32_t> classes, const Item& top,
                   size_t max_bytes) {
  return Builder(grammar, classes, max_bytes).build(top);
}

Forest pack(const CompiledGrammar& g, const LooseForest& loose) {
  const auto& built = loose.nodes;
  const uint32_t root = loose.root;
  Forest forest;
  forest.length = loose.length;
  forest.first_range.push_back(0);
  if (root == kNoIndex) return forest;
  std::vector<bool> used(built.size(), false);
  used[root] = true;
  for (uint32_t i = root + 1; i-- > 0;)
    if (used[i])
      for (const Edge& e : built[i].edges) {
        if (e.left == kLexical) continue;
        if (e.left != kNoIndex) used[e.left] = true;
        if (e.right != kNoIndex) used[e.right] = true;
      }
  std::vector<uint32_t> place(built.size(), 0), leaf(built.size(), 0);
  for (uint32_t i = 0; i <= root; ++i) {
    if (!used[i] || built[i].edges[0].left != kLexical) continue;
    const bool whole = g.only_lexical(built[i].item.symbol);
    forest.leaves.push_back({built[i].item.symbol, loose.entry(built[i].item.ranges[0].begin), whole});
    (whole ? place : leaf)[i] = static_cast<uint32_t>(forest.leaves.size());
  }
  const uint32_t base = forest.node_base();
  for (uint32_t i = 0; i <= root; ++i) {
    if (!used[i] || place[i] != 0) continue;
    const Item& item = built[i].item;
    place[i] = base + static_cast<uint32_t>(forest.nodes.size());
    const bool adapted = g.adapted_index[item.symbol] != kNoIndex;
    forest.nodes.push_back({item.symbol, static_cast<uint32_t>(forest.edges.size()),
                            adapted ? static_cast<uint32_t>(forest.adapted.size()) : kNoIndex});
    if (adapted) {
      forest.adapted.push_back(place[i]);
      forest.restricted.push_back(built[i].cut);
      forest.ranges.insert(forest.ranges.end(), item.ranges.begin(), item.ranges.end());
      forest.first_range.push_back(static_cast<uint32_t>(forest.ranges.size()));
    }
    for (const Edge& e : built[i].edges) {
      if (e.left == kLexical) forest.edges.push_back({e.rule, leaf[i], 0});
      else
        forest.edges.push_back(
            {e.rule, e.left == kNoIndex ? 0 : place[e.left], e.right == kNoIndex ? 0 : place[e.right]});
    }
  }
  forest.nodes.push_back({kNoIndex, static_cast<uint32_t>(forest.edges.size()), kNoIndex});
  if (std::find(forest.restricted.begin(), forest.restricted.end(), true) == forest.restricted.end())
    forest.restricted.clear();
  forest.root = place[root];
  forest.tape = loose.tape;
  return forest;
}

Forest build_forest(const CompiledGrammar& grammar, std::span<const uint32_t> classes, size_t max_bytes) {
  if (classes.empty()) return Forest{};
  const Item whole{grammar.start, {{0, static_cast<uint32_t>(classes.size())}}};
  return pack(grammar, derive(grammar, classes, whole, max_bytes));
}

}  // namespace binyan::grammar
