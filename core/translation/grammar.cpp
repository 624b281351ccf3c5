#include "translation/grammar.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::translation {

Grammar::Grammar(GrammarArrays arrays, uint32_t source_words, uint32_t target_words) : arrays_(std::move(arrays)) {
  check();
  check_rules(source_words, target_words);
  const auto& a = arrays_;
  for (uint32_t n = a.first_child[0]; n < a.first_child[1]; ++n) {
    if (is_gap(a.symbol[n])) continue;
    if (a.symbol[n] >= root_child_.size()) root_child_.resize(a.symbol[n] + 1, kNoIndex);
    root_child_[a.symbol[n]] = n;
  }
}

void Grammar::check() const {
  const auto& a = arrays_;
  auto rising = [](const std::vector<uint32_t>& v, uint64_t last) {
    return !v.empty() && v.back() == last && std::ranges::is_sorted(v);
  };
  const auto require = [](bool holds, const char* section) {
    if (!holds)
      throw InputError(std::string("the grammar's arrays contradict each other at '") + section +
                       "': the file is damaged");
  };
  require(!a.symbol.empty(), "symbol");
  require(
      a.first_child.size() == a.symbol.size() + 1 && rising(a.first_child, a.symbol.size()) && a.first_child[0] == 1,
      "first_child");
  for (uint32_t n = 0; n < a.symbol.size(); ++n) {
    require(a.first_child[n] > n, "first_child");  // children come after their parents
    for (uint32_t c = a.first_child[n] + 1; c < a.first_child[n + 1]; ++c)
      require(a.symbol[c - 1] < a.symbol[c], "symbol");
  }
  require(a.first_rule.size() == a.symbol.size() + 1 && rising(a.first_rule, a.target.size()) && a.first_rule[0] == 0,
          "first_rule");
  require(a.features.size() == uint64_t{a.feature_count} * a.target.size() &&
              std::ranges::all_of(a.features, [](float x) { return std::isfinite(x); }),
          "features");
  require(rising(a.target_offset, a.target_symbols.size()) && a.target_offset[0] == 0, "target_offset");
  require(std::ranges::all_of(a.target, [&](uint32_t t) { return t < a.target_offset.size() - 1; }), "target");
}

// Words are those of the vocabularies; a rule has the gaps of its source side on its target side, each once.
void Grammar::check_rules(uint32_t source_words, uint32_t target_words) const {
  const auto& a = arrays_;
  const auto refuse = [](const char* what) { throw InputError(std::string("a rule of the grammar ") + what); };
  std::vector<uint8_t> gaps(nodes(), 0);
  for (uint32_t n = 0; n < nodes(); ++n)
    for (uint32_t c = a.first_child[n]; c < a.first_child[n + 1]; ++c) {
      const bool gap = is_gap(a.symbol[c]);
      if (gap ? a.symbol[c] != kFirstGap : a.symbol[c] >= source_words) refuse("has an unknown source word");
      gaps[c] = static_cast<uint8_t>(gaps[n] + gap);
      if (gaps[c] > 2) refuse("has more than two gaps");
    }
  for (uint32_t s : a.target_symbols)
    if (!is_gap(s) && s >= target_words) refuse("has an unknown target word");
  for (uint32_t n = 0; n < nodes(); ++n)
    for (uint32_t r = first_rule(n); r < end_rule(n); ++r) {
      uint32_t count[2] = {0, 0};
      for (uint32_t s : target(r))
        if (is_gap(s)) ++count[gap_index(s)];
      if (count[0] != (gaps[n] > 0) || count[1] != (gaps[n] > 1)) refuse("has other gaps on its two sides");
    }
}

Grammar Grammar::pack(const SequenceTable& sources, const SequenceTable& targets, std::span<const Rule> rules,
                      std::span<const float> features, uint32_t feature_count) {
  std::vector<uint32_t> order(rules.size());
  std::iota(order.begin(), order.end(), 0u);
  // Number the source sides by their symbols first: comparing numbers is quicker than comparing sequences again and
  // again.
  std::vector<uint32_t> sorted(sources.size()), rank(sources.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::sort(
      sorted, [&](uint32_t a, uint32_t b) { return std::ranges::lexicographical_compare(sources[a], sources[b]); });
  for (uint32_t i = 0; i < sorted.size(); ++i) rank[sorted[i]] = i;
  std::ranges::stable_sort(order, {}, [&](uint32_t r) { return rank[rules[r].source]; });

  GrammarArrays a;
  a.feature_count = feature_count;
  a.features.reserve(features.size());
  a.target.reserve(rules.size());
  // Target sides in use, numbered anew in the order they are met.
  std::vector<uint32_t> renumbered(targets.size(), kNoIndex);
  a.target_offset = {0};

  struct Range {
    uint64_t first, last;
    uint32_t depth;
  };  // of `order`, sharing a source prefix of `depth` symbols
  std::vector<Range> queue{{0, order.size(), 0}};
  a.symbol = {kFirstGap};
  for (size_t n = 0; n < queue.size(); ++n) {
    Range range = queue[n];
    a.first_child.push_back(static_cast<uint32_t>(a.symbol.size()));
    a.first_rule.push_back(static_cast<uint32_t>(a.target.size()));
    auto source = [&](uint64_t i) { return sources[rules[order[i]].source]; };
    for (; range.first < range.last && source(range.first).size() == range.depth; ++range.first) {
      const uint32_t r = order[range.first];
      uint32_t& t = renumbered[rules[r].target];
      if (t == kNoIndex) {
        t = static_cast<uint32_t>(a.target_offset.size()) - 1;
        const auto symbols = targets[rules[r].target];
        a.target_symbols.insert(a.target_symbols.end(), symbols.begin(), symbols.end());
        a.target_offset.push_back(static_cast<uint32_t>(a.target_symbols.size()));
      }
      a.target.push_back(t);
      const auto values = features.subspan(uint64_t{r} * feature_count, feature_count);
      a.features.insert(a.features.end(), values.begin(), values.end());
    }
    while (range.first < range.last) {
      const uint32_t symbol = source(range.first)[range.depth];
      uint64_t end = range.first + 1;
      while (end < range.last && source(end)[range.depth] == symbol) ++end;
      a.symbol.push_back(symbol);
      queue.push_back({range.first, end, range.depth + 1});
      range.first = end;
    }
  }
  a.first_child.push_back(static_cast<uint32_t>(a.symbol.size()));
  a.first_rule.push_back(static_cast<uint32_t>(a.target.size()));
  return Grammar(std::move(a));
}

uint32_t Grammar::child(uint32_t node, uint32_t symbol) const {
  if (node == 0 && !is_gap(symbol)) return symbol < root_child_.size() ? root_child_[symbol] : kNoIndex;
  const auto first = arrays_.symbol.begin() + arrays_.first_child[node],
             last = arrays_.symbol.begin() + arrays_.first_child[node + 1];
  const auto at = std::lower_bound(first, last, symbol);
  return at != last && *at == symbol ? static_cast<uint32_t>(at - arrays_.symbol.begin()) : kNoIndex;
}

void Grammar::mark_usable(std::span<const uint32_t> sentence, uint32_t max_span, std::vector<uint8_t>& used) const {
  used.resize(rules(), 0);
  struct Item {
    uint32_t node, position;
  };
  std::vector<Item> stack;
  for (uint32_t start = 0; start < sentence.size(); ++start) {
    const uint32_t end = static_cast<uint32_t>(std::min<uint64_t>(sentence.size(), uint64_t{start} + max_span));
    stack.push_back({0, start});
    while (!stack.empty()) {
      const Item item = stack.back();
      stack.pop_back();
      std::fill(used.begin() + first_rule(item.node), used.begin() + end_rule(item.node), 1);
      if (item.position == end || !has_children(item.node)) continue;
      if (const uint32_t next = child(item.node, sentence[item.position]); next != kNoIndex)
        stack.push_back({next, item.position + 1});
      if (const uint32_t next = child(item.node, kFirstGap); next != kNoIndex)
        for (uint32_t p = item.position + 1; p <= end; ++p) stack.push_back({next, p});
    }
  }
}

void Grammar::count_matches(std::span<const uint32_t> sentence, uint32_t max_span,
                            std::vector<uint32_t>& counts) const {
  counts.resize(nodes(), 0);
  max_span = static_cast<uint32_t>(std::min<uint64_t>(max_span, sentence.size()));
  std::vector<std::vector<uint32_t>> reached(size_t{max_span} + 1);  // nodes by the words covered
  for (uint32_t start = 0; start < sentence.size(); ++start) {
    const uint32_t room = static_cast<uint32_t>(std::min<uint64_t>(sentence.size() - start, max_span));
    reached[0].assign(1, 0);
    for (uint32_t covered = 0; covered <= room; ++covered) {
      auto& here = reached[covered];
      std::ranges::sort(here);
      here.erase(std::unique(here.begin(), here.end()), here.end());
      for (uint32_t node : here) {
        ++counts[node];
        if (covered == room || !has_children(node)) continue;
        if (const uint32_t next = child(node, sentence[start + covered]); next != kNoIndex)
          reached[covered + 1].push_back(next);
        if (const uint32_t next = child(node, kFirstGap); next != kNoIndex)
          for (uint32_t c = covered + 1; c <= room; ++c) reached[c].push_back(next);
      }
      here.clear();
    }
  }
}

void Grammar::divide(uint32_t feature, std::span<const uint32_t> counts) {
  if (feature >= feature_count() || counts.size() != nodes())
    throw InputError("a feature of the grammar is divided by one count a node");
  for (uint32_t n = 0; n < nodes(); ++n)
    for (uint32_t r = first_rule(n); r < end_rule(n); ++r) {
      if (counts[n] == 0) throw InputError("a source side with rules was counted 0 times");
      arrays_.features[uint64_t{r} * feature_count() + feature] -= elementary::log(static_cast<float>(counts[n]));
    }
}

namespace {

// The node whose children or rules, which begin at `first`, include number `i`.
uint32_t holder(const std::vector<uint32_t>& first, uint32_t i) {
  return static_cast<uint32_t>(std::ranges::upper_bound(first, i) - first.begin()) - 1;
}

}  // namespace

void Grammar::sources(std::vector<uint64_t>& offsets, std::vector<uint32_t>& symbols) const {
  std::vector<uint32_t> parent(nodes(), 0);
  for (uint32_t n = 0; n < nodes(); ++n)
    for (uint32_t c = arrays_.first_child[n]; c < arrays_.first_child[n + 1]; ++c) parent[c] = n;
  offsets = {0};
  symbols.clear();
  for (uint32_t n = 0; n < nodes(); ++n) {
    for (uint32_t p = n; p != 0; p = parent[p]) symbols.push_back(arrays_.symbol[p]);
    std::reverse(symbols.begin() + static_cast<int64_t>(offsets.back()), symbols.end());
    offsets.push_back(symbols.size());
  }
}

std::vector<uint32_t> Grammar::source(uint32_t node) const {
  std::vector<uint32_t> side;
  for (uint32_t n = node; n != 0; n = holder(arrays_.first_child, n)) side.push_back(arrays_.symbol[n]);
  std::ranges::reverse(side);
  return side;
}

Grammar Grammar::restricted(std::span<const uint8_t> used) const {
  SequenceTable source_sides, target_sides;
  std::vector<Rule> kept;
  std::vector<float> values;
  uint32_t side = 0, end = 0;  // of the last rule's node: its source side, and where its rules end
  for (auto at = std::ranges::find(used, 1); at != used.end(); at = std::find(at + 1, used.end(), 1)) {
    const auto r = static_cast<uint32_t>(at - used.begin());
    if (r >= end) {
      const uint32_t node = holder(arrays_.first_rule, r);
      side = source_sides.intern(source(node));
      end = end_rule(node);
    }
    kept.push_back({side, target_sides.intern(target(r))});
    values.insert(values.end(), features(r).begin(), features(r).end());
  }
  return pack(source_sides, target_sides, kept, values, feature_count());
}

}  // namespace binyan::translation
