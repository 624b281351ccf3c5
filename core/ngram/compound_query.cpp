#include "ngram/compound_query.hpp"

#include <algorithm>
#include <cmath>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "parallel.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

constexpr uint32_t kLevels = CompoundHPYLM::kMaxLevels;
constexpr float kLargest = 1.001f;  // a probability, but for rounding

// Where the next level begins.
uint32_t next_base(uint32_t base, uint32_t size) {
  if (uint64_t{base} + size >= kNoIndex) throw InputError("more than 4 billion n-grams: lower the order");
  return base + size;
}

}  // namespace

CompoundQuery::CompoundQuery(std::shared_ptr<const CompoundTree> tree, CompoundSamples samples)
    : tree_(std::move(tree)), samples_(std::move(samples)) {
  if (samples_.columns == 0) throw InputError("no sample was collected");
  const auto rows = sample_rows(*tree_);
  const auto arrays = samples_.arrays();
  for (size_t i = 0; i < rows.size(); ++i)
    if (arrays[i]->size() != rows[i] * samples_.columns)
      throw InputError("the samples do not fit the n-grams of the text");
  for (size_t i = 0; i < rows.size(); ++i)
    for (float p : *arrays[i])
      if (!(p >= 0.0f && p <= kLargest))
        throw InputError("the samples hold " + std::to_string(p) + " where a probability or a weight is expected");
  both_ways_ = std::any_of(samples_.shortening.begin(), samples_.shortening.end(), [](float w) { return w > 0; });
  const ContextTree& t = *tree_->words;
  if (t.order() > kLevels) throw InputError("the order of a Pitman-Yor model is at most " + std::to_string(kLevels));
  context_base_ = entry_base_ = head_base_ = {0};
  for (uint32_t k = 0; k < t.order(); ++k) {
    context_base_.push_back(next_base(context_base_[k], t.levels[k].contexts()));
    entry_base_.push_back(next_base(entry_base_[k], t.levels[k].entries()));
    head_base_.push_back(next_base(head_base_[k], tree_->heads[k].entries()));
  }
  words_ = PairTable(entry_base_.back());
  heads_ = PairTable(head_base_.back());
  for (uint32_t k = 0; k < t.order(); ++k) {
    for (uint32_t e = 0; e < t.levels[k].entries(); ++e)
      words_.insert(context_base_[k] + t.levels[k].context[e], t.levels[k].word[e], entry_base_[k] + e);
    for (uint32_t a = 0; a < tree_->heads[k].entries(); ++a)
      heads_.insert(context_base_[k] + tree_->heads[k].context[a], tree_->heads[k].head[a], head_base_[k] + a);
  }
  link_states();
  fill_modifiers();
  fill_masses();
}

void CompoundQuery::link_states() {
  const ContextTree& t = *tree_->words;
  suffix_.assign(context_base_.back(), 0);
  next_.assign(entry_base_.back(), 0);
  std::vector<uint32_t> shorter, exact;  // the context u w, of the entry (u, w), where there is one
  for (uint32_t k = 0; k < t.order(); ++k) {
    const Level& level = t.levels[k];
    if (k > 0)
      for (uint32_t c = 0; c < level.contexts(); ++c)
        suffix_[context_base_[k] + c] = context_base_[k - 1] + level.context_parent[c];
    exact.assign(level.entries(), kNoIndex);
    for (uint32_t e = 0; e < level.entries(); ++e) {
      if (k + 1 < t.order()) {
        if (k == 0) exact[e] = t.find_child(0, 0, level.word[e]);
        else if (shorter[level.parent[e]] != kNoIndex)
          exact[e] = t.find_child(k, shorter[level.parent[e]], level.left_word[level.context[e]]);
      }
      next_[entry_base_[k] + e] = exact[e] != kNoIndex ? context_base_[k + 1] + exact[e]
                                  : k > 0              ? next_[entry_base_[k - 1] + level.parent[e]]
                                                       : 0;
    }
    shorter.swap(exact);
  }
  begin_ = 0;
  if (t.order() == 1) return;
  const uint32_t start = t.find_child(0, 0, text::kSentenceStart);
  begin_ = static_cast<State>(start == kNoIndex ? 0 : context_base_[1] + start) * kLevels + 1;
}

double CompoundQuery::next_given(uint32_t component, uint32_t next, uint32_t column) const {
  const uint32_t pair = pairs_.find(component, next), columns = samples_.columns;
  if (pair != kNoIndex) return samples_.pair[static_cast<size_t>(pair) * columns + column];
  return static_cast<double>(samples_.pair_fresh[static_cast<size_t>(component) * columns + column]) *
         samples_.next[static_cast<size_t>(next) * columns + column];
}

double CompoundQuery::modifier_probability(uint32_t component, uint32_t next) const {
  if (component >= tree_->components.component_count || next > tree_->components.component_count)
    throw InputError("no such component");
  double sum = 0;
  for (uint32_t column = 0; column < samples_.columns; ++column) sum += next_given(component, next, column);
  return sum / samples_.columns;
}

void CompoundQuery::fill_modifiers() {
  const ModifierModel f(tree_->components);
  pairs_ = PairTable(f.bigrams.dishes());
  for (uint32_t p = 0; p < f.bigrams.dishes(); ++p) pairs_.insert(f.pair_context()[p], f.pair_next()[p], p);
  modifiers_.assign(static_cast<size_t>(tree_->components.words()) * samples_.columns, 1.0);
  for (uint32_t w = 0; w < tree_->components.words(); ++w)
    for (uint32_t p : f.entries_of(w))
      for (uint32_t column = 0; column < samples_.columns; ++column)
        modifiers_[static_cast<size_t>(w) * samples_.columns + column] *=
            samples_.pair[static_cast<size_t>(p) * samples_.columns + column];
}

void CompoundQuery::fill_masses() {
  const ContextTree& t = *tree_->words;
  const uint32_t columns = samples_.columns;
  head_mass_.assign(suffix_.size() * columns, 0.0);
  word_mass_.assign(suffix_.size() * columns, 0.0);
  std::vector<double> by_head(tree_->components.component_count);
  for (uint32_t column = 0; column < columns; ++column) {
    const auto at = [&](const std::vector<float>& array, size_t row) -> double {
      return array[row * columns + column];
    };
    std::fill(by_head.begin(), by_head.end(), 0.0);
    for (uint32_t w = 0; w < tree_->components.words(); ++w)
      if (w != text::kSentenceStart) by_head[tree_->components.head(w)] += modifiers(w)[column];
    double base_mass = 0;
    for (double a : by_head) base_mass += a / tree_->components.component_count;
    for (uint32_t k = 0; k < t.order(); ++k) {
      const HeadLevel& level = tree_->heads[k];
      const double w = at(samples_.shortening, k);
      for (uint32_t c = 0; c < t.levels[k].contexts(); ++c) {
        const size_t context = context_base_[k] + c;
        const double fresh = at(samples_.head_fresh, context), word_fresh = at(samples_.word_fresh, context);
        double mass =
            fresh * (k > 0 ? head_mass_[suffix_[context] * static_cast<size_t>(columns) + column] : base_mass);
        for (uint32_t a = level.first_entry[c]; a < level.first_entry[c + 1]; ++a) {
          const double shorter =
              k > 0 ? at(samples_.head, head_base_[k - 1] + level.parent[a]) : 1.0 / tree_->components.component_count;
          mass += (at(samples_.head, head_base_[k] + a) - fresh * shorter) * by_head[level.head[a]];
        }
        head_mass_[context * columns + column] = mass;
        const double shortened = k > 0 ? word_mass_[suffix_[context] * static_cast<size_t>(columns) + column] : 0.0;
        word_mass_[context * columns + column] = 1 - word_fresh + word_fresh * (w * shortened + (1 - w) * mass);
      }
    }
  }
}

std::vector<uint32_t> CompoundQuery::context(State state) const {
  std::vector<uint32_t> words;
  for (uint32_t c = static_cast<uint32_t>(state / kLevels); c > 0; c = suffix_[c]) {
    const uint32_t k = level_of(c);
    words.push_back(tree_->words->levels[k].left_word[c - context_base_[k]]);
  }
  return words;
}

CompoundQuery::Word CompoundQuery::word(uint32_t id) const {
  if (id >= tree_->components.words()) throw InputError("no such word: its id belongs to another vocabulary");
  return {id, tree_->components.head(id), {modifiers(id), modifiers(id) + samples_.columns}};
}

CompoundQuery::Word CompoundQuery::word(std::span<const uint32_t> components) const {
  if (components.empty()) throw InputError("a word has at least one component");
  const uint32_t end = tree_->components.component_count;
  for (uint32_t c : components)
    if (c >= end) throw InputError("no such component");
  Word word{kNoIndex, components[0], std::vector<double>(samples_.columns, 1.0)};
  for (size_t i = 0; i < components.size(); ++i)
    for (uint32_t column = 0; column < samples_.columns; ++column)
      word.modifiers[column] *= next_given(components[i], i + 1 < components.size() ? components[i + 1] : end, column);
  return word;
}

void CompoundQuery::check(const Word& word) const {
  const Components& c = tree_->components;
  if (word.modifiers.size() != samples_.columns || word.head >= c.component_count ||
      (word.id != kNoIndex && word.id >= c.words()))
    throw InputError("the word belongs to another model");
}

// The rows a probability depends on.
struct CompoundQuery::Match {
  uint32_t level;                               // of the state's context
  uint32_t length;                              // of the history
  uint32_t matched;                             // levels above and including this one lack the word; 0 ... level + 1
  uint32_t entry;                               // of the word on level found - 1
  State state;                                  // after the word
  std::array<uint32_t, kLevels> context, head;  // head: row of G, or kNoIndex
};

CompoundQuery::Match CompoundQuery::match(State state, uint32_t id, uint32_t head) const {
  Match m;
  const uint32_t longest = tree_->words->order() - 1;
  uint32_t c = static_cast<uint32_t>(state / kLevels);
  m.length = static_cast<uint32_t>(state % kLevels);
  m.level = level_of(c);
  for (uint32_t k = m.level;; --k) {
    m.context[k] = c;
    if (k == 0) break;
    c = suffix_[c];
  }
  const uint32_t known = id == kNoIndex ? text::kUnknownWord : id;
  m.matched = 0;
  uint32_t after = 0;
  for (uint32_t k = m.level + 1; k-- > 0;) {
    const uint32_t entry = words_.find(m.context[k], known);
    if (entry == kNoIndex) continue;
    after = next_[entry];
    m.entry = entry;
    m.matched = k + 1;
    break;
  }
  if (id == kNoIndex) m.matched = 0;  // only the state after the word is that of an unknown one
  m.state = static_cast<State>(after) * kLevels + std::min(m.length + 1, longest);
  // G is needed on the levels that lack the word, in HPYLM+c on the longest of them; and where the history is longer
  // than any context seen. Below a level that has the head nothing more is.
  const uint32_t lowest = both_ways_ ? std::min(m.matched, m.level) : m.level;
  if (m.matched == m.level + 1 && m.length == m.level) return m;
  for (uint32_t k = m.level + 1; k-- > 0;) {
    m.head[k] = heads_.find(m.context[k], head);
    if (m.head[k] != kNoIndex && k <= lowest) {
      for (uint32_t j = k; j-- > 0;) m.head[j] = kNoIndex;
      break;
    }
  }
  return m;
}

double CompoundQuery::mass(const Match& m, uint32_t column) const {
  const size_t row = static_cast<size_t>(m.context[m.level]) * samples_.columns + column;
  double shortened = 1.0;
  for (uint32_t k = m.level + 1; k <= m.length; ++k) shortened *= samples_.shortening[k * samples_.columns + column];
  return m.length == m.level ? word_mass_[row] : shortened * word_mass_[row] + (1 - shortened) * head_mass_[row];
}

double CompoundQuery::probability(const Match& m, const double* modifiers, bool renormalise) const {
  const uint32_t columns = samples_.columns;
  const double base = 1.0 / tree_->components.component_count;
  const bool needs_heads = m.matched <= m.level || m.length > m.level;
  double sum = 0;
  for (uint32_t column = 0; column < columns; ++column) {
    const auto at = [&](const std::vector<float>& array, size_t row) -> double {
      return array[row * columns + column];
    };
    std::array<double, kLevels> head;
    if (needs_heads) {
      double p = base;
      for (uint32_t k = 0; k <= m.level; ++k)
        head[k] = p = m.head[k] != kNoIndex ? at(samples_.head, m.head[k]) : at(samples_.head_fresh, m.context[k]) * p;
    }
    double p = m.matched > 0 ? at(samples_.word, m.entry) : 0.0;
    for (uint32_t k = m.matched; k <= m.level; ++k) {
      const double w = at(samples_.shortening, k);
      p = at(samples_.word_fresh, m.context[k]) * (w * p + (1 - w) * head[k] * modifiers[column]);
    }
    if (m.length > m.level) {
      double w = 1.0;
      for (uint32_t k = m.level + 1; k <= m.length; ++k) w *= at(samples_.shortening, k);
      p = w * p + (1 - w) * head[m.level] * modifiers[column];
    }
    sum += renormalise ? p / mass(m, column) : p;
  }
  return sum / columns;
}

CompoundQuery::Scored CompoundQuery::score(State state, const Word& word, bool renormalise) const {
  const Match m = match(state, word.id, word.head);
  return {
      m.state,
      word.id == text::kSentenceStart ? -INFINITY : elementary::log(probability(m, word.modifiers.data(), renormalise)),
      std::max(m.matched, 1u)};
}

void CompoundQuery::score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets,
                                    std::span<const Word> others, bool renormalise, std::span<double> log_prob,
                                    std::span<uint8_t> matched, unsigned threads) const {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != words.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw InputError("sentence offsets do not cover the words");
  const uint32_t vocabulary = tree_->components.words();
  for (uint32_t w : words)
    if (w >= vocabulary + others.size() || w == text::kSentenceStart || w == text::kSentenceEnd)
      throw InputError("word id " + std::to_string(w) + " is not a word of the vocabulary");
  const uint64_t sentences = offsets.size() - 1;
  const auto score_range = [&](uint64_t first, uint64_t last) {
    for (uint64_t s = first; s < last; ++s) {
      State state = begin_;
      for (uint64_t i = offsets[s]; i <= offsets[s + 1]; ++i) {
        const uint32_t id = i < offsets[s + 1] ? words[i] : text::kSentenceEnd;
        const bool known = id < vocabulary;
        const Match m =
            match(state, known ? id : kNoIndex, known ? tree_->components.head(id) : others[id - vocabulary].head);
        log_prob[i + s] = elementary::log(
            probability(m, known ? modifiers(id) : others[id - vocabulary].modifiers.data(), renormalise));
        matched[i + s] = static_cast<uint8_t>(std::max(m.matched, 1u));
        state = m.state;
      }
    }
  };
  threads = static_cast<unsigned>(std::clamp<uint64_t>(threads, 1, std::max<uint64_t>(sentences, 1)));
  run_threads(threads, [&](uint64_t t) { score_range(sentences * t / threads, sentences * (t + 1) / threads); });
}

void CompoundQuery::distribution(State state, bool renormalise, std::span<double> result) const {
  for (uint32_t w = 0; w < tree_->components.words(); ++w)
    result[w] = w == text::kSentenceStart
                    ? 0.0
                    : probability(match(state, w, tree_->components.head(w)), modifiers(w), renormalise);
}

std::vector<CompoundQuery::Contribution> CompoundQuery::explain(State state, const Word& word) const {
  const Match m = match(state, word.id, word.head);
  const uint32_t columns = samples_.columns;
  std::vector<Contribution> parts(m.length + 1);
  for (uint32_t k = 0; k <= m.length; ++k) parts[k] = {k, 0.0, 0.0, 0.0};
  for (uint32_t column = 0; column < columns; ++column) {
    const auto at = [&](const std::vector<float>& array, size_t row) -> double {
      return array[row * columns + column];
    };
    std::array<double, kLevels> head, seen;
    double p = 0, h = 1.0 / tree_->components.component_count;
    for (uint32_t k = 0; k <= m.level; ++k) {
      const uint32_t head_row = heads_.find(m.context[k], word.head),
                     row = word.id == kNoIndex ? kNoIndex : words_.find(m.context[k], word.id);
      head[k] = h = head_row != kNoIndex ? at(samples_.head, head_row) : at(samples_.head_fresh, m.context[k]) * h;
      const double w = at(samples_.shortening, k),
                   rest = at(samples_.word_fresh, m.context[k]) * (w * p + (1 - w) * h * word.modifiers[column]);
      p = row != kNoIndex ? at(samples_.word, row) : rest;
      seen[k] = std::max(0.0, p - rest);
    }
    double weight = 1.0 / columns;  // of what comes from this length and below
    for (uint32_t k = m.length + 1; k-- > 0;) {
      const double w = at(samples_.shortening, k), fresh = k <= m.level ? at(samples_.word_fresh, m.context[k]) : 1.0,
                   given = head[std::min(k, m.level)];
      parts[k].head_probability += given / columns;
      if (k <= m.level) parts[k].seen += weight * seen[k];
      parts[k].decomposed += weight * fresh * (1 - w) * given * word.modifiers[column];
      weight *= fresh * w;
    }
  }
  return parts;
}

double CompoundQuery::vocabulary_mass(State state) const {
  const Match m = match(state, text::kUnknownWord, tree_->components.head(text::kUnknownWord));
  double sum = 0;
  for (uint32_t column = 0; column < samples_.columns; ++column) sum += mass(m, column);
  return sum / samples_.columns;
}

}  // namespace binyan::ngram
