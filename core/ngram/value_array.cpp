#include "ngram/value_array.hpp"

#include <algorithm>
#include <limits>

#include "errors.hpp"

namespace binyan::ngram {

ValueArray::ValueArray(std::span<const uint8_t> numbers, Tables tables)
    : bytes_(numbers.data()), size_(numbers.size()) {
  take_tables(std::move(tables), 1u << 8);
}

ValueArray::ValueArray(std::span<const uint16_t> numbers, Tables tables)
    : pairs_(numbers.data()), size_(numbers.size()) {
  take_tables(std::move(tables), 1u << 16);
}

void ValueArray::take_tables(Tables tables, size_t most) {
  const bool covered = tables.end.size() == tables.values.size() && !tables.end.empty() && tables.end.back() == size_ &&
                       std::ranges::is_sorted(tables.end);
  if (!covered) throw InputError("the tables of quantised values do not cover them");
  for (std::vector<float>& values : tables.values) {
    if (values.size() > most) throw InputError("a table of quantised values has more values than numbers");
    values.resize(most, std::numeric_limits<float>::quiet_NaN());
  }
  tables_ = std::move(tables);
}

std::vector<float> ValueArray::copy() const {
  std::vector<float> values(size_);
  for (uint64_t i = 0; i < size_; ++i) values[i] = (*this)[i];
  return values;
}

}  // namespace binyan::ngram
