// The hierarchical Pitman-Yor language model (Teh 2006; thesis, section 3.2.1) and
// its Gibbs sampler, over the n-grams of a context tree: a restaurant is a context, a dish an entry, and the parent of
// both is a link.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ngram/context_tree.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/restaurants.hpp"

namespace binyan::ngram {

enum class Initialisation { kRandom, kSequential };

class HPYLM {
 public:
  static constexpr uint32_t kMaxLevels = 32;

  // An empty model. Results are a function of (tree, seed, chain). `symbols`: how many dishes, of which the tree has
  // some, the base is uniform over; 0: those of the tree but for <s>. Throws InputError if the order is above
  // kMaxLevels.
  HPYLM(std::shared_ptr<const ContextTree> tree, uint64_t seed, uint64_t chain, uint64_t symbols = 0);

  // Seats all customers: at a table chosen uniformly (random, as the thesis did), or by the model (sequential).
  // Returns the log-probability of the seating as it was made, choice by choice.
  double initialise(Initialisation how);
  // Removes every customer and seats it anew, once.
  void sweep();
  // One slice-sampling update of every level's discount and strength. Returns log_likelihood() afterwards.
  double resample_hyperparameters();

  // Joint log-probability of seating and text given the hyperparameters, in closed form.
  double log_likelihood() const;
  // Throws InternalError unless the tables of every dish are the customers it sends to its parent. `direct`: customers
  // of the text, by level and entry, where they are other than those of the tree.
  void check(std::span<const std::vector<uint32_t>> direct = {}) const;

  // The predictive distribution of this sample is an interpolated back-off model. Per entry of the level its
  // probability, per context the weight (a m + b) / (n + b) of the shorter context. `shorter`: probabilities of level
  // - 1; on level 0 those of the base, by word, where it is not uniform.
  void predict(uint32_t level, std::span<const double> shorter, std::span<double> probability,
               std::span<double> backoff) const;
  // The probability of every dish under the base, and of all that are no words of the tree: 1 for <unk> alone.
  double base() const { return base_; }
  double unknown_base() const { return unknown_base_; }

  const ContextTree& tree() const { return *tree_; }
  std::vector<pitman_yor::Restaurants>& levels() { return levels_; }
  const std::vector<pitman_yor::Restaurants>& levels() const { return levels_; }
  // Customers a seating with these tables (per level, per entry) has on `level`: direct ones and those from the level
  // above. `direct`: other direct ones than those of the text, one number per entry.
  std::vector<uint32_t> customers_of(uint32_t level, std::span<const uint32_t> tables_above,
                                     std::span<const uint32_t> direct = {}) const;

  pitman_yor::Random random;

  // The chain of (context, entry) from a level down to the empty context.
  struct Chain {
    std::array<uint32_t, kMaxLevels> context, entry;
    std::array<double, kMaxLevels> base;  // base[k]: probability of the word under the parent of level k
  };
  void follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const;
  // `base`: of the dish, under the base distribution.
  void fill_bases(Chain& chain, uint32_t level, double base) const;

 private:
  void reseat(uint32_t level, uint32_t context, uint32_t entry, uint32_t customers);

  std::shared_ptr<const ContextTree> tree_;
  std::vector<pitman_yor::Restaurants> levels_;
  double base_, unknown_base_;
};

}  // namespace binyan::ngram
