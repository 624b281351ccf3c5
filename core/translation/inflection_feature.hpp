// hpylm+i in the decoder, words outside its vocabulary scored by stem and ending.
#pragma once
#include <span>
#include <vector>

#include "ngram/inflection_query.hpp"
#include "translation/language_model_query.hpp"

namespace binyan::translation {

class InflectionFeature final : public LanguageModelFeature {
 public:
  // `words`: each word of the decoder as the model sees it. The model outlives the feature.
  // Throws InputError unless `words` and `unknown` are of one length and the words are the model's.
  InflectionFeature(const ngram::InflectionQuery& model, std::vector<ngram::InflectionQuery::Word> words,
                    std::vector<uint8_t> unknown, bool renormalise);
  // Appends words; `words` and `unknown` as in the constructor.
  void extend(std::vector<ngram::InflectionQuery::Word> words, std::span<const uint8_t> unknown);
  uint32_t words() const override { return static_cast<uint32_t>(words_.size()); }
  uint32_t order() const override { return model_.forest().words->order(); }
  bool unknown(uint32_t word) const override { return unknown_[word]; }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  friend class InflectionFeatureQuery;
  void check(std::span<const ngram::InflectionQuery::Word> words, size_t unknown) const;

  const ngram::InflectionQuery& model_;
  std::vector<ngram::InflectionQuery::Word> words_;
  ngram::InflectionQuery::Word end_;
  std::vector<uint8_t> unknown_;
  bool renormalise_;
};

}  // namespace binyan::translation
