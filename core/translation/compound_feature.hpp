// HPYLM+c in the decoder, words outside its vocabulary scored by their components.
#pragma once
#include <span>
#include <vector>

#include "ngram/compound_query.hpp"
#include "translation/language_model_query.hpp"

namespace binyan::translation {

class CompoundFeature final : public LanguageModelFeature {
 public:
  // `words`: each word of the decoder as the model sees it. The model outlives the feature.
  // Throws InputError unless `words` and `unknown` are of one length.
  CompoundFeature(const ngram::CompoundQuery& model, std::vector<ngram::CompoundQuery::Word> words,
                  std::vector<uint8_t> unknown, bool renormalise);
  // Appends words; `words` and `unknown` as in the constructor.
  void extend(std::vector<ngram::CompoundQuery::Word> words, std::span<const uint8_t> unknown);
  uint32_t words() const override { return static_cast<uint32_t>(words_.size()); }
  uint32_t order() const override { return model_.tree().words->order(); }
  bool unknown(uint32_t word) const override { return unknown_[word]; }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  friend class CompoundFeatureQuery;
  const ngram::CompoundQuery& model_;
  std::vector<ngram::CompoundQuery::Word> words_;
  ngram::CompoundQuery::Word end_;
  std::vector<uint8_t> unknown_;
  bool renormalise_;
};

}  // namespace binyan::translation
