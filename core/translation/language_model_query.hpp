// What the decoder asks of a language model. One query object serves one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "ngram/backoff_model.hpp"
#include "text/special_words.hpp"

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
//
// The vocabulary may grow between sentences: a word that is copied from the source is appended to it, and every feature
// is told of it by its own `extend`, which takes what the constructor takes per word. Decoders that use the feature,
// and all they remember, stay valid. `extend` may be called while other threads decode: it waits for their sentences.
class LanguageModelFeature {
 public:
  virtual ~LanguageModelFeature() = default;
  // How many words of the decoder the feature knows: ids below this may be scored.
  virtual uint32_t words() const = 0;
  // Held while a sentence is decoded: no word is added meanwhile.
  std::shared_lock<std::shared_mutex> decoding() const { return std::shared_lock(growth_); }
  virtual uint32_t order() const = 0;
  virtual bool unknown(uint32_t word) const = 0;
  virtual std::unique_ptr<LanguageModelQuery> query() const = 0;

 protected:
  std::unique_lock<std::shared_mutex> growing() { return std::unique_lock(growth_); }

 private:
  mutable std::shared_mutex growth_;
};

// Any back-off n-gram model: modified Kneser-Ney, HPYLM, ARPA.
class BackoffFeature final : public LanguageModelFeature {
 public:
  // `ids`: the model's id of each word of the decoder. The model outlives the feature. Throws InputError on ids out of
  // range.
  BackoffFeature(const ngram::BackoffModel& model, std::vector<uint32_t> ids);
  // Appends words; `ids` as in the constructor.
  void extend(std::span<const uint32_t> ids);
  uint32_t words() const override { return static_cast<uint32_t>(ids_.size()); }
  uint32_t order() const override { return model_.order(); }
  bool unknown(uint32_t word) const override { return ids_[word] == text::kUnknownWord; }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  void check(std::span<const uint32_t> ids) const;

  const ngram::BackoffModel& model_;
  std::vector<uint32_t> ids_;
};

}  // namespace binyan::translation
