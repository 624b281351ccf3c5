// A mixture of models of the core: the probability of one word after another.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mixture/gate.hpp"
#include "mixture/source.hpp"

namespace binyan::mixture {

// How a model takes part in a vocabulary that has more words than its own: of its P(<unk> | h), words that others know
// have `each`, and <unk> keeps `rest`.
struct Widening {
  std::vector<uint8_t> own;  // whether each word of the mixture is the model's; all are where this is empty
  double each = 0.0, rest = 1.0;
};

struct MixedWord {
  double log_prob;  // natural logarithm
  uint32_t matched;
};

class MixtureQuery {
 public:
  // Weights by context with a gate, fixed weights without. Throws InputError where sizes do not fit together.
  MixtureQuery(std::vector<std::shared_ptr<MixtureSource>> sources, std::vector<Widening> widenings,
               std::vector<double> weights, std::optional<Gate> gate);
  const std::vector<std::shared_ptr<MixtureSource>>& sources() const { return sources_; }
  uint32_t state_size() const { return state_size_; }
  void begin(std::span<uint32_t> state) const;
  // `state` and `next` are those of the sources, one after another; the caller has checked the state and the word.
  // Throws InputError on <s>, which is never predicted.
  MixedWord score(std::span<const uint32_t> state, uint32_t word, std::span<uint32_t> next);
  // Sentences as for BackoffModel::score_sentences. Words outside the vocabulary were added to the sources before.
  void score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets, std::span<double> log_prob,
                       std::span<uint8_t> matched);

 private:
  std::vector<std::shared_ptr<MixtureSource>> sources_;
  std::vector<Widening> widenings_;
  std::vector<double> fixed_;
  std::optional<Gate> gate_;
  uint32_t state_size_ = 0, words_ = 0;
  EventParts event_;
  std::vector<double> weights_, shares_;
};

}  // namespace binyan::mixture
