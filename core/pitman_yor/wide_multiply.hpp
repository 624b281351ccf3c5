// The upper half of a 128-bit product, also where the compiler has no 128-bit integers.
#pragma once
#include <cstdint>

namespace binyan::pitman_yor {

// By four products of 32-bit halves.
constexpr uint64_t multiply_high_portable(uint64_t x, uint64_t y) {
  const uint64_t x_low = x & 0xffffffffu, x_high = x >> 32, y_low = y & 0xffffffffu, y_high = y >> 32;
  const uint64_t middle =
      x_high * y_low + ((x_low * y_low) >> 32);  // at most (2^32 - 1)^2 + 2^32 - 1: no carry is lost
  const uint64_t other = x_low * y_high + (middle & 0xffffffffu);
  return x_high * y_high + (middle >> 32) + (other >> 32);
}

#ifdef __SIZEOF_INT128__
constexpr uint64_t multiply_high(uint64_t x, uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(x) * y) >> 64);
}
#else
constexpr uint64_t multiply_high(uint64_t x, uint64_t y) { return multiply_high_portable(x, y); }
#endif

}  // namespace binyan::pitman_yor
