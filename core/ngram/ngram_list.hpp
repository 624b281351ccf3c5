// N-grams with their parameters in any order, and the model they make: the way in for models estimated elsewhere.
#pragma once
#include <cstdint>
#include <vector>

#include "ngram/backoff_model.hpp"
#include "no_index.hpp"

namespace binyan::ngram {

// The n-grams of one length, found by their words.
class NgramList {
 public:
  explicit NgramList(uint32_t n) : n_(n), slots_(64, kNoIndex) {}

  uint32_t n() const { return n_; }
  uint32_t size() const { return static_cast<uint32_t>(log_prob.size()); }
  const uint32_t* words(uint32_t i) const { return &words_[static_cast<size_t>(i) * n_]; }
  uint32_t find(const uint32_t* words) const;
  // Appends an n-gram that is not yet in the list and returns its index.
  uint32_t add(const uint32_t* words, float log_prob, float log_backoff);

  std::vector<float> log_prob, log_backoff;  // natural logarithms

 private:
  uint64_t slot_of(const uint32_t* words) const;

  uint32_t n_;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> slots_;  // open addressing, a power of two, at most half full
};

// `lists[n - 1]` has the n-grams of length n; `lists[0]` every word of the vocabulary, the word w at index w.
// An n-gram whose first or last n - 1 words are in no list is taken as it stands: what is missing is added with the
// probability that backing off gives. Returns the model; `added` is set to the number of n-grams added.
BackoffModel assemble(std::vector<NgramList> lists, uint64_t& added);

}  // namespace binyan::ngram
