// A grammar whose state no longer changes: the base grammar by itself, or one sample of an adaptor grammar. Parses any word.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grammar/adaptor.hpp"
#include "grammar/proposer.hpp"
#include "grammar/yields.hpp"

namespace binyan {

// A cached tree as rules in preorder, all trees inside it written out.
struct FrozenTree {
  uint32_t adapted, customers, tables;
  std::vector<uint32_t> rules;
};

class FrozenGrammar {
 public:
  // Trees inside other trees that are not listed themselves count as not cached.
  FrozenGrammar(std::shared_ptr<const CompiledGrammar> grammar, std::vector<uint64_t> rule_counts, std::vector<PitmanYor> adaptors, const std::vector<FrozenTree>& trees);

  struct Parse {
    std::vector<uint32_t> rules;  // the derivation in preorder
    double log_probability;       // of this derivation and word
  };
  // log of the sum over all derivations; -infinity without derivation.
  double log_inside(std::span<const uint32_t> word);
  // How many derivations the base grammar gives the word.
  double derivations(std::span<const uint32_t> word);
  std::vector<uint32_t> sample(std::span<const uint32_t> word, Random& random);
  // The n most probable derivations, best first. Each is counted with its cached and uncached ways together.
  std::vector<Parse> best(std::span<const uint32_t> word, uint32_t n);
  double log_probability(std::span<const uint32_t> rules);

 private:
  struct Subtree {
    std::vector<uint32_t> items;
    std::vector<std::vector<uint32_t>> yield;
  };
  // Read one derivation of a symbol from rules[at...]; adapted symbols become tree items.
  Subtree read(std::span<const uint32_t> rules, size_t& at);
  Forest forest(std::span<const uint32_t> word, std::vector<uint32_t>& yields) const;

  std::shared_ptr<const CompiledGrammar> grammar_;
  YieldTable yields_;
  Adaptor adaptor_;
  Proposer proposer_;
};

}  // namespace binyan
