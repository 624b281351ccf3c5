// The probability of a seating, the prior of discount and strength, and their update by slice sampling (thesis, section
// 3.3.1): a ~ Beta(1, 1), b ~ Gamma(shape 0.1, scale 10), that is mean 1 and variance 10.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "elementary/functions.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/seating.hpp"
#include "pitman_yor/slice_sampler.hpp"

namespace binyan::pitman_yor {

// Throws InputError unless the discount lies in [0, 1) and the strength is finite and above 0, or, where it is not
// `sampled`, above the negative discount: what comes from a file or a caller is checked here before it is used.
void check(const Hyperparameters& h, bool sampled = true);

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

// Restaurants that share their hyperparameters. Their likelihood needs only how often each number occurs, so that its
// cost is in the distinct numbers.
struct SeatingSummary {
  std::vector<ValueCounts::Item> customers;  // of restaurants
  std::vector<ValueCounts::Item> tables;     // of restaurants
  std::vector<ValueCounts::Item> sizes;      // of tables

  // Log-probability of the seating of all restaurants (thesis, equation 2.12, section 2.3.1), base distribution left
  // out.
  double log_likelihood(const Hyperparameters& h) const;
};

// The same counts while restaurants are added up, in any order.
struct SeatingCounts {
  ValueCounts customers, tables, sizes;

  SeatingSummary summary() const { return {customers.sorted(), tables.sorted(), sizes.sorted()}; }
};

// The log-likelihood of a single restaurant, by gamma functions: also for a discount of exactly 0 and for strengths so
// near 0 that products of rising factorials underflow (thesis, equations 2.14 and 5.8). `sizes`: of the tables; those
// that are left out contribute a factor that does not depend on the strength.
double log_seating(const Hyperparameters& h, uint64_t customers, uint64_t tables,
                   const std::vector<ValueCounts::Item>& sizes);

// The prior of the strength: up to a constant, and normalised. That of the discount is uniform.
constexpr double kStrengthShape = 0.1, kStrengthScale = 10.0;
inline double log_strength_prior(double b) { return log_gamma_density(b, kStrengthShape, kStrengthScale); }
inline double log_strength_density(double b) {
  return log_strength_prior(b) - elementary::lgamma(kStrengthShape) - kStrengthShape * elementary::log(kStrengthScale);
}

// One slice-sampling update of the discount; log_likelihood(a) may be up to a constant.
template <class LogLikelihood>
void sample_discount(Hyperparameters& h, double width, Random& random, LogLikelihood log_likelihood) {
  h.discount = slice_sample(random, h.discount, 0.0, 1.0, width, log_likelihood);
}

// How the strength is walked: on the scale of log b, where the prior, which is wide near 0, is easy to walk.
struct StrengthWalk {
  double least_log, most_log, width;
};

// One slice-sampling update of the strength; log_likelihood(b) and log_prior(b) may be up to constants.
template <class LogLikelihood, class LogPrior>
void sample_strength(Hyperparameters& h, const StrengthWalk& walk, Random& random, LogLikelihood log_likelihood,
                     LogPrior log_prior) {
  h.strength = elementary::exp(
      slice_sample(random, elementary::log(h.strength), walk.least_log, walk.most_log, walk.width, [&](double log_b) {
        const double b = elementary::exp(log_b);
        return log_likelihood(b) + log_prior(b) + log_b;  // + log b is the Jacobian
      }));
}

// One update of the discount, then of the strength, of restaurants that share them.
void resample(Hyperparameters& h, const SeatingSummary& summary, Random& random);

}  // namespace binyan::pitman_yor
