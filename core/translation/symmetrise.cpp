#include "translation/symmetrise.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace binyan::translation {
namespace {

// Cells of a source x target table.
class Grid {
 public:
  Grid(size_t rows, size_t columns) : columns_(columns), cells_(rows * columns, 0) {}
  uint8_t& operator()(size_t row, size_t column) { return cells_[row * columns_ + column]; }

 private:
  size_t columns_;
  std::vector<uint8_t> cells_;
};

constexpr int kNeighbours[8][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

}  // namespace

Symmetrisation symmetrisation_named(std::string_view name) {
  constexpr std::string_view names[] = {"intersection", "union",           "grow",
                                        "grow-diag",    "grow-diag-final", "grow-diag-final-and"};
  for (int i = 0; i < 6; ++i)
    if (name == names[i]) return static_cast<Symmetrisation>(i);
  throw InputError("no symmetrisation is called '" + std::string(name) +
                   "'; there are intersection, union, grow, grow-diag, grow-diag-final and grow-diag-final-and");
}

std::vector<Link> symmetrise(std::span<const Link> forward, std::span<const Link> backward, Symmetrisation method) {
  int rows = 0, columns = 0;
  for (auto links : {forward, backward})
    for (Link l : links) {
      rows = std::max(rows, l.source + 1);
      columns = std::max(columns, l.target + 1);
    }
  Grid votes(rows, columns), kept(rows, columns);
  for (Link l : forward) votes(l.source, l.target) |= 1;
  for (Link l : backward) votes(l.source, l.target) |= 2;

  std::vector<uint8_t> source_done(rows, 0), target_done(columns, 0);
  auto keep = [&](int s, int t) { kept(s, t) = source_done[s] = target_done[t] = 1; };
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t)
      if (votes(s, t) == 3 || (method == Symmetrisation::kUnion && votes(s, t))) keep(s, t);

  if (method >= Symmetrisation::kGrow) {
    const int neighbours = method == Symmetrisation::kGrow ? 4 : 8;
    for (bool grown = true; grown;) {
      grown = false;
      for (int s = 0; s < rows; ++s)
        for (int t = 0; t < columns; ++t) {
          if (!kept(s, t)) continue;
          for (int n = 0; n < neighbours; ++n) {
            const int a = s + kNeighbours[n][0], b = t + kNeighbours[n][1];
            if (a < 0 || b < 0 || a >= rows || b >= columns || kept(a, b) || !votes(a, b)) continue;
            if (source_done[a] && target_done[b]) continue;
            keep(a, b);
            grown = true;
          }
        }
    }
  }
  if (method >= Symmetrisation::kGrowDiagFinal) {
    const bool both = method == Symmetrisation::kGrowDiagFinalAnd;
    for (auto links : {forward, backward}) {
      std::vector<Link> sorted(links.begin(), links.end());
      std::ranges::sort(sorted);
      for (Link l : sorted) {
        const bool free =
            both ? !source_done[l.source] && !target_done[l.target] : !source_done[l.source] || !target_done[l.target];
        if (free) keep(l.source, l.target);
      }
    }
  }
  std::vector<Link> links;
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t)
      if (kept(s, t)) links.push_back({static_cast<uint16_t>(s), static_cast<uint16_t>(t)});
  return links;
}

}  // namespace binyan::translation
