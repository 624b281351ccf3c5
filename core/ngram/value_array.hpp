// Values of an array: as they are, or as the numbers of values in tables, one table for each range of places. Numbers
// of one or two bytes take a quarter or half of the memory.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "prefetch.hpp"

namespace binyan::ngram {

class ValueArray {
 public:
  // Where the places of each table end, and the values of all tables one after another.
  struct Tables {
    std::vector<uint64_t> end;
    std::vector<std::vector<float>> values;
  };

  ValueArray() = default;
  ValueArray(std::span<const float> values) : floats_(values.data()), size_(values.size()) {}   // NOLINT: implicit
  ValueArray(const std::vector<float>& values) : ValueArray(std::span<const float>(values)) {}  // NOLINT: implicit
  // Numbers beyond a table, which a damaged file may have, stand for not a number. Throws InputError where the tables
  // do not cover the array or have more values than can be numbered.
  ValueArray(std::span<const uint8_t> numbers, Tables tables);
  ValueArray(std::span<const uint16_t> numbers, Tables tables);

  size_t size() const { return size_; }
  bool is_coded() const { return floats_ == nullptr && size_ > 0; }
  float operator[](uint64_t i) const { return floats_ != nullptr ? floats_[i] : decoded(i); }
  void expect(uint64_t i) const {
    if (floats_ != nullptr) prefetch(floats_ + i);
    else if (bytes_ != nullptr) prefetch(bytes_ + i);
    else prefetch(pairs_ + i);
  }
  // The values where they are in memory as they are, else nothing.
  std::span<const float> floats() const { return {floats_, floats_ == nullptr ? 0 : size_}; }
  std::vector<float> copy() const;
  // Whether holds(value) for all.
  template <class Holds>
  bool all(Holds holds) const {
    for (uint64_t i = 0; i < size_; ++i)
      if (!holds((*this)[i])) return false;
    return true;
  }

 private:
  float decoded(uint64_t i) const {
    size_t table = 0;
    while (i >= tables_.end[table]) ++table;
    return tables_.values[table][bytes_ != nullptr ? bytes_[i] : pairs_[i]];
  }
  void take_tables(Tables tables, size_t most);

  const float* floats_ = nullptr;
  const uint8_t* bytes_ = nullptr;
  const uint16_t* pairs_ = nullptr;
  size_t size_ = 0;
  Tables tables_;
};

}  // namespace binyan::ngram
