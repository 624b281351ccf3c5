#include "elementary/functions.hpp"

#include <limits>

namespace binyan::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

// a * b as a sum of two doubles, without fused multiply-add (Dekker 1971).
Pair product(double a, double b) {
  const auto high_half = [](double x) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & ~uint64_t{0x7ffffff});
  };
  const double p = a * b, a_high = high_half(a), b_high = high_half(b), a_low = a - a_high, b_low = b - b_high;
  return {p, (((a_high * b_high - p) + a_high * b_low) + a_low * b_high) + a_low * b_low};
}

// a + b as a sum of two doubles (Knuth).
Pair sum(double a, double b) {
  const double s = a + b, part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

// log(x) of any positive finite x.
Pair log_of_positive(double x) { return x >= 0x1.0p-1022 ? log_pair(x) : log_pair(x * 0x1.0p54, 0.0, -54); }

// log Gamma(2 + y), |y| <= 1/2: even and odd powers side by side.
double log_gamma_near_two(double y) {
  const double* const c = kLogGammaNearTwo;
  const double square = y * y;
  double odd = c[21], even = 0.0;
  for (int i = 20; i > 0; i -= 2) {
    even = even * square + c[i];
    odd = odd * square + c[i - 1];
  }
  return y * (c[0] + y * (odd + y * even));
}

// Stirling's series, x >= 8: (x - 1/2) log x - x + log(2 pi) / 2 + rest.
double log_gamma_of_large(double x) {
  constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1;
  const double half_less = x - 0.5, inverse = 1.0 / x, square = inverse * inverse;
  const Pair logarithm = log_pair(x);
  const double log_x = logarithm.high + logarithm.low;
  const Pair main = product(half_less, log_x);
  if (!std::isfinite(main.high)) return kInfinity;
  const Pair difference = sum(main.high, -x);
  double rest = 0.0;
  for (int i = 7; i >= 0; --i) rest = rest * square + kStirling[i];
  const double unseen = (logarithm.high - log_x) + logarithm.low;  // of the logarithm, in its rounding
  return difference.high + ((difference.low + main.low + half_less * unseen) + (kHalfLogTwoPi + rest * inverse));
}

}  // namespace

double exp_at_the_edge(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return kInfinity;
  if (x < -745.14) return 0.0;
  const auto [k, rest] = exp_parts(x);
  const double power = kPowers[k & 127].value;
  const int64_t exponent = k >> 7;
  if (exponent > 0) return (power + power * rest) * 0x1.0p1000 * std::bit_cast<double>((exponent - 1000 + 1023) << 52);
  // The result may be subnormal: it is rounded once, at the place where its last bit will be.
  const double scale = power * std::bit_cast<double>((exponent + 1022 + 1023) << 52);
  double y = scale + scale * rest;
  if (y < 1.0) {
    const double missing = (scale - y) + scale * rest, high = 1.0 + y;
    y = (high + (((1.0 - high) + y) + missing)) - 1.0;
  }
  return y * 0x1.0p-1022;
}

double log_at_the_edge(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x == 0.0) return -kInfinity;
  if (x < 0.0) return kNaN;
  const auto [high, low] = log_of_positive(x);
  return high + low;
}

double log1p(double x) {
  if (std::isnan(x) || x == kInfinity || x == 0.0) return x;
  if (x <= -1.0) return x == -1.0 ? -kInfinity : kNaN;
  if (std::abs(x) < 1.0 / 128) {
    const auto [high, low] = log_parts(0.0, {1.0, 0.0, 0.0}, x, 0.0);
    return high + low;
  }
  const Pair one_more = sum(1.0, x);
  const auto [high, low] = log_pair(one_more.high, one_more.low / one_more.high);
  return high + low;
}

double lgamma(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x <= 0.0) return x == 0.0 ? kInfinity : kNaN;
  if (x >= 8.0) return log_gamma_of_large(x);
  if (x < 0.5) {
    const auto [high, low] = log_of_positive(x);
    return (log_gamma_near_two(x) - log1p(x) - low) - high;
  }
  if (x < 1.5) {
    const auto [high, low] = log_pair(x);
    return (log_gamma_near_two(x - 1.0) - high) - low;
  }
  double factors = 1.0;
  while (x >= 2.5) factors *= x -= 1.0;
  if (factors == 1.0) return log_gamma_near_two(x - 2.0);
  const auto [high, low] = log_pair(factors);
  return high + (low + log_gamma_near_two(x - 2.0));
}

}  // namespace binyan::elementary
