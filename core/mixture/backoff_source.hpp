// A back-off model in a mixture: one part for each length of context where it is interpolated, else one in all.
#pragma once
#include <cstdint>
#include <vector>

#include "mixture/source.hpp"
#include "ngram/backoff_model.hpp"

namespace binyan::mixture {

class BackoffSource final : public MixtureSource {
 public:
  // `ids`: the model's id of each word of the mixture. The model outlives the source. Throws InputError on ids out of
  // range.
  BackoffSource(const ngram::BackoffModel& model, std::vector<uint32_t> ids, bool interpolated);
  uint32_t parts() const override { return interpolated_ ? model_.order() : 1; }
  // For each length of context, whether the longest known one has it; for each length, the logarithms of the back-off
  // weights of a longest known context of that length and of the shorter ones.
  uint32_t features() const override { return longest() + longest() * (longest() + 1) / 2; }
  uint32_t words() const override { return static_cast<uint32_t>(ids_.size()); }
  uint32_t state_size() const override { return 1; }
  bool has_sequences() const override { return false; }
  void begin(std::span<uint32_t> state) const override { state[0] = model_.begin(); }
  void check(std::span<const uint32_t> state) const override;
  uint32_t weigh(std::span<const uint32_t> state, uint32_t word, const PartRow& to, std::span<uint32_t> next) override;
  void add_word(std::span<const float>) override;
  void forget_words() override { ids_.resize(own_words_); }

 private:
  uint32_t longest() const { return model_.order() - 1; }

  const ngram::BackoffModel& model_;
  std::vector<uint32_t> ids_;
  uint64_t own_words_;
  bool interpolated_;
  ngram::LengthParts at_;
};

}  // namespace binyan::mixture
