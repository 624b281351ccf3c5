// Queries to samples of hpylm+i (inflection_hpylm.hpp): probabilities of words, also of words outside the vocabulary
// whose tokens are known, and their exact renormalisation over the vocabulary. All queries are const and take no lock.
//
// With f = (a m + b) / (n + b), what H_u gives to the vocabulary is Z(u) = 1 - f + f (w_k0 Z(pi(u)) + sum over g of
// w_kg S_g(u)), S_g as in generator_query.hpp; below the empty context, Z = 1.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ngram/generator_query.hpp"
#include "ngram/inflection_samples.hpp"
#include "ngram/pair_table.hpp"

namespace binyan::ngram {

class InflectionQuery {
 public:
  // Throws InputError where sizes do not fit the forest.
  InflectionQuery(std::shared_ptr<const GeneratorForest> forest, InflectionSamples samples);
  InflectionQuery(const InflectionQuery&) = delete;  // the queries of generators refer to our samples
  InflectionQuery& operator=(const InflectionQuery&) = delete;

  uint32_t columns() const { return samples_.columns; }
  const GeneratorForest& forest() const { return *forest_; }

  // A word of the vocabulary, or tokens for every generator; kNoIndex for a token that a generator does not know.
  struct Word {
    uint32_t id;  // kNoIndex for a word outside the vocabulary
    std::vector<GeneratorQuery::Tokens> tokens;
  };
  Word word(uint32_t id) const;
  // Throws InputError if there is no such word.
  Word word(std::span<const uint32_t> tokens) const;

  struct Scored {
    double log_prob;
    uint32_t matched;
  };
  // `history`: ids of the words before, the last last. With `renormalise`, the probability given that the word is of
  // the vocabulary.
  Scored score(std::span<const uint32_t> history, const Word& word, bool renormalise) const;
  // Sentences as for ContextTree::build; ids from the vocabulary's size on are words of `others`.
  void score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets, std::span<const Word> others,
                       bool renormalise, std::span<double> log_prob, std::span<uint8_t> matched,
                       unsigned threads) const;
  void distribution(std::span<const uint32_t> history, bool renormalise, std::span<double> probability) const;
  // What the history leaves to the vocabulary, mean over samples.
  double vocabulary_mass(std::span<const uint32_t> history) const;
  // By context length: the mean over samples of what came from the word as seen there, then from each generator there.
  // The sum and, at the empty context, what came from the uniform distribution, make the probability.
  std::vector<std::vector<double>> explain(std::span<const uint32_t> history, const Word& word) const;

 private:
  struct Context {
    uint32_t level = 0, length = 0;
    std::array<uint32_t, InflectionHPYLM::kMaxLevels> row{};
    std::vector<GeneratorQuery::Nodes> nodes;
  };
  // The words and generators' tokens that a probability depends on; tokens as of one column.
  struct Found {
    std::array<uint32_t, InflectionHPYLM::kMaxLevels> entry;  // kNoIndex where the word was not seen
    std::array<GeneratorQuery::Match, GeneratorForest::kMaxGenerators> match;
    uint32_t matched = 1;
  };
  // What the generators give to a word, by generator and context length.
  using Bases = std::array<std::array<double, InflectionHPYLM::kMaxLevels>, GeneratorForest::kMaxGenerators>;
  Context context(std::span<const uint32_t> history) const;
  void find_word(const Context& context, const Word& word, Found& found) const;
  void find_tokens(const Context& context, const Word& word, uint32_t column, Found& found) const;
  void fill_bases(const Context& context, const Word& word, uint32_t column, Found& found, Bases& bases) const;
  double probability(const Context& context, const Word& word, bool renormalise, Found& found) const;
  double mass(const Context& context, uint32_t column) const;
  void fill_masses();
  double at(const std::vector<float>& array, size_t row, uint32_t column) const {
    return array[row * samples_.columns + column];
  }
  double weight(uint32_t level, uint32_t floor, uint32_t column) const {
    return at(samples_.weight, level * (forest_->size() + size_t{1}) + floor, column);
  }

  std::shared_ptr<const GeneratorForest> forest_;
  InflectionSamples samples_;
  std::vector<GeneratorQuery> generators_;
  std::vector<uint32_t> context_base_, entry_base_;  // where each level begins; one more at the end
  PairTable children_, entries_;
  std::vector<double> mass_;  // Z(u), by context and column
  bool varies_ = false;       // does a word have different analyses in different samples?
};

}  // namespace binyan::ngram
