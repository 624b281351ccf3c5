#include "ngram/suffix_block.hpp"

#include <algorithm>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "ngram/kneser_ney_level.hpp"
#include "ngram/level_builder.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw InputError(std::string("a stored block of n-grams does not fit together: ") + what);
}

bool starts_in_order(const std::vector<uint32_t>& first, size_t end) {
  return !first.empty() && first.front() == 0 && first.back() == end && std::is_sorted(first.begin(), first.end());
}

std::vector<uint32_t> context_of_entries(const Level& level) {
  std::vector<uint32_t> context(level.word.size());
  for (uint32_t c = 0; c < level.contexts(); ++c)
    std::fill(context.begin() + level.first_entry[c], context.begin() + level.first_entry[c + 1], c);
  return context;
}

}  // namespace

UnigramEstimates estimate_unigrams(std::span<const uint32_t> adjusted, const Discounts& d) {
  const uint32_t vocabulary = static_cast<uint32_t>(adjusted.size());
  double total = 0.0, freed = 0.0;
  for (uint32_t count : adjusted)
    if (count > 0) {
      total += count;
      freed += d.of(count);
    }
  const double backoff = freed / total, shorter = 1.0 / (vocabulary - 1);  // <s> is no event
  UnigramEstimates out;
  out.probability.assign(vocabulary, backoff / (vocabulary - 1));
  for (uint32_t w = 0; w < vocabulary; ++w)
    if (adjusted[w] > 0) out.probability[w] = (adjusted[w] - d.of(adjusted[w])) / total + backoff * shorter;
  out.probability[text::kSentenceStart] = 0.0;
  out.log_prob = logarithms(out.probability);
  return out;
}

SuffixBlock::SuffixBlock(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                         uint32_t vocabulary_size, uint32_t first_word, uint32_t last_word)
    : levels_(order - 1), first_word_(first_word), last_word_(last_word), target_(order - 1) {
  LevelBuilder builder(words, offsets, order, vocabulary_size, first_word, last_word);
  Level root;
  root.first_entry = {0, 0};
  for (uint32_t k = 1; k < order; ++k) {
    const uint32_t contexts = builder.add_contexts(k, k == 1 ? root : levels_[k - 2], levels_[k - 1]);
    builder.add_entries(k, contexts, levels_[k - 1]);
    if (k > 1) levels_[k - 2].first_child = {};  // not needed here
  }
}

SuffixBlock::SuffixBlock(std::vector<Level> levels, uint32_t first_word, uint32_t last_word)
    : levels_(std::move(levels)), first_word_(first_word), last_word_(last_word), target_(levels_.size()) {
  for (size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    require(starts_in_order(level.first_entry, level.word.size()), "entries");
    require(level.parent.size() == level.word.size() && level.count.size() == level.word.size(), "entries");
    require(level.left_word.size() == level.contexts() && level.context_parent.size() == level.contexts(), "contexts");
    const uint32_t contexts = i == 0 ? 1 : levels_[i - 1].contexts();
    require(std::ranges::all_of(level.context_parent, [&](uint32_t c) { return c < contexts; }), "contexts");
    if (i > 0)
      require(std::ranges::all_of(level.parent, [&](uint32_t e) { return e < levels_[i - 1].word.size(); }), "parents");
    level.context = context_of_entries(level);
  }
}

BlockCounts SuffixBlock::counts(std::span<const uint32_t> thresholds, std::span<const uint32_t> rank,
                                uint32_t last_word) const {
  BlockCounts out;
  uint32_t last = last_word;
  for (uint32_t k = 1; k < order(); ++k) {
    const Level& level = levels_[k - 1];
    const std::vector<uint32_t> adjusted = adjusted_counts(level, k + 1 < order() ? &levels_[k] : nullptr);
    std::array<uint64_t, 5> counts{};
    uint64_t entries = 0;
    for (uint32_t e = 0; e < level.entries(); ++e) {
      if (adjusted[e] < 5) ++counts[adjusted[e]];
      entries += level.count[e] > thresholds[k];
    }
    out.counts_of_counts.push_back(counts);
    out.entries.push_back(entries);
    const std::vector<uint8_t> kept = kept_contexts(k, thresholds[k]);
    out.contexts.push_back(static_cast<uint64_t>(std::count(kept.begin(), kept.end(), 1)));
    if (rank.empty() || k + 1 == order() || last == kNoIndex) continue;
    const uint32_t found = last_entry(level, last, rank);
    if (found != kNoIndex) {
      if (k == 1) out.last_rank = rank[level.left_word[level.context[found]]];
      out.last.emplace_back(adjusted[found], level.count[found]);
    }
    last = found;
  }
  return out;
}

std::vector<uint32_t> SuffixBlock::contexts_by_word(uint32_t k) const {
  std::vector<uint32_t> word, longer, number(last_word_ - first_word_, 0);
  for (uint32_t j = 1; j <= k; ++j) {
    const Level& level = levels_[j - 1];
    longer.resize(level.contexts());
    for (uint32_t c = 0; c < level.contexts(); ++c)
      longer[c] = j == 1 ? level.left_word[c] : word[level.context_parent[c]];
    word.swap(longer);
  }
  for (uint32_t w : word) ++number.at(w - first_word_);
  return number;
}

std::vector<uint8_t> SuffixBlock::kept_contexts(uint32_t k, uint32_t threshold) const {
  const Level& level = levels_[k - 1];
  std::vector<uint8_t> kept(level.contexts(), 0);
  for (uint32_t e = 0; e < level.entries(); ++e)
    if (level.count[e] > threshold) kept[level.context[e]] = 1;
  return kept;
}

void SuffixBlock::link(uint32_t k, std::span<uint32_t> context_of_word, std::span<const uint8_t> kept,
                       std::span<uint32_t> number_of_word) {
  const Level& level = levels_[k - 1];
  std::vector<uint32_t>& target = target_[k - 1];
  target.assign(level.entries(), kNoIndex);
  for (uint32_t e = 0; e < level.entries(); ++e) {
    const uint32_t word = level.word[e];
    if (word == text::kSentenceEnd) continue;  // nothing follows
    if (word >= context_of_word.size()) throw InputError("a stored block of n-grams has words of another vocabulary");
    const uint32_t context = context_of_word[word]++;
    if (kept.empty()) target[e] = context;
    else if (kept[context >> 3] & (128u >> (context & 7))) target[e] = number_of_word[word]++;
  }
}

template <class Entry, class Context>
BlockArrays SuffixBlock::arrange(uint32_t k, std::span<const uint32_t> unigram_next, uint32_t threshold,
                                 const BlockPlace& place, Entry entry, Context context) {
  const Level& level = levels_[k - 1];
  BlockArrays out;
  std::vector<uint32_t> next(level.entries()), kept_context(level.contexts(), kNoIndex);
  for (uint32_t c = 0; c < level.contexts(); ++c) {
    const size_t before = out.word.size();
    for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) {
      if (level.count[e] <= threshold) continue;
      const uint32_t target = k + 1 < order() ? target_[k - 1][e] : kNoIndex;
      next[e] = target != kNoIndex ? target : k == 1 ? unigram_next[level.parent[e]] : next_[level.parent[e]];
      out.word.push_back(level.word[e]);
      out.next.push_back(next[e]);
      entry(out, e);
    }
    if (out.word.size() == before) continue;
    kept_context[c] = static_cast<uint32_t>(out.left_word.size());
    out.entry_end.push_back(place.first_entry[k] + static_cast<uint32_t>(out.word.size()));
    out.left_word.push_back(level.left_word[c]);
    out.suffix.push_back(k == 1 ? 0 : place.first_context[k - 1] + kept_context_[level.context_parent[c]]);
    context(out, c);
  }
  next_.swap(next);
  kept_context_.swap(kept_context);
  return out;
}

BlockArrays SuffixBlock::arrays(uint32_t k, std::span<const uint32_t> unigram_next, const BlockPlace& place) {
  const auto nothing = [](BlockArrays&, uint32_t) {};
  return arrange(k, unigram_next, 0, place, nothing, nothing);
}

BlockArrays SuffixBlock::estimate(uint32_t k, const UnigramEstimates& unigrams, std::span<const uint32_t> unigram_next,
                                  const Discounts& d, uint32_t threshold, const BlockPlace& place) {
  const Level& level = levels_[k - 1];
  const std::vector<uint32_t> adjusted = adjusted_counts(level, k + 1 < order() ? &levels_[k] : nullptr);
  LevelEstimates estimates = estimate_level(level, adjusted, d, threshold, [&](uint32_t e) {
    return k == 1 ? unigrams.probability[level.parent[e]] : lower_[level.parent[e]];
  });
  BlockArrays out = arrange(
      k, unigram_next, threshold, place,
      [&](BlockArrays& a, uint32_t e) { a.log_prob.push_back(logarithm(estimates.probability[e])); },
      [&](BlockArrays& a, uint32_t c) { a.log_backoff.push_back(logarithm(estimates.backoff[c])); });
  lower_ = std::move(estimates.probability);
  return out;
}

}  // namespace binyan::ngram
