#include "text/read_words.hpp"

#include "text/utf8.hpp"

namespace binyan::text {
namespace {

enum Kind : uint8_t { Letter, Space, LineEnd, Wide, Forbidden };

struct Kinds {
  Kind of[256];
  constexpr Kinds() : of() {
    for (int c = 0; c < 256; ++c) of[c] = c >= 0x80 ? Wide : Letter;
    for (char c : {'\t', '\v', '\f', '\r', '\x1c', '\x1d', '\x1e', '\x1f', ' '}) of[static_cast<int>(c)] = Space;
    of[static_cast<int>('\n')] = LineEnd;
    of[0] = Forbidden;
  }
};
constexpr Kinds kKinds;

template <class Number>
bool read(std::string_view text, size_t longest, Sentences& to, const Number& number) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const Kind kind = kKinds.of[*at];
    if (kind == Space) {
      ++at;
    } else if (kind == LineEnd) {
      if (to.words.size() > to.offsets.back()) to.offsets.push_back(to.words.size());
      ++at;
    } else if (kind == Forbidden) {
      return false;
    } else {
      const auto* const begin = at;
      size_t characters = 0;
      for (; at < end; ++characters) {
        const Kind k = kKinds.of[*at];
        if (k == Letter) {
          ++at;
        } else if (k == Wide) {
          const size_t length = utf8_length(at, end);
          if (length == 0) return false;
          at += length;
        } else if (k == Forbidden) {
          return false;
        } else {
          break;
        }
      }
      if (characters > longest) return false;
      to.words.push_back(number(std::string_view(reinterpret_cast<const char*>(begin), at - begin)));
    }
  }
  if (to.words.size() > to.offsets.back()) to.offsets.push_back(to.words.size());
  return true;
}

}  // namespace

bool read_words(std::string_view text, const WordIndex& index, uint32_t missing, size_t longest, Sentences& to) {
  return read(text, longest, to, [&](std::string_view word) { return index.find(word, missing); });
}

bool read_words(std::string_view text, WordIndex& index, size_t longest, Sentences& to) {
  return read(text, longest, to, [&](std::string_view word) { return index.add(word); });
}

}  // namespace binyan::text
