// Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999; thesis, section 2.2.2.1), with
// the conventions of KenLM's lmplz, whose estimates it reproduces.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ngram/backoff_model.hpp"
#include "ngram/context_tree.hpp"

namespace binyan::ngram {

// D1, D2 and D3+ of one order, and the counts of counts they come from.
struct Discounts {
  enum class Origin { Estimated, MissingCounts, OutOfRange, Given };  // the second and third: the fallback was taken
  std::array<double, 4> amount{};                                     // amount[0] = 0
  std::array<uint64_t, 5> counts_of_counts{};                         // [j]: n-grams with adjusted count j = 1 ... 4
  Origin origin = Origin::Estimated;
  double of(uint64_t count) const { return amount[count < 3 ? count : 3]; }
};

struct KneserNeySettings {
  // [k]: n-grams of k + 1 words seen this often or less are dropped. Not decreasing, [0] = 0; the last value holds for
  // longer n-grams. Empty: none.
  std::vector<uint32_t> prune;
  std::array<double, 3> fallback{0.5, 1.0, 1.5};
  std::vector<std::array<double, 3>> given;  // the discounts of each order; empty: they are estimated
};

struct KneserNey {
  BackoffModel model;
  std::vector<Discounts> discounts;  // one per order
};

// From the counts of counts of an order, as the settings say. Throws InputError on discounts that cannot be.
Discounts discounts_of(const std::array<uint64_t, 5>& counts_of_counts, const KneserNeySettings& settings,
                       uint32_t order);
// One pruning threshold per order. Throws InputError where the settings are none.
std::vector<uint32_t> thresholds_of(const KneserNeySettings& settings, uint32_t order);

// The ranks of words by where each first occurs in the text: <unk> 0, <s> 1, </s> 2, then 3, 4, ... and 0 for unseen
// words.
std::vector<uint32_t> ranks_of_first_occurrence(std::span<const uint32_t> words, uint32_t vocabulary_size);

// `rank` as above, or empty. lmplz takes the plain count of the last n-gram of each lower order for its adjusted count
// when it counts counts; with ranks so do we, which matters only for texts of a few hundred words.
KneserNey estimate_kneser_ney(const ContextTree& tree, const KneserNeySettings& settings,
                              std::span<const uint32_t> rank, const AfterLevel& after_level = {});

}  // namespace binyan::ngram
