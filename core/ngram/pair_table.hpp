// A fixed map from pairs of numbers to numbers: open addressing, linear probing, at most two thirds full.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "no_index.hpp"

namespace binyan::ngram {

class PairTable {
 public:
  explicit PairTable(uint64_t size = 0) : slots_(std::bit_ceil(size + size / 2 + 2), Slot{0, 0, kNoIndex}) {}
  // The pair is new, and `value` is not kNoIndex.
  void insert(uint32_t first, uint32_t second, uint32_t value) {
    uint64_t i = place(first, second);
    while (slots_[i].value != kNoIndex) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {first, second, value};
  }
  // The value of the pair, or kNoIndex.
  uint32_t find(uint32_t first, uint32_t second) const {
    for (uint64_t i = place(first, second);; i = (i + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[i];
      if (slot.value == kNoIndex || (slot.first == first && slot.second == second)) return slot.value;
    }
  }

 private:
  struct Slot {
    uint32_t first, second, value;
  };
  uint64_t place(uint32_t first, uint32_t second) const {
    uint64_t x = (static_cast<uint64_t>(first) << 32 | second) * 0x9e3779b97f4a7c15ULL;
    x ^= x >> 32;
    return (x * 0xd6e8feb86659fd93ULL) >> 32 & (slots_.size() - 1);
  }
  std::vector<Slot> slots_;
};

}  // namespace binyan::ngram
