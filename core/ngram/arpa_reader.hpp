// Reads the ARPA format: n-grams with log10 probabilities and back-off weights, as text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/ngram_list.hpp"
#include "text/word_index.hpp"

namespace binyan::ngram {

// Feed the file in pieces of any size, then call finish once. Errors are InputErrors "LINE: what is wrong".
// <s> is no event, whatever its probability in the file.
class ArpaReader {
 public:
  ArpaReader();
  void feed(std::string_view piece);
  BackoffModel finish();

  const text::WordIndex& words() const { return words_; }
  // Known after finish.
  std::vector<std::string>
      missing;             // those of <unk> and </s> that the file does not have; given log10 probability -100
  uint64_t filled_in = 0;  // parts of n-grams that were missing (pruned models)

 private:
  enum class Part { Before, Counts, Ngrams, Between, After };

  [[noreturn]] void fail(const std::string& what) const;
  void read_line(std::string_view line);
  void read_count(std::string_view line);
  void begin_section(std::string_view line);
  void end_section();
  void read_ngram(std::string_view line);
  float number(std::string_view field, const char* what) const;

  text::WordIndex words_;
  std::vector<NgramList> lists_;
  std::vector<uint64_t> declared_;
  std::vector<std::string_view> fields_;
  std::vector<uint32_t> ids_;
  std::vector<bool> seen_;  // unigrams
  std::string rest_;        // of a line that is not complete
  uint64_t line_ = 0, count_ = 0;
  size_t section_ = 0;  // length of the n-grams being read, or last read
  Part part_ = Part::Before;
};

}  // namespace binyan::ngram
