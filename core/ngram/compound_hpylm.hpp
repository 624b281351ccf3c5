// The language models that generate compounds from their components (thesis, section 3.2.2), and their
// Gibbs sampler. H_u is over words, G_u over head components given the same context, F over modifiers
// (modifier_model.hpp).
//
// HPYLM+c: H_u ~ PYP(a'', b'', G_u x F) for the longest context u of each event.
// hpylm+g ("back-off both ways"): H_u at every context length, H_u ~ PYP(a'', b'', w_k H_pi(u) + (1 - w_k) G_u x F), k
// = |u|, w_k ~ Beta(1, 1), w_0 = 0. Each table remembers where its dish came from: its floor. HPYLM+c is the case w_k =
// 0, where only events themselves are customers of H.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ngram/context_tree.hpp"
#include "ngram/head_tree.hpp"
#include "ngram/hpylm.hpp"
#include "ngram/modifier_model.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/restaurants.hpp"

namespace binyan::ngram {

// What all chains over one text share.
struct CompoundTree {
  CompoundTree(std::shared_ptr<const ContextTree> tree, Components components);

  std::shared_ptr<const ContextTree> words;
  Components components;
  std::vector<HeadLevel> heads;
};

class CompoundHPYLM {
 public:
  static constexpr uint32_t kMaxLevels = HPYLM::kMaxLevels;
  enum Floor : uint32_t { kDecomposed = 0, kShortened = 1 };

  // An empty model. `both_ways`: hpylm+g, else HPYLM+c. Results are a function of (tree, both_ways, seed, chain).
  CompoundHPYLM(std::shared_ptr<const CompoundTree> tree, bool both_ways, uint64_t seed, uint64_t chain);

  // As those of HPYLM.
  void initialise(Initialisation how);
  void sweep();
  double resample_hyperparameters();
  double log_likelihood() const;
  // Throws InternalError unless the tables of every dish of H, G and F are the customers sent on.
  void check() const;

  bool both_ways() const { return floors_ == 2; }
  uint32_t floors() const { return floors_; }
  uint32_t dish(uint32_t entry, Floor floor) const { return entry * floors_ + floor; }
  const CompoundTree& tree() const { return *tree_; }
  double head_base() const { return head_base_; }

  std::vector<pitman_yor::Restaurants> words;  // H by context length; dish(entry, floor)
  std::vector<pitman_yor::Restaurants> heads;  // G by context length; dish: entry of the head tree
  ModifierModel modifiers;                     // F
  std::vector<double> shortening;              // w_k by context length
  pitman_yor::Random random;

 private:
  struct Chain {
    uint32_t word;
    std::array<uint32_t, kMaxLevels> context, entry, head;
    // Probabilities of the word under H and of its head under G, by context length, and of its modifiers.
    std::array<double, kMaxLevels> word_probability, head_probability;
    double modifiers;
  };
  void follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const;
  void fill(Chain& chain, uint32_t level) const;
  void prefetch(const Chain& chain, uint32_t level) const;
  void reseat(Chain& chain, uint32_t level, uint32_t customers);
  void reseat_only(Chain& chain, uint32_t level);
  void reseat_head(Chain& chain, uint32_t level);
  void redraw_floor(Chain& chain, uint32_t level, Floor floor, uint32_t size);
  void redraw_floors(Chain& chain, uint32_t level);
  void redraw_shorter_floors();
  bool add_word(const Chain& chain, uint32_t level);
  bool remove_word(const Chain& chain, uint32_t level);
  void add_head(const Chain& chain, uint32_t level);
  void remove_head(const Chain& chain, uint32_t level);
  template <class Visit>
  void for_each_level(Visit visit);
  double log_base(bool resample_shortening);
  void add_word_at_random(const Chain& chain, uint32_t level);

  std::shared_ptr<const CompoundTree> tree_;
  uint32_t floors_;
  double head_base_;
  std::vector<pitman_yor::TableSizes::Bin> sizes_;  // of redraw_floors(), kept for its memory
};

}  // namespace binyan::ngram
