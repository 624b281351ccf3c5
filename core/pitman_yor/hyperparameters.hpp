// Discount and strength of a level of restaurants, and their update by slice sampling (thesis, section "Posterior
// inference"): a ~ Beta(1, 1), b ~ Gamma(shape 0.1, scale 10), that is mean 1 and variance 10.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "pitman_yor/random.hpp"

namespace binyan::pitman_yor {

struct Hyperparameters {
  double discount = 0.5, strength = 1.0;
};

// Counts of equal values; small values, which are most, in an array.
class ValueCounts {
 public:
  struct Item {
    uint32_t value;
    uint64_t count;
  };
  void add(uint32_t value, uint64_t count = 1) {
    if (value < small_.size()) small_[value] += count;
    else large_[value] += count;
  }
  // Distinct values in increasing order, without 0.
  std::vector<Item> sorted() const;

 private:
  std::vector<uint64_t> small_ = std::vector<uint64_t>(4096, 0);
  std::map<uint32_t, uint64_t> large_;
};

// A level's likelihood needs only how often each number occurs, so that its cost is in the distinct numbers.
struct SeatingSummary {
  std::vector<ValueCounts::Item> customers;  // of restaurants
  std::vector<ValueCounts::Item> tables;     // of restaurants
  std::vector<ValueCounts::Item> sizes;      // of tables

  // Log-probability of the seating of all restaurants of the level (thesis, equation p-z-joint), base distribution left out.
  double log_likelihood(const Hyperparameters& h) const;
};

// One slice-sampling update of the discount, then of the strength.
void resample(Hyperparameters& h, const SeatingSummary& summary, Random& random);

}  // namespace binyan::pitman_yor
