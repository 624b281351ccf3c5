// exp, log, log1p and log Gamma, with the same bits on every machine. Those of C libraries differ in the last bit
// between libraries, versions and processors, and samplers turn that bit into another sample. These use only + - * /,
// rounded once each, so the core is compiled without fused multiply-add. tests/cpp/test_elementary.cpp states their
// errors: at most 0.51 units in the last place for exp, log and log1p; for log Gamma 1.5, and 6 near its zeros at 1
// and 2.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "elementary/tables.hpp"

namespace binyan::elementary {

// Values outside the range of the short way: overflow, underflow, infinities and what is not a number.
double exp_at_the_edge(double x);
double log_at_the_edge(double x);

// A sum of two doubles that is not rounded.
struct Pair {
  double high, low;
};

// exp(x) = 2^(k / 128) (1 + rest), |k / 128 - x / ln 2| <= 1/256.
struct ExpParts {
  int64_t k;
  double rest;
};

inline ExpParts exp_parts(double x) {
  constexpr double kPerUnit = 0x1.71547652b82fep+7, kRounding = 0x1.8p52;
  constexpr double kStepHigh = 0x1.62e42fefc0000p-8, kStepLow = -0x1.c610ca86c3899p-44;
  const double shifted = x * kPerUnit + kRounding;
  const double k = shifted - kRounding;
  const int64_t index = std::bit_cast<int64_t>(shifted) - std::bit_cast<int64_t>(kRounding);
  const double r = (x - k * kStepHigh) - k * kStepLow;
  const double square = r * r;
  const double rest =
      r + square * ((0.5 + r * (1.0 / 6)) + square * ((1.0 / 24 + r * (1.0 / 120)) + square * (1.0 / 720)));
  return {index, kPowers[index & 127].missing + rest};
}

inline double exp(double x) {
  if (!(x > -650.0 && x < 709.0)) return exp_at_the_edge(x);
  const auto [k, rest] = exp_parts(x);
  const double scale = std::bit_cast<double>(std::bit_cast<int64_t>(kPowers[k & 127].value) + (k >> 7) * (1LL << 52));
  return scale + scale * rest;
}

// log(2^k / inverse (1 + r)) for a bin's inverse, r rounded and what that left out.
inline Pair log_parts(double k, const LogBin& bin, double r, double r_rest) {
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  const double whole = k * kLn2High + bin.log_high;  // exact
  const double high = whole + r;
  const double low = ((whole - high) + r) + (r_rest + (k * kLn2Low + bin.log_low));
  const double square = r * r;
  const double* const c = kLogRest;
  const double rest = (c[0] + c[1] * r) + square * ((c[2] + c[3] * r) + square * (c[4] + c[5] * r));
  return {high, low + square * (r * rest - 0.5)};
}

// log(2^exponent x (1 + more)) of a positive, normal x, |more| < 2^-52.
inline Pair log_pair(double x, double more = 0.0, int64_t exponent = 0) {
  constexpr uint64_t kFirst = 0x3fe6000000000000;  // 0.6875
  const uint64_t bits = std::bit_cast<uint64_t>(x), above = bits - kFirst;
  const int64_t k = (static_cast<int64_t>(above) >> 52) + exponent;
  const uint64_t mantissa = bits - (above & 0xfff0000000000000);
  const LogBin& bin = kLogBins[(above >> 45) & 127];
  const double z = std::bit_cast<double>(mantissa);
  const double z_high = std::bit_cast<double>(mantissa & ~uint64_t{0x7ffffff});  // 26 bits: its products are exact
  const double r_high = z_high * bin.inverse - 1.0, r_low = (z - z_high) * bin.inverse;
  const double r = r_high + r_low;
  return log_parts(static_cast<double>(k), bin, r, ((r_high - r) + r_low) + more);
}

inline double log(double x) {
  if (!(x >= 0x1.0p-1022 && x <= 0x1.fffffffffffffp1023)) return log_at_the_edge(x);
  const auto [high, low] = log_pair(x);
  return high + low;
}

inline float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }
inline float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }

// log(1 + x).
double log1p(double x);

// log Gamma(x) for x > 0; infinity at 0, not a number below. It keeps no sign, so threads share nothing.
double lgamma(double x);

}  // namespace binyan::elementary
