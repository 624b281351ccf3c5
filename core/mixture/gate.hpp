// Weights by context: what each of several models adds to the probability of an event, given the parts that its own
// probability is a sum of and features of the context (binyan/mixture/weights.py has the formulas, and fits them).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace binyan::mixture {

// The parts of all models at one event, and the features of its context. Over the parts of a model `share` sums to
// P(word | h), `mass` to 1 and `unknown` to P(<unk> | h).
struct EventParts {
  std::vector<double> share, mass, unknown, features;
  std::vector<double> rest, of_known, of_unknown, score;  // room for the gate to work in

  EventParts(uint32_t parts, uint32_t feature_count)
      : share(parts), mass(parts), unknown(parts), features(feature_count), rest(parts), score(parts) {}
};

class Gate {
 public:
  // `parts`: of each model. `known` and `unknown`: parts x (1 + features), the first column a constant. Throws
  // InputError where sizes do not fit together.
  Gate(std::vector<uint32_t> parts, uint32_t features, std::vector<double> known, std::vector<double> unknown);
  uint32_t models() const { return static_cast<uint32_t>(first_.size()) - 1; }
  uint32_t parts() const { return first_.back(); }
  uint32_t features() const { return features_; }
  // Writes the weight of each model, and what it adds to the mixture's probability of the event.
  void mix(EventParts& event, bool is_unknown, std::span<double> weights, std::span<double> shares) const;

 private:
  // Writes softmax(table x features + log(prior)); the prior of each model's parts is first made to sum to 1.
  void weigh(const std::vector<double>& table, EventParts& event, std::vector<double>& prior) const;

  std::vector<uint32_t> first_;  // parts of model i: [first_[i], first_[i + 1])
  uint32_t features_;
  std::vector<double> known_, unknown_;
};

}  // namespace binyan::mixture
