#include "ngram/kneser_ney.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "errors.hpp"
#include "ngram/kneser_ney_level.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

// The entries, one per level, of the n-gram lmplz reads last: the greatest rank of the last word, then of the word
// before it, ...
std::vector<uint32_t> last_entries(const ContextTree& tree, std::span<const uint32_t> rank) {
  std::vector<uint32_t> last(tree.order(), kNoIndex);
  if (rank.empty()) return last;
  for (uint32_t k = 0; k + 1 < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    if (k > 0) last[k] = last_entry(level, last[k - 1], rank);
    for (uint32_t e = 0; k == 0 && e < level.entries(); ++e)
      if (last[0] == kNoIndex || rank[level.word[e]] > rank[level.word[last[0]]]) last[0] = e;
  }
  return last;
}

// Chen and Goodman 1999, equation (26).
void estimate(Discounts& d, const std::array<double, 3>& fallback) {
  const auto& n = d.counts_of_counts;
  if (n[1] == 0 || n[2] == 0 || n[3] == 0) {
    d.origin = Discounts::Origin::MissingCounts;
  } else {
    const double y = static_cast<double>(n[1]) / static_cast<double>(n[1] + 2 * n[2]);
    for (int j = 1; j <= 3; ++j) {
      d.amount[j] = j - (j + 1) * y * static_cast<double>(n[j + 1]) / static_cast<double>(n[j]);
      if (!(d.amount[j] > 0.0 && d.amount[j] <= j)) d.origin = Discounts::Origin::OutOfRange;
    }
  }
  if (d.origin != Discounts::Origin::Estimated) std::copy(fallback.begin(), fallback.end(), d.amount.begin() + 1);
}

void take(Discounts& d, const std::array<double, 3>& given) {
  for (int j = 1; j <= 3; ++j)
    if (!(given[j - 1] > 0.0 && given[j - 1] <= j))
      throw InputError("the discount of n-grams with count " + std::to_string(j) + " is above 0 and at most " +
                       std::to_string(j));
  d.origin = Discounts::Origin::Given;
  std::copy(given.begin(), given.end(), d.amount.begin() + 1);
}

// The tree without the n-grams whose count is no more than their order's threshold, and where each entry and context
// went. As thresholds do not decrease, every kept n-gram keeps its prefix and suffix.
struct Kept {
  ContextTree tree;
  std::vector<std::vector<uint32_t>> entry, context;  // [level][old index]: new index, or kNoIndex
};

Kept keep(const ContextTree& tree, const std::vector<uint32_t>& thresholds) {
  Kept kept;
  kept.tree.vocabulary_size = tree.vocabulary_size;
  kept.tree.events = tree.events;
  kept.tree.levels.resize(tree.order());
  kept.entry.resize(tree.order());
  kept.context.resize(tree.order());
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& from = tree.levels[k];
    Level& to = kept.tree.levels[k];
    auto& entry = kept.entry[k];
    auto& context = kept.context[k];
    entry.assign(from.entries(), kNoIndex);
    context.assign(from.contexts(), kNoIndex);
    to.first_entry = {0};
    std::vector<uint32_t> children(k == 0 ? 0 : kept.tree.levels[k - 1].contexts(), 0);
    for (uint32_t c = 0; c < from.contexts(); ++c) {
      const uint32_t before = to.entries();
      for (uint32_t e = from.first_entry[c]; e < from.first_entry[c + 1]; ++e) {
        if (from.count[e] <= thresholds[k]) continue;
        entry[e] = to.entries();
        to.word.push_back(from.word[e]);
        to.context.push_back(to.contexts());
        to.count.push_back(from.count[e]);
        if (k > 0) to.parent.push_back(kept.entry[k - 1][from.parent[e]]);
      }
      if (to.entries() == before && k > 0) continue;
      context[c] = to.contexts();
      to.first_entry.push_back(to.entries());
      if (k == 0) continue;
      to.left_word.push_back(from.left_word[c]);
      to.context_parent.push_back(kept.context[k - 1][from.context_parent[c]]);
      ++children[to.context_parent.back()];
    }
    if (k == 0) continue;
    auto& first_child = kept.tree.levels[k - 1].first_child;
    first_child.assign(children.size() + 1, 0);
    for (size_t c = 0; c < children.size(); ++c) first_child[c + 1] = first_child[c] + children[c];
  }
  return kept;
}

// Moves the rows that were kept to their new places.
void select(std::vector<float>& rows, const std::vector<uint32_t>& place) {
  size_t kept = 0;
  for (size_t i = 0; i < place.size(); ++i)
    if (place[i] != kNoIndex) rows[kept++] = rows[i];
  rows.resize(kept);
}

}  // namespace

std::vector<uint32_t> thresholds_of(const KneserNeySettings& settings, uint32_t order) {
  std::vector<uint32_t> thresholds = settings.prune;
  if (thresholds.size() > order)
    throw InputError("more pruning thresholds than the order of the model has n-gram lengths");
  if (!std::is_sorted(thresholds.begin(), thresholds.end()))
    throw InputError("pruning thresholds must not decrease, or n-grams would lose their parts");
  if (!thresholds.empty() && thresholds[0] != 0)
    throw InputError("single words are not pruned by count; choose the vocabulary instead: the first threshold is 0");
  thresholds.resize(order, thresholds.empty() ? 0 : thresholds.back());
  return thresholds;
}

Discounts discounts_of(const std::array<uint64_t, 5>& counts_of_counts, const KneserNeySettings& settings,
                       uint32_t order) {
  Discounts d;
  d.counts_of_counts = counts_of_counts;
  if (settings.given.empty()) estimate(d, settings.fallback);
  else take(d, settings.given.at(order - 1));
  return d;
}

std::vector<uint32_t> ranks_of_first_occurrence(std::span<const uint32_t> words, uint32_t vocabulary_size) {
  std::vector<uint32_t> rank(vocabulary_size, 0);
  rank[text::kSentenceStart] = 1;
  rank[text::kSentenceEnd] = 2;
  uint32_t next = 3;
  for (uint32_t w : words) {
    if (w >= vocabulary_size)
      throw InputError("word id " + std::to_string(w) + " is not a word of a vocabulary of " +
                       std::to_string(vocabulary_size));
    if (rank[w] == 0 && w != text::kUnknownWord) rank[w] = next++;
  }
  return rank;
}

KneserNey estimate_kneser_ney(const ContextTree& tree, const KneserNeySettings& settings,
                              std::span<const uint32_t> rank, const AfterLevel& after_level) {
  const uint32_t order = tree.order(), vocabulary = tree.vocabulary_size;
  if (!settings.given.empty() && settings.given.size() != order)
    throw InputError("discounts are given for each order or for none");
  const std::vector<uint32_t> thresholds = thresholds_of(settings, order);
  const std::vector<uint32_t> last = last_entries(tree, rank);
  std::vector<Discounts> discounts(order);
  BackoffParameters parameters;
  std::vector<double> lower;  // P of the entries of the level below

  for (uint32_t k = 0; k < order; ++k) {
    const Level& level = tree.levels[k];
    const std::vector<uint32_t> adjusted = adjusted_counts(level, k + 1 < order ? &tree.levels[k + 1] : nullptr);
    std::array<uint64_t, 5> counts_of_counts{};
    for (uint32_t e = 0; e < level.entries(); ++e) {
      const uint32_t count = e == last[k] ? level.count[e] : adjusted[e];
      if (count < 5) ++counts_of_counts[count];
    }
    discounts[k] = discounts_of(counts_of_counts, settings, k + 1);
    LevelEstimates current = estimate_level(level, adjusted, discounts[k], thresholds[k], [&](uint32_t e) {
      return k == 0 ? 1.0 / (vocabulary - 1) : lower[level.parent[e]];  // <s> is no event
    });
    if (k == 0) {
      std::vector<double> unigrams(vocabulary, current.backoff[0] / (vocabulary - 1));
      for (uint32_t e = 0; e < level.entries(); ++e) unigrams[level.word[e]] = current.probability[e];
      unigrams[text::kSentenceStart] = 0.0;
      parameters.unigrams = logarithms(unigrams);
    } else {
      parameters.log_prob.push_back(logarithms(current.probability));
      parameters.log_backoff.push_back(logarithms(current.backoff));
    }
    lower.swap(current.probability);
    if (after_level) after_level(k);
  }

  if (order == 1 || thresholds.back() == 0)
    return {BackoffModel::freeze(tree, std::move(parameters)), std::move(discounts)};
  const Kept kept = keep(tree, thresholds);
  for (uint32_t k = 1; k < order; ++k) {
    select(parameters.log_prob[k - 1], kept.entry[k]);
    select(parameters.log_backoff[k - 1], kept.context[k]);
  }
  return {BackoffModel::freeze(kept.tree, std::move(parameters)), std::move(discounts)};
}

}  // namespace binyan::ngram
