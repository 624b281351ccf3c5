// Kneser-Ney estimation in pieces that are built, estimated and stored apart, in any order and on any machine, with the
// result of the whole, bit for bit. A block holds the n-grams whose context ends in one of a range of words. Longer and
// shorter contexts of an n-gram are in its own block; blocks must know of each other only the counts of counts, the
// distribution of single words, and which context an n-gram leads to (link).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ngram/context_tree.hpp"
#include "ngram/kneser_ney.hpp"

namespace binyan::ngram {

// What discounts depend on.
struct BlockCounts {
  std::vector<std::array<uint64_t, 5>> counts_of_counts;  // [k - 1]: of the entries of level k
  std::vector<uint64_t> entries, contexts;                // [k - 1]: that pruning keeps
  // The block's candidate for the n-gram lmplz reads last (see ranks_of_first_occurrence): the rank of its word before
  // the last, and (adjusted count, count) by level from 1. Empty where there is none.
  uint32_t last_rank = 0;
  std::vector<std::pair<uint32_t, uint32_t>> last;
};

// The arrays of a back-off model, as far as they are of this block: one level.
struct BlockArrays {
  std::vector<uint32_t> word, next;
  std::vector<float> log_prob;
  std::vector<uint32_t> entry_end;  // of each context: where its entries end (BackoffArrays::first_entry, the next)
  std::vector<uint32_t> left_word, suffix;
  std::vector<float> log_backoff;
};

// Where a block's contexts and entries begin in the whole model: [k], from level 0.
struct BlockPlace {
  std::vector<uint32_t> first_context, first_entry;
};

// Single words: probabilities and back-off weight of level 0, by word.
struct UnigramEstimates {
  std::vector<double> probability;  // <s> has none
  std::vector<float> log_prob;
};
// `adjusted`: the number of words seen to the left of each word, 0 for words that are not in the text.
UnigramEstimates estimate_unigrams(std::span<const uint32_t> adjusted, const Discounts& discounts);

class SuffixBlock {
 public:
  // The n-grams of a text whose context ends in a word of [first_word, last_word); order >= 2. The text as for
  // ContextTree::build, and checked before.
  SuffixBlock(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
              uint32_t vocabulary_size, uint32_t first_word, uint32_t last_word);
  // From levels that were stored. Throws InputError where they do not fit together.
  SuffixBlock(std::vector<Level> levels, uint32_t first_word, uint32_t last_word);

  uint32_t order() const { return static_cast<uint32_t>(levels_.size()) + 1; }
  const std::vector<Level>& levels() const { return levels_; }  // [k - 1]; the parents of level 1 are words

  // `thresholds`: of each order. `last_word`: the last by `rank`, which may be empty.
  BlockCounts counts(std::span<const uint32_t> thresholds, std::span<const uint32_t> rank, uint32_t last_word) const;
  // Contexts of level k by the word they end in, from first_word.
  std::vector<uint32_t> contexts_by_word(uint32_t k) const;
  // Whether pruning keeps each context of level k.
  std::vector<uint8_t> kept_contexts(uint32_t k, uint32_t threshold) const;

  // The context that each entry of a level below the top leads to. Blocks are linked in order, each level with
  // `context_of_word`: for each word the number of the next context of level k + 1 that ends in it, which is moved on.
  // `kept`: of all contexts of level k + 1, those that pruning keeps, and their numbers without it; empty: all.
  void link(uint32_t k, std::span<uint32_t> context_of_word, std::span<const uint8_t> kept,
            std::span<uint32_t> number_of_word);
  // The model's arrays of level k, from 1 to the top in turn. `unigram_next`: the context each word leads to.
  BlockArrays estimate(uint32_t k, const UnigramEstimates& unigrams, std::span<const uint32_t> unigram_next,
                       const Discounts& discounts, uint32_t threshold, const BlockPlace& place);
  // The same without pruning, and without probabilities and back-off weights.
  BlockArrays arrays(uint32_t k, std::span<const uint32_t> unigram_next, const BlockPlace& place);

 private:
  template <class Entry, class Context>
  BlockArrays arrange(uint32_t k, std::span<const uint32_t> unigram_next, uint32_t threshold, const BlockPlace& place,
                      Entry entry, Context context);

  std::vector<Level> levels_;
  uint32_t first_word_, last_word_;
  std::vector<std::vector<uint32_t>> target_;  // [k - 1]: the context of level k + 1 of each entry, or kNoIndex
  // Of the level that was estimated last.
  std::vector<double> lower_;
  std::vector<uint32_t> next_, kept_context_;
};

}  // namespace binyan::ngram
