// A generator of words in two steps (docs/models.md, hpylm+i): the first token of a word given the context, from G,
// then its second token given the first and as much of the context as second_context says, from F. G and F are
// hierarchical Pitman-Yor models.
//
//   G_u ~ PY(a_|u|, b_|u|, G_pi(u)), G_0 ~ PY(a_0, b_0, base of first tokens)
//   F_ut ~ PY(a'_|u|, b'_|u|, F_pi(u)t), F_t ~ PY(a'_0, b'_0, F), F ~ PY(a', b', base of second tokens)
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ngram/generator_tree.hpp"
#include "ngram/hpylm.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/restaurants.hpp"

namespace binyan::ngram {

class WordGenerator {
 public:
  static constexpr uint32_t kMaxLevels = HPYLM::kMaxLevels;

  explicit WordGenerator(std::shared_ptr<const GeneratorTree> tree);

  // Where one analysis of a word is in the restaurants of every context length, and its probabilities there.
  struct Chain {
    uint32_t second;
    std::array<uint32_t, kMaxLevels> node, head, pair;
    std::array<double, kMaxLevels> first_probability, second_probability;
    double second_alone;
    // The probability of both tokens after a context of this length.
    double joint(uint32_t length, uint32_t second_level) const {
      return first_probability[length] * second_probability[second_level];
    }
  };
  double joint(const Chain& chain, uint32_t length) const { return chain.joint(length, tree_->second_level(length)); }
  // `contexts` and `places`: by context length, of the tree and of the analysis (GeneratorForest).
  void follow(Chain& chain, uint32_t level, const uint32_t* contexts, const uint32_t* places, uint32_t second) const;
  void prefetch(const Chain& chain, uint32_t level) const;
  void fill(Chain& chain, uint32_t level) const;
  // One customer for each token; fill() comes before add().
  void add(const Chain& chain, uint32_t level, pitman_yor::Random& random);
  void add_at_random(const Chain& chain, uint32_t level, pitman_yor::Random& random);
  void remove(const Chain& chain, uint32_t level, pitman_yor::Random& random);

  // The tables of one dish, to be put back.
  struct Saved {
    pitman_yor::Restaurants* restaurants;
    uint32_t restaurant, dish;
    std::vector<pitman_yor::TableSizes::Bin> sizes;
  };
  // All tables that customers of a chain may sit at.
  void save(const Chain& chain, uint32_t level, std::vector<Saved>& saved);

  // What the tokens are drawn from where no context says more; uniform.
  double first_base(uint32_t) const { return 1.0 / tree_->analyses.firsts; }
  double second_base(uint32_t) const { return 1.0 / tree_->analyses.seconds; }
  // Log-probability of the dishes drawn from the bases.
  double log_base() const;
  // Throws InternalError unless tables and customers agree; `heads` and `pairs`: customers sent by words, by level.
  void check(std::vector<std::vector<uint64_t>> heads_sent, std::vector<std::vector<uint64_t>> pairs_sent) const;

  const GeneratorTree& tree() const { return *tree_; }
  // Calls visit(level of restaurants, restaurant of each dish).
  template <class Visit>
  void for_each_level(Visit visit) {
    for (uint32_t k = 0; k < heads.size(); ++k) visit(heads[k], tree_->levels[k].head_node);
    for (uint32_t k = 0; k < pairs.size(); ++k) visit(pairs[k], tree_->levels[k].pair_head);
    visit(seconds, std::vector<uint32_t>(seconds.dishes(), 0));
  }

  std::vector<pitman_yor::Restaurants> heads;  // G by context length; restaurant: node; dish: head
  std::vector<pitman_yor::Restaurants> pairs;  // F given first tokens; restaurant: head; dish: pair
  pitman_yor::Restaurants seconds;             // F alone; dish: second token

 private:
  std::shared_ptr<const GeneratorTree> tree_;
};

// Throws InternalError unless dish d has the customers expected and all totals agree.
void check_seating(const pitman_yor::Restaurants& restaurants, const std::vector<uint64_t>& customers,
                   const std::vector<uint32_t>& restaurant_of_dish, const char* what);

}  // namespace binyan::ngram
