// Text: UTF-8, words and their numbers; what is read is text again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/read_words.hpp"
#include "text/utf8.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  binyan::text::WordIndex index;
  binyan::text::Sentences sentences, again;
  const bool is_text = binyan::text::read_words(text, index, 50, sentences);
  if (is_text && !binyan::text::is_utf8(text)) std::abort();
  if (!is_text) return 0;
  for (const uint32_t word : sentences.words)
    if (word >= index.size() || index.find(index.word(word)) != word) std::abort();
  if (!binyan::text::read_words(text, index, 0, 50, again) || again.words != sentences.words) std::abort();
  return 0;
}
