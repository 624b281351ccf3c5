// Numbers for (adapted symbol, yield): the strings, one for each argument, that a node spans. A cached tree can be used
// at a node if and only if symbol and yield agree, so one number found when the forest is built replaces all comparison
// later.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/flat_map.hpp"
#include "grammar/forest.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

// Yields by exact hash-consing: a string is (its prefix, its last atom); a yield is (its first strings, its last
// string).
class ConstituentStrings {
 public:
  explicit ConstituentStrings(const CompiledGrammar& grammar);
  // The number of the yield of each adapted node of the word's forest; new yields get new numbers, in order.
  void add(const Forest& forest, std::span<const uint32_t> word, std::vector<uint32_t>& numbers);
  // The same, but kNoIndex for a yield never added.
  void find(const Forest& forest, std::span<const uint32_t> word, std::vector<uint32_t>& numbers) const;
  // One yield given as strings.
  uint32_t add(uint32_t adapted, const std::vector<std::vector<uint32_t>>& strings);
  uint32_t find(uint32_t adapted, const std::vector<std::vector<uint32_t>>& strings) const;

  uint32_t size() const { return next_yield_; }
  size_t bytes() const { return strings_.bytes() + yields_.bytes(); }

 private:
  template <class String, class Chain>
  void number(const Forest& forest, std::span<const uint32_t> word, std::vector<uint32_t>& numbers, String string,
              Chain chain) const;
  uint32_t string(uint32_t prefix, uint32_t atom);
  uint32_t chain(uint32_t first, uint32_t string);

  const CompiledGrammar& grammar_;
  FlatMap strings_, yields_;
  uint32_t next_string_ = 1;
  uint32_t next_yield_;
};

}  // namespace binyan::grammar
