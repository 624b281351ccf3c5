#include "log_bilinear/scores.hpp"

#include <algorithm>
#include <bit>

#include "elementary/functions.hpp"

// Wider vectors where the machine has them. Every sum keeps its order and nothing is contracted, so results are equal.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BINYAN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define BINYAN_WIDE
#endif

namespace binyan::log_bilinear {
namespace {

// exp(x) for x <= 0, to seven digits; at most exp(-87) below that.
inline float exp_of_negative(float x) {
  constexpr float kPerUnit = 1.44269504f, kRounding = 12582912.0f;
  constexpr float kStepHigh = 0.693145752f, kStepLow = 1.42860677e-6f;
  x = x > -87.0f ? x : -87.0f;
  const float shifted = x * kPerUnit + kRounding;
  const float k = shifted - kRounding;
  const int32_t exponent = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRounding);
  const float r = (x - k * kStepHigh) - k * kStepLow;
  const float rest =
      r * (1.0f + r * (0.5f + r * (0.166666667f + r * (0.0416666667f + r * (0.00833333333f + r * 0.00138888889f)))));
  const float scale = std::bit_cast<float>((exponent + 127) << 23);
  return scale + scale * rest;
}

BINYAN_WIDE void add_columns(const float* p, uint32_t width, const float* columns, uint32_t count, float* scores) {
  uint32_t i = 0;
  for (; i + 4 <= width; i += 4) {
    const float *const a = columns + uint64_t{i} * count, *const b = a + count, *const c = b + count,
                       *const d = c + count;
    const float w = p[i], x = p[i + 1], y = p[i + 2], z = p[i + 3];
    for (uint32_t j = 0; j < count; ++j) scores[j] = (((scores[j] + w * a[j]) + x * b[j]) + y * c[j]) + z * d[j];
  }
  for (; i < width; ++i) {
    const float* const column = columns + uint64_t{i} * count;
    for (uint32_t j = 0; j < count; ++j) scores[j] += p[i] * column[j];
  }
}

BINYAN_WIDE void exps_below(float* scores, uint32_t count, float top) {
  for (uint32_t j = 0; j < count; ++j) scores[j] = exp_of_negative(scores[j] - top);
}

}  // namespace

void scores_of(const float* p, uint32_t width, const float* columns, const float* bias, uint32_t count, float* scores) {
  std::copy_n(bias, count, scores);
  add_columns(p, width, columns, count, scores);
}

double log_sum_exp(float* scores, uint32_t count) {
  float top = scores[0];
  for (uint32_t j = 1; j < count; ++j) top = std::max(top, scores[j]);
  exps_below(scores, count, top);
  double sums[4] = {0.0, 0.0, 0.0, 0.0};  // which do not wait for one another
  for (uint32_t j = 0; j < count; ++j) sums[j & 3] += static_cast<double>(scores[j]);
  return static_cast<double>(top) + elementary::log((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

std::vector<float> transposed(const float* rows, uint32_t count, uint32_t width) {
  std::vector<float> columns(uint64_t{count} * width);
  for (uint32_t r = 0; r < count; ++r)
    for (uint32_t i = 0; i < width; ++i) columns[uint64_t{i} * count + r] = rows[uint64_t{r} * width + i];
  return columns;
}

}  // namespace binyan::log_bilinear
