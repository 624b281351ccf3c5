// Several states of one adaptor grammar, kept from its chains: words are analysed by their mixture.
//
// Base-grammar derivations are those of every state, so a word is parsed once; words of the same classes of atoms share
// a forest, and the states share the numbers of yields.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "grammar/parser.hpp"

namespace binyan::grammar {

class PosteriorParser {
 public:
  // A forest of more than `max_bytes` is refused with InputError; so many bytes of forests are remembered.
  PosteriorParser(std::shared_ptr<const CompiledGrammar> grammar, size_t max_bytes);
  void add(std::vector<uint64_t> rule_counts, std::vector<SymbolRestaurant> adaptors,
           const std::vector<SavedTree>& trees);
  size_t size() const { return states_.size(); }

  // log P(word): the mean over the states; -infinity without derivation. Safe from several threads, as `best`.
  double log_probability(std::span<const uint32_t> word) const;
  // The n best derivations found, by posterior probability, best first:
  // sum over states of P(derivation, word | state) / sum over states of P(word | state). Every state is searched until
  // it has n derivations and all but a thousandth of the word's probability, or has gone `most` ways, and as far as 512
  // ways while more than a twentieth is missing; what any of them found is weighed under all. `all`: everything found,
  // not only n. The sum of the probabilities is the share of the word's probability that is covered.
  std::vector<Derivation> best(std::span<const uint32_t> word, uint32_t n, uint32_t most, bool all = false) const;

 private:
  std::shared_ptr<const Forest> forest(std::span<const uint32_t> word) const;
  std::vector<double> log_inside(const WordView& w) const;  // of each state

  std::shared_ptr<const CompiledGrammar> grammar_;
  std::shared_ptr<ConstituentStrings> yields_;
  std::vector<std::unique_ptr<Parser>> states_;
  size_t max_bytes_;
  mutable std::mutex mutex_;                                                        // of the forests
  mutable std::map<std::vector<uint32_t>, std::shared_ptr<const Forest>> forests_;  // by the classes of a word's atoms
  mutable size_t bytes_ = 0;
};

}  // namespace binyan::grammar
