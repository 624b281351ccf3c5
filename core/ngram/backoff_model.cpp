#include "ngram/backoff_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "prefetch.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

constexpr float kHighestLogProb = 1e-3f;      // 0, but for rounding
constexpr float kHighestLogBackoff = 231.0f;  // a weight of 10^100

void require(bool holds, const char* what) {
  if (!holds) throw InternalError(std::string("back-off model: ") + what);
}

// target[e]: the context (u w) of level k + 1 for the entry e = (u, w) of level k, or kNoIndex.
// The entries of level k that have one parent, and the contexts of level k + 1 that have one parent, are both ordered
// by their leftmost word, so that each list is merged with the other once.
std::vector<uint32_t> extensions(const ContextTree& tree, uint32_t k, const std::vector<uint32_t>& below) {
  const Level& level = tree.levels[k];
  const Level& above = tree.levels[k + 1];
  std::vector<uint32_t> target(level.entries(), kNoIndex);
  if (k == 0) {
    std::vector<uint32_t> context_of_word(tree.vocabulary_size, kNoIndex);
    for (uint32_t c = 0; c < above.contexts(); ++c) context_of_word[above.left_word[c]] = c;
    for (uint32_t e = 0; e < level.entries(); ++e) target[e] = context_of_word[level.word[e]];
    return target;
  }
  const uint32_t parents = tree.levels[k - 1].entries();
  std::vector<uint32_t> start(parents + 1, 0), by_parent(level.entries());
  for (uint32_t p : level.parent) ++start[p + 1];
  for (uint32_t p = 0; p < parents; ++p) start[p + 1] += start[p];
  std::vector<uint32_t> fill(start.begin(), start.end() - 1);
  for (uint32_t e = 0; e < level.entries(); ++e) by_parent[fill[level.parent[e]]++] = e;
  for (uint32_t p = 0; p < parents; ++p) {
    const uint32_t c = below[p];  // the context on level k that the parent entry leads to
    if (c == kNoIndex) continue;
    uint32_t i = start[p];
    for (uint32_t child = level.first_child[c]; child < level.first_child[c + 1]; ++child) {
      while (i < start[p + 1] && level.left_word[level.context[by_parent[i]]] < above.left_word[child]) ++i;
      require(i < start[p + 1] && level.left_word[level.context[by_parent[i]]] == above.left_word[child],
              "a context is not an n-gram of the tree");
      target[by_parent[i]] = child;
    }
  }
  return target;
}

// Checks the sizes of the parameters, numbers the contexts, and makes room.
BackoffArrays begin_arrays(const ContextTree& tree, BackoffParameters& p) {
  const uint32_t order = tree.order(), vocabulary = tree.vocabulary_size, columns = p.columns;
  require(columns >= 1 && p.unigrams.size() == static_cast<size_t>(vocabulary) * columns,
          "one row of unigrams per word");
  require(p.log_prob.size() == order - 1 && p.log_backoff.size() == order - 1, "parameters for every level");
  BackoffArrays a;
  a.columns = columns;
  a.context_base = {0, 1};
  uint64_t entries = vocabulary, contexts = 1;
  for (uint32_t k = 1; k < order; ++k) {
    const Level& level = tree.levels[k];
    require(p.log_prob[k - 1].size() == static_cast<size_t>(level.entries()) * columns, "one row per entry of a level");
    require(p.log_backoff[k - 1].size() == static_cast<size_t>(level.contexts()) * columns,
            "one row per context of a level");
    entries += level.entries();
    contexts += level.contexts();
    if (entries >= kNoIndex || contexts >= kNoIndex)
      throw InputError("more than 4 billion n-grams: lower the order or prune");
    a.context_base.push_back(static_cast<uint32_t>(contexts));
  }
  a.word.reserve(entries);
  a.next.reserve(entries);
  a.log_prob = std::move(p.unigrams);
  a.log_prob.reserve(entries * columns);
  a.first_entry = {0, vocabulary};
  a.first_entry.reserve(contexts + 1);
  a.left_word = {kNoIndex};
  a.suffix = {0};
  a.log_backoff.assign(columns, 0.0f);
  a.log_backoff.reserve(contexts * columns);
  return a;
}

}  // namespace

BackoffModel BackoffModel::freeze(const ContextTree& tree, BackoffParameters p) {
  const uint32_t order = tree.order(), vocabulary = tree.vocabulary_size;
  BackoffArrays a = begin_arrays(tree, p);
  // Level 0 holds every word of the vocabulary, seen or not; <s> is no event but leads to a context.
  for (uint32_t w = 0; w < vocabulary; ++w) a.word.push_back(w);
  a.next.assign(vocabulary, 0);
  if (order > 1)
    for (uint32_t c = 0; c < tree.levels[1].contexts(); ++c)
      a.next[tree.levels[1].left_word[c]] = a.context_base[1] + c;

  std::vector<uint32_t> below;  // of the level below: the context each entry leads to
  uint64_t entry_base = 0;      // number of the first entry of the level below
  if (order > 1) below = extensions(tree, 0, {});
  for (uint32_t k = 1; k < order; ++k) {
    const Level& level = tree.levels[k];
    const std::vector<uint32_t> target =
        k + 1 < order ? extensions(tree, k, below) : std::vector<uint32_t>(level.entries(), kNoIndex);
    for (uint32_t e = 0; e < level.entries(); ++e) {
      a.word.push_back(level.word[e]);
      const uint64_t parent = k == 1 ? level.word[e] : entry_base + level.parent[e];
      a.next.push_back(target[e] != kNoIndex ? a.context_base[k + 1] + target[e] : a.next[parent]);
    }
    entry_base = a.word.size() - level.entries();
    for (uint32_t c = 0; c < level.contexts(); ++c) {
      a.first_entry.push_back(static_cast<uint32_t>(entry_base + level.first_entry[c + 1]));
      a.left_word.push_back(level.left_word[c]);
      a.suffix.push_back(a.context_base[k - 1] + level.context_parent[c]);
    }
    a.log_prob.insert(a.log_prob.end(), p.log_prob[k - 1].begin(), p.log_prob[k - 1].end());
    a.log_backoff.insert(a.log_backoff.end(), p.log_backoff[k - 1].begin(), p.log_backoff[k - 1].end());
    p.log_prob[k - 1] = {};
    p.log_backoff[k - 1] = {};
    below = target;
  }
  return BackoffModel(std::move(a));
}

BackoffModel::BackoffModel(BackoffArrays arrays) : arrays_(std::move(arrays)) {
  check();
  build_index();
}

void BackoffModel::check() const {
  const BackoffArrays& a = arrays_;
  const auto fail = [](const char* what) {
    throw InputError(std::string("the arrays of a back-off model do not fit together: ") + what);
  };
  if (a.columns == 0 || a.context_base.size() < 2 || a.context_base[0] != 0 || a.context_base[1] != 1) fail("levels");
  if (!std::is_sorted(a.context_base.begin(), a.context_base.end()) || order() > 255) fail("levels");
  const size_t contexts = a.suffix.size(), entries = a.word.size();
  if (contexts != a.context_base.back() || a.left_word.size() != contexts || a.first_entry.size() != contexts + 1 ||
      a.log_backoff.size() != contexts * a.columns)
    fail("contexts");
  if (a.next.size() != entries || a.log_prob.size() != entries * a.columns) fail("entries");
  if (a.first_entry[0] != 0 || a.first_entry.back() != entries ||
      !std::is_sorted(a.first_entry.begin(), a.first_entry.end()))
    fail("entries of contexts");
  const uint32_t vocabulary = a.first_entry[1];
  if (vocabulary <= text::kSentenceEnd) fail("vocabulary");
  for (uint32_t w = 0; w < vocabulary; ++w)
    if (a.word[w] != w) fail("unigrams");
  if (*std::max_element(a.word.begin(), a.word.end()) >= vocabulary ||
      *std::max_element(a.next.begin(), a.next.end()) >= contexts)
    fail("words");
  for (uint32_t k = 1; k < order(); ++k)
    for (uint32_t c = a.context_base[k]; c < a.context_base[k + 1]; ++c)
      if (a.suffix[c] < a.context_base[k - 1] || a.suffix[c] >= a.context_base[k] || a.left_word[c] >= vocabulary)
        fail("suffixes");
  if (std::any_of(a.log_prob.begin(), a.log_prob.end(), [](float x) { return !(x <= kHighestLogProb); }))
    fail("a log-probability is above 0 or not a number");
  if (std::any_of(a.log_backoff.begin(), a.log_backoff.end(), [](float x) { return !(x <= kHighestLogBackoff); }))
    fail("a back-off weight is too large or not a number");
}

void BackoffModel::build_index() {
  const BackoffArrays& a = arrays_;
  begin_ = a.next[text::kSentenceStart];
  const uint64_t hashed = a.word.size() - vocabulary_size();
  // A load of two thirds: probes stay within a cache line or two.
  const uint64_t size = hashed + hashed / 2 + 16;
  if (size > UINT32_MAX) throw InputError("more than 2.8 billion n-grams: lower the order or prune");
  slots_.assign(size, Slot{0, 0, 0, {0.0f}});
  constexpr uint32_t kAhead = 16;
  for (uint32_t c = 1; c < states(); ++c) {
    for (uint32_t e = a.first_entry[c]; e < a.first_entry[c + 1]; ++e) {
      uint64_t i = slot_of(c, a.word[e]);
      while (slots_[i].context != 0)
        if (++i == size) i = 0;
      Slot& s = slots_[i];
      s = {c, a.word[e], a.next[e], {0.0f}};
      if (a.columns == 1) s.log_prob = a.log_prob[e];
      else s.entry = e;
    }
    if (c + kAhead < states())
      prefetch_to_write(&slots_[slot_of(
          c + kAhead, a.word[a.first_entry[c + kAhead] < a.word.size() ? a.first_entry[c + kAhead] : 0])]);
  }
  if (a.columns == 1) {
    links_.resize(states());
    for (uint32_t c = 0; c < states(); ++c) links_[c] = {a.log_backoff[c], a.suffix[c]};
  }
}

std::vector<uint32_t> BackoffModel::context(uint32_t state) const {
  std::vector<uint32_t> words;
  for (; state != 0; state = arrays_.suffix[state]) words.push_back(arrays_.left_word[state]);
  return words;
}

Scored BackoffModel::score(uint32_t state, uint32_t word) const {
  uint32_t k = length(state), context = state;
  float backoff = 0.0f;
  for (; context != 0; --k) {
    if (const Slot* s = probe(slot_of(context, word), context, word))
      return {s->next, columns() == 1 ? backoff + s->log_prob : mean(state, context, s->entry), k + 1};
    backoff += columns() == 1 ? arrays_.log_backoff[context] : 0.0f;
    context = arrays_.suffix[context];
  }
  return {arrays_.next[word], columns() == 1 ? backoff + arrays_.log_prob[word] : mean(state, 0, word), 1};
}

// log 1/K sum_k p_k(entry) prod backoff_k(c), the product over the contexts c from `from` down to `matched_context`,
// without it.
float BackoffModel::mean(uint32_t from, uint32_t matched_context, uint64_t entry) const {
  const BackoffArrays& a = arrays_;
  const uint32_t columns = a.columns;
  double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (uint32_t column = 0; column < columns; ++column) {
    double x = a.log_prob[entry * columns + column];
    for (uint32_t c = from; c != matched_context; c = a.suffix[c])
      x += a.log_backoff[static_cast<uint64_t>(c) * columns + column];
    if (x <= largest) sum += largest == x ? 1.0 : elementary::exp(x - largest);
    else {
      sum = sum * elementary::exp(largest - x) + 1.0;
      largest = x;
    }
  }
  if (largest == -std::numeric_limits<double>::infinity()) return static_cast<float>(largest);
  return static_cast<float>(largest + elementary::log(sum / columns));
}

void BackoffModel::distribution(uint32_t state, std::span<double> probability) const {
  const BackoffArrays& a = arrays_;
  const uint32_t columns = a.columns;
  if (probability.size() != vocabulary_size())
    throw InputError("a distribution has one probability a word of the vocabulary");
  std::vector<uint32_t> chain;  // from the empty context to the state
  for (uint32_t c = state; c != 0; c = a.suffix[c]) chain.push_back(c);
  std::reverse(chain.begin(), chain.end());
  std::fill(probability.begin(), probability.end(), 0.0);
  std::vector<double> one(probability.size());
  for (uint32_t column = 0; column < columns; ++column) {
    for (uint32_t w = 0; w < one.size(); ++w)
      one[w] = elementary::exp(static_cast<double>(a.log_prob[static_cast<uint64_t>(w) * columns + column]));
    for (uint32_t c : chain) {
      const double backoff =
          elementary::exp(static_cast<double>(a.log_backoff[static_cast<uint64_t>(c) * columns + column]));
      for (double& x : one) x *= backoff;
      for (uint64_t e = a.first_entry[c]; e < a.first_entry[c + 1]; ++e)
        one[a.word[e]] = elementary::exp(static_cast<double>(a.log_prob[e * columns + column]));
    }
    for (uint32_t w = 0; w < one.size(); ++w) probability[w] += one[w] / columns;
  }
}

std::vector<uint32_t> BackoffModel::chain(uint32_t state) const {
  std::vector<uint32_t> contexts{0};
  for (uint32_t c = state; c != 0; c = arrays_.suffix[c]) contexts.insert(contexts.begin() + 1, c);
  return contexts;
}

double BackoffModel::backoff(uint32_t context, uint32_t column) const {
  return context == 0 ? 0.0
                      : elementary::exp(static_cast<double>(
                            arrays_.log_backoff[static_cast<uint64_t>(context) * arrays_.columns + column]));
}

std::vector<double> BackoffModel::shares(uint32_t state, uint32_t word) const {
  const BackoffArrays& a = arrays_;
  const std::vector<uint32_t> contexts = chain(state);
  std::vector<double> share(contexts.size(), 0.0), own(contexts.size());
  for (uint32_t column = 0; column < a.columns; ++column) {
    double shorter = 0.0;
    for (size_t k = 0; k < contexts.size(); ++k) {
      const uint32_t c = contexts[k];
      const auto begin = a.word.begin() + a.first_entry[c], end = a.word.begin() + a.first_entry[c + 1];
      const auto hit = std::lower_bound(begin, end, word);
      const double rest = backoff(c, column) * shorter;
      const bool stored = hit != end && *hit == word;
      shorter = stored ? elementary::exp(static_cast<double>(
                             a.log_prob[static_cast<uint64_t>(hit - a.word.begin()) * a.columns + column]))
                       : rest;
      own[k] = shorter - rest;
    }
    double weight = 1.0 / a.columns;
    for (size_t k = contexts.size(); k-- > 0;) {
      share[k] += weight * own[k];
      weight *= backoff(contexts[k], column);
    }
  }
  return share;
}

std::vector<double> BackoffModel::masses(uint32_t state) const {
  const std::vector<uint32_t> contexts = chain(state);
  std::vector<double> mass(contexts.size(), 0.0);
  for (uint32_t column = 0; column < arrays_.columns; ++column) {
    double weight = 1.0 / arrays_.columns;
    for (size_t k = contexts.size(); k-- > 0;) {
      const double left = backoff(contexts[k], column);
      mass[k] += weight * (1.0 - left);
      weight *= left;
    }
  }
  return mass;
}

}  // namespace binyan::ngram
