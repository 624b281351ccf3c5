// The one function all Pitman-Yor likelihoods are made of.
#pragma once
#include <cstdint>

#include "elementary/functions.hpp"

namespace binyan::pitman_yor {

// log x (x + step) (x + 2 step) ... (x + (n - 1) step): the generalised rising factorial. x > 0, step >= 0.
// Exact products for the first terms, then Stirling's series; relative error about 1e-14, also for step near 0.
inline double log_rising(double x, double step, uint64_t n) {
  double product = 1.0;
  uint64_t i = 0;
  for (; i < n && i < 16; ++i) product *= x + static_cast<double>(i) * step;
  double sum = elementary::log(product);
  if (i == n) return sum;
  const double start = x + static_cast<double>(i) * step, rest = static_cast<double>(n - i);
  if (step < 1e-12 * start) return sum + rest * elementary::log(start);
  // y (y + 1) ... (y + rest - 1) = Gamma(y + rest) / Gamma(y), y >= 16.
  const double y = start / step;
  const auto series = [](double z) {
    const double r = 1.0 / (z * z);
    return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680)))) / z;
  };
  return sum + rest * (elementary::log(start) - 1.0) + (y + rest - 0.5) * elementary::log1p(rest / y) +
         series(y + rest) - series(y);
}

}  // namespace binyan::pitman_yor
