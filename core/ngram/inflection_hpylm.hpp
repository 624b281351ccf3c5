// hpylm+i, the language model of words that are inflected, derived or compounded, and its Gibbs sampler. H_u is over
// words at every context length; its base is a mixture of ways to back off:
//
//   H_u ~ PY(a_k, b_k, w_k0 H_pi(u) + sum over g of w_kg P_g(. | u)), k = |u|, w_k ~ Dirichlet(1, ..., 1)
//
// P_g is a generator of words from two tokens (word_generator.hpp): stem first, ending first, and so on. H of the empty
// context is shortened to the uniform distribution over the vocabulary, so that with all weight on shortening this is
// the HPYLM. Each table remembers the way its word came: its floor, 0 for shortening, 1 + g for generator g.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ngram/context_tree.hpp"
#include "ngram/generator_tree.hpp"
#include "ngram/hpylm.hpp"
#include "ngram/word_generator.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/restaurants.hpp"

namespace binyan::ngram {

class InflectionHPYLM {
 public:
  static constexpr uint32_t kMaxLevels = HPYLM::kMaxLevels;
  static constexpr uint32_t kMaxFloors = GeneratorForest::kMaxGenerators + 1;
  static constexpr uint32_t kShortened = 0;

  // An empty model. Results are a function of (forest, seed, chain).
  InflectionHPYLM(std::shared_ptr<const GeneratorForest> forest, uint64_t seed, uint64_t chain);

  // As those of HPYLM.
  void initialise(Initialisation how);
  void sweep();
  double resample_hyperparameters();
  // For every word that has several analyses, draws which of them it has, all being equally likely a priori, together
  // with the seating of its tokens (Metropolis-Hastings, one other analysis proposed). Part of sweep().
  void resample_analyses();
  double log_likelihood() const;
  // Throws InternalError unless the tables of every dish are the customers sent on.
  void check() const;

  uint32_t order() const { return static_cast<uint32_t>(words.size()); }
  uint32_t floors() const { return floors_; }
  uint32_t dish(uint32_t entry, uint32_t floor) const { return entry * floors_ + floor; }
  const GeneratorForest& forest() const { return *forest_; }
  double word_base() const { return word_base_; }
  // The weight of a new customer at the tables that a word has, on all floors.
  double old_table_weight(uint32_t level, uint32_t entry) const {
    double sum = 0;
    for (uint32_t f = 0; f < floors_; ++f) sum += words[level].old_table_weight(dish(entry, f));
    return sum;
  }

  std::vector<pitman_yor::Restaurants> words;  // H by context length; dish(entry, floor)
  std::vector<WordGenerator> generators;
  std::vector<std::vector<double>> weights;  // w by context length and floor
  std::vector<uint32_t> analysis;            // of each word, counted from its first
  pitman_yor::Random random;

 private:
  struct Chain {
    uint32_t word;
    std::array<uint32_t, kMaxLevels> context, entry;
    std::array<double, kMaxLevels> probability;  // of the word under H, by context length
    std::array<WordGenerator::Chain, GeneratorForest::kMaxGenerators> of;
  };
  void follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const;
  void prefetch(const Chain& chain, uint32_t level) const;
  void fill(Chain& chain, uint32_t level) const;
  double base(const Chain& chain, uint32_t level, uint32_t floor) const;
  bool add_word(const Chain& chain, uint32_t level);
  bool remove_word(const Chain& chain, uint32_t level);
  void add_to(const Chain& chain, uint32_t level, uint32_t floor);
  void remove_from(const Chain& chain, uint32_t level, uint32_t floor);
  void add_word_at_random(const Chain& chain, uint32_t level);
  void reseat(Chain& chain, uint32_t level, uint32_t customers);
  void redraw_floor(Chain& chain, uint32_t level, uint32_t floor, uint32_t size);
  void redraw_floors(Chain& chain, uint32_t level);
  void redraw_shorter_floors();
  // A table of H whose word a generator made.
  struct Made {
    uint32_t level, entry, generator;
  };
  void resample_analysis(uint32_t word);
  void list_made(uint32_t word);
  double remove_made();
  double add_made();
  std::array<double, kMaxFloors> tables_by_floor(uint32_t level) const;
  void resample_weights(uint32_t level);
  double log_base() const;
  template <class Visit>
  void for_each_level(Visit visit) {
    for (pitman_yor::Restaurants& r : words) visit(r);
    for (WordGenerator& g : generators)
      g.for_each_level([&](pitman_yor::Restaurants& r, const std::vector<uint32_t>&) { visit(r); });
  }

  std::shared_ptr<const GeneratorForest> forest_;
  uint32_t floors_;
  double word_base_;
  bool is_starting_ = false;  // in initialise(): the floors of new tables are equally likely
  struct Tables {
    uint32_t floor;
    pitman_yor::TableSizes::Bin bin;
  };
  std::vector<Made> made_;  // of resample_analysis(), as below
  std::vector<WordGenerator::Saved> saved_;
  std::vector<Tables> tables_;  // of redraw_floors(), kept for its memory
};

}  // namespace binyan::ngram
