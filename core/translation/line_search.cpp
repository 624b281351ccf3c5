#include "translation/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace binyan::translation {
namespace {

double dot(std::span<const double> a, const double* b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Line {
  double slope, height, from;  // best of its sentence from step `from` on
  uint64_t hypothesis;
};

// The upper envelope, left to right. `lines` is reordered.
void envelope(std::vector<Line>& lines) {
  std::ranges::sort(lines, [](const Line& a, const Line& b) {
    return std::tuple(a.slope, -a.height, a.hypothesis) < std::tuple(b.slope, -b.height, b.hypothesis);
  });
  size_t kept = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    Line line = lines[i];
    if (kept && lines[kept - 1].slope == line.slope) continue;
    line.from = -std::numeric_limits<double>::infinity();
    while (kept) {
      line.from = (lines[kept - 1].height - line.height) / (line.slope - lines[kept - 1].slope);
      if (line.from > lines[kept - 1].from) break;
      --kept;
      line.from = -std::numeric_limits<double>::infinity();
    }
    lines[kept++] = line;
  }
  lines.resize(kept);
}

}  // namespace

LineOptimum search_line(const HypothesisLists& lists, std::span<const double> origin,
                        std::span<const double> direction) {
  struct Change {
    double at;
    uint64_t before, after;
  };
  std::vector<Change> changes;
  BleuStatistics sums{};
  std::vector<Line> lines;
  for (size_t s = 0; s + 1 < lists.offsets.size(); ++s) {
    lines.clear();
    for (uint64_t h = lists.offsets[s]; h < lists.offsets[s + 1]; ++h) {
      const double* f = lists.features.data() + h * lists.width;
      lines.push_back({dot(direction, f), dot(origin, f), 0, h});
    }
    if (lines.empty()) continue;
    envelope(lines);
    for (size_t i = 0; i < kBleuWidth; ++i) sums[i] += lists.statistics[lines[0].hypothesis * kBleuWidth + i];
    for (size_t l = 1; l < lines.size(); ++l)
      changes.push_back({lines[l].from, lines[l - 1].hypothesis, lines[l].hypothesis});
  }
  std::ranges::stable_sort(changes, {}, &Change::at);
  LineOptimum best{0, -1};
  auto consider = [&](double from, double to) {
    if (!(to - from > 1e-9)) return;
    // Outside the outermost changes, a step of a tenth beyond the last one.
    double step = std::isinf(from) ? (std::isinf(to) ? 0.0 : to - 0.1) : std::isinf(to) ? from + 0.1 : (from + to) / 2;
    if (from < 0 && to > 0) step = std::clamp(0.0, std::isinf(from) ? to - 1e9 : from, to);
    const double score = bleu(sums);
    if (score > best.bleu + 1e-12 || (score > best.bleu - 1e-12 && std::abs(step) < std::abs(best.step)))
      best = {step, score};
  };
  double from = -std::numeric_limits<double>::infinity();
  for (const Change& c : changes) {
    if (c.at > from) consider(from, c.at);
    from = c.at;
    for (size_t i = 0; i < kBleuWidth; ++i)
      sums[i] += lists.statistics[c.after * kBleuWidth + i] - lists.statistics[c.before * kBleuWidth + i];
  }
  consider(from, std::numeric_limits<double>::infinity());
  return best;
}

double bleu_at(const HypothesisLists& lists, std::span<const double> weights) {
  BleuStatistics sums{};
  for (size_t s = 0; s + 1 < lists.offsets.size(); ++s) {
    double top = -std::numeric_limits<double>::infinity();
    uint64_t best = lists.offsets[s];
    for (uint64_t h = lists.offsets[s]; h < lists.offsets[s + 1]; ++h)
      if (const double score = dot(weights, lists.features.data() + h * lists.width); score > top) {
        top = score;
        best = h;
      }
    if (lists.offsets[s] < lists.offsets[s + 1])
      for (size_t i = 0; i < kBleuWidth; ++i) sums[i] += lists.statistics[best * kBleuWidth + i];
  }
  return bleu(sums);
}

}  // namespace binyan::translation
