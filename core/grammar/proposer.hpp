// Draws derivations from the snapshot of an adaptor grammar: an inside pass, then choices from the top down.
#pragma once
#include <cstdint>
#include <vector>

#include "grammar/adaptor.hpp"
#include "grammar/nodes_below.hpp"

namespace binyan::grammar {

class Proposer {
 public:
  explicit Proposer(Adaptor& adaptor) : adaptor_(adaptor), weights_(&adaptor.weights) {}

  // Draw the items below `index` of the word's forest into `items`; `word` is noted in trees that are new.
  void draw(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random);
  // The same from the values of the last `sum`, since which nothing has changed.
  void draw_summed(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random);
  // The same, but the node itself is not taken from the cache; `total` is then the probability of its derivations.
  void draw_new(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random);
  // The same with all derivations of the node being equally probable.
  void draw_any(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random);
  // Inside value of `index`: the probability of all derivations below it.
  ScaledDouble sum(const WordView& w, uint32_t index);
  // The probability of the derivations of an adapted node, itself not taken from the cache.
  ScaledDouble sum_new(const WordView& w, uint32_t index);

  std::vector<uint32_t> items;
  ScaledDouble total;  // the sum that was drawn from

 private:
  // A node to be derived; or, once all below it is, an adapted one whose items from `first` on become a tree.
  struct Pending {
    uint32_t index, first;
  };
  // Derive what is pending. With a stack of its own: the depth of a derivation is the input's choice.
  template <class Number>
  void descend(const WordView& w, uint32_t word, const std::vector<Number>& value, pitman_yor::Random& random);
  template <class Number>
  void take_edge(const WordView& w, uint32_t index, const std::vector<Number>& value, pitman_yor::Random& random);
  bool sum_doubles(const WordView& w, uint32_t index);  // false where doubles underflow
  bool sum_doubles_below(const WordView& w, uint32_t index);
  // The word with the value of the cached trees that agree with what is known of it, valid until the next call.
  WordView with_agreeing_trees(const WordView& w);
  uint32_t draw_cached(const WordView& w, uint32_t index, uint32_t yield, pitman_yor::Random& random) const;

  Adaptor& adaptor_;
  const Weights* weights_;  // those of the adaptor, or the flat ones
  Weights flat_;            // of each rule 1, and nothing cached
  bool in_doubles_ = true;  // whether the last sum was
  NodesBelow below_;
  std::vector<double> values_;
  std::vector<ScaledDouble> extended_;
  std::vector<double> cached_;  // of each adapted node
  std::vector<Pending> pending_;
};

}  // namespace binyan::grammar
