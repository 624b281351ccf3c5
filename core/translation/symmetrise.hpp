// Symmetrisation of the two directional word alignments of a sentence pair (Och and Ney 2003; Koehn et al. 2005).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace binyan::translation {

struct Link {
  uint16_t source, target;
  auto operator<=>(const Link&) const = default;
};

enum class Symmetrisation { kIntersection, kUnion, kGrow, kGrowDiag, kGrowDiagFinal, kGrowDiagFinalAnd };

// "intersection", "union", "grow", "grow-diag", "grow-diag-final", "grow-diag-final-and". Throws InputError on any
// other.
Symmetrisation symmetrisation_named(std::string_view name);

// The links of both directions as one alignment, in the order of source then target.
std::vector<Link> symmetrise(std::span<const Link> forward, std::span<const Link> backward, Symmetrisation method);

}  // namespace binyan::translation
