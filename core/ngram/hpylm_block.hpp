// The Gibbs sampler of the hierarchical Pitman-Yor language model in pieces: the restaurants of the contexts in a
// suffix block, and the restaurant of the empty context, which all blocks share.
//
// A sweep has two steps, each of which leaves the posterior as it is. The first seats customers of contexts of two and
// more words, given how many tables every word has after every single word: no block changes what another sees. The
// second seats the customers of contexts of one word, whose tables send customers to the shared restaurant: blocks take
// their turns, in the order of words. Random streams are by sweep and by the word a context ends in, so that neither
// the division into blocks nor the number of threads changes the result.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ngram/hpylm.hpp"
#include "ngram/suffix_block.hpp"
#include "pitman_yor/restaurants.hpp"

namespace binyan::ngram {

// The random streams of one sweep of one chain.
struct SweepStreams {
  uint64_t seed, chain, sweep;

  enum Step : uint64_t { kUpper, kLowest, kHyperparameters };
  pitman_yor::Random of(Step step, uint32_t word = 0) const {
    return pitman_yor::Random(seed, chain, (sweep * 4 + step) << 32 | word);
  }
};

// The empty context, whose dishes are words.
class RootRestaurant {
 public:
  explicit RootRestaurant(uint32_t vocabulary_size) : seats(1, vocabulary_size), base_(1.0 / (vocabulary_size - 1.0)) {}

  double probability(uint32_t word) const { return seats.probability(0, word, base_); }
  void add(uint32_t word, pitman_yor::Random& random) { seats.add(0, word, base_, random); }
  void remove(uint32_t word, pitman_yor::Random& random) { seats.remove(0, word, random); }
  // Uniform over the vocabulary without <s>.
  double base() const { return base_; }

  pitman_yor::Restaurants seats;

 private:
  double base_;
};

class HPYLMBlock {
 public:
  // Throws InputError if the order is above HPYLM::kMaxLevels.
  explicit HPYLMBlock(std::shared_ptr<const SuffixBlock> block);

  uint32_t order() const { return block_->order(); }
  // Of the levels from 1.
  void set_hyperparameters(std::span<const pitman_yor::Hyperparameters> hyper);

  // Seats all customers, as HPYLM::initialise does, with `word_probability` in place of the shared restaurant.
  void initialise(Initialisation how, std::span<const double> word_probability, const SweepStreams& streams);
  // The customers that the tables of a block which was just initialised send to the shared restaurant.
  void seat_root(RootRestaurant& root, const SweepStreams& streams) const;
  // The two steps of a sweep.
  void sweep_upper(const SweepStreams& streams);
  void sweep_lowest(RootRestaurant& root, const SweepStreams& streams);

  // Adds what the likelihood of each level from 1 depends on.
  void count(std::span<pitman_yor::SeatingCounts> levels) const;
  // The predictive distribution as HPYLM::predict has it, of level 1 and then of each longer one. `shorter`: by word on
  // level 1, above it the probabilities of the level below.
  void predict(uint32_t level, std::span<const double> shorter, std::span<double> probability,
               std::span<double> backoff) const;

  const SuffixBlock& block() const { return *block_; }
  const pitman_yor::Restaurants& restaurants(uint32_t level) const { return levels_[level - 1]; }
  // Back from Restaurants::save, the longest contexts first: `tables` of the level above are those restored before.
  void restore(uint32_t level, std::span<const uint32_t> tables_above, std::span<const uint32_t> tables,
               std::span<const uint32_t> sizes);

 private:
  struct Chain {
    std::array<uint32_t, HPYLM::kMaxLevels> context, entry;
    std::array<double, HPYLM::kMaxLevels> base;
  };
  const Level& tree(uint32_t level) const { return block_->levels()[level - 1]; }
  pitman_yor::Restaurants& seats(uint32_t level) { return levels_[level - 1]; }
  bool is_direct(uint32_t level, uint32_t context) const;
  // The contexts of a level that end in the word of context `first` of level 1.
  template <class Visit>
  void for_each_direct(uint32_t first, uint32_t lowest, Visit visit) const;
  void follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const;
  void seat(Chain& chain, uint32_t level, Initialisation how, double word_probability, pitman_yor::Random& random);
  void reseat(uint32_t level, uint32_t context, uint32_t entry, uint32_t customers, pitman_yor::Random& random);
  bool take_away(const Chain& chain, uint32_t level, bool& stale, pitman_yor::Random& random);
  void put_back(const Chain& chain, uint32_t level, bool& stale, pitman_yor::Random& random);
  void fill_bases(Chain& chain, uint32_t level) const;

  std::shared_ptr<const SuffixBlock> block_;
  std::vector<pitman_yor::Restaurants> levels_;
};

// One update of the hyperparameters of every level, `counts` and `hyper` from level 0. Returns the log-likelihood.
double resample_levels(std::span<pitman_yor::Hyperparameters> hyper, std::span<const pitman_yor::SeatingCounts> counts,
                       const RootRestaurant& root, const SweepStreams& streams);

}  // namespace binyan::ngram
