#include "grammar/constituent_strings.hpp"

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

uint64_t pair(uint32_t x, uint32_t y) { return (static_cast<uint64_t>(x) << 32) | y; }

}  // namespace

// The first numbers stand for the empty list of strings under each adapted symbol.
ConstituentStrings::ConstituentStrings(const CompiledGrammar& grammar)
    : grammar_(grammar), next_yield_(static_cast<uint32_t>(grammar.adapted_symbols.size())) {}

uint32_t ConstituentStrings::string(uint32_t prefix, uint32_t atom) {
  const uint32_t hit = strings_.find_or_insert(pair(prefix, atom), next_string_);
  if (hit == next_string_ && ++next_string_ == kNoIndex) throw InputError("too many distinct strings");
  return hit;
}

uint32_t ConstituentStrings::chain(uint32_t first, uint32_t string) {
  const uint32_t hit = yields_.find_or_insert(pair(first, string), next_yield_);
  if (hit == next_yield_ && ++next_yield_ == kNoIndex) throw InputError("too many distinct yields");
  return hit;
}

template <class String, class Chain>
void ConstituentStrings::number(const Forest& forest, std::span<const uint32_t> word, std::vector<uint32_t>& numbers,
                                String string, Chain chain) const {
  const size_t n = word.size();
  std::vector<uint32_t> strings(n * (n + 1));  // [begin * (n + 1) + end]
  for (size_t begin = 0; begin < n; ++begin) {
    uint32_t s = 0;
    for (size_t end = begin + 1; end <= n; ++end)
      strings[begin * (n + 1) + end] = s = s == kNoIndex ? kNoIndex : string(s, word[end - 1]);
  }
  const auto beyond = [&](const Range& range) {
    uint32_t s = 0;
    for (size_t i = range.begin - n; i < range.end - n && s != kNoIndex; ++i)
      s = string(s, atom_at(word, forest.tape[i]));
    return s;
  };
  numbers.resize(forest.adapted.size());
  for (size_t k = 0; k < forest.adapted.size(); ++k) {
    uint32_t y = grammar_.adapted_index[forest.nodes[forest.adapted[k] - forest.node_base()].symbol];
    for (uint32_t r = forest.first_range[k]; r < forest.first_range[k + 1] && y != kNoIndex; ++r) {
      const Range& range = forest.ranges[r];
      const uint32_t s = range.begin < n ? strings[range.begin * (n + 1) + range.end] : beyond(range);
      y = s == kNoIndex ? kNoIndex : chain(y, s);
    }
    numbers[k] = y;
  }
}

void ConstituentStrings::add(const Forest& forest, std::span<const uint32_t> word, std::vector<uint32_t>& numbers) {
  number(
      forest, word, numbers, [this](uint32_t p, uint32_t a) { return string(p, a); },
      [this](uint32_t f, uint32_t s) { return chain(f, s); });
}

void ConstituentStrings::find(const Forest& forest, std::span<const uint32_t> word,
                              std::vector<uint32_t>& numbers) const {
  number(
      forest, word, numbers, [this](uint32_t p, uint32_t a) { return strings_.find(pair(p, a)); },
      [this](uint32_t f, uint32_t s) { return yields_.find(pair(f, s)); });
}

uint32_t ConstituentStrings::add(uint32_t adapted, const std::vector<std::vector<uint32_t>>& strings) {
  uint32_t y = adapted;
  for (const auto& atoms : strings) {
    uint32_t s = 0;
    for (uint32_t atom : atoms) s = string(s, atom);
    y = chain(y, s);
  }
  return y;
}

uint32_t ConstituentStrings::find(uint32_t adapted, const std::vector<std::vector<uint32_t>>& strings) const {
  uint32_t y = adapted;
  for (const auto& atoms : strings) {
    uint32_t s = 0;
    for (size_t i = 0; i < atoms.size() && s != kNoIndex; ++i) s = strings_.find(pair(s, atoms[i]));
    y = s == kNoIndex || y == kNoIndex ? kNoIndex : yields_.find(pair(y, s));
  }
  return y;
}

}  // namespace binyan::grammar
