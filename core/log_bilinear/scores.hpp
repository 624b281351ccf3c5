// The sums that log-bilinear models are made of, with the same bits whatever the width of a machine's vectors.
#pragma once
#include <cstdint>
#include <vector>

namespace binyan::log_bilinear {

// scores = bias + columns^T p, with the columns of `columns` (width x count) contiguous so that the inner loop is over
// independent sums.
void scores_of(const float* p, uint32_t width, const float* columns, const float* bias, uint32_t count, float* scores);

// The logarithm of the sum of exp(scores); `scores` are overwritten.
double log_sum_exp(float* scores, uint32_t count);

// Rows (count x width) as columns (width x count).
std::vector<float> transposed(const float* rows, uint32_t count, uint32_t width);

}  // namespace binyan::log_bilinear
