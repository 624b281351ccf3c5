// A non-negative number whose exponent does not underflow: value = mantissa * 2^(512 * exponent).
// Products of many probabilities, and inside values of long words, need no logarithm.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "elementary/functions.hpp"

namespace binyan::grammar {

struct ScaledDouble {
  double mantissa = 0.0;
  int64_t exponent = 0;

  ScaledDouble() = default;
  ScaledDouble(double value) : mantissa(value) { normalise(); }  // NOLINT: a double is an ScaledDouble

  ScaledDouble& operator*=(const ScaledDouble& other) {
    mantissa *= other.mantissa;
    exponent += other.exponent;
    normalise();
    return *this;
  }
  ScaledDouble& operator/=(const ScaledDouble& other) {
    mantissa /= other.mantissa;
    exponent -= other.exponent;
    normalise();
    return *this;
  }
  ScaledDouble& operator+=(const ScaledDouble& other) {
    if (other.mantissa == 0.0) return *this;
    if (mantissa == 0.0) return *this = other;
    const int64_t difference = exponent - other.exponent;
    if (difference == 0) mantissa += other.mantissa;
    else if (difference == 1) mantissa += other.mantissa * 0x1.0p-512;
    else if (difference == -1) {
      mantissa = mantissa * 0x1.0p-512 + other.mantissa;
      exponent = other.exponent;
    } else if (difference < -1) return *this = other;
    normalise();
    return *this;
  }
  friend ScaledDouble operator*(ScaledDouble x, const ScaledDouble& y) { return x *= y; }
  friend ScaledDouble operator/(ScaledDouble x, const ScaledDouble& y) { return x /= y; }
  friend ScaledDouble operator+(ScaledDouble x, const ScaledDouble& y) { return x += y; }
  // Mantissas of equal exponents compare directly; normalised neighbours may still overlap, so compare by ratio.
  friend bool operator<(const ScaledDouble& x, const ScaledDouble& y) {
    if (x.exponent == y.exponent || x.mantissa == 0.0 || y.mantissa == 0.0) return x.mantissa < y.mantissa;
    return (x / y).as_double() < 1.0;
  }
  double log() const { return elementary::log(mantissa) + static_cast<double>(exponent) * 512.0 * 0.6931471805599453; }
  // 0 or infinity where the value is outside the range of a double.
  double as_double() const {
    return exponent == 0
               ? mantissa
               : std::ldexp(mantissa, static_cast<int>(512 * std::max<int64_t>(-8, std::min<int64_t>(8, exponent))));
  }

 private:
  void normalise() {
    if (mantissa < 0x1.0p-256) {
      if (mantissa == 0.0) {
        exponent = 0;
        return;
      }
      mantissa *= 0x1.0p512;
      --exponent;
    } else if (mantissa > 0x1.0p256) {
      mantissa *= 0x1.0p-512;
      ++exponent;
    }
  }
};

}  // namespace binyan::grammar
