// The HPYLM with an open vocabulary: under the empty context is no uniform distribution but a model of spelling, learnt
// with the rest. A table of the empty context is a string that was spelt, or the end of a sentence; which of the two
// has a uniform prior. Every string has a probability.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ngram/hpylm.hpp"
#include "ngram/spelling.hpp"

namespace binyan::ngram {

class OpenHPYLM : public HPYLM {
 public:
  // `strings` has those of every word of the tree; those of <unk>, <s> and </s> are not used. Throws InputError where
  // the tree has <unk>: unknown words of the text would need strings.
  OpenHPYLM(std::shared_ptr<const ContextTree> tree, const Strings& strings, uint64_t seed, uint64_t chain);

  // As the HPYLM's own, with the strings; log-likelihoods are of both.
  double initialise(Initialisation how);
  void sweep();
  double resample_hyperparameters();
  double log_likelihood() const;
  void check() const;

  // Of every word, </s> and, in all, what is no word of the vocabulary: its probability under the base.
  std::vector<double> bases() const;
  // How many strings of each word there are: its tables in the empty context.
  std::vector<uint32_t> strings() const;

  Spelling spelling;

 private:
  // What the probability of a word is made of in a context: `joined` + `opened` x its base.
  struct Weights {
    double joined, opened;
  };
  Weights weights(const Chain& chain, uint32_t level, double opened_below) const;
  double share_of_words() const;
  double log_shares() const;
  void reseat(uint32_t level, uint32_t context, uint32_t entry, uint32_t customers);
  void reseat_end(Chain& chain, uint32_t level, uint32_t customers);
  void reseat_word(Chain& chain, uint32_t level, uint32_t customers);
  bool draw_string(uint32_t word, Weights weights, bool had_string, double removed);
  void join(const Chain& chain, uint32_t level);
  void open_all(const Chain& chain, uint32_t level);
  bool remove(const Chain& chain, uint32_t level);

  Spelling::Moves out_, in_;
};

}  // namespace binyan::ngram
