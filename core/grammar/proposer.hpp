// Draws derivations from the snapshot of an adaptor grammar: an inside pass, then choices from the top down.
#pragma once
#include <cstdint>
#include <vector>

#include "grammar/adaptor.hpp"

namespace binyan::grammar {

class Proposer {
 public:
  explicit Proposer(Adaptor& adaptor) : adaptor_(adaptor) {}

  // Draw the items below `index` of the word's forest into `items`; `word` is noted in trees that are new.
  void draw(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random);
  // The same, but the node itself is not taken from the cache.
  void draw_new(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random);
  // Inside value of `index`: the probability of all derivations below it.
  ScaledDouble sum(const WordView& w, uint32_t index);

  std::vector<uint32_t> items;
  ScaledDouble total;  // the inside value that `draw` drew from

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
  // The word with the value of the cached trees that agree with what is known of it, valid until the next call.
  WordView with_agreeing_trees(const WordView& w);
  uint32_t draw_cached(const WordView& w, uint32_t index, uint32_t yield, pitman_yor::Random& random) const;

  Adaptor& adaptor_;
  std::vector<double> values_;
  std::vector<ScaledDouble> extended_;
  std::vector<double> cached_;  // of each adapted node
  std::vector<Pending> pending_;
};

}  // namespace binyan::grammar
