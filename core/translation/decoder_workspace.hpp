// What one thread keeps from sentence to sentence.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "translation/model_states.hpp"

namespace binyan::translation {

// One target side that may be used.
struct Option {
  uint32_t rule, word;
  std::span<const uint32_t> target;
  float score;     // weighted features but the language models' log-probabilities
  float estimate;  // score with those of its own words, without context
};
using Options = std::vector<Option>;  // best first

// What one thread keeps from sentence to sentence: answers of the language models, options of source sides. Nothing
// that is found depends on it.
class DecoderWorkspace {
 public:
  explicit DecoderWorkspace(const std::vector<const LanguageModelFeature*>& features) : models(features) {}
  // Make it that of another decoder, whose options are others.
  void belong_to(uint64_t decoder);
  void forget_most();

  ModelStates models;
  std::unordered_map<uint32_t, Options> options;  // by node of the grammar
  uint64_t kept_options = 0;

 private:
  void forget_options();

  uint64_t decoder_ = 0;
};

}  // namespace binyan::translation
