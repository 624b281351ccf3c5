// What the decoder asks of a language model. One query object serves one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ngram/backoff_model.hpp"

namespace binyan::translation {

struct QueryResult {
  uint32_t state;  // after the word
  float log_prob;  // natural logarithm
};

class LanguageModelQuery {
 public:
  virtual ~LanguageModelQuery() = default;
  // States are numbers that stand for histories; equal numbers score every continuation alike.
  virtual uint32_t begin() = 0;  // at the start of a sentence
  virtual uint32_t empty() = 0;  // nothing known of the words before
  virtual QueryResult score(uint32_t state, uint32_t word) = 0;
  virtual float end(uint32_t state) = 0;  // log-probability of the end of the sentence
  // Words of history the state depends on; at most order - 1.
  virtual uint32_t length(uint32_t state) = 0;
  // About how many bytes are remembered of earlier questions.
  virtual uint64_t remembered() const { return 0; }
};

// A language model as a feature of the decoder. Words are ids of the decoder's target vocabulary.
class LanguageModelFeature {
 public:
  virtual ~LanguageModelFeature() = default;
  virtual uint32_t order() const = 0;
  virtual bool unknown(uint32_t word) const = 0;
  virtual std::unique_ptr<LanguageModelQuery> query() const = 0;
};

// Any back-off n-gram model: modified Kneser-Ney, HPYLM, ARPA.
class BackoffFeature final : public LanguageModelFeature {
 public:
  // `ids`: the model's id of each word of the decoder. The model outlives the feature. Throws InputError on ids out of range.
  BackoffFeature(const BackoffModel& model, std::vector<uint32_t> ids);
  uint32_t order() const override { return model_.order(); }
  bool unknown(uint32_t word) const override { return ids_[word] == kUnknown; }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  const BackoffModel& model_;
  std::vector<uint32_t> ids_;
};

}  // namespace binyan::translation
