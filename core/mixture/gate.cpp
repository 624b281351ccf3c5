#include "mixture/gate.hpp"

#include <algorithm>
#include <limits>

#include "elementary/functions.hpp"
#include "errors.hpp"

namespace binyan::mixture {

Gate::Gate(std::vector<uint32_t> parts, uint32_t features, std::vector<double> known, std::vector<double> unknown)
    : first_{0}, features_(features), known_(std::move(known)), unknown_(std::move(unknown)) {
  for (const uint32_t count : parts) first_.push_back(first_.back() + count);
  const uint64_t size = uint64_t{first_.back()} * (1 + uint64_t{features});
  if (parts.empty() || known_.size() != size || unknown_.size() != size)
    throw InputError("the tables of a mixture's weights do not fit the parts of its models");
}

void Gate::weigh(const std::vector<double>& table, EventParts& event, std::vector<double>& prior) const {
  for (uint32_t m = 0; m < models(); ++m) {
    double sum = 0.0;
    for (uint32_t j = first_[m]; j < first_[m + 1]; ++j) sum += prior[j];
    if (sum > 0.0)
      for (uint32_t j = first_[m]; j < first_[m + 1]; ++j) prior[j] /= sum;
  }
  std::vector<double>& score = event.score;
  double top = -std::numeric_limits<double>::infinity();
  for (uint32_t j = 0; j < parts(); ++j) {
    if (!(prior[j] > 0.0)) continue;
    const double* const row = table.data() + uint64_t{j} * (1 + features_);
    // Four sums, which do not wait for one another.
    double sums[4] = {row[0], 0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < features_; ++i) sums[i & 3] += row[1 + i] * event.features[i];
    score[j] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    top = std::max(top, score[j]);
  }
  double sum = 0.0;
  for (uint32_t j = 0; j < parts(); ++j) {
    prior[j] = prior[j] > 0.0 ? prior[j] * elementary::exp(score[j] - top) : 0.0;
    sum += prior[j];
  }
  if (sum > 0.0)
    for (double& weight : prior) weight /= sum;
}

void Gate::mix(EventParts& event, bool is_unknown, std::span<double> weights, std::span<double> shares) const {
  const auto ratio = [](double of, double to) { return to > 0.0 ? of / to : 0.0; };
  event.of_unknown = event.mass;
  weigh(unknown_, event, event.of_unknown);
  double unknown = 0.0;
  for (uint32_t j = 0; j < parts(); ++j) unknown += event.of_unknown[j] * ratio(event.unknown[j], event.mass[j]);
  for (uint32_t j = 0; j < parts(); ++j) event.rest[j] = std::max(event.mass[j] - event.unknown[j], 0.0);
  if (!is_unknown) {
    event.of_known = event.rest;
    weigh(known_, event, event.of_known);
  }
  const std::vector<double>& weight = is_unknown ? event.of_unknown : event.of_known;
  for (uint32_t m = 0; m < models(); ++m) {
    weights[m] = shares[m] = 0.0;
    for (uint32_t j = first_[m]; j < first_[m + 1]; ++j) {
      weights[m] += weight[j];
      shares[m] += weight[j] * (is_unknown ? ratio(event.unknown[j], event.mass[j])
                                           : (1.0 - unknown) * ratio(event.share[j], event.rest[j]));
    }
  }
}

}  // namespace binyan::mixture
