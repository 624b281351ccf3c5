// UTF-8, as far as reading text needs it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace binyan::text {

// The bytes of the character at `at`, or 0 where they are not UTF-8 (overlong forms, surrogates and stray bytes are
// not).
inline size_t utf8_length(const unsigned char* at, const unsigned char* end) {
  const unsigned char a = at[0];
  if (a < 0x80) return 1;
  const auto follows = [&](size_t i, unsigned char low = 0x80, unsigned char high = 0xBF) {
    return at + i < end && at[i] >= low && at[i] <= high;
  };
  if (a >= 0xC2 && a <= 0xDF) return follows(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) return follows(1, a == 0xE0 ? 0xA0 : 0x80, a == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (a >= 0xF0 && a <= 0xF4)
    return follows(1, a == 0xF0 ? 0x90 : 0x80, a == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

inline bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = at + text.size();
  while (at < end) {
    uint64_t eight;
    if (end - at >= 8 && (std::memcpy(&eight, at, 8), (eight & 0x8080808080808080ull) == 0)) {
      at += 8;
      continue;
    }
    const size_t length = utf8_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace binyan::text
