#include "ngram/context_tree.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace binyan {
namespace {

// Stable counting sort of `items` by key[item] < keys.
void sort_by(std::vector<uint32_t>& items, const std::vector<uint32_t>& key, uint32_t keys, std::vector<uint32_t>& scratch) {
  std::vector<uint32_t> start(static_cast<size_t>(keys) + 1, 0);
  for (uint32_t i : items) ++start[key[i] + 1];
  for (size_t k = 1; k <= keys; ++k) start[k] += start[k - 1];
  scratch.resize(items.size());
  for (uint32_t i : items) scratch[start[key[i]]++] = i;
  items.swap(scratch);
}

uint32_t find_in(const std::vector<uint32_t>& sorted, uint32_t first, uint32_t last, uint32_t value) {
  const auto begin = sorted.begin() + first, end = sorted.begin() + last;
  const auto found = std::lower_bound(begin, end, value);
  return found != end && *found == value ? static_cast<uint32_t>(found - sorted.begin()) : kNone;
}

}  // namespace

ContextTree ContextTree::build(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order, uint32_t vocabulary_size) {
  if (order == 0) throw InputError("the order of an n-gram model is 1 or more, not 0");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != words.size()) throw InputError("sentence offsets do not cover the words");
  const uint64_t sentences = offsets.size() - 1;
  const uint64_t events = words.size() + sentences;
  if (events + sentences >= kNone) throw InputError("more than 4 billion tokens: train on a part of the text");
  for (uint32_t w : words)
    if (w >= vocabulary_size || w == kBegin || w == kEnd) throw InputError("word id " + std::to_string(w) + " is not a word of a vocabulary of " + std::to_string(vocabulary_size));

  // The text with <s> before and </s> after each sentence; event i predicts text[at[i]].
  std::vector<uint32_t> text, at, depth;
  text.reserve(events + sentences);
  at.reserve(events);
  depth.reserve(events);
  for (uint64_t s = 0; s < sentences; ++s) {
    if (offsets[s] > offsets[s + 1]) throw InputError("sentence offsets decrease");
    text.push_back(kBegin);
    const uint64_t length = offsets[s + 1] - offsets[s];
    for (uint64_t j = 0; j <= length; ++j) {
      at.push_back(static_cast<uint32_t>(text.size()));
      depth.push_back(static_cast<uint32_t>(std::min<uint64_t>(j + 1, order - 1)));
      text.push_back(j < length ? words[offsets[s] + j] : kEnd);
    }
  }

  ContextTree tree;
  tree.vocabulary_size = vocabulary_size;
  tree.events = events;
  tree.levels.resize(order);

  std::vector<uint32_t> by_word(events), scratch, key(events), rank(events, 0), entry(events);
  for (uint32_t i = 0; i < events; ++i) {
    by_word[i] = i;
    key[i] = text[at[i]];
  }
  sort_by(by_word, key, vocabulary_size, scratch);
  std::vector<uint32_t> by_context = by_word;

  for (uint32_t k = 0; k < order; ++k) {
    Level& level = tree.levels[k];
    uint32_t contexts = 1;
    if (k > 0) {
      // Contexts of length k: events grouped by (context of length k - 1, word k to the left).
      Level& below = tree.levels[k - 1];
      std::erase_if(by_context, [&](uint32_t i) { return depth[i] < k; });
      for (uint32_t i : by_context) key[i] = text[at[i] - k];
      sort_by(by_context, key, vocabulary_size, scratch);
      sort_by(by_context, rank, below.contexts(), scratch);
      below.first_child.assign(below.contexts() + 1, 0);
      contexts = 0;
      uint32_t last_rank = kNone, last_word = kNone;
      for (uint32_t i : by_context) {
        if (rank[i] != last_rank || key[i] != last_word) {
          last_rank = rank[i];
          last_word = key[i];
          level.context_parent.push_back(last_rank);
          level.left_word.push_back(last_word);
          ++below.first_child[last_rank + 1];
          ++contexts;
        }
        rank[i] = contexts - 1;
      }
      for (uint32_t c = 0; c < below.contexts(); ++c) below.first_child[c + 1] += below.first_child[c];
      std::erase_if(by_word, [&](uint32_t i) { return depth[i] < k; });
    }
    // Entries: events grouped by (context, word).
    std::vector<uint32_t> grouped = by_word;
    sort_by(grouped, rank, contexts, scratch);
    level.first_entry.assign(static_cast<size_t>(contexts) + 1, 0);
    uint32_t last_rank = kNone, last_word = kNone;
    for (uint32_t i : grouped) {
      const uint32_t w = text[at[i]];
      if (rank[i] != last_rank || w != last_word) {
        last_rank = rank[i];
        last_word = w;
        level.word.push_back(w);
        level.context.push_back(last_rank);
        level.count.push_back(0);
        if (k > 0) level.parent.push_back(entry[i]);
        ++level.first_entry[last_rank + 1];
      }
      ++level.count.back();
      entry[i] = level.entries() - 1;
    }
    for (uint32_t c = 0; c < contexts; ++c) level.first_entry[c + 1] += level.first_entry[c];
    for (auto* v : {&level.word, &level.context, &level.count, &level.parent, &level.context_parent, &level.left_word}) v->shrink_to_fit();
  }
  return tree;
}

uint32_t ContextTree::find_entry(uint32_t level, uint32_t context, uint32_t word) const {
  const Level& l = levels[level];
  return find_in(l.word, l.first_entry[context], l.first_entry[context + 1], word);
}

uint32_t ContextTree::find_child(uint32_t level, uint32_t context, uint32_t left_word) const {
  if (level + 1 >= order()) return kNone;
  const Level& l = levels[level];
  return find_in(levels[level + 1].left_word, l.first_child[context], l.first_child[context + 1], left_word);
}

}  // namespace binyan
