#include "pitman_yor/stirling_numbers.hpp"

#include <algorithm>
#include <array>

#include "elementary/functions.hpp"
#include "pitman_yor/seating.hpp"

namespace binyan::pitman_yor {

StirlingNumbers::StirlingNumbers(uint32_t customers, uint32_t tables, double discount)
    : tables_(tables), discount_(discount), scaled_((customers + 1) * (tables + 1), 0.0) {
  at(1, 1) = 1.0;
  for (uint32_t c = 1; c < customers; ++c) {
    const double n = c;
    for (uint32_t t = 1; t <= std::min(c + 1, tables); ++t)
      at(c + 1, t) = (at(c, t - 1) + (n - discount * t) * at(c, t)) / n;
  }
}

double StirlingNumbers::log_scaled(uint32_t customers, uint32_t tables) const {
  return elementary::log(at(customers, tables));
}

// Who opens a table is drawn from the last customer to the first; the others then choose a table in their order.
void StirlingNumbers::draw_sizes(uint32_t customers, std::span<uint32_t> sizes, Random& random) const {
  std::array<bool, kMostSummedOut + 1> opens{};
  uint32_t left = static_cast<uint32_t>(sizes.size());
  for (uint32_t c = customers; c > 1; --c) {
    opens[c] = left == c || random.uniform() * at(c, left) * (c - 1) < at(c - 1, left - 1);
    left -= opens[c];
  }
  sizes[0] = 1;
  uint32_t open = 1;
  for (uint32_t c = 2; c <= customers; ++c) {
    if (opens[c]) {
      sizes[open++] = 1;
      continue;
    }
    double weight = random.uniform() * old_tables_weight(c - 1, open, discount_);
    uint32_t table = 0;
    while (table + 1 < open && (weight -= table_weight(sizes[table], discount_)) >= 0.0) ++table;
    ++sizes[table];
  }
}

void SeatCounts::add(uint32_t customers, uint32_t tables) {
  ++dishes_[customers * (kMostSummedOut + 1) + tables];
  most_customers_ = std::max(most_customers_, customers);
  most_tables_ = std::max(most_tables_, tables);
}

double SeatCounts::log_likelihood(double discount) const {
  const StirlingNumbers stirling = numbers(discount);
  double sum = 0.0;
  for (uint32_t c = 3; c <= most_customers_; ++c)
    for (uint32_t t = 2; t < c && t <= most_tables_; ++t)
      if (const uint32_t n = dishes_[c * (kMostSummedOut + 1) + t]; n > 0) sum += n * stirling.log_scaled(c, t);
  return sum;
}

}  // namespace binyan::pitman_yor
