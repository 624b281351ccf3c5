// HPYLM+c in the decoder, words outside its vocabulary scored by their components.
#pragma once
#include <vector>

#include "ngram/compound_query.hpp"
#include "translation/language_model_query.hpp"

namespace binyan::translation {

class CompoundFeature final : public LanguageModelFeature {
 public:
  // `words`: each word of the decoder as the model sees it. The model outlives the feature.
  CompoundFeature(const CompoundQuery& model, std::vector<CompoundQuery::Word> words, std::vector<uint8_t> unknown, bool renormalise)
      : model_(model), words_(std::move(words)), end_(model.word(kEnd)), unknown_(std::move(unknown)), renormalise_(renormalise) {}
  uint32_t order() const override { return model_.tree().words->order(); }
  bool unknown(uint32_t word) const override { return unknown_[word]; }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  friend class CompoundFeatureQuery;
  const CompoundQuery& model_;
  std::vector<CompoundQuery::Word> words_;
  CompoundQuery::Word end_;
  std::vector<uint8_t> unknown_;
  bool renormalise_;
};

}  // namespace binyan::translation
