#include "ngram/context_tree.hpp"

#include <algorithm>

#include "ngram/level_builder.hpp"
#include "no_index.hpp"

namespace binyan::ngram {
namespace {

uint32_t find_in(const std::vector<uint32_t>& sorted, uint32_t first, uint32_t last, uint32_t value) {
  const auto begin = sorted.begin() + first, end = sorted.begin() + last;
  const auto hit = std::lower_bound(begin, end, value);
  return hit != end && *hit == value ? static_cast<uint32_t>(hit - sorted.begin()) : kNoIndex;
}

}  // namespace

ContextTree ContextTree::build(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                               uint32_t vocabulary_size, const AfterLevel& after_level) {
  check_text(words, offsets, order, vocabulary_size);
  ContextTree tree;
  tree.vocabulary_size = vocabulary_size;
  tree.events = words.size() + offsets.size() - 1;
  tree.levels.resize(order);
  LevelBuilder builder(words, offsets, order, vocabulary_size, 0, vocabulary_size);
  for (uint32_t k = 0; k < order; ++k) {
    const uint32_t contexts = k == 0 ? 1 : builder.add_contexts(k, tree.levels[k - 1], tree.levels[k]);
    builder.add_entries(k, contexts, tree.levels[k]);
    if (after_level) after_level(k);
  }
  return tree;
}

uint32_t ContextTree::find_entry(uint32_t level, uint32_t context, uint32_t word) const {
  const Level& l = levels[level];
  return find_in(l.word, l.first_entry[context], l.first_entry[context + 1], word);
}

uint32_t ContextTree::find_child(uint32_t level, uint32_t context, uint32_t left_word) const {
  if (level + 1 >= order()) return kNoIndex;
  const Level& l = levels[level];
  return find_in(levels[level + 1].left_word, l.first_child[context], l.first_child[context + 1], left_word);
}

}  // namespace binyan::ngram
