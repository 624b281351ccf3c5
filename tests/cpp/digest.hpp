// A number that says whether all the bits of a run are what they were, on whatever processor it ran.
#pragma once
#include <bit>
#include <cstdint>
#include <cstdio>

#include "harness.hpp"

class Digest {
 public:
  void add(uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3ULL ^ (value_ >> 29); }
  void add(double x) { add(std::bit_cast<uint64_t>(x)); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325ULL;
};

// Fails with the digest there is.
#define CHECK_DIGEST(digest, expected)                                                                   \
  do {                                                                                                   \
    char message_[48];                                                                                   \
    std::snprintf(message_, sizeof message_, "the digest is 0x%016llx",                                  \
                  static_cast<unsigned long long>((digest).value()));                                    \
    harness::require((digest).value() == static_cast<uint64_t>(expected), __FILE__, __LINE__, message_); \
  } while (false)
