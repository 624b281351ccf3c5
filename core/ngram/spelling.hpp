// A hierarchical Pitman-Yor model of spelling: the words of a vocabulary as strings of symbols, each with an end, over
// a base that is uniform over all symbols there are. A customer is a whole string, drawn from the model.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ngram/context_tree.hpp"
#include "ngram/hpylm.hpp"
#include "pitman_yor/random.hpp"

namespace binyan::ngram {

// The vocabulary as strings: word w is symbols[offsets[w] ... offsets[w + 1]), each string a sentence of `tree`; <unk>,
// <s> and </s> have none.
// `alphabet`: how many symbols there are in all, the end included.
struct Strings {
  std::shared_ptr<const ContextTree> tree;
  std::vector<uint32_t> symbols;
  std::vector<uint64_t> offsets;
  uint64_t alphabet = 0;

  uint32_t words() const { return static_cast<uint32_t>(offsets.size()) - 1; }
};

class Spelling {
 public:
  // No strings are seated yet. Throws InputError where the tree does not have a string.
  Spelling(const Strings& strings, uint64_t seed, uint64_t chain);

  // One customer of one restaurant that came or went: the size that its table had before.
  struct Move {
    uint32_t level, context, entry, size;
  };
  using Moves = std::vector<Move>;

  // The product of the predictive probabilities of the symbols of a word, as prediction has it. The probability that a
  // further string of the model is this word differs from it where choices within the word depend on one another.
  double product(uint32_t word) const { return product_above(word, 0.0); }
  // The same where it is above `least`; else something that is not.
  double product_above(uint32_t word, double least) const;

  // Seats a string, symbol by symbol, each drawn given those before; or removes one. Returns the product of the
  // probabilities that the symbols had, each given those before it. Appends to `moves` what take_back() undoes.
  double seat(uint32_t word, Moves& moves);
  double remove(uint32_t word, Moves& moves);
  void take_back_seating(const Moves& moves);
  void take_back_removal(const Moves& moves);

  // Whether to accept a proposal whose target is so many times as much more probable, among what may be proposed, as
  // that of the present state (Metropolis-Hastings).
  bool accept(double ratio) { return ratio >= 1 || symbols.random.uniform() < ratio; }
  // A string of a word that has one is removed and seated anew.
  void reseat(uint32_t word);

  // Customers of the tree's entries, by level, that so many strings of each word are.
  std::vector<std::vector<uint32_t>> direct(std::span<const uint32_t> strings) const;

  HPYLM symbols;  // its random numbers are those of all moves here

 private:
  struct Place {
    uint32_t level, context, entry;
  };
  std::span<const Place> places(uint32_t word) const {
    return {places_.data() + first_[word], places_.data() + first_[word + 1]};
  }
  Place find(std::span<const uint32_t> before, uint32_t symbol) const;

  std::vector<uint64_t> first_;
  std::vector<Place> places_;  // of each symbol of each word and of its end: the entry of its longest context
  Moves out_, in_;             // of reseat()
};

}  // namespace binyan::ngram
