// Statistics of BLEU (Papineni et al. 2002) for many hypotheses, and BLEU from their sums.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace binyan::translation {

// Matches of n-grams of length 1 ... 4, their number, then the lengths of hypothesis and reference (the closest one).
constexpr size_t kBleuOrder = 4, kBleuWidth = 2 * kBleuOrder + 2;
using BleuStatistics = std::array<int64_t, kBleuWidth>;

BleuStatistics bleu_statistics(std::span<const uint32_t> hypothesis,
                               std::span<const std::span<const uint32_t>> references);

// BLEU of summed statistics, 0 to 1; 0 where an n-gram length has no match.
double bleu(const BleuStatistics& sums);

}  // namespace binyan::translation
