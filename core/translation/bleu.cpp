#include "translation/bleu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "elementary/functions.hpp"

namespace binyan::translation {
namespace {

using Gram = std::array<uint32_t, kBleuOrder>;

std::vector<Gram> sorted_grams(std::span<const uint32_t> words, size_t n) {
  std::vector<Gram> grams;
  for (size_t i = 0; i + n <= words.size(); ++i) {
    Gram g{};
    std::copy_n(words.begin() + static_cast<int64_t>(i), n, g.begin());
    grams.push_back(g);
  }
  std::ranges::sort(grams);
  return grams;
}

}  // namespace

BleuStatistics bleu_statistics(std::span<const uint32_t> hypothesis,
                               std::span<const std::span<const uint32_t>> references) {
  BleuStatistics s{};
  const auto size = static_cast<int64_t>(hypothesis.size());
  s[2 * kBleuOrder] = size;
  int64_t closest = -1;
  for (const auto& r : references) {
    const auto length = static_cast<int64_t>(r.size());
    if (closest < 0 || std::abs(length - size) < std::abs(closest - size) ||
        (std::abs(length - size) == std::abs(closest - size) && length < closest))
      closest = length;
  }
  s[2 * kBleuOrder + 1] = std::max<int64_t>(closest, 0);
  for (size_t n = 1; n <= kBleuOrder; ++n) {
    const auto own = sorted_grams(hypothesis, n);
    s[kBleuOrder + n - 1] = static_cast<int64_t>(own.size());
    std::vector<std::vector<Gram>> theirs;
    for (const auto& r : references) theirs.push_back(sorted_grams(r, n));
    for (size_t i = 0; i < own.size();) {
      size_t end = i + 1;
      while (end < own.size() && own[end] == own[i]) ++end;
      int64_t most = 0;
      for (const auto& grams : theirs) {
        const auto [first, last] = std::equal_range(grams.begin(), grams.end(), own[i]);
        most = std::max<int64_t>(most, last - first);
      }
      s[n - 1] += std::min<int64_t>(most, static_cast<int64_t>(end - i));
      i = end;
    }
  }
  return s;
}

double bleu(const BleuStatistics& sums) {
  double log_precision = 0;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    if (sums[n] <= 0) return 0;
    log_precision += elementary::log(static_cast<double>(sums[n]) / static_cast<double>(sums[kBleuOrder + n]));
  }
  const double hypothesis = static_cast<double>(sums[2 * kBleuOrder]),
               reference = static_cast<double>(sums[2 * kBleuOrder + 1]);
  return elementary::exp(log_precision / kBleuOrder + std::min(0.0, 1 - reference / hypothesis));
}

}  // namespace binyan::translation
