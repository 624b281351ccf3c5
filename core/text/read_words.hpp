// Text to word numbers: lines are sentences, ASCII white space separates words.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/word_index.hpp"

namespace binyan::text {

struct Sentences {
  std::vector<uint32_t> words;
  std::vector<uint64_t> offsets{0};  // sentence i is [offsets[i], offsets[i + 1])
};

// Appends the sentences of `text`, which is UTF-8 and ends at a line's end or the end of the file; blank lines are left
// out. Words that are not in the index become `missing`. Returns false, with `to` in an undefined state, where the text
// holds what is no text: a NUL byte, bytes that are not UTF-8, a word of more than `longest` characters.
bool read_words(std::string_view text, const WordIndex& index, uint32_t missing, size_t longest, Sentences& to);
// The same, where new words are added to the index.
bool read_words(std::string_view text, WordIndex& index, size_t longest, Sentences& to);
// The same as pieces of the text; `offsets` as in Sentences, `characters` grows by those of all words.
bool read_words(std::string_view text, size_t longest, std::vector<std::string_view>& words,
                std::vector<uint64_t>& offsets, uint64_t& characters);

}  // namespace binyan::text
