#include "translation/consensus.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "elementary/functions.hpp"
#include "translation/bleu.hpp"

namespace binyan::translation {
namespace {

std::vector<double> probabilities(std::span<const double> scores) {
  const double highest = std::ranges::max(scores);
  std::vector<double> p;
  double sum = 0;
  for (double score : scores) sum += p.emplace_back(elementary::exp(score - highest));
  for (double& x : p) x /= sum;
  return p;
}

struct Occurrence {
  std::array<uint32_t, kBleuOrder> gram;
  uint32_t hypothesis;
  auto operator<=>(const Occurrence&) const = default;
};

// Of each hypothesis, the number of n-grams, none counted more often than expected.
std::vector<double> matches(std::span<const std::span<const uint32_t>> hypotheses, std::span<const double> p,
                            size_t n) {
  std::vector<Occurrence> hit;
  for (uint32_t h = 0; h < hypotheses.size(); ++h)
    for (size_t i = 0; i + n <= hypotheses[h].size(); ++i) {
      Occurrence& o = hit.emplace_back(Occurrence{{}, h});
      std::copy_n(hypotheses[h].begin() + static_cast<int64_t>(i), n, o.gram.begin());
    }
  std::ranges::sort(hit);
  std::vector<double> clipped(hypotheses.size(), 0.0), count(hypotheses.size(), 0.0);
  for (size_t i = 0; i < hit.size();) {
    double expected = 0;
    size_t end = i;
    for (; end < hit.size() && hit[end].gram == hit[i].gram; ++end) {
      expected += p[hit[end].hypothesis];
      ++count[hit[end].hypothesis];
    }
    for (; i < end; ++i) {
      const uint32_t h = hit[i].hypothesis;
      clipped[h] += std::min(count[h], expected);
      count[h] = 0;  // the other occurrences in h are counted with the first
    }
  }
  return clipped;
}

}  // namespace

size_t consensus(std::span<const std::span<const uint32_t>> hypotheses, std::span<const double> scores) {
  const auto p = probabilities(scores);
  double length = 0;
  for (size_t h = 0; h < hypotheses.size(); ++h) length += p[h] * static_cast<double>(hypotheses[h].size());
  std::vector<double> log_bleu(hypotheses.size(), 0.0);
  for (size_t n = 1; n <= kBleuOrder; ++n) {
    const auto hit = matches(hypotheses, p, n);
    const double more = n > 1;
    for (size_t h = 0; h < hypotheses.size(); ++h) {
      const size_t size = hypotheses[h].size(), grams = size >= n ? size - n + 1 : 0;
      log_bleu[h] += elementary::log((hit[h] + more) / (static_cast<double>(grams) + more)) / kBleuOrder;
    }
  }
  for (size_t h = 0; h < hypotheses.size(); ++h) {
    const auto size = static_cast<double>(hypotheses[h].size());
    log_bleu[h] = size > 0 ? log_bleu[h] + std::min(0.0, 1 - length / size) : -std::numeric_limits<double>::infinity();
  }
  return static_cast<size_t>(std::ranges::max_element(log_bleu) - log_bleu.begin());
}

}  // namespace binyan::translation
