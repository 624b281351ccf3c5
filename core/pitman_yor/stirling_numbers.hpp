// Generalised Stirling numbers S(c, t): the sum, over the ways c customers of a dish sit at t tables, of the product
// over tables of (1 - a)(2 - a) ... (size - 1 - a). With them table sizes are summed out of the law of a discount a.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "pitman_yor/random.hpp"

namespace binyan::pitman_yor {

// Up to so many customers S(c, t) / (c - 1)! is a normal number for every t.
constexpr uint32_t kMostSummedOut = 100;

class StirlingNumbers {
 public:
  // For all c up to `customers`, at most kMostSummedOut, and t up to `tables`; discount in [0, 1).
  StirlingNumbers(uint32_t customers, uint32_t tables, double discount);

  // log S(c, t) / (c - 1)!, for 0 < t <= c.
  double log_scaled(uint32_t customers, uint32_t tables) const;
  // Sizes of as many tables as `sizes` has, drawn given the number of all customers.
  void draw_sizes(uint32_t customers, std::span<uint32_t> sizes, Random& random) const;

 private:
  double& at(uint32_t c, uint32_t t) { return scaled_[c * (tables_ + 1) + t]; }
  double at(uint32_t c, uint32_t t) const { return scaled_[c * (tables_ + 1) + t]; }

  uint32_t tables_;
  double discount_;
  std::vector<double> scaled_;  // S(c, t) / (c - 1)!
};

// How many dishes have c customers at t tables, for those whose table sizes are summed out.
class SeatCounts {
 public:
  // Sizes can be summed out where they are not implied and the numbers stay small.
  static bool covers(uint32_t customers, uint32_t tables) {
    return tables > 1 && tables < customers && customers <= kMostSummedOut;
  }
  void add(uint32_t customers, uint32_t tables);
  // The numbers that these dishes need.
  StirlingNumbers numbers(double discount) const { return {most_customers_, most_tables_, discount}; }
  // Log-probability of their tables, up to a term that does not depend on the discount.
  double log_likelihood(double discount) const;

 private:
  uint32_t most_customers_ = 1, most_tables_ = 1;
  std::vector<uint32_t> dishes_ = std::vector<uint32_t>((kMostSummedOut + 1) * (kMostSummedOut + 1), 0);
};

}  // namespace binyan::pitman_yor
