// Seeded random streams. A stream is a function of (seed, chain, item), so results do not depend on the number of
// threads.
#pragma once
#include <array>
#include <cstdint>

#include "pitman_yor/wide_multiply.hpp"

namespace binyan::pitman_yor {

// SplitMix64, to spread related seeds over the state space.
inline uint64_t mix(uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// xoshiro256++ of Blackman and Vigna. The four words are the whole state: save and restore them to resume.
class Random {
 public:
  explicit Random(uint64_t seed = 1, uint64_t chain = 0, uint64_t item = 0) {
    uint64_t x = seed;
    x = mix(x) ^ chain;
    x = mix(x) ^ item;
    for (auto& s : state) s = mix(x);
  }
  uint64_t next() {
    const uint64_t result = rotl(state[0] + state[3], 23) + state[0];
    const uint64_t t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotl(state[3], 45);
    return result;
  }
  // Uniform on [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Uniform on {0, ..., n-1}, n > 0 (Lemire's multiply; the bias is below n / 2^64).
  uint64_t below(uint64_t n) { return multiply_high(next(), n); }

  std::array<uint64_t, 4> state;

 private:
  static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
};

}  // namespace binyan::pitman_yor
