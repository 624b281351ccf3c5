#include "ngram/context_tree.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "errors.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

// Stable counting sort of `items` by key(item) < keys, into `sorted`.
template <class Key>
void sort_into(std::vector<uint32_t>& sorted, const std::vector<uint32_t>& items, uint32_t keys, Key key) {
  std::vector<uint32_t> start(static_cast<size_t>(keys) + 1, 0);
  for (uint32_t i : items) ++start[key(i) + 1];
  for (size_t k = 1; k <= keys; ++k) start[k] += start[k - 1];
  sorted.resize(items.size());
  for (uint32_t i : items) sorted[start[key(i)]++] = i;
}

// Calls group(first, last) for each run of `items` with equal key(item).
template <class Key, class Group>
void for_each_group(const std::vector<uint32_t>& items, Key key, Group group) {
  for (size_t first = 0, last; first < items.size(); first = last) {
    const auto value = key(items[first]);
    for (last = first + 1; last < items.size() && key(items[last]) == value;) ++last;
    group(first, last);
  }
}

uint32_t find_in(const std::vector<uint32_t>& sorted, uint32_t first, uint32_t last, uint32_t value) {
  const auto begin = sorted.begin() + first, end = sorted.begin() + last;
  const auto found = std::lower_bound(begin, end, value);
  return found != end && *found == value ? static_cast<uint32_t>(found - sorted.begin()) : kNoIndex;
}

}  // namespace

ContextTree ContextTree::build(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order, uint32_t vocabulary_size, const AfterLevel& after_level) {
  if (order == 0) throw InputError("the order of an n-gram model is 1 or more, not 0");
  if (order > 255) throw InputError("the order of an n-gram model is at most 255");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != words.size()) throw InputError("sentence offsets do not cover the words");
  const uint64_t sentences = offsets.size() - 1;
  const uint64_t events = words.size() + sentences;
  if (events + sentences >= kNoIndex) throw InputError("more than 4 billion tokens: train on a part of the text");
  for (uint32_t w : words)
    if (w >= vocabulary_size || w == text::kSentenceStart || w == text::kSentenceEnd) throw InputError("word id " + std::to_string(w) + " is not a word of a vocabulary of " + std::to_string(vocabulary_size));

  // The text with <s> before and </s> after each sentence. An event is the position of the word it predicts; depth is
  // the length of its longest context, 0 marking <s>, which is no event.
  std::vector<uint32_t> text, by_word, by_context, scratch;
  std::vector<uint8_t> depth;
  text.reserve(events + sentences);
  depth.reserve(events + sentences);
  by_context.reserve(events);
  for (uint64_t s = 0; s < sentences; ++s) {
    if (offsets[s] > offsets[s + 1]) throw InputError("sentence offsets decrease");
    text.push_back(text::kSentenceStart);
    depth.push_back(0);
    const uint64_t length = offsets[s + 1] - offsets[s];
    for (uint64_t j = 0; j <= length; ++j) {
      by_context.push_back(static_cast<uint32_t>(text.size()));
      depth.push_back(static_cast<uint8_t>(std::min<uint64_t>(j + 1, order - 1)));
      text.push_back(j < length ? words[offsets[s] + j] : text::kSentenceEnd);
    }
  }

  ContextTree tree;
  tree.vocabulary_size = vocabulary_size;
  tree.events = events;
  tree.levels.resize(order);

  sort_into(by_word, by_context, vocabulary_size, [&](uint32_t i) { return text[i]; });
  std::vector<uint32_t> rank(text.size(), 0), entry(text.size());  // of each event: its context and entry on the last level done

  for (uint32_t k = 0; k < order; ++k) {
    Level& level = tree.levels[k];
    uint32_t contexts = 1;
    if (k > 0) {
      // Contexts of length k: events grouped by (context of length k - 1, word k to the left).
      Level& below = tree.levels[k - 1];
      const auto shorter = [&](uint32_t i) { return depth[i] < k; };
      std::erase_if(by_context, shorter);
      std::erase_if(by_word, shorter);
      sort_into(scratch, by_context, vocabulary_size, [&](uint32_t i) { return text[i - k]; });
      sort_into(by_context, scratch, below.contexts(), [&](uint32_t i) { return rank[i]; });
      const auto key = [&](uint32_t i) { return std::pair(rank[i], text[i - k]); };
      contexts = 0;
      for_each_group(by_context, key, [&](size_t, size_t) { ++contexts; });
      level.context_parent.reserve(contexts);
      level.left_word.reserve(contexts);
      below.first_child.assign(below.contexts() + 1, 0);
      // A group's events still carry the rank of the level below; they get their own when the group is done.
      for_each_group(by_context, key, [&](size_t first, size_t last) {
        const auto [parent, left] = key(by_context[first]);
        for (size_t j = first; j < last; ++j) rank[by_context[j]] = static_cast<uint32_t>(level.left_word.size());
        level.context_parent.push_back(parent);
        level.left_word.push_back(left);
        ++below.first_child[parent + 1];
      });
      for (uint32_t c = 0; c < below.contexts(); ++c) below.first_child[c + 1] += below.first_child[c];
    }
    // Entries: events grouped by (context, word).
    sort_into(scratch, by_word, contexts, [&](uint32_t i) { return rank[i]; });
    const auto key = [&](uint32_t i) { return std::pair(rank[i], text[i]); };
    size_t entries = 0;
    for_each_group(scratch, key, [&](size_t, size_t) { ++entries; });
    for (auto* v : {&level.word, &level.context, &level.count}) v->reserve(entries);
    if (k > 0) level.parent.reserve(entries);
    level.first_entry.assign(static_cast<size_t>(contexts) + 1, 0);
    for_each_group(scratch, key, [&](size_t first, size_t last) {
      const auto [context, word] = key(scratch[first]);
      if (k > 0) level.parent.push_back(entry[scratch[first]]);
      for (size_t j = first; j < last; ++j) entry[scratch[j]] = level.entries();
      level.word.push_back(word);
      level.context.push_back(context);
      level.count.push_back(static_cast<uint32_t>(last - first));
      ++level.first_entry[context + 1];
    });
    for (uint32_t c = 0; c < contexts; ++c) level.first_entry[c + 1] += level.first_entry[c];
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
