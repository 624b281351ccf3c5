// All derivations of a word, top-down with memory: which items derive, and by which edges.

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

// The number of each item that was asked for. Items of one range of the word, which are most, have a place each in a
// table, unless that would be large.
class ItemNumbers {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX - 1;

  ItemNumbers(uint32_t symbols, size_t length) : length_(length) {
    constexpr size_t kLargest = 1 << 18;
    if (symbols * length * length <= kLargest) table_.assign(symbols * length * length, kUnknown);
  }
  uint32_t find(const Item& item) const {
    if (in_table(item.ranges[0]) && item.ranges.size() == 1) return table_[place(item.symbol, item.ranges[0])];
    const auto hit = others_.find(item);
    return hit == others_.end() ? kUnknown : hit->second;
  }
  // The same of an item of one range; kUnknown where it has no place in the table.
  uint32_t find(uint32_t symbol, Range range) const {
    return in_table(range) ? table_[place(symbol, range)] : kUnknown;
  }
  void keep(const Item& item, uint32_t number) {
    if (in_table(item.ranges[0]) && item.ranges.size() == 1) table_[place(item.symbol, item.ranges[0])] = number;
    else others_.emplace(item, number);
  }

 private:
  bool in_table(Range range) const { return range.end <= length_ && !table_.empty(); }
  size_t place(uint32_t symbol, Range range) const {
    return (symbol * length_ + range.begin) * length_ + range.end - 1;
  }

  size_t length_;
  std::vector<uint32_t> table_;
  std::unordered_map<Item, uint32_t, ItemHash> others_;
};

// Numbers items in postorder, so children come first.
class Builder {
 public:
  Builder(const CompiledGrammar& g, std::span<const uint32_t> classes, size_t max_bytes)
      : g_(g), classes_(classes), max_bytes_(max_bytes), numbers_(g.symbols(), classes.size()) {
    built_.length = static_cast<uint32_t>(classes_.size());
  }

  LooseForest build(const Item& top) {
    built_.root = node(top);
    return std::move(built_);
  }

 private:
  // Every walk over a forest goes as deep as its derivations, and each level takes some of the stack.
  static constexpr uint32_t kDeepest = 12'000;
  struct Level {
    Level(Builder& of, uint32_t count) : builder(of), levels(count) {
      require_stack();
      if ((builder.depth_ += levels) > kDeepest)
        throw InputError("the derivations of a word of " + std::to_string(builder.classes_.size()) +
                         " atoms are nested too deeply: leave out the longest words, or use a grammar with shorter "
                         "chains of rules");
    }
    ~Level() { builder.depth_ -= levels; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Builder& builder;
    uint32_t levels;
  };

  // The number of the item among the built ones, kNoIndex where it has no derivation.
  uint32_t node(const Item& item) {
    if (const uint32_t known = numbers_.find(item); known != ItemNumbers::kUnknown) return known;
    const Level level(*this, 1);
    const size_t first_edge = edges_.size();
    const uint32_t begin = item.ranges[0].begin, atom_class = class_at(begin);
    if (item.ranges.size() == 1 && item.ranges[0].end - begin == 1 && g_.accepts(item.symbol, atom_class))
      edges_.push_back({g_.unit(), LooseForest::kLexical, kNoIndex});
    const bool in_word = item.ranges[0].end <= classes_.size();
    for (uint32_t p : g_.productions_beginning(item.symbol, atom_class)) {
      if (g_.productions[p].plain && in_word) {
        join(p, item.ranges[0]);
        continue;
      }
      Binding binding{g_.productions[p], g_.least(p), g_.most(p), p, std::vector<Range>(g_.productions[p].variables)};
      split(binding, item, 0, 0, begin);
    }
    uint32_t index = kNoIndex;
    if (edges_.size() > first_edge) {
      index = static_cast<uint32_t>(built_.nodes.size());
      built_.add(item, std::span(edges_).subspan(first_edge), false);
      bytes_ += (edges_.size() - first_edge) * sizeof(Edge) + 120;
      edges_.resize(first_edge);
    }
    bytes_ += item.ranges.size() * 2 * sizeof(Range) + 80;
    if (bytes_ > max_bytes_)
      throw InputError("the derivations of a word of " + std::to_string(classes_.size()) +
                       " atoms go beyond the memory limit: raise it, leave out the longest words, or use a grammar "
                       "with fewer discontiguous symbols");
    numbers_.keep(item, index);
    return index;
  }

  uint32_t node(uint32_t symbol, Range range) {
    const uint32_t known = numbers_.find(symbol, range);
    return known != ItemNumbers::kUnknown ? known : node(Item{symbol, {range}});
  }

  // The edges of a plain production over a range of the word.
  void join(uint32_t number, Range whole) {
    const Production& p = g_.productions[number];
    if (!g_.begins(number, 0, class_at(whole.begin))) return;
    const Level level(*this, p.variables + 1);
    if (p.variables == 1) {
      const uint32_t length = whole.end - whole.begin;
      if (length < g_.least(number)[0] || length > g_.most(number)[0]) return;
      if (const uint32_t child = node(p.children[0], whole); child != kNoIndex)
        edges_.push_back({p.rule, child, kNoIndex});
      return;
    }
    const auto [low, high] = lengths(g_.least(number), g_.most(number), whole.end - whole.begin);
    for (uint32_t length = low; length <= high; ++length) {
      const uint32_t middle = whole.begin + length;
      if (!g_.begins(number, 1, class_at(middle))) continue;
      const uint32_t left = node(p.children[0], {whole.begin, middle});
      if (left == kNoIndex) continue;
      if (const uint32_t right = node(p.children[1], {middle, whole.end}); right != kNoIndex)
        edges_.push_back({p.rule, left, right});
    }
  }

  // How long the first of two variables may be that have `both` atoms together. No length: the first exceeds the last.
  static std::pair<uint32_t, uint32_t> lengths(const std::vector<uint32_t>& least, const std::vector<uint32_t>& most,
                                               uint32_t both) {
    if (both < least[1]) return {1, 0};
    return {std::max({least[0], both > most[1] ? both - most[1] : 0, 1u}), std::min(most[0], both - least[1])};
  }

  // A production with the bounds of its variables, and the ranges they are bound to.
  struct Binding {
    const Production& production;
    const std::vector<uint32_t>&least, &most;
    uint32_t number;
    std::vector<Range> ranges;
  };

  // Bind the parts of the arguments from (argument, place) on, the next at atom `at`, in every way that can derive.
  void split(Binding& binding, const Item& item, size_t argument, size_t place, uint32_t at) {
    const Level level(*this, 1);
    const Parts& parts = binding.production.arguments[argument];
    const uint32_t end = item.ranges[argument].end;
    if (place == parts.size()) {
      if (at != end) return;
      if (argument + 1 < binding.production.arguments.size())
        return split(binding, item, argument + 1, 0, item.ranges[argument + 1].begin);
      return derive(binding);
    }
    if (parts[place].terminal) {
      if (at < end && class_at(at) == g_.atom_class[parts[place].index])
        split(binding, item, argument, place + 1, at + 1);
      return;
    }
    if (at < end && !g_.begins(binding.number, parts[place].index, class_at(at))) return;
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
      split(binding, item, argument, place + 1, static_cast<uint32_t>(at + length));
    }
  }

  // The edge of a production all of whose variables are bound, if its children derive.
  void derive(const Binding& binding) {
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
    edges_.push_back(edge);
  }

  uint32_t class_at(uint32_t position) const {
    const uint32_t e = built_.entry(position);
    return e & kGiven ? g_.atom_class[e ^ kGiven] : classes_[e];
  }

  // The place on the tape of the atoms that the parts stand for.
  Range underlying(const Parts& parts, const std::vector<Range>& ranges) {
    std::vector<uint32_t> content;
    for (const Part& part : parts) {
      if (part.terminal) content.push_back(kGiven | part.index);
      else
        for (uint32_t i = ranges[part.index].begin; i < ranges[part.index].end; ++i) content.push_back(built_.entry(i));
    }
    const auto hit = places_.find(content);
    if (hit != places_.end()) return hit->second;
    const uint32_t begin = static_cast<uint32_t>(classes_.size() + built_.tape.size());
    const Range range{begin, begin + static_cast<uint32_t>(content.size())};
    built_.tape.insert(built_.tape.end(), content.begin(), content.end());
    bytes_ += content.size() * 2 * sizeof(uint32_t) + 80;
    places_.emplace(std::move(content), range);
    return range;
  }

  // The same atoms have the same range, so that what derives them is found once: in the word, or at their first place
  // on the tape.
  Range canonical(Range range) {
    if (range.begin < classes_.size()) return range;
    const auto first = built_.tape.begin() + (range.begin - classes_.size());
    const std::vector<uint32_t> content(first, first + (range.end - range.begin));
    bool in_word = !(content[0] & kGiven);
    for (size_t i = 1; i < content.size() && in_word; ++i) in_word = content[i] == content[0] + i;
    if (in_word) return {content[0], content[0] + range.end - range.begin};
    return places_.emplace(content, range).first->second;
  }

  const CompiledGrammar& g_;
  std::span<const uint32_t> classes_;
  size_t max_bytes_, bytes_ = 0;
  ItemNumbers numbers_;
  LooseForest built_;
  std::vector<Edge> edges_;                        // of the items that are being built, the outermost first
  std::map<std::vector<uint32_t>, Range> places_;  // on the tape
  uint32_t depth_ = 0;
};

}  // namespace

LooseForest derive(const CompiledGrammar& grammar, std::span<const uint32_t> classes, const Item& top,
                   size_t max_bytes) {
  return Builder(grammar, classes, max_bytes).build(top);
}

}  // namespace binyan::grammar
