#include "pitman_yor/hyperparameters.hpp"

#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "pitman_yor/rising_factorial.hpp"

namespace binyan::pitman_yor {
namespace {

// Sum over items of log x (x + step) ... with value - 1 factors: no factor for the first customer or table.
double log_rising_sum(const std::vector<ValueCounts::Item>& items, double x, double step) {
  double sum = 0;
  for (const auto& item : items) sum += static_cast<double>(item.count) * log_rising(x, step, item.value - 1);
  return sum;
}

// Sum over 0 < i < tables of log(b + a i).
double log_openings(double a, double b, uint64_t tables) {
  const double m = static_cast<double>(tables) - 1.0;
  if (a <= 0.0 || b / a > 1e9) return m * elementary::log(b) + (a > 0.0 ? a / b * m * (m + 1.0) / 2.0 : 0.0);
  if (tables <= 8) {
    double sum = 0.0;
    for (uint64_t i = 1; i < tables; ++i) sum += elementary::log(b + a * static_cast<double>(i));
    return sum;
  }
  return m * elementary::log(a) + elementary::lgamma(m + 1.0 + b / a) - elementary::lgamma(1.0 + b / a);
}

}  // namespace

void check(const Hyperparameters& h, bool sampled) {
  const double least = sampled ? 0.0 : -h.discount;
  if (!(h.discount >= 0.0 && h.discount < 1.0 && h.strength > least && std::isfinite(h.strength)))
    throw InputError("a discount lies in [0, 1) and a strength is finite and above " +
                     std::string(sampled ? "0" : "the negative discount") + ", not " + std::to_string(h.discount) +
                     " and " + std::to_string(h.strength));
}

std::vector<ValueCounts::Item> ValueCounts::sorted() const {
  std::vector<Item> items;
  for (uint32_t v = 1; v < small_.size(); ++v)
    if (small_[v] > 0) items.push_back({v, small_[v]});
  for (const auto& [value, count] : large_) items.push_back({value, count});
  return items;
}

double SeatingSummary::log_likelihood(const Hyperparameters& h) const {
  return log_rising_sum(tables, h.discount + h.strength, h.discount) + log_rising_sum(sizes, 1.0 - h.discount, 1.0) -
         log_rising_sum(customers, 1.0 + h.strength, 1.0);
}

double log_seating(const Hyperparameters& h, uint64_t customers, uint64_t tables,
                   const std::vector<ValueCounts::Item>& sizes) {
  if (customers == 0) return 0.0;
  double sum = log_openings(h.discount, h.strength, tables) + elementary::lgamma(1.0 + h.strength) -
               elementary::lgamma(h.strength + static_cast<double>(customers));
  for (const auto& [n, how_many] : sizes)
    sum += static_cast<double>(how_many) * log_rising(1.0 - h.discount, 1.0, n - 1);
  return sum;
}

void resample(Hyperparameters& h, const SeatingSummary& summary, Random& random) {
  sample_discount(h, 0.1, random, [&](double a) {
    return log_rising_sum(summary.tables, a + h.strength, a) + log_rising_sum(summary.sizes, 1.0 - a, 1.0);
  });
  constexpr StrengthWalk walk{-200.0, 25.0, 1.0};
  const auto log_likelihood = [&](double b) {
    return log_rising_sum(summary.tables, h.discount + b, h.discount) - log_rising_sum(summary.customers, 1.0 + b, 1.0);
  };
  sample_strength(h, walk, random, log_likelihood, log_strength_prior);
}

}  // namespace binyan::pitman_yor
