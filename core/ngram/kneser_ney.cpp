#include "ngram/kneser_ney.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

// Adjusted counts of one level: the number of words seen to the left of (u, w); the plain count on the top level and
// where u begins with <s>, to the left of which is nothing.
std::vector<uint32_t> adjusted_counts(const ContextTree& tree, uint32_t k) {
  const Level& level = tree.levels[k];
  if (k + 1 == tree.order()) return level.count;
  std::vector<uint32_t> adjusted(level.entries(), 0);
  for (uint32_t parent : tree.levels[k + 1].parent) ++adjusted[parent];
  if (k > 0)
    for (uint32_t e = 0; e < level.entries(); ++e)
      if (level.left_word[level.context[e]] == text::kSentenceStart) adjusted[e] = level.count[e];
  return adjusted;
}

// The entries, one per level, of the n-gram lmplz reads last: the greatest rank of the last word, then of the word
// before it, ...
std::vector<uint32_t> last_entries(const ContextTree& tree, std::span<const uint32_t> rank) {
  std::vector<uint32_t> last(tree.order(), kNoIndex);
  if (rank.empty()) return last;
  for (uint32_t k = 0; k + 1 < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    for (uint32_t e = 0; e < level.entries(); ++e) {
      if (k > 0 && level.parent[e] != last[k - 1]) continue;
      const auto word = [&](uint32_t i) { return k == 0 ? level.word[i] : level.left_word[level.context[i]]; };
      if (last[k] == kNoIndex || rank[word(e)] > rank[word(last[k])]) last[k] = e;
    }
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

std::vector<float> logarithms(const std::vector<double>& values) {
  std::vector<float> logs(values.size());
  for (size_t i = 0; i < values.size(); ++i) logs[i] = static_cast<float>(elementary::log(values[i]));
  return logs;
}

// Moves the rows that were kept to their new places.
void select(std::vector<float>& rows, const std::vector<uint32_t>& place) {
  size_t kept = 0;
  for (size_t i = 0; i < place.size(); ++i)
    if (place[i] != kNoIndex) rows[kept++] = rows[i];
  rows.resize(kept);
}

}  // namespace

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
  std::vector<double> lower, current;  // P of the entries of the level below and of this level

  for (uint32_t k = 0; k < order; ++k) {
    const Level& level = tree.levels[k];
    const std::vector<uint32_t> adjusted = adjusted_counts(tree, k);
    Discounts& d = discounts[k];
    for (uint32_t e = 0; e < level.entries(); ++e) {
      const uint32_t count = e == last[k] ? level.count[e] : adjusted[e];
      if (count < 5) ++d.counts_of_counts[count];
    }
    if (settings.given.empty()) estimate(d, settings.fallback);
    else take(d, settings.given[k]);

    current.resize(level.entries());
    std::vector<double> backoff(level.contexts());
    for (uint32_t c = 0; c < level.contexts(); ++c) {
      // gamma(u): what discounts and pruning take from the words seen after u (Chen and Goodman 1999, section 3).
      double total = 0.0, freed = 0.0;
      for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) {
        total += adjusted[e];
        freed += level.count[e] <= thresholds[k] ? adjusted[e] : d.of(adjusted[e]);
      }
      backoff[c] = freed / total;
      for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) {
        const double shorter = k == 0 ? 1.0 / (vocabulary - 1) : lower[level.parent[e]];  // <s> is no event
        current[e] = (adjusted[e] - d.of(adjusted[e])) / total + backoff[c] * shorter;
      }
    }
    if (k == 0) {
      std::vector<double> unigrams(vocabulary, backoff[0] / (vocabulary - 1));
      for (uint32_t e = 0; e < level.entries(); ++e) unigrams[level.word[e]] = current[e];
      unigrams[text::kSentenceStart] = 0.0;
      parameters.unigrams = logarithms(unigrams);
    } else {
      parameters.log_prob.push_back(logarithms(current));
      parameters.log_backoff.push_back(logarithms(backoff));
    }
    lower.swap(current);
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
