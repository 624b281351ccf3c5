#include "pitman_yor/hyperparameters.hpp"

#include "pitman_yor/rising_factorial.hpp"
#include "pitman_yor/slice_sampler.hpp"

namespace binyan::pitman_yor {
namespace {

constexpr double kStrengthShape = 0.1, kStrengthScale = 10.0;

// Sum over items of log x (x + step) ... with value - 1 factors: no factor for the first customer or table.
double log_rising_sum(const std::vector<ValueCounts::Item>& items, double x, double step) {
  double sum = 0;
  for (const auto& item : items) sum += static_cast<double>(item.count) * log_rising(x, step, item.value - 1);
  return sum;
}

}  // namespace

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

void resample(Hyperparameters& h, const SeatingSummary& summary, Random& random) {
  h.discount = slice_sample(random, h.discount, 0.0, 1.0, 0.1, [&](double a) {
    return log_rising_sum(summary.tables, a + h.strength, a) + log_rising_sum(summary.sizes, 1.0 - a, 1.0);
  });
  // On the scale of log b, where the prior, which is wide near 0, is easy to walk; + log b is the Jacobian.
  h.strength = std::exp(slice_sample(random, std::log(h.strength), -200.0, 25.0, 1.0, [&](double log_b) {
    const double b = std::exp(log_b);
    return log_rising_sum(summary.tables, h.discount + b, h.discount) - log_rising_sum(summary.customers, 1.0 + b, 1.0) +
           log_gamma_density(b, kStrengthShape, kStrengthScale) + log_b;
  }));
}

}  // namespace binyan::pitman_yor
