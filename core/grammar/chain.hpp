// One Markov chain over the trees of all words: word-wise Metropolis-Hastings (Johnson, Griffiths and Goldwater 2007;
// thesis, section 5.6.2). The chain's streams are functions of (seed, chain, sweep), so no generator is part of its
// state.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "grammar/adaptor.hpp"
#include "grammar/agreement.hpp"
#include "grammar/proposer.hpp"
#include "grammar/word_forests.hpp"

namespace binyan::grammar {

struct SweepInfo {
  uint64_t proposals = 0, accepted = 0, changed = 0;  // of words; changed: accepted and not the tree it had
  uint64_t relabel_proposals = 0, relabel_accepted = 0;
  uint64_t joint_proposals = 0, joint_changed = 0;  // words drawn together, and those whose family changed
  uint64_t tree_proposals = 0, trees_changed = 0;   // the same of cached trees
};

// The adapted symbols, by their number among them, whose trees may have other cached trees below them.
std::vector<uint32_t> symbols_above_others(const CompiledGrammar& grammar);

class Chain {
 public:
  Chain(std::shared_ptr<const WordForests> words, std::vector<SymbolRestaurant> adaptors, uint64_t seed,
        uint64_t chain);

  // First trees. Incremental: each word is drawn given the words before it. Batch: all from the base grammar, then
  // added. `between` is called every thousand words, and may stop the work by throwing: the chain is then empty again.
  void initialise(bool incremental, const std::function<void()>& between = {});
  // First trees as another chain had them: of each word the rules in preorder, or none. Where these are not in its
  // forest, the word is drawn given all others. Returns how many words have the tree that was given.
  uint32_t initialise_from(const std::vector<std::vector<uint32_t>>& derivations);
  // Resample every word that has a tree once, in random order; then, if asked, the cached trees and the
  // hyperparameters. The target is joint^(1/temperature). With `joint`, families of words are drawn together as well,
  // as many words as that share of all. With `trees`, families of cached trees are: as many trees as that share of the
  // words, for all symbols together. With `sum_out_seats`, discounts are drawn with table sizes summed out.
  SweepInfo sweep(double temperature, bool relabel, bool hyperparameters, double joint = 0.0, double trees = 0.0,
                  bool sum_out_seats = false);

  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  const WordForests& words() const { return *words_; }
  std::vector<uint32_t> derivation(uint32_t word) const;  // rules in preorder; empty for a word without derivation

  // Recount everything from the trees; throws InternalError where the counts differ.
  void check() const;

  // The whole state, as numbers; `words`, grammar, seed and chain are the caller's to keep. Resuming is bit-identical.
  std::vector<uint64_t> state() const;
  // Throws InputError where the numbers are no state of a chain over these words; the chain is then not to be used.
  void restore(std::span<const uint64_t> state);

  Adaptor adaptor;
  uint64_t sweeps = 0;

 private:
  class StateReader;
  void clear();
  void check_trees() const;
  void check_links() const;
  bool step(uint32_t word, double temperature, pitman_yor::Random& random, SweepInfo& info);
  static bool accept(const Change& added, const Change& removed, const ScaledDouble& proposed, const ScaledDouble& old,
                     double temperature, pitman_yor::Random& random);
  void draw_first(uint32_t word, pitman_yor::Random& random);
  // The words of a group, which share a stem, together.
  void draw_group(const WordGroup& group, pitman_yor::Random& random);
  void step_group(const WordGroup& group, double temperature, pitman_yor::Random& random, SweepInfo& info);
  // Where trees stand at restricted nodes; a new body has to agree with what is known there.
  void find_restricted_uses();
  void note_restricted_uses(uint32_t word);
  void renew_restricted_uses(uint32_t tree);
  bool may_become(uint32_t tree, std::span<const uint32_t> body) const;
  uint32_t entry_in_use(uint32_t word) const;
  void relabel(uint32_t tree, double temperature, pitman_yor::Random& random, SweepInfo& info);
  // joint_moves.cpp
  void redraw_families(double share, double temperature, pitman_yor::Random& random, SweepInfo& info);
  void redraw_together(std::vector<uint32_t> family, double temperature, pitman_yor::Random& random, SweepInfo& info);
  // tree_moves.cpp
  std::vector<std::vector<uint32_t>> tree_families(const std::vector<uint32_t>& trees) const;
  void redraw_tree_families(uint32_t adapted, double share, double temperature, pitman_yor::Random& random,
                            SweepInfo& info);
  void redraw_trees(std::vector<uint32_t> family, double temperature, pitman_yor::Random& random, SweepInfo& info);
  bool is_taken(uint32_t tree, std::span<const uint32_t> body, const std::vector<uint32_t>& family,
                const std::vector<std::vector<uint32_t>>& drawn) const;

  std::shared_ptr<const WordForests> words_;
  uint64_t seed_, chain_;
  std::vector<std::vector<uint32_t>> items_;  // of each word
  Proposer proposer_;
  const std::vector<uint32_t>& stack_;        // what the proposer drew last
  std::vector<std::vector<uint32_t>> drawn_;  // of each word of a group
  std::unordered_map<uint32_t, std::vector<TreeUse>> restricted_uses_;
  std::vector<uint32_t> upper_symbols_;
};

}  // namespace binyan::grammar
