#include "ngram/level_builder.hpp"

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

}  // namespace

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

LevelBuilder::LevelBuilder(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t order,
                           uint32_t vocabulary_size, uint32_t first_word, uint32_t last_word)
    : vocabulary_size_(vocabulary_size), column_(order) {
  const auto for_each_event = [&](auto visit) {  // visit(place of the word, words before it in its sentence, is </s>)
    for (size_t s = 0; s + 1 < offsets.size(); ++s)
      for (uint64_t i = offsets[s]; i <= offsets[s + 1]; ++i) {
        const uint32_t before = i == offsets[s] ? text::kSentenceStart : words[i - 1];
        if (before >= first_word && before < last_word) visit(i, i - offsets[s], i == offsets[s + 1]);
      }
  };
  size_t events = 0;
  for_each_event([&](uint64_t, uint64_t, bool) { ++events; });
  for (auto& column : column_) column.resize(events);
  depth_.resize(events);
  by_context_.resize(events);
  uint32_t event = 0;
  for_each_event([&](uint64_t i, uint64_t before, bool ends) {
    column_[0][event] = ends ? text::kSentenceEnd : words[i];
    depth_[event] = static_cast<uint8_t>(std::min<uint64_t>(before + 1, order - 1));
    for (uint32_t k = 1; k <= depth_[event]; ++k) column_[k][event] = k <= before ? words[i - k] : text::kSentenceStart;
    by_context_[event] = event;
    ++event;
  });
  sort_into(by_word_, by_context_, vocabulary_size, [&](uint32_t i) { return column_[0][i]; });
  context_.assign(events, 0);
  entry_ = column_[0];
}

uint32_t LevelBuilder::add_contexts(uint32_t k, Level& below, Level& level) {
  const auto shorter = [&](uint32_t i) { return depth_[i] < k; };
  std::erase_if(by_context_, shorter);
  std::erase_if(by_word_, shorter);
  sort_into(scratch_, by_context_, vocabulary_size_, [&](uint32_t i) { return column_[k][i]; });
  sort_into(by_context_, scratch_, below.contexts(), [&](uint32_t i) { return context_[i]; });
  const auto key = [&](uint32_t i) { return std::pair(context_[i], column_[k][i]); };
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

void LevelBuilder::add_entries(uint32_t k, uint32_t contexts, Level& level) {
  sort_into(scratch_, by_word_, contexts, [&](uint32_t i) { return context_[i]; });
  const auto key = [&](uint32_t i) { return std::pair(context_[i], column_[0][i]); };
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

}  // namespace binyan::ngram
