#include "ngram/inflection_query.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "parallel.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

constexpr float kLargest = 1.001f;  // a probability, but for rounding

void check_samples(const GeneratorForest& forest, InflectionSamples& samples) {
  if (samples.columns == 0) throw InputError("no sample was collected");
  if (samples.generators.size() != forest.size()) throw InputError("the samples have other generators than the model");
  const auto rows = sample_rows(forest);
  const auto arrays = samples.arrays();
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& [name, array] = arrays[i];
    if (array->size() != rows[i] * samples.columns) throw InputError("the samples do not fit the n-grams of the text");
    for (size_t j = 0; j < array->size(); ++j) {
      const uint32_t word = static_cast<uint32_t>(j / samples.columns);
      const float most = name == "analysis" ? static_cast<float>(forest.analyses(word)) - 1 : kLargest;
      if (!((*array)[j] >= 0.0f && (*array)[j] <= most))
        throw InputError("the samples hold " + std::to_string((*array)[j]) + " in '" + name +
                         "', where a probability, a weight or the number of an analysis is expected");
    }
  }
}

}  // namespace

InflectionQuery::InflectionQuery(std::shared_ptr<const GeneratorForest> forest, InflectionSamples samples)
    : forest_(std::move(forest)), samples_(std::move(samples)) {
  check_samples(*forest_, samples_);
  const ContextTree& tree = *forest_->words;
  if (tree.order() > InflectionHPYLM::kMaxLevels)
    throw InputError("the order of a Pitman-Yor model is at most " + std::to_string(InflectionHPYLM::kMaxLevels));
  context_base_ = entry_base_ = {0};
  for (const Level& level : tree.levels) {
    if (uint64_t{entry_base_.back()} + level.entries() >= kNoIndex)
      throw InputError("more than 4 billion n-grams: lower the order");
    context_base_.push_back(context_base_.back() + level.contexts());
    entry_base_.push_back(entry_base_.back() + level.entries());
  }
  children_ = PairTable(context_base_.back());
  entries_ = PairTable(entry_base_.back());
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    for (uint32_t c = 0; k > 0 && c < level.contexts(); ++c)
      children_.insert(context_base_[k - 1] + level.context_parent[c], level.left_word[c], context_base_[k] + c);
    for (uint32_t e = 0; e < level.entries(); ++e)
      entries_.insert(context_base_[k] + level.context[e], level.word[e], entry_base_[k] + e);
  }
  for (uint32_t g = 0; g < forest_->size(); ++g)
    generators_.emplace_back(forest_->generators[g], samples_.generators[g], samples_.analysis, samples_.columns);
  for (size_t w = 0; w < samples_.analysis.size(); w += samples_.columns)
    for (uint32_t column = 1; column < samples_.columns; ++column)
      varies_ |= samples_.analysis[w + column] != samples_.analysis[w];
  fill_masses();
}

void InflectionQuery::fill_masses() {
  const ContextTree& tree = *forest_->words;
  const uint32_t columns = samples_.columns;
  mass_.assign(static_cast<size_t>(context_base_.back()) * columns, 0.0);
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    for (uint32_t c = 0; c < level.contexts(); ++c) {
      const size_t row = context_base_[k] + c;
      for (uint32_t column = 0; column < columns; ++column) {
        const double fresh = at(samples_.word_fresh, row, column);
        const size_t below = k > 0 ? context_base_[k - 1] + level.context_parent[c] : 0;
        double base = weight(k, 0, column) * (k > 0 ? mass_[below * columns + column] : 1.0);
        for (uint32_t g = 0; g < generators_.size(); ++g) {
          const uint32_t node = generators_[g].tree().levels[k].node_of[c];
          base += weight(k, g + 1, column) * generators_[g].mass(generators_[g].node_row(k, node), column);
        }
        mass_[row * columns + column] = 1 - fresh + fresh * base;
      }
    }
  }
}

InflectionQuery::Word InflectionQuery::word(uint32_t id) const {
  if (id >= forest_->words->vocabulary_size) throw InputError("no such word: its id belongs to another vocabulary");
  return {id, {}};
}

InflectionQuery::Word InflectionQuery::word(std::span<const uint32_t> tokens) const {
  if (tokens.size() != 2 * generators_.size()) throw InputError("two tokens are needed for every generator");
  Word word{kNoIndex, {}};
  for (uint32_t g = 0; g < generators_.size(); ++g) {
    const GeneratorQuery::Tokens t{tokens[2 * g], tokens[2 * g + 1]};
    const Analyses& all = generators_[g].tree().analyses;
    if ((t.first != kNoIndex && t.first >= all.firsts) || (t.second != kNoIndex && t.second >= all.seconds))
      throw InputError("no such token");
    word.tokens.push_back(t);
  }
  return word;
}

InflectionQuery::Context InflectionQuery::context(std::span<const uint32_t> history) const {
  const uint32_t longest = forest_->words->order() - 1;
  if (history.size() > longest) history = history.last(longest);
  for (uint32_t w : history)
    if (w >= forest_->words->vocabulary_size) throw InputError("no such state: it belongs to another model");
  Context found;
  found.length = static_cast<uint32_t>(history.size());
  for (uint32_t k = 1; k <= found.length; ++k) {
    const uint32_t row = children_.find(found.row[k - 1], history[history.size() - k]);
    if (row == kNoIndex) break;
    found.row[k] = row;
    found.level = k;
  }
  for (const GeneratorQuery& g : generators_) found.nodes.push_back(g.nodes(history));
  return found;
}

void InflectionQuery::find_word(const Context& context, const Word& word, Found& found) const {
  found.matched = 1;
  for (uint32_t k = 0; k <= context.level; ++k) {
    found.entry[k] = word.id == kNoIndex ? kNoIndex : entries_.find(context.row[k], word.id);
    if (found.entry[k] != kNoIndex) found.matched = k + 1;
  }
}

void InflectionQuery::find_tokens(const Context& context, const Word& word, uint32_t column, Found& found) const {
  for (uint32_t g = 0; g < generators_.size(); ++g) {
    const size_t row = static_cast<size_t>(word.id) * samples_.columns + column;
    const GeneratorQuery::Tokens t =
        word.id == kNoIndex ? word.tokens[g]
                            : generators_[g].tokens(word.id, static_cast<uint32_t>(samples_.analysis[row]));
    found.match[g] = generators_[g].match(context.nodes[g], t);
  }
}

void InflectionQuery::fill_bases(const Context& context, const Word& word, uint32_t column, Found& found,
                                 Bases& bases) const {
  if (column == 0 || (varies_ && word.id != kNoIndex)) find_tokens(context, word, column, found);
  for (uint32_t g = 0; g < generators_.size(); ++g)
    generators_[g].probabilities(context.nodes[g], found.match[g], context.length, column, bases[g].data());
}

double InflectionQuery::mass(const Context& context, uint32_t column) const {
  double mass = mass_[static_cast<size_t>(context.row[context.level]) * samples_.columns + column];
  for (uint32_t k = context.level + 1; k <= context.length; ++k) {
    mass *= weight(k, 0, column);
    for (uint32_t g = 0; g < generators_.size(); ++g) {
      const GeneratorQuery::Nodes& nodes = context.nodes[g];
      mass += weight(k, g + 1, column) * generators_[g].mass(nodes.row[std::min(k, nodes.level)], column);
    }
  }
  return mass;
}

double InflectionQuery::probability(const Context& context, const Word& word, bool renormalise, Found& found) const {
  find_word(context, word, found);
  const double word_base = word.id == kNoIndex ? 0.0 : 1.0 / (forest_->words->vocabulary_size - 1.0);
  // Where the longest context has the word, nothing shorter is needed.
  uint32_t known = 0;  // levels below this one are not needed
  for (uint32_t k = 0; k <= context.level; ++k)
    if (found.entry[k] != kNoIndex) known = k + 1;
  const bool needs_bases = known <= context.length;
  Bases bases;
  double sum = 0;
  for (uint32_t column = 0; column < samples_.columns; ++column) {
    if (needs_bases) fill_bases(context, word, column, found, bases);
    double p = known > 0 ? at(samples_.word, found.entry[known - 1], column) : word_base;
    for (uint32_t k = known; k <= context.length; ++k) {
      p *= weight(k, 0, column);
      for (uint32_t g = 0; g < generators_.size(); ++g) p += weight(k, g + 1, column) * bases[g][k];
      if (k <= context.level) p *= at(samples_.word_fresh, context.row[k], column);
    }
    sum += renormalise ? p / mass(context, column) : p;
  }
  return sum / samples_.columns;
}

InflectionQuery::Scored InflectionQuery::score(std::span<const uint32_t> history, const Word& word,
                                               bool renormalise) const {
  Found found;
  const double p = probability(context(history), word, renormalise, found);
  return {word.id == text::kSentenceStart ? -INFINITY : elementary::log(p), found.matched};
}

void InflectionQuery::score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets,
                                      std::span<const Word> others, bool renormalise, std::span<double> log_prob,
                                      std::span<uint8_t> matched, unsigned threads) const {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != words.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw InputError("sentence offsets do not cover the words");
  const uint32_t vocabulary = forest_->words->vocabulary_size;
  for (uint32_t w : words)
    if (w >= vocabulary + others.size() || w == text::kSentenceStart || w == text::kSentenceEnd)
      throw InputError("word id " + std::to_string(w) + " is not a word of the vocabulary");
  const uint64_t sentences = offsets.size() - 1;
  const auto score_range = [&](uint64_t first, uint64_t last) {
    std::vector<uint32_t> history;
    Found found;
    for (uint64_t s = first; s < last; ++s) {
      history.assign(1, text::kSentenceStart);
      for (uint64_t i = offsets[s]; i <= offsets[s + 1]; ++i) {
        const uint32_t id = i < offsets[s + 1] ? words[i] : text::kSentenceEnd;
        const bool known = id < vocabulary;
        const double p =
            probability(context(history), known ? Word{id, {}} : others[id - vocabulary], renormalise, found);
        log_prob[i + s] = elementary::log(p);
        matched[i + s] = static_cast<uint8_t>(found.matched);
        history.push_back(known ? id : text::kUnknownWord);
      }
    }
  };
  threads = static_cast<unsigned>(std::clamp<uint64_t>(threads, 1, std::max<uint64_t>(sentences, 1)));
  run_threads(threads, [&](uint64_t t) { score_range(sentences * t / threads, sentences * (t + 1) / threads); });
}

void InflectionQuery::distribution(std::span<const uint32_t> history, bool renormalise,
                                   std::span<double> result) const {
  const Context here = context(history);
  Found found;
  for (uint32_t w = 0; w < forest_->words->vocabulary_size; ++w)
    result[w] = w == text::kSentenceStart ? 0.0 : probability(here, Word{w, {}}, renormalise, found);
}

double InflectionQuery::vocabulary_mass(std::span<const uint32_t> history) const {
  const Context here = context(history);
  double sum = 0;
  for (uint32_t column = 0; column < samples_.columns; ++column) sum += mass(here, column);
  return sum / samples_.columns;
}

std::vector<std::vector<double>> InflectionQuery::explain(std::span<const uint32_t> history, const Word& word) const {
  const Context here = context(history);
  Found found;
  find_word(here, word, found);
  std::vector<std::vector<double>> parts(here.length + 1, std::vector<double>(generators_.size() + 1, 0.0));
  Bases bases;
  for (uint32_t column = 0; column < samples_.columns; ++column) {
    fill_bases(here, word, column, found, bases);
    std::vector<double> seen(here.length + 1, 0.0);
    double p = word.id == kNoIndex ? 0.0 : 1.0 / (forest_->words->vocabulary_size - 1.0);
    const double word_base = p;
    for (uint32_t k = 0; k <= here.length; ++k) {
      p *= weight(k, 0, column);
      for (uint32_t g = 0; g < generators_.size(); ++g) p += weight(k, g + 1, column) * bases[g][k];
      if (k > here.level) continue;
      p *= at(samples_.word_fresh, here.row[k], column);
      if (found.entry[k] == kNoIndex) continue;
      const double all = at(samples_.word, found.entry[k], column);
      seen[k] = std::max(0.0, all - p);
      p = all;
    }
    double left = 1.0 / samples_.columns;  // of what comes from this length and below
    for (uint32_t k = here.length + 1; k-- > 0;) {
      parts[k][0] += left * seen[k];
      if (k <= here.level) left *= at(samples_.word_fresh, here.row[k], column);
      for (uint32_t g = 0; g < generators_.size(); ++g)
        parts[k][g + 1] += left * weight(k, g + 1, column) * bases[g][k];
      left *= weight(k, 0, column);
    }
    parts[0][0] += left * word_base;
  }
  return parts;
}

}  // namespace binyan::ngram
