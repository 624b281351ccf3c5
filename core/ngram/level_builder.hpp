// The levels of a context tree, one after another, from events sorted by word and by context: of a whole text, or of
// those events whose context ends in one of some words. Contexts are ordered by their last word, then by the word
// before it, and so on, so that what is built of a range of last words is a piece of each level of the whole tree.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ngram/context_tree.hpp"

namespace binyan::ngram {

// Throws InputError unless the text can be that of a tree (see ContextTree::build).
void check_text(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                uint32_t vocabulary_size);

class LevelBuilder {
 public:
  // The events whose context ends in a word of [first_word, last_word), <s> included.
  LevelBuilder(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
               uint32_t vocabulary_size, uint32_t first_word, uint32_t last_word);

  // The contexts of length k: events grouped by (context of length k - 1, word k to the left). Returns their number.
  uint32_t add_contexts(uint32_t k, Level& below, Level& level);
  // The entries of level k: events grouped by (context, word). Where level 0 is left out, the parents of level 1 are
  // words.
  void add_entries(uint32_t k, uint32_t contexts, Level& level);

 private:
  uint32_t vocabulary_size_;
  std::vector<std::vector<uint32_t>> column_;             // [k][event]: the word k to the left; [0]: the word itself
  std::vector<uint8_t> depth_;                            // of each event: the length of its longest context
  std::vector<uint32_t> by_word_, by_context_, scratch_;  // events
  std::vector<uint32_t> context_, entry_;                 // of each event, on the last level done
};

}  // namespace binyan::ngram
