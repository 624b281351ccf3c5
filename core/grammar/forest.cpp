#include "grammar/forest.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "errors.hpp"
#include "grammar/loose_forest.hpp"
#include "no_index.hpp"

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
    return {static_cast<uint32_t>(classes_.size()), root, std::move(built_)};
  }

 private:
  // Every walk over a forest goes as deep as its derivations, and each level takes some of the stack.
  static constexpr uint32_t kDeepest = 12'000;
  struct Level {
    explicit Level(Builder& of) : builder(of) {
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
      const uint32_t c = classes_[item.ranges[0].begin];
      if (c < class_count_ && accepts_[item.symbol * class_count_ + c])
        edges.push_back({g_.unit(), kLexical, kNoIndex});
    }
    for (uint32_t p : g_.productions_of[item.symbol]) {
      const Production& production = g_.productions[p];
      std::vector<Item> children;
      for (uint32_t c : production.children) children.push_back({c, std::vector<Range>(g_.arity[c])});
      split(production, item, 0, 0, item.ranges[0].begin, children, edges);
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

  // Bind the elements of the arguments from (argument, element) on, the next at atom `at`, in every way that can
  // derive.
  void split(const Production& p, const Item& item, size_t argument, size_t element, uint32_t at,
             std::vector<Item>& children, std::vector<Edge>& edges) {
    const Level level(*this);
    const auto& elements = p.arguments[argument];
    const uint32_t end = item.ranges[argument].end;
    if (element == elements.size()) {
      if (at != end) return;
      if (argument + 1 < p.arguments.size())
        return split(p, item, argument + 1, 0, item.ranges[argument + 1].begin, children, edges);
      Edge edge{p.rule, kNoIndex, kNoIndex};
      if (!children.empty() && (edge.left = node(children[0])) == kNoIndex) return;
      if (children.size() > 1 && (edge.right = node(children[1])) == kNoIndex) return;
      edges.push_back(edge);
      return;
    }
    const Element& e = elements[element];
    if (e.child < 0) {
      if (at < end && classes_[at] == g_.atom_class[e.index])
        split(p, item, argument, element + 1, at + 1, children, edges);
      return;
    }
    if (at < end && !g_.may_begin(p.children[e.child], e.index, classes_[at])) return;
    // The rest of the argument bounds how long this variable may be.
    uint64_t rest_least = 0, rest_most = 0;
    for (size_t i = element + 1; i < elements.size(); ++i) {
      const bool terminal = elements[i].child < 0;
      rest_least += terminal ? 1 : g_.least(p.children[elements[i].child], elements[i].index);
      rest_most += terminal ? 1 : g_.most(p.children[elements[i].child], elements[i].index);
    }
    const uint64_t left = end - at;
    const uint64_t least = g_.least(p.children[e.child], e.index), most = g_.most(p.children[e.child], e.index);
    if (left < rest_least) return;
    const uint64_t low = std::max({least, left > rest_most ? left - rest_most : 0, uint64_t{1}});
    const uint64_t high = std::min(most, left - rest_least);
    for (uint64_t length = low; length <= high; ++length) {
      children[e.child].ranges[e.index] = {at, static_cast<uint32_t>(at + length)};
      split(p, item, argument, element + 1, static_cast<uint32_t>(at + length), children, edges);
    }
  }

  const CompiledGrammar& g_;
  std::span<const uint32_t> classes_;
  size_t max_bytes_, bytes_ = 0, class_count_ = 0;
  std::vector<bool> accepts_;
  std::vector<LooseForest::Node> built_;
  std::unordered_map<Item, uint32_t, ItemHash> memory_;
  uint32_t depth_ = 0;
};

}  // namespace

size_t Forest::bytes() const {
  return leaves.size() * sizeof(Leaf) + nodes.size() * sizeof(Node) + edges.size() * sizeof(Edge) + adapted.size() * 8 +
         ranges.size() * sizeof(Range) + sizeof(Forest);
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
    forest.leaves.push_back({built[i].item.symbol, built[i].item.ranges[0].begin, whole});
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
  return forest;
}

Forest build_forest(const CompiledGrammar& grammar, std::span<const uint32_t> classes, size_t max_bytes) {
  if (classes.empty()) return Forest{};
  const Item whole{grammar.start, {{0, static_cast<uint32_t>(classes.size())}}};
  return pack(grammar, derive(grammar, classes, whole, max_bytes));
}

}  // namespace binyan::grammar
