#include "ngram/ngram_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "errors.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

// Stable counting sort of `items` by the word at `place` of each n-gram.
void sort_by_word(std::vector<uint32_t>& items, const NgramList& list, uint32_t place, uint32_t vocabulary) {
  std::vector<uint32_t> start(static_cast<size_t>(vocabulary) + 1, 0), sorted(items.size());
  for (uint32_t i : items) ++start[list.words(i)[place] + 1];
  for (uint32_t w = 0; w < vocabulary; ++w) start[w + 1] += start[w];
  for (uint32_t i : items) sorted[start[list.words(i)[place]]++] = i;
  items.swap(sorted);
}

// Every n-gram's first and last n - 1 words become n-grams too; NaN marks the probability of those added.
uint64_t close(std::vector<NgramList>& lists) {
  uint64_t added = 0;
  for (size_t n = lists.size(); n > 2; --n) {
    NgramList& shorter = lists[n - 2];
    for (uint32_t i = 0; i < lists[n - 1].size(); ++i)
      for (const uint32_t* part : {lists[n - 1].words(i), lists[n - 1].words(i) + 1})
        if (shorter.find(part) == kNoIndex) {
          shorter.add(part, std::nanf(""), 0.0f);
          ++added;
        }
  }
  for (size_t n = 2; n <= lists.size(); ++n) {
    NgramList &list = lists[n - 1], &shorter = lists[n - 2];
    for (uint32_t i = 0; i < list.size(); ++i)
      if (std::isnan(list.log_prob[i]))
        list.log_prob[i] =
            shorter.log_backoff[shorter.find(list.words(i))] + shorter.log_prob[shorter.find(list.words(i) + 1)];
  }
  return added;
}

// Those n-grams of `list` that are contexts, in the tree's order: what others begin with (`used`), or has a back-off
// weight.
std::vector<uint32_t> contexts_of(const NgramList& list, const std::vector<bool>& used, uint32_t vocabulary) {
  std::vector<uint32_t> contexts;
  for (uint32_t i = 0; i < list.size(); ++i)
    if (used[i]) contexts.push_back(i);
  for (uint32_t place = 0; place < list.n(); ++place) sort_by_word(contexts, list, place, vocabulary);
  return contexts;
}

// Which n-grams of each length below the longest are contexts: those with a back-off weight, those that begin a longer
// n-gram, and the ends of contexts.
std::vector<std::vector<bool>> mark_contexts(const std::vector<NgramList>& lists) {
  const uint32_t order = static_cast<uint32_t>(lists.size());
  std::vector<std::vector<bool>> used(order);
  for (uint32_t n = order; n-- > 1;) {  // [n - 1]: n-grams of length n
    const NgramList& list = lists[n - 1];
    std::vector<bool>& mine = used[n - 1];
    mine.resize(list.size());
    for (uint32_t i = 0; i < list.size(); ++i) mine[i] = list.log_backoff[i] != 0.0f;
    for (uint32_t i = 0; i < lists[n].size(); ++i) {
      mine[list.find(lists[n].words(i))] = true;
      if (n < order - 1 && used[n][i]) mine[list.find(lists[n].words(i) + 1)] = true;
    }
  }
  return used;
}

}  // namespace

uint64_t NgramList::slot_of(const uint32_t* words) const {
  uint64_t h = 0x9E3779B97F4A7C15ull;
  for (uint32_t i = 0; i < n_; ++i) {
    h = (h ^ words[i]) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
  }
  return h & (slots_.size() - 1);
}

uint32_t NgramList::find(const uint32_t* words) const {
  for (uint64_t i = slot_of(words);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i] == kNoIndex) return kNoIndex;
    if (std::equal(words, words + n_, this->words(slots_[i]))) return slots_[i];
  }
}

uint32_t NgramList::add(const uint32_t* words, float p, float backoff) {
  if (size() == kNoIndex - 1) throw InputError("more than 4 billion n-grams of one length");
  words_.insert(words_.end(), words, words + n_);
  log_prob.push_back(p);
  log_backoff.push_back(backoff);
  const auto insert = [this](uint32_t index) {
    uint64_t i = slot_of(this->words(index));
    while (slots_[i] != kNoIndex) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = index;
  };
  if (2 * static_cast<uint64_t>(size()) <= slots_.size()) {
    insert(size() - 1);
  } else {
    slots_.assign(slots_.size() * 2, kNoIndex);
    for (uint32_t index = 0; index < size(); ++index) insert(index);
  }
  return size() - 1;
}

BackoffModel assemble(std::vector<NgramList> lists, uint64_t& added) {
  const uint32_t order = static_cast<uint32_t>(lists.size()), vocabulary = lists[0].size();
  added = close(lists);
  const std::vector<std::vector<bool>> used = mark_contexts(lists);
  ContextTree tree;
  tree.vocabulary_size = vocabulary;
  tree.levels.resize(order);
  BackoffParameters parameters;
  lists[0].log_prob[text::kSentenceStart] = kImpossible;
  parameters.unigrams = lists[0].log_prob;
  Level& unigrams = tree.levels[0];
  for (uint32_t w = 0; w < vocabulary; ++w) unigrams.word.push_back(w);
  unigrams.context.assign(vocabulary, 0);
  unigrams.first_entry = {0, vocabulary};
  unigrams.first_child = {0, 0};

  // Of the list below: context and entry numbers.
  std::vector<uint32_t> context_below(vocabulary, 0), place_below = unigrams.word;
  for (uint32_t k = 1; k < order; ++k) {
    // The entries of level k; the n-grams that are its contexts.
    const NgramList &list = lists[k], &shorter = lists[k - 1];
    Level &level = tree.levels[k], &below = tree.levels[k - 1];
    const std::vector<uint32_t> contexts = contexts_of(shorter, used[k - 1], vocabulary);
    std::vector<uint32_t> context_of(shorter.size(), kNoIndex);
    std::vector<float> log_backoff;
    below.first_child.assign(below.contexts() + 1, 0);
    for (uint32_t c = 0; c < contexts.size(); ++c) {
      const uint32_t i = contexts[c];
      context_of[i] = c;
      level.left_word.push_back(shorter.words(i)[0]);
      level.context_parent.push_back(k == 1 ? 0 : context_below[lists[k - 2].find(shorter.words(i) + 1)]);
      ++below.first_child[level.context_parent.back() + 1];
      log_backoff.push_back(shorter.log_backoff[i]);
    }
    for (uint32_t c = 0; c < below.contexts(); ++c) below.first_child[c + 1] += below.first_child[c];

    std::vector<uint32_t> entries(list.size()), place(list.size());
    for (uint32_t i = 0; i < list.size(); ++i) entries[i] = i;
    sort_by_word(entries, list, k, vocabulary);
    for (uint32_t p = 0; p < k; ++p) sort_by_word(entries, list, p, vocabulary);
    level.first_entry.assign(contexts.size() + 1, 0);
    std::vector<float> log_prob;
    for (uint32_t e = 0; e < entries.size(); ++e) {
      const uint32_t* gram = list.words(entries[e]);
      place[entries[e]] = e;
      level.word.push_back(gram[k]);
      level.context.push_back(context_of[shorter.find(gram)]);
      level.parent.push_back(place_below[shorter.find(gram + 1)]);
      ++level.first_entry[level.context.back() + 1];
      log_prob.push_back(list.log_prob[entries[e]]);
    }
    for (size_t c = 0; c < contexts.size(); ++c) level.first_entry[c + 1] += level.first_entry[c];
    parameters.log_prob.push_back(std::move(log_prob));
    parameters.log_backoff.push_back(std::move(log_backoff));
    context_below.swap(context_of);
    place_below.swap(place);
  }
  return BackoffModel::freeze(tree, std::move(parameters));
}

}  // namespace binyan::ngram
