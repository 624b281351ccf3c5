// A text scored as it stands in a file: read, encoded, scored and written as rows, by several threads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/backoff_model.hpp"
#include "text/word_index.hpp"

namespace binyan::ngram {

enum class Rows { kNone, kSentences, kWords };

struct TextScores {
  std::string rows;                              // lines of columns that tabs separate
  std::string events;                            // every word and sentence end, a line end after each
  std::vector<double> log_prob, log_prob_known;  // one natural logarithm per sentence; known: without unknown words
  uint64_t unknown = 0;
  uint64_t characters = 0;  // with one space or line end after each word
};

class TextScorer {
 public:
  // Both must outlive the scorer. Throws InputError where the words are not those of the model.
  TextScorer(const BackoffModel& model, const text::WordIndex& words);

  // Appends the scores of the lines of `text`, whose first sentence has the number `first`. Rows of sentences: number,
  // log10 probability, unknown words, text. Rows of words: number of the sentence, word, log10 probability, matched
  // length, whether it is unknown. Returns false, with `to` in an undefined state, where the text is not clean (see
  // core/text/read_words.hpp) or holds <s> or </s> as a word. Nothing depends on the number of threads.
  bool score(std::string_view text, Rows rows, uint64_t first, size_t longest, unsigned threads, TextScores& to) const;

 private:
  struct Part;

  bool read(Part& part, size_t longest) const;
  void write(Part& part, Rows rows, uint64_t number) const;

  const BackoffModel& model_;
  const text::WordIndex& words_;
};

}  // namespace binyan::ngram
