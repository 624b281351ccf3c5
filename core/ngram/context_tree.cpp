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
  const auto hit = std::lower_bound(begin, end, value);
  return hit != end && *hit == value ? static_cast<uint32_t>(hit - sorted.begin()) : kNoIndex;
}

void check_text(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                uint32_t vocabulary_size) {
  if (order == 0) throw InputError("the order of an n-gram model is 1 or more, not 0");
  if (order > 255) throw InputError("the order of an n-gram model is at most 255");
  if (vocabulary_size <= text::kSentenceEnd) throw InputError("a vocabulary has <unk>, <s> and </s> at least");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != words.size())
    throw InputError("sentence offsets do not cover the words");
  if (!std::is_sorted(offsets.begin(), offsets.end())) throw InputError("sentence offsets decrease");
  if (words.size() + 2 * (offsets.size() - 1) >= kNoIndex)
    throw InputError("more than 4 billion tokens: train on a part of the text");
  for (uint32_t w : words)
    if (w >= vocabulary_size || w == text::kSentenceStart || w == text::kSentenceEnd)
      throw InputError("word id " + std::to_string(w) + " is not a word of a vocabulary of " +
                       std::to_string(vocabulary_size));
}

// Builds the levels one after another, from events sorted by word and by context.
class Builder {
 public:
  // The text with <s> before and </s> after each sentence. An event is the position of the word it predicts.
  Builder(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order, uint32_t vocabulary_size)
      : vocabulary_size_(vocabulary_size) {
    const uint64_t sentences = offsets.size() - 1, size = words.size() + 2 * sentences;
    text_.reserve(size);
    depth_.reserve(size);
    by_context_.reserve(words.size() + sentences);
    for (uint64_t s = 0; s < sentences; ++s) {
      text_.push_back(text::kSentenceStart);
      depth_.push_back(0);
      const uint64_t length = offsets[s + 1] - offsets[s];
      for (uint64_t j = 0; j <= length; ++j) {
        by_context_.push_back(static_cast<uint32_t>(text_.size()));
        depth_.push_back(static_cast<uint8_t>(std::min<uint64_t>(j + 1, order - 1)));
        text_.push_back(j < length ? words[offsets[s] + j] : text::kSentenceEnd);
      }
    }
    sort_into(by_word_, by_context_, vocabulary_size, [&](uint32_t i) { return text_[i]; });
    context_.assign(text_.size(), 0);
    entry_.resize(text_.size());
  }

  // The contexts of length k: events grouped by (context of length k - 1, word k to the left). Returns their number.
  uint32_t add_contexts(uint32_t k, Level& below, Level& level) {
    const auto shorter = [&](uint32_t i) { return depth_[i] < k; };
    std::erase_if(by_context_, shorter);
    std::erase_if(by_word_, shorter);
    sort_into(scratch_, by_context_, vocabulary_size_, [&](uint32_t i) { return text_[i - k]; });
    sort_into(by_context_, scratch_, below.contexts(), [&](uint32_t i) { return context_[i]; });
    const auto key = [&](uint32_t i) { return std::pair(context_[i], text_[i - k]); };
    uint32_t contexts = 0;
    for_each_group(by_context_, key, [&](size_t, size_t) { ++contexts; });
    level.context_parent.reserve(contexts);
    level.left_word.reserve(contexts);
    below.first_child.assign(below.contexts() + 1, 0);
    // A group's events still carry the context of the level below; they get their own when the group is done.
    for_each_group(by_context_, key, [&](size_t first, size_t last) {
      const auto [parent, left] = key(by_context_[first]);
      for (size_t j = first; j < last; ++j) context_[by_context_[j]] = static_cast<uint32_t>(level.left_word.size());
      level.context_parent.push_back(parent);
      level.left_word.push_back(left);
      ++below.first_child[parent + 1];
    });
    for (uint32_t c = 0; c < below.contexts(); ++c) below.first_child[c + 1] += below.first_child[c];
    return contexts;
  }

  // The entries of level k: events grouped by (context, word).
  void add_entries(uint32_t k, uint32_t contexts, Level& level) {
    sort_into(scratch_, by_word_, contexts, [&](uint32_t i) { return context_[i]; });
    const auto key = [&](uint32_t i) { return std::pair(context_[i], text_[i]); };
    size_t entries = 0;
    for_each_group(scratch_, key, [&](size_t, size_t) { ++entries; });
    for (auto* v : {&level.word, &level.context, &level.count}) v->reserve(entries);
    if (k > 0) level.parent.reserve(entries);
    level.first_entry.assign(static_cast<size_t>(contexts) + 1, 0);
    for_each_group(scratch_, key, [&](size_t first, size_t last) {
      const auto [context, word] = key(scratch_[first]);
      if (k > 0) level.parent.push_back(entry_[scratch_[first]]);
      for (size_t j = first; j < last; ++j) entry_[scratch_[j]] = level.entries();
      level.word.push_back(word);
      level.context.push_back(context);
      level.count.push_back(static_cast<uint32_t>(last - first));
      ++level.first_entry[context + 1];
    });
    for (uint32_t c = 0; c < contexts; ++c) level.first_entry[c + 1] += level.first_entry[c];
  }

 private:
  uint32_t vocabulary_size_;
  std::vector<uint32_t> text_;
  std::vector<uint8_t> depth_;  // of each event: the length of its longest context; 0 marks <s>, which is no event
  std::vector<uint32_t> by_word_, by_context_, scratch_;  // events
  std::vector<uint32_t> context_, entry_;                 // of each event, on the last level done
};

}  // namespace

ContextTree ContextTree::build(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                               uint32_t vocabulary_size, const AfterLevel& after_level) {
  check_text(words, offsets, order, vocabulary_size);
  ContextTree tree;
  tree.vocabulary_size = vocabulary_size;
  tree.events = words.size() + offsets.size() - 1;
  tree.levels.resize(order);
  Builder builder(words, offsets, order, vocabulary_size);
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
