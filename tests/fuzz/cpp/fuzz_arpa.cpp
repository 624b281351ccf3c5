// ARPA files: read in pieces, then queried.
#include <cstdint>
#include <string_view>

#include "errors.hpp"
#include "ngram/arpa_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    binyan::ngram::ArpaReader reader;
    for (size_t at = 0; at < size; at += 37) reader.feed(text.substr(at, 37));
    const binyan::ngram::BackoffModel model = reader.finish();
    uint32_t state = model.begin();
    for (uint32_t w = 0; w < model.vocabulary_size(); ++w)
      if (w != 1) state = model.score(state, w).state;
  } catch (const binyan::InputError&) {
  }
  return 0;
}
