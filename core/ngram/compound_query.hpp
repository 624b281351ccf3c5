// Queries to samples of the compound models (compound_hpylm.hpp): probabilities of words, also of words outside the
// vocabulary, and their exact renormalisation over the vocabulary. All queries are const and take no lock.
//
// The mass S(u) that G_u x F gives to the vocabulary obeys the recursion that smooths G: with M(w) the product of
// modifier probabilities of w and A(c) the sum of M(w) over words with head c,
//   S(u) = sum over c seen in u of (N_c - a m_c) / (n + b) A(c) + (a m + b) / (n + b) S(pi(u)),
// and the normaliser of H_u follows in one step:
//   Z(u) = 1 - f + f (w_k Z(pi(u)) + (1 - w_k) S(u)), f = (a m + b) / (n + b).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ngram/compound_hpylm.hpp"
#include "ngram/compound_samples.hpp"
#include "ngram/pair_table.hpp"
#include "no_index.hpp"

namespace binyan::ngram {

class CompoundQuery {
 public:
  // Throws InputError where sizes do not fit the tree.
  CompoundQuery(std::shared_ptr<const CompoundTree> tree, CompoundSamples samples);

  // A state is the longest context that any n-gram of the training text continues, and the true length of the history
  // up to order - 1, which decides how often a context nobody saw is shortened.
  using State = uint64_t;
  State begin() const { return begin_; }
  uint64_t states() const { return suffix_.size() * CompoundHPYLM::kMaxLevels; }
  uint32_t columns() const { return samples_.columns; }
  const CompoundTree& tree() const { return *tree_; }
  std::vector<uint32_t> context(State state) const;

  // A word of the vocabulary, or any sequence of known components in the order of generation.
  struct Word {
    uint32_t id;  // kNoIndex for a word outside the vocabulary
    uint32_t head;
    std::vector<double> modifiers;  // by column: product of modifier probabilities
  };
  Word word(uint32_t id) const;
  Word word(std::span<const uint32_t> components) const;
  // Throws InputError if the word cannot be one of this model.
  void check(const Word& word) const;

  struct Scored {
    State state;
    double log_prob;
    uint32_t matched;
  };
  // With `renormalise`, the probability given that the word is of the vocabulary.
  Scored score(State state, const Word& word, bool renormalise) const;
  // Sentences as for ContextTree::build; ids from the vocabulary's size on are words of `others`.
  void score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets, std::span<const Word> others,
                       bool renormalise, std::span<double> log_prob, std::span<uint8_t> matched,
                       unsigned threads) const;
  void distribution(State state, bool renormalise, std::span<double> probability) const;
  // The mass the state gives to the vocabulary, mean over samples.
  double vocabulary_mass(State state) const;

  // How a probability was made, mean over samples: by context length, what came from the word itself as seen there, and
  // from head and modifiers there. The sum is the probability before renormalisation.
  struct Contribution {
    uint32_t length;
    double seen, decomposed, head_probability;
  };
  std::vector<Contribution> explain(State state, const Word& word) const;
  // Mean over samples of F(next | component); `next` may be the end, component_count.
  double modifier_probability(uint32_t component, uint32_t next) const;

 private:
  struct Match;
  const double* modifiers(uint32_t id) const { return modifiers_.data() + static_cast<size_t>(id) * samples_.columns; }
  Match match(State state, uint32_t id, uint32_t head) const;
  double probability(const Match& match, const double* modifiers, bool renormalise) const;
  double mass(const Match& match, uint32_t column) const;
  double next_given(uint32_t component, uint32_t next, uint32_t column) const;
  void fill_modifiers();
  void fill_masses();
  void link_states();
  uint32_t level_of(uint32_t context) const {
    uint32_t k = 0;
    while (context >= context_base_[k + 1]) ++k;
    return k;
  }

  std::shared_ptr<const CompoundTree> tree_;
  CompoundSamples samples_;
  std::vector<uint32_t> context_base_, entry_base_, head_base_;  // where each level begins; one more at the end
  std::vector<uint32_t> suffix_;                                 // per context
  std::vector<uint32_t> next_;                                   // per entry of H: the context after the word
  PairTable words_, heads_, pairs_;
  std::vector<double> modifiers_;              // M(w), by word and column
  std::vector<double> word_mass_, head_mass_;  // Z(u), S(u), by context and column
  State begin_ = 0;
  bool both_ways_ = false;
};

}  // namespace binyan::ngram
