// A grammar whose state no longer changes: the base grammar by itself, or one sample of an adaptor grammar. Parses any
// word.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grammar/adaptor.hpp"
#include "grammar/constituent_strings.hpp"
#include "grammar/n_best.hpp"
#include "grammar/proposer.hpp"
#include "grammar/surface_strings.hpp"

namespace binyan::grammar {

// A cached tree as rules in preorder, all trees inside it written out.
struct SavedTree {
  uint32_t adapted, customers, tables;
  std::vector<uint32_t> rules;
};

// Queries that are const may come from several threads at once; `sample` and `log_probability` may not.
class Parser {
 public:
  // Trees inside other trees that are not listed themselves count as not cached. States that share `yields` can share
  // the yield numbers of a word; each must `fit` before the next query once another state was made.
  Parser(std::shared_ptr<const CompiledGrammar> grammar, std::vector<uint64_t> rule_counts,
         std::vector<SymbolRestaurant> adaptors, const std::vector<SavedTree>& trees,
         std::shared_ptr<ConstituentStrings> yields = nullptr);
  void fit();

  // log of the sum over all derivations; -infinity without derivation.
  double log_inside(std::span<const uint32_t> word) const;
  double log_inside(const WordView& w) const;
  // How many derivations the base grammar gives the word.
  double derivations(std::span<const uint32_t> word) const;
  std::vector<uint32_t> sample(std::span<const uint32_t> word, pitman_yor::Random& random);
  // The n most probable derivations, best first. Each is counted with its cached and uncached ways together.
  std::vector<Derivation> best(std::span<const uint32_t> word, uint32_t n) const;
  std::vector<Derivation> best(const WordView& w, const SearchLimit& limit) const;
  double log_probability(std::span<const uint32_t> rules);
  // The same of a state that shares its yields with others; safe from several threads.
  double log_joint(std::span<const uint32_t> rules) const;

 private:
  struct Subtree {
    std::vector<uint32_t> items;
    Strings yield;
    ScaledDouble probability{1.0};
  };
  // Read one derivation of a symbol from rules[at...]; adapted symbols become tree items.
  Subtree read(std::span<const uint32_t> rules, size_t& at);
  // The same, `node(symbol, subtree)` being called for each subtree once its items and yield are known.
  template <class Node>
  Subtree walk(std::span<const uint32_t> rules, size_t& at, size_t depth, Node node) const;

  std::shared_ptr<const CompiledGrammar> grammar_;
  std::shared_ptr<ConstituentStrings> yields_;
  Adaptor adaptor_;
  Proposer proposer_;
  std::unique_ptr<const SearchWeights> search_;
};

// The classes of the atoms of a word, and the yield numbers of its forest, 0 for yields never seen.
std::vector<uint32_t> classes_of(const CompiledGrammar& grammar, std::span<const uint32_t> word);
std::vector<uint32_t> yields_of(const ConstituentStrings& table, const Forest& forest, std::span<const uint32_t> word);

}  // namespace binyan::grammar
