// Class-factored log-bilinear models in the decoder, normalised exactly: P(w | h) = P(c(w) | h) P(w | c(w), h).
//
// The prediction vector of a context and the normalisers over classes and within each class are computed once and
// kept. A word whose context is not whole yet is estimated by the biases alone, which are log-unigrams.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "translation/language_model_query.hpp"

namespace binyan::translation {

struct LogBilinearArrays {
  uint32_t order = 0, width = 0;
  bool sigmoid = false;  // over the prediction vector
  // What a word at a position of the context adds to the prediction vector: (order - 1) x (words + 1) x width, the
  // oldest position first; the last row of each position is the start of the sentence.
  std::vector<float> context;
  std::vector<float> class_vectors, class_bias;    // classes x width
  std::vector<float> target_vectors, target_bias;  // rows x width; the rows of a class are adjacent
  std::vector<uint32_t> first;                     // rows of class c: [first[c], first[c + 1])
  std::vector<uint32_t> row;                       // of each word of the decoder
  uint32_t end_row = 0;                            // of the end of the sentence
  // An extended event space: words outside the vocabulary share the probability of <unk> by a softmax over p . vector +
  // bias. The last row is the rest of all words. Empty: no extension.
  std::vector<float> extension_vectors, extension_bias;
  std::vector<uint32_t> place;  // with an extension: of each word of the decoder among these rows, or kNoIndex
};

class LogBilinearFeature final : public LanguageModelFeature {
 public:
  // `unknown`: of each word of the decoder. Throws InputError where sizes do not fit together.
  LogBilinearFeature(LogBilinearArrays arrays, std::vector<uint8_t> unknown);
  // Appends words. `context`: (order - 1) x new words x width, the oldest position first, no row for the start of the
  // sentence; `row`, `unknown` and `place` as in the constructor.
  void extend(std::span<const float> context, std::span<const uint32_t> row, std::span<const uint8_t> unknown,
              std::span<const uint32_t> place = {});
  uint32_t words() const override { return static_cast<uint32_t>(arrays_.row.size()); }
  uint32_t order() const override { return arrays_.order; }
  bool unknown(uint32_t word) const override { return unknown_[word]; }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  friend class LogBilinearQuery;
  // What `word`, or kNoIndex for the start of the sentence, adds at a position of the context.
  const float* context_part(uint32_t position, uint32_t word) const;
  bool are_places(std::span<const uint32_t> place, uint64_t words) const;

  LogBilinearArrays arrays_;
  uint32_t first_words_;         // words of the constructor, which are those of arrays_.context
  std::vector<float> appended_;  // of each word after them: (order - 1) x width
  std::vector<uint8_t> unknown_;
  std::vector<uint32_t> class_of_;        // of each row
  std::vector<float> class_columns_;      // width x classes
  std::vector<float> target_columns_;     // for each class width x its rows, at first[c] * width
  std::vector<float> unigram_;            // log-probability by row under the biases alone
  std::vector<float> extension_columns_;  // width x rows of the extension
  float extension_norm_ = 0;              // log of the normaliser of the extension under the biases alone
};

}  // namespace binyan::translation
