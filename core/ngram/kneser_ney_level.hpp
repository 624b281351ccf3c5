// The arithmetic of Kneser-Ney smoothing on one level of contexts: of a whole tree, or of a block of it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "elementary/functions.hpp"
#include "ngram/context_tree.hpp"
#include "ngram/kneser_ney.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {

// Adjusted counts: the number of words seen to the left of (u, w), which are the entries of the level `above` that it
// is the parent of; the plain count on the top level (no level above) and where u begins with <s>, to the left of which
// is nothing.
inline std::vector<uint32_t> adjusted_counts(const Level& level, const Level* above) {
  if (!above) return level.count;
  std::vector<uint32_t> adjusted(level.entries(), 0);
  for (uint32_t parent : above->parent) ++adjusted[parent];
  if (!level.left_word.empty())
    for (uint32_t e = 0; e < level.entries(); ++e)
      if (level.left_word[level.context[e]] == text::kSentenceStart) adjusted[e] = level.count[e];
  return adjusted;
}

// Of the entries of a level whose parent is `parent`, the one whose leftmost word has the greatest rank; or kNoIndex.
inline uint32_t last_entry(const Level& level, uint32_t parent, std::span<const uint32_t> rank) {
  uint32_t last = kNoIndex;
  for (uint32_t e = 0; e < level.entries(); ++e) {
    if (level.parent[e] != parent) continue;
    const auto left = [&](uint32_t i) { return rank[level.left_word[level.context[i]]]; };
    if (last == kNoIndex || left(e) > left(last)) last = e;
  }
  return last;
}

struct LevelEstimates {
  std::vector<double> probability, backoff;  // of entries, of contexts
};

// `shorter(entry)`: the probability of the entry's parent.
template <class Shorter>
LevelEstimates estimate_level(const Level& level, std::span<const uint32_t> adjusted, const Discounts& d,
                              uint32_t threshold, Shorter shorter) {
  LevelEstimates out{std::vector<double>(level.entries()), std::vector<double>(level.contexts())};
  for (uint32_t c = 0; c < level.contexts(); ++c) {
    // gamma(u): what discounts and pruning take from the words seen after u (Chen and Goodman 1999, section 3).
    double total = 0.0, freed = 0.0;
    for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) {
      total += adjusted[e];
      freed += level.count[e] <= threshold ? adjusted[e] : d.of(adjusted[e]);
    }
    out.backoff[c] = freed / total;
    for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e)
      out.probability[e] = (adjusted[e] - d.of(adjusted[e])) / total + out.backoff[c] * shorter(e);
  }
  return out;
}

inline float logarithm(double value) { return static_cast<float>(elementary::log(value)); }
inline std::vector<float> logarithms(std::span<const double> values) {
  std::vector<float> logs(values.size());
  for (size_t i = 0; i < values.size(); ++i) logs[i] = logarithm(values[i]);
  return logs;
}

}  // namespace binyan::ngram
