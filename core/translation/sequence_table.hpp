// Distinct sequences of symbols, numbered in the order they are first seen.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "no_index.hpp"

namespace binyan::translation {

class SequenceTable {
 public:
  SequenceTable() : slots_(1 << 10, kNoIndex), offsets_{0} {}

  uint32_t size() const { return static_cast<uint32_t>(offsets_.size()) - 1; }
  std::span<const uint32_t> operator[](uint32_t id) const {
    return {symbols_.data() + offsets_[id], static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
  }
  // The number of `sequence`, or kNoIndex.
  uint32_t find(std::span<const uint32_t> sequence) const { return slots_[slot(sequence)]; }
  // The number of `sequence`, which is added where it is new.
  uint32_t intern(std::span<const uint32_t> sequence) {
    const uint64_t at = slot(sequence);
    if (slots_[at] != kNoIndex) return slots_[at];
    const uint32_t id = size();
    slots_[at] = id;
    symbols_.insert(symbols_.end(), sequence.begin(), sequence.end());
    offsets_.push_back(symbols_.size());
    if (uint64_t{size()} * 2 > slots_.size()) grow();
    return id;
  }

 private:
  static uint64_t hash(std::span<const uint32_t> sequence) {
    uint64_t h = sequence.size();
    for (uint32_t s : sequence) {
      h = (h ^ s) * 0x9E3779B97F4A7C15ull;
      h ^= h >> 29;
    }
    return h ^ h >> 32;
  }
  uint64_t slot(std::span<const uint32_t> sequence) const {
    const uint64_t mask = slots_.size() - 1;
    uint64_t at = hash(sequence) & mask;
    while (slots_[at] != kNoIndex && !std::ranges::equal((*this)[slots_[at]], sequence)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, kNoIndex);
    const uint64_t mask = slots_.size() - 1;
    for (uint32_t id = 0; id < size(); ++id) {
      uint64_t at = hash((*this)[id]) & mask;
      while (slots_[at] != kNoIndex) at = (at + 1) & mask;
      slots_[at] = id;
    }
  }

  std::vector<uint32_t> slots_;  // open addressing; a power of two
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> symbols_;
};

}  // namespace binyan::translation
