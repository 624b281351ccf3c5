// The best derivations in a forest under a state of an adaptor grammar, found lazily (Huang and Chiang 2005, algorithm
// 3).
//
// A derivation can be reached by several ways: each adapted node as a cached tree, or built anew. The search goes by
// ways; a derivation found by any of them is given its whole probability.
#pragma once
#include <cstdint>
#include <vector>

#include "grammar/adaptor.hpp"

namespace binyan::grammar {

struct Derivation {
  std::vector<uint32_t> rules;  // in preorder
  double log_probability;       // of this derivation and word
};

// For sets and maps of derivations.
struct RulesHash {
  size_t operator()(const std::vector<uint32_t>& rules) const {
    uint64_t h = rules.size();
    for (uint32_t r : rules) h = (h ^ r) * 0x9e3779b97f4a7c15ULL + (h >> 29);
    return h ^ (h >> 32);
  }
};

// What the search needs of a state that does not change, computed once.
struct SearchWeights {
  explicit SearchWeights(const Adaptor& adaptor);

  std::vector<double> log_rule, log_scale;  // of `adaptor.weights`
  std::vector<double> log_cached;           // of each tree: log probability to take it from the cache
  std::vector<ScaledDouble> tree;           // of each tree: cached or new, summed
};

// How far a search goes: until it has `least` derivations and all but `rest` of the probability `total`, or after
// `most` ways; but as far as `farthest` ways while more than `large_rest` of the probability is missing.
struct SearchLimit {
  uint32_t least;
  uint32_t most;
  double log_total = 0.0;
  double rest = 0.0;
  uint32_t farthest = 0;
  double large_rest = 0.0;

  bool reached(uint32_t ways, size_t derivations, double missing) const {
    if (derivations >= least && missing <= rest) return true;
    return ways >= most && (ways >= farthest || missing <= large_rest);
  }
};

// The distinct derivations of `index` that the best ways lead to, best first.
std::vector<Derivation> n_best(const Adaptor& adaptor, const SearchWeights& weights, const WordView& w, uint32_t index,
                               const SearchLimit& limit);

}  // namespace binyan::grammar
