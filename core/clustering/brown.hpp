// Brown clustering (Brown et al. 1992, section 3): hard word classes that keep the mutual information of adjacent
// classes high.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "no_index.hpp"

namespace binyan::clustering {

// Counts of adjacent words, sparse, both ways: what follows v is right_word[right_first[v] .. right_first[v + 1]).
struct Bigrams {
  std::vector<uint64_t> right_first, left_first;
  std::vector<uint32_t> right_word, left_word;
  std::vector<uint32_t> right_count, left_count;
  std::vector<uint64_t> frequency;
  uint64_t total = 0;

  // `words` holds sentences one after another (sentence i is words[offsets[i] .. offsets[i + 1])); `end` stands for the
  // boundary before the first, between, and after the last, so every word is as often first as second of a bigram.
  Bigrams(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t types, uint32_t end);
  uint32_t types() const { return static_cast<uint32_t>(frequency.size()); }
};

// sum over classes a, b of n_ab / N log(n_ab N / (n_a n_b)), in nats.
double average_mutual_information(const Bigrams& bigrams, std::span<const uint32_t> class_of, uint32_t classes);

// The windowed agglomerative algorithm: words enter one by one, most frequent first; once there are more than `classes`
// classes, each entry is followed by the merge that loses the least mutual information. Words that never occur stay
// outside.
//
// The loss of a pair is kept as N times the mutual information lost. With f(n) = n log n, n_v the frequency of class v
// and A_v its bigrams with classes in the window, both ways, the information terms of margins collapse and
//   loss(v, w) = (sum of f over all cells) - (the same after merging) - A_v log n_v - A_w log n_w + (A_v + A_w) log(n_v
//   + n_w).
// The f-part of (v, w) changes only when a class next to both changes, so entering a word next to k classes costs O(k
// C), not O(C^2). It is kept in fixed point, hence exact: tables never drift, and results do not depend on the machine.
class BrownClustering {
 public:
  BrownClustering(const Bigrams& bigrams, uint32_t classes);

  // Enter at most `words` more words; false when all are in.
  bool step(uint32_t words);
  // One pass of moving each word to the class that keeps the most information (the refinement at the end of section 3
  // of Brown et al.). Returns how many moved. Only between the last step and `finish`.
  uint32_t exchange();
  // Merge the classes into one tree.
  void finish();

  uint32_t entered() const { return next_; }
  // After `finish`, by word: classes in the order of the tree's leaves; kNoIndex for words that never occur.
  std::vector<uint32_t> class_of() const;
  // After `finish`, by class: the way from the root, in 0 and 1.
  const std::vector<std::string>& paths() const { return paths_; }
  // Whether the incremental tables equal their definition, for tests.
  bool tables_hold() const;

 private:
  using Fixed = int64_t;
  static Fixed n_log_n(uint64_t n);
  Fixed f(uint64_t n) const { return n < f_table_.size() ? f_table_[n] : n_log_n(n); }
  const uint32_t* right(uint32_t v) const { return &right_[size_t{v} * slots_]; }
  const uint32_t* left(uint32_t v) const { return &left_[size_t{v} * slots_]; }
  void set(uint32_t v, uint32_t w, uint32_t n) { right_[size_t{v} * slots_ + w] = left_[size_t{w} * slots_ + v] = n; }
  void add(uint32_t v, uint32_t w, uint32_t n) { set(v, w, right(v)[w] + n); }
  Fixed own(uint32_t v, uint32_t w) const;
  void shared(uint32_t x, uint32_t v, Fixed sign, Fixed* row) const;
  void pair_losses(uint32_t v, std::span<const uint32_t> through, Fixed sign, Fixed* row) const;
  void set_f_loss(uint32_t v, uint32_t w, Fixed value);
  void enter(uint32_t word);
  void merge(uint32_t s, uint32_t t);
  void merge_best();
  void through_union(const uint32_t* with_s, const uint32_t* with_t, std::span<const uint32_t> near, uint32_t s,
                     uint32_t t);
  void refresh(std::span<const uint32_t> changed);
  void refresh_logs(uint32_t v);
  void rescan(uint32_t v);
  void rebuild();
  std::vector<Fixed> f_loss_by_definition() const;
  std::vector<uint32_t> neighbours(uint32_t s) const;

  const Bigrams& bigrams_;
  uint32_t classes_, slots_, next_ = 0, live_ = 0;
  std::vector<uint32_t> order_;                 // words that occur, most frequent first
  std::vector<uint32_t> slot_of_;               // by word
  std::vector<std::vector<uint32_t>> members_;  // by slot; empty where the slot is free
  std::vector<uint32_t> right_, left_;          // counts of slot followed by slot, and their transpose
  std::vector<Fixed> f_loss_;                   // by pair of slots, symmetric
  std::vector<double> log_sum_;                 // log(n_v + n_w), symmetric
  std::vector<double> loss_;                    // symmetric; infinite on the diagonal and where a slot is free
  std::vector<double> least_;                   // by v, the least loss_[v][w] over w < v, and where it is
  std::vector<uint32_t> least_where_;
  std::vector<uint64_t> frequency_, within_;  // n_v and A_v
  std::vector<double> log_frequency_;
  std::vector<Fixed> f_table_, row_;
  std::vector<uint8_t> mark_;
  std::vector<uint32_t> beside_;
  std::vector<std::pair<uint32_t, uint32_t>> tree_;  // nodes classes_, classes_ + 1, ... : two children each
  std::vector<uint32_t> node_of_;                    // by slot, while finishing
  std::vector<uint32_t> class_of_slot_;
  std::vector<std::string> paths_;
};

}  // namespace binyan::clustering
