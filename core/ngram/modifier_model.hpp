// F, the bigram model that generates the modifiers of a compound from its head outwards, then an end symbol (thesis,
// section 3.2.2): F_c over F_empty over the uniform distribution on components and end symbol.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pitman_yor/random.hpp"
#include "pitman_yor/restaurants.hpp"

namespace binyan::ngram {

// The words of a vocabulary as components in the order of generation, head first: word w is
// components[offsets[w] ... offsets[w + 1]), from one to kMaxParts, each below component_count.
struct Components {
  static constexpr uint32_t kMaxParts = 64;
  std::vector<uint32_t> components, offsets;
  uint32_t component_count = 0;

  uint32_t words() const { return static_cast<uint32_t>(offsets.size()) - 1; }
  uint32_t head(uint32_t word) const { return components[offsets[word]]; }
  // Throws InputError unless the above holds.
  void check() const;
};

class ModifierModel {
 public:
  explicit ModifierModel(const Components& words);

  // The probability that, given its head, `word` gets its modifiers and then the end. Exact also where a word's choices
  // depend on one another (they meet in F_empty); see kExact.
  double joint(uint32_t word) const {
    const auto entries = entries_of(word);
    if (entries.size() > 1) return joint_of(entries);
    return bigrams.probability(context_[entries[0]], entries[0], unigrams.probability(0, next_[entries[0]], base_));
  }
  void prefetch(uint32_t word) const {
    const uint32_t e = entry_[first_[word]];
    bigrams.prefetch(context_[e], e);
  }
  // Seats the modifiers and the end of `word`, drawn from their joint distribution.
  void add(uint32_t word, pitman_yor::Random& random) {
    const auto entries = entries_of(word);
    if (entries.size() > 1) return add_all(entries, random);
    const uint32_t e = entries[0], d = next_[e];
    if (bigrams.add(context_[e], e, unigrams.probability(0, d, base_), random)) unigrams.add(0, d, base_, random);
  }
  void remove(uint32_t word, pitman_yor::Random& random) {
    for (uint32_t e : entries_of(word))
      if (bigrams.remove(context_[e], e, random)) unigrams.remove(0, next_[e], random);
  }

  // Removes and seats anew some of the customers of every pair, one at a time: an eighth of them, and no fewer than
  // sixteen or all there are. Those of frequent pairs are many and much alike.
  void reseat(pitman_yor::Random& random);

  // Predictive probabilities of single choices, which is what prediction multiplies (thesis, equation 3.26,
  // section 3.2.3).
  double probability(uint32_t component, uint32_t next) const;
  double product(std::span<const uint32_t> components) const;

  uint32_t end() const { return components_; }
  uint32_t component_count() const { return components_; }
  double base() const { return base_; }
  std::span<const uint32_t> entries_of(uint32_t word) const {
    return {entry_.data() + first_[word], entry_.data() + first_[word + 1]};
  }

  pitman_yor::Restaurants bigrams;   // restaurant: component; dish: pair
  pitman_yor::Restaurants unigrams;  // one restaurant; dish: component or end
  const std::vector<uint32_t>& pair_context() const { return context_; }
  const std::vector<uint32_t>& pair_next() const { return next_; }

  // Words of up to this many choices are drawn jointly; the later choices of longer ones one after another, as the
  // thesis does for all.
  static constexpr size_t kExact = 6;

 private:
  // How one choice was seated: at a table of F_c; at a new one there, its dish at a table of F_empty; at new ones in
  // both.
  enum Outcome : uint8_t { kJoin, kOpen, kOpenBoth };
  struct Weights {
    double of[3];
  };
  double joint_of(std::span<const uint32_t> entries) const;
  void add_all(std::span<const uint32_t> entries, pitman_yor::Random& random);
  Weights weights(std::span<const uint32_t> entries, size_t i, const Outcome* before) const;
  double total(std::span<const uint32_t> entries, size_t i, Outcome* outcomes) const;

  uint32_t components_;
  double base_;
  std::vector<uint32_t> first_, entry_;   // entries of each word
  std::vector<uint32_t> context_, next_;  // of each entry, ordered by (context, next)
};

}  // namespace binyan::ngram
