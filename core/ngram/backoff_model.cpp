#include "ngram/backoff_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
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

BackoffArrays BackoffView::copy() const {
  const auto vector = [](auto span) { return std::vector(span.begin(), span.end()); };
  return {columns,           context_base,   vector(word),      vector(next), log_prob.copy(), vector(first_entry),
          vector(left_word), vector(suffix), log_backoff.copy()};
}

BackoffModel::BackoffModel(BackoffArrays arrays) {
  const auto owned = std::make_shared<const BackoffArrays>(std::move(arrays));
  const BackoffArrays& a = *owned;
  arrays_ = {a.columns,     a.context_base, a.word,   a.next,       a.log_prob,
             a.first_entry, a.left_word,    a.suffix, a.log_backoff};
  owner_ = owned;
  check();
  begin_queries();
}

BackoffModel::BackoffModel(BackoffView arrays, std::shared_ptr<const void> owner,
                           std::shared_ptr<const MappedRegion> region)
    : arrays_(std::move(arrays)), owner_(std::move(owner)), region_(std::move(region)) {
  if (region_) check_sizes();
  else check();
  begin_queries();
}

void BackoffModel::begin_queries() {
  index_ = std::make_shared<LazyIndex>();
  vocabulary_size_ = arrays_.first_entry[1];
  begin_ = checked_state(arrays_.next[text::kSentenceStart]);
}

void BackoffModel::refuse(const char* what) const {
  require_whole();
  throw InputError(std::string("the arrays of a back-off model do not fit together: ") + what +
                   (region_ ? " (its file was changed while it was in use)" : ""));
}

void BackoffModel::check_sizes() const {
  const BackoffView& a = arrays_;
  if (a.columns == 0 || a.context_base.size() < 2 || a.context_base[0] != 0 || a.context_base[1] != 1) refuse("levels");
  if (!std::is_sorted(a.context_base.begin(), a.context_base.end()) || order() > 255) refuse("levels");
  const size_t contexts = a.suffix.size(), entries = a.word.size();
  if (contexts != a.context_base.back() || a.left_word.size() != contexts || a.first_entry.size() != contexts + 1 ||
      a.log_backoff.size() != contexts * a.columns)
    refuse("contexts");
  if (a.next.size() != entries || a.log_prob.size() != entries * a.columns) refuse("entries");
  if (a.first_entry[0] != 0 || a.first_entry.back() != entries) refuse("entries of contexts");
  if (a.first_entry[1] <= text::kSentenceEnd || a.first_entry[1] > entries) refuse("vocabulary");
}

void BackoffModel::check() const {
  check_sizes();
  const BackoffView& a = arrays_;
  if (!std::is_sorted(a.first_entry.begin(), a.first_entry.end())) refuse("entries of contexts");
  const uint32_t vocabulary = a.first_entry[1];
  for (uint32_t w = 0; w < vocabulary; ++w)
    if (a.word[w] != w) refuse("unigrams");
  if (*std::max_element(a.word.begin(), a.word.end()) >= vocabulary ||
      *std::max_element(a.next.begin(), a.next.end()) >= a.suffix.size())
    refuse("words");
  for (uint32_t k = 1; k < order(); ++k)
    for (uint32_t c = a.context_base[k]; c < a.context_base[k + 1]; ++c)
      if (a.suffix[c] < a.context_base[k - 1] || a.suffix[c] >= a.context_base[k] || a.left_word[c] >= vocabulary)
        refuse("suffixes");
  if (!a.log_prob.all([](float x) { return x <= kHighestLogProb; }))
    refuse("a log-probability is above 0 or not a number");
  if (!a.log_backoff.all([](float x) { return x <= kHighestLogBackoff; }))
    refuse("a back-off weight is too large or not a number");
  require_whole();
}

void BackoffModel::build_index() const {
  const std::lock_guard locked(index_->building);
  if (index_->tried) return;
  index_->tried = true;
  if (region_) check();
  try {
    index_->owned = std::make_unique<const NgramIndex>(arrays_);
  } catch (const std::bad_alloc&) {
    return;
  }
  require_whole();
  index_->ready.store(index_->owned.get(), std::memory_order_release);
}

uint32_t BackoffModel::search(uint32_t context, uint32_t word) const {
  const Range r = entries_of(context);
  const auto begin = arrays_.word.begin() + r.first, end = arrays_.word.begin() + r.last;
  const auto hit = std::lower_bound(begin, end, word);
  return hit != end && *hit == word ? static_cast<uint32_t>(hit - arrays_.word.begin()) : kNoIndex;
}

std::vector<uint32_t> BackoffModel::context(uint32_t state) const {
  std::vector<uint32_t> words;
  for (; state != 0; state = shorter(state)) {
    words.push_back(arrays_.left_word[state]);
    if (words.back() >= vocabulary_size()) refuse("words");
  }
  require_whole();
  return words;
}

Scored BackoffModel::score(uint32_t state, uint32_t word) const {
  const NgramIndex* const index = this->index();
  const bool one_column = columns() == 1;
  uint32_t k = length(state), context = state;
  float backoff = 0.0f;
  Scored scored{0, 0.0f, 1};
  for (; context != 0; --k) {
    if (index) {
      if (const NgramIndex::Slot* s = index->probe(index->slot_of(context, word), context, word)) {
        scored = {s->next, one_column ? backoff + s->log_prob : mean(state, context, s->entry), k + 1};
        break;
      }
    } else if (const uint32_t e = search(context, word); e != kNoIndex) {
      scored = {arrays_.next[e], one_column ? backoff + arrays_.log_prob[e] : mean(state, context, e), k + 1};
      break;
    }
    backoff += one_column ? arrays_.log_backoff[context] : 0.0f;
    context = shorter(context);
  }
  if (context == 0)
    scored = {arrays_.next[word], one_column ? backoff + arrays_.log_prob[word] : mean(state, 0, word), 1};
  checked_state(scored.state);
  require_whole();
  if (!index && !is_quantised() &&
      index_->searches.fetch_add(1, std::memory_order_relaxed) == arrays_.word.size() / kNgramsPerWord)
    build_index();
  return scored;
}

// log 1/K sum_k p_k(entry) prod backoff_k(c), the product over the contexts c from `from` down to `matched_context`,
// without it.
float BackoffModel::mean(uint32_t from, uint32_t matched_context, uint64_t entry) const {
  const BackoffView& a = arrays_;
  const uint32_t columns = a.columns;
  double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (uint32_t column = 0; column < columns; ++column) {
    double x = a.log_prob[entry * columns + column];
    for (uint32_t c = from; c > matched_context; c = shorter(c))
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
  const BackoffView& a = arrays_;
  const uint32_t columns = a.columns;
  if (probability.size() != vocabulary_size())
    throw InputError("a distribution has one probability a word of the vocabulary");
  std::vector<uint32_t> chain;  // from the empty context to the state
  for (uint32_t c = state; c != 0; c = shorter(c)) chain.push_back(c);
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
      const Range r = entries_of(c);
      for (uint64_t e = r.first; e < r.last; ++e) {
        if (a.word[e] >= one.size()) refuse("words");
        one[a.word[e]] = elementary::exp(static_cast<double>(a.log_prob[e * columns + column]));
      }
    }
    for (uint32_t w = 0; w < one.size(); ++w) probability[w] += one[w] / columns;
  }
  require_whole();
}

std::vector<uint32_t> BackoffModel::chain(uint32_t state) const {
  std::vector<uint32_t> contexts{0};
  for (uint32_t c = state; c != 0; c = shorter(c)) contexts.insert(contexts.begin() + 1, c);
  return contexts;
}

double BackoffModel::backoff(uint32_t context, uint32_t column) const {
  return context == 0 ? 0.0
                      : elementary::exp(static_cast<double>(
                            arrays_.log_backoff[static_cast<uint64_t>(context) * arrays_.columns + column]));
}

std::vector<double> BackoffModel::shares(uint32_t state, uint32_t word) const {
  const BackoffView& a = arrays_;
  const std::vector<uint32_t> contexts = chain(state);
  std::vector<double> share(contexts.size(), 0.0), own(contexts.size());
  for (uint32_t column = 0; column < a.columns; ++column) {
    double below = 0.0;
    for (size_t k = 0; k < contexts.size(); ++k) {
      const uint32_t c = contexts[k];
      const uint32_t e = search(c, word);
      const double rest = backoff(c, column) * below;
      below = e != kNoIndex ? elementary::exp(static_cast<double>(a.log_prob[uint64_t{e} * a.columns + column])) : rest;
      own[k] = below - rest;
    }
    double weight = 1.0 / a.columns;
    for (size_t k = contexts.size(); k-- > 0;) {
      share[k] += weight * own[k];
      weight *= backoff(contexts[k], column);
    }
  }
  require_whole();
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
  require_whole();
  return mass;
}

}  // namespace binyan::ngram
