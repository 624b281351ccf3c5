// Slice sampling of one bounded real variable (Neal 2003), with stepping out and shrinkage.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "elementary/functions.hpp"
#include "pitman_yor/random.hpp"

namespace binyan::pitman_yor {

// One draw x' that leaves exp(log_density) invariant on (low, high). log_density must be finite at x.
template <class LogDensity>
double slice_sample(Random& random, double x, double low, double high, double width, LogDensity log_density) {
  const double level = log_density(x) + elementary::log(1.0 - random.uniform());
  double left = x - width * random.uniform();
  double right = left + width;
  constexpr int most_steps = 32;
  int steps_left = static_cast<int>(random.below(most_steps));
  int steps_right = most_steps - 1 - steps_left;
  while (left > low && steps_left-- > 0 && log_density(left) > level) left -= width;
  while (right < high && steps_right-- > 0 && log_density(right) > level) right += width;
  left = std::max(left, low);
  right = std::min(right, high);
  constexpr int most_shrinks = 10'000;  // an interval that is a number shrinks to nothing long before
  for (int shrinks = 0; shrinks < most_shrinks; ++shrinks) {
    const double y = left + (right - left) * random.uniform();
    if (y > low && y < high && log_density(y) > level) return y;
    if (y < x) left = y;
    else right = y;
    if (right - left < 1e-12 * (1.0 + std::abs(x))) return x;
  }
  return x;
}

// log density of Gamma(shape, scale) up to a constant.
inline double log_gamma_density(double x, double shape, double scale) {
  return (shape - 1.0) * elementary::log(x) - x / scale;
}

}  // namespace binyan::pitman_yor
