// A map from 64-bit keys to 32-bit values by open addressing. The key with all bits set is reserved.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "no_index.hpp"

namespace binyan::grammar {

class FlatMap {
 public:
  FlatMap() : keys_(16, kEmpty), values_(16) {}

  uint32_t find(uint64_t key) const {
    for (size_t i = slot(key);; i = (i + 1) & (keys_.size() - 1)) {
      if (keys_[i] == key) return values_[i];
      if (keys_[i] == kEmpty) return kNoIndex;
    }
  }
  // The value of `key`, set to `fresh` where the key is new.
  uint32_t find_or_insert(uint64_t key, uint32_t fresh) {
    if (2 * (size_ + 1) > keys_.size()) grow();
    for (size_t i = slot(key);; i = (i + 1) & (keys_.size() - 1)) {
      if (keys_[i] == key) return values_[i];
      if (keys_[i] == kEmpty) {
        keys_[i] = key;
        values_[i] = fresh;
        ++size_;
        return fresh;
      }
    }
  }
  size_t size() const { return size_; }
  size_t bytes() const { return keys_.size() * 12; }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;
  size_t slot(uint64_t key) const {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15ULL;
    return (key ^ (key >> 29)) & (keys_.size() - 1);
  }
  void grow() {
    std::vector<uint64_t> keys(2 * keys_.size(), kEmpty);
    std::vector<uint32_t> values(keys.size());
    keys.swap(keys_);
    values.swap(values_);
    size_ = 0;
    for (size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kEmpty) find_or_insert(keys[i], values[i]);
  }
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> values_;
  size_t size_ = 0;
};

}  // namespace binyan::grammar
