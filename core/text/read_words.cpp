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

// Calls add(word, characters) for every word and end() at every line's end.
template <class Add, class End>
bool read(std::string_view text, size_t longest, const Add& add, const End& end_line) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const Kind kind = kKinds.of[*at];
    if (kind == Space) {
      ++at;
    } else if (kind == LineEnd) {
      end_line();
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
      add(std::string_view(reinterpret_cast<const char*>(begin), at - begin), characters);
    }
  }
  end_line();
  return true;
}

template <class Words>
void end_sentence(const Words& words, std::vector<uint64_t>& offsets) {
  if (words.size() > offsets.back()) offsets.push_back(words.size());
}

}  // namespace

bool read_words(std::string_view text, const WordIndex& index, uint32_t missing, size_t longest, Sentences& to) {
  return read(
      text, longest, [&](std::string_view word, size_t) { to.words.push_back(index.find(word, missing)); },
      [&] { end_sentence(to.words, to.offsets); });
}

bool read_words(std::string_view text, WordIndex& index, size_t longest, Sentences& to) {
  return read(
      text, longest, [&](std::string_view word, size_t) { to.words.push_back(index.add(word)); },
      [&] { end_sentence(to.words, to.offsets); });
}

bool read_words(std::string_view text, size_t longest, std::vector<std::string_view>& words,
                std::vector<uint64_t>& offsets, uint64_t& characters) {
  return read(
      text, longest,
      [&](std::string_view word, size_t length) {
        words.push_back(word);
        characters += length;
      },
      [&] { end_sentence(words, offsets); });
}

}  // namespace binyan::text
