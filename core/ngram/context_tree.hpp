// All n-grams of a text, as a tree of contexts in flat arrays. Everything an n-gram model needs is an index or a link,
// known before training starts; no hashing afterwards.
//
// Level k holds the distinct n-grams (u, w) with |u| = k. An entry is one (u, w); the entries of a context are
// adjacent, ordered by w. The contexts that extend u by one word to the left are adjacent on level k + 1, ordered by
// that word. A sentence w1 ... wm is the events w1, ..., wm, </s>, each with up to order - 1 words of context, the
// first being <s>.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {

// Called with each level of a tree that is done, from 0; where a caller shows progress and may stop.
using AfterLevel = std::function<void(uint32_t)>;

struct Level {
  // One element per entry.
  std::vector<uint32_t> word;     // w
  std::vector<uint32_t> context;  // index of u among this level's contexts
  std::vector<uint32_t> parent;   // entry of (pi(u), w) on the level below; empty on level 0
  std::vector<uint32_t> count;    // events that match (u, w)
  // One element per context.
  std::vector<uint32_t> first_entry;     // entries of context c: [first_entry[c], first_entry[c + 1])
  std::vector<uint32_t> first_child;     // contexts one word longer: [first_child[c], first_child[c + 1]) on the level
                                         // above; empty on the top level
  std::vector<uint32_t> left_word;       // leftmost word of u; empty on level 0
  std::vector<uint32_t> context_parent;  // index of pi(u) on the level below; empty on level 0

  uint32_t entries() const { return static_cast<uint32_t>(word.size()); }
  uint32_t contexts() const { return static_cast<uint32_t>(first_entry.size()) - 1; }
};

class ContextTree {
 public:
  // `words`: sentences one after another, without <s> and </s>; sentence i is [offsets[i], offsets[i + 1]).
  // `order` >= 1; ids < `vocabulary_size`. Throws InputError on ids out of range or an order of 0.
  // `after_level` is called as each level is done; what it throws stops the work.
  static ContextTree build(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                           uint32_t vocabulary_size, const AfterLevel& after_level = {});

  uint32_t order() const { return static_cast<uint32_t>(levels.size()); }
  // Events whose longest context is u itself: on the top level all, below it those whose context begins with <s>.
  uint32_t direct(uint32_t level, uint32_t entry) const {
    const Level& l = levels[level];
    return level + 1 == order() || (level > 0 && l.left_word[l.context[entry]] == text::kSentenceStart) ? l.count[entry]
                                                                                                        : 0;
  }
  // Calls visit(level, context, entry, events) for all entries with direct events, in storage order.
  template <class Visit>
  void for_each_direct(Visit visit) const {
    for (uint32_t k = 0; k < order(); ++k) {
      const Level& level = levels[k];
      const bool top = k + 1 == order();
      if (!top && k == 0) continue;
      for (uint32_t c = 0; c < level.contexts(); ++c) {
        if (!top && level.left_word[c] != text::kSentenceStart) continue;
        for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) visit(k, c, e, level.count[e]);
      }
    }
  }
  // The entry of (u, w) on `level`, or kNoIndex. O(log) in the number of words seen after u.
  uint32_t find_entry(uint32_t level, uint32_t context, uint32_t word) const;
  // The context left_word + u on level + 1, or kNoIndex.
  uint32_t find_child(uint32_t level, uint32_t context, uint32_t left_word) const;

  std::vector<Level> levels;  // levels[k]: |u| = k
  uint32_t vocabulary_size = 0;
  uint64_t events = 0;
};

}  // namespace binyan::ngram
