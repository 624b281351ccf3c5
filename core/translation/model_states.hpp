// Language-model states of partial translations: a flat array of words, so that hypotheses are compared and hashed at
// once.
//
// For each model: (number of open words) * 2 + closed, the open words, the state at the right edge. Open words are
// those at the left edge whose probability depends on what will stand before them; closed says that what follows them
// does not.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translation/grammar.hpp"
#include "translation/language_model_query.hpp"

namespace binyan::translation {

class ModelStates {
 public:
  explicit ModelStates(const std::vector<const LanguageModelFeature*>& models);

  // Forget earlier questions if they take more than `bytes`. States made before are void then.
  void forget_over(uint64_t bytes);

  uint32_t width() const { return width_; }                                      // words of a state
  uint32_t values() const { return static_cast<uint32_t>(2 * models_.size()); }  // features of an edge

  // The state of a target side over the states of its gaps. `values` receives, for each model, the log-probability of
  // the words whose context is now known and the number of unknown words of the target side itself; `estimates`, for
  // each model, that of the open words without context. `from_begin`: the words open a sentence.
  void combine(std::span<const uint32_t> target, const uint32_t* const* gaps, bool from_begin, uint32_t* state,
               float* values, float* estimates) const;
  // `values` for the end of the sentence after `state`.
  void finish(const uint32_t* state, float* values) const;

 private:
  struct Model {
    const LanguageModelFeature* feature;
    std::unique_ptr<LanguageModelQuery> query;
    uint32_t order, offset;
  };
  std::vector<Model> models_;
  uint32_t width_ = 0;
};

}  // namespace binyan::translation
