// Queries to the samples of one generator of words (word_generator.hpp): the probability of a pair of tokens after a
// context, and what a context gives to the vocabulary in all.
//
// With A(t, u) the sum of F(s | t, u) over the words (t, s) of the vocabulary, S(u) = sum over t of G(t | u) A(t, u).
// A token t never seen after u has A(t, u) = A(t, pi(u)) and G(t | u) = f G(t | pi(u)), f the weight of the base in
// G_u; so S(u) is f S(pi(u)) and a sum over the tokens seen after u.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ngram/generator_tree.hpp"
#include "ngram/hpylm.hpp"
#include "ngram/inflection_samples.hpp"
#include "ngram/pair_table.hpp"

namespace binyan::ngram {

class GeneratorQuery {
 public:
  static constexpr uint32_t kMaxLevels = HPYLM::kMaxLevels;

  // `samples` stays the caller's; `analyses` has the analysis of each word, by word and column.
  GeneratorQuery(std::shared_ptr<const GeneratorTree> tree, const InflectionSamples::Generator& samples,
                 std::span<const float> analyses, uint32_t columns);

  struct Tokens {
    uint32_t first, second;
  };
  // The nodes of a history, by length: as many as were seen.
  struct Nodes {
    uint32_t level = 0;
    std::array<uint32_t, kMaxLevels> row{};
  };
  Nodes nodes(std::span<const uint32_t> history) const;
  // The rows of two tokens after a history, by context length; kNoIndex where they were not seen.
  struct Match {
    Tokens tokens;
    uint32_t level;
    std::array<uint32_t, kMaxLevels> head, pair;
  };
  Match match(const Nodes& nodes, Tokens tokens) const;
  // The probability of both tokens after the last k words of the history, for every k up to `length`.
  void probabilities(const Nodes& nodes, const Match& match, uint32_t length, uint32_t column, double* result) const;
  // What a node gives to the vocabulary.
  double mass(uint32_t row, uint32_t column) const { return mass_[static_cast<size_t>(row) * columns_ + column]; }
  Tokens tokens(uint32_t word, uint32_t analysis) const;
  const GeneratorTree& tree() const { return *tree_; }
  uint32_t node_row(uint32_t level, uint32_t node) const { return node_base_[level] + node; }

 private:
  double at(const std::vector<float>& array, size_t row, uint32_t column) const {
    return array[row * columns_ + column];
  }
  double first_base() const { return 1.0 / tree_->analyses.firsts; }
  double root_mass(uint32_t column, std::vector<double>& shares) const;
  std::vector<double> longer_shares(uint32_t level, uint32_t column, const std::vector<double>& shorter) const;
  void fill_masses(uint32_t column);

  std::shared_ptr<const GeneratorTree> tree_;
  const InflectionSamples::Generator& samples_;
  std::span<const float> analyses_;
  uint32_t columns_;
  std::vector<uint32_t> node_base_, head_base_, pair_base_;  // where each level begins; one more at the end
  PairTable children_, heads_, pairs_;
  std::vector<double> mass_;  // S(u), by node and column
};

}  // namespace binyan::ngram
