// The query structure of every n-gram model: P(w | u) = p(u, w) where the n-gram is stored, else backoff(u) P(w |
// pi(u)).
//
// A state is a context of the model: the longest suffix of the words so far that any stored n-gram continues, so that
// histories no n-gram tells apart are one state. State 0 is the empty context. All queries are const and take no lock.
//
// With K > 1 columns the model is the mean of K models over the same n-grams (posterior samples): P = 1/K sum_k P_k.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mapped_region.hpp"
#include "ngram/context_tree.hpp"
#include "ngram/ngram_index.hpp"
#include "ngram/value_array.hpp"
#include "no_index.hpp"

namespace binyan::ngram {

// Natural logarithms, one row per entry or context, one column per sample.
struct BackoffParameters {
  uint32_t columns = 1;
  std::vector<float> unigrams;                  // one row per word of the vocabulary, seen or not; <s> is -infinity
  std::vector<std::vector<float>> log_prob;     // [k - 1]: rows as the entries of level k >= 1 of the tree
  std::vector<std::vector<float>> log_backoff;  // [k - 1]: rows as the contexts of level k >= 1 of the tree
};

// The model in flat arrays, which is what a model file holds. Contexts and entries are numbered through all levels:
// context 0 is the empty one, its entries are the vocabulary; then those of level 1, and so on.
struct BackoffArrays {
  uint32_t columns = 1;
  std::vector<uint32_t> context_base;  // contexts of level k: [context_base[k], context_base[k + 1])
  // One element (or row) per entry.
  std::vector<uint32_t> word;
  std::vector<uint32_t> next;  // the state after (u, w)
  std::vector<float> log_prob;
  // One element (or row) per context.
  std::vector<uint32_t> first_entry;  // entries of context c: [first_entry[c], first_entry[c + 1])
  std::vector<uint32_t> left_word;    // leftmost word; kNoIndex for the empty context
  std::vector<uint32_t> suffix;       // the context without its leftmost word; 0 for the empty context
  std::vector<float> log_backoff;
};

// The same arrays, wherever they are: in memory that the model owns, or in a file that is mapped into memory.
struct BackoffView {
  uint32_t columns = 1;
  std::vector<uint32_t> context_base;
  std::span<const uint32_t> word, next;
  ValueArray log_prob;
  std::span<const uint32_t> first_entry, left_word, suffix;
  ValueArray log_backoff;

  BackoffArrays copy() const;
};

struct Scored {
  uint32_t state;    // after the word
  float log_prob;    // natural logarithm
  uint32_t matched;  // words of the longest stored n-gram that ends here: 1 ... order
};

// A state with all its shorter contexts, in which a word is looked up at once instead of one after another.
struct ContextChain {
  static constexpr uint32_t kLongest = 7;

  uint32_t length = 0;
  uint32_t context[kLongest] = {};  // context[k] has k + 1 words

  uint32_t state() const { return length == 0 ? 0 : context[length - 1]; }
};

// What each length of context adds, by the number of its words: to the probabilities of a `word` and of another
// (`other`), to that of all words together (`mass`), and the mean back-off weight of the context (`left`); then room to
// work in.
struct LengthParts {
  std::vector<double> share, other, mass, left;

  std::vector<uint32_t> contexts, word_entry, other_entry;
  std::vector<double> word_own, other_own, weight;
  void resize(uint32_t lengths);
};

class BackoffModel {
 public:
  // Throws InternalError where the sizes do not fit the tree, or a context is not itself an n-gram of the tree.
  static BackoffModel freeze(const ContextTree& tree, BackoffParameters parameters);
  // Throws InputError where the arrays are inconsistent (a damaged file).
  explicit BackoffModel(BackoffArrays arrays);
  // Arrays that `owner` keeps alive. In a mapped file (`region`) they are not read through: what a query meets and
  // cannot be, it refuses with InputError, and so does whatever finds that the file was truncated.
  BackoffModel(BackoffView arrays, std::shared_ptr<const void> owner, std::shared_ptr<const MappedRegion> region = {});

  uint32_t order() const { return static_cast<uint32_t>(arrays_.context_base.size()) - 1; }
  uint32_t columns() const { return arrays_.columns; }
  uint32_t vocabulary_size() const { return vocabulary_size_; }
  uint32_t states() const { return static_cast<uint32_t>(arrays_.suffix.size()); }
  uint32_t begin() const { return begin_; }
  // The number of words of the state's context: 0 ... order - 1.
  uint32_t length(uint32_t state) const {
    uint32_t k = 0;
    while (state >= arrays_.context_base[k + 1]) ++k;
    return k;
  }
  // The words of the state's context, in the order of the text.
  std::vector<uint32_t> context(uint32_t state) const;

  // `state` < states(), `word` < vocabulary_size(). The word <s> has probability zero.
  Scored score(uint32_t state, uint32_t word) const;
  // Whether states of the model can be held as chains.
  bool has_chains() const { return columns() == 1 && order() <= ContextChain::kLongest + 1; }
  // `state` < states(), in a model that has chains.
  ContextChain chain_of(uint32_t state) const;
  // The same as score(chain.state(), word); `chain` becomes that of the state after the word.
  Scored advance(ContextChain& chain, uint32_t word) const;
  // Words (< vocabulary_size()) that are soon to be scored one after another.
  void expect(std::span<const uint32_t> words) const;
  // Sentences as for ContextTree::build. The event j of sentence s (its words, then </s>) is written at
  // offsets[s] + s + j. Throws InputError on ids out of range.
  void score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets, std::span<float> log_prob,
                       std::span<uint8_t> matched, unsigned threads = 1) const;
  // P(w | state) for every word of the vocabulary (probabilities, not logarithms); <s> has none.
  void distribution(uint32_t state, std::span<double> probability) const;

  // How much of P(word | state) each context length adds: element k is the part that contexts of k words have over what
  // the shorter ones give; the sum over k is P(word | state), a probability and not a logarithm. Parts may be negative
  // where a model is not interpolated.
  std::vector<double> shares(uint32_t state, uint32_t word) const;
  // The same of all words together: the sum over k is 1.
  std::vector<double> masses(uint32_t state) const;
  // The shares of two words and the masses in one walk; returns the number of words of the state's context.
  uint32_t weigh(uint32_t state, uint32_t word, uint32_t other, LengthParts& to) const;

  const BackoffView& arrays() const {
    require_whole();
    return arrays_;
  }
  // Throws InputError where the arrays are inconsistent, or no longer whole.
  void check() const;
  // Without it n-grams are found by binary search. Built once: by the caller, or when a batch or many queries are worth
  // it; where there is no memory for it, nothing changes. A quantised model, which is to be small, has none unless the
  // caller builds it.
  void build_index() const;
  bool is_quantised() const { return arrays_.log_prob.is_coded(); }

 private:
  // Building the index for so many n-grams takes as long as it saves for one word.
  static constexpr uint64_t kNgramsPerWord = 16;
  // The index, which copies of a model share.
  struct LazyIndex {
    std::mutex building;
    bool tried = false;
    std::atomic<const NgramIndex*> ready{nullptr};
    std::unique_ptr<const NgramIndex> owned;
    std::atomic<uint64_t> searches{0};
  };
  struct Range {
    uint32_t first, last;
  };

  void begin_queries();
  void check_sizes() const;
  void require_whole() const {
    if (region_) region_->require_whole();
  }
  const NgramIndex* index() const { return index_->ready.load(std::memory_order_acquire); }
  [[noreturn]] void refuse(const char* what) const;
  // Arrays of a mapped file may hold anything: what is read as an index is looked at before it is used as one.
  Range entries_of(uint32_t context) const {
    const Range r{arrays_.first_entry[context], arrays_.first_entry[context + 1]};
    if (r.first > r.last || r.last > arrays_.word.size()) refuse("entries of contexts");
    return r;
  }
  uint32_t shorter(uint32_t context) const {
    const uint32_t suffix = arrays_.suffix[context];
    if (suffix >= context) refuse("suffixes");
    return suffix;
  }
  uint32_t checked_state(uint32_t state) const {
    if (state >= states()) refuse("states");
    return state;
  }
  // The entry of (context, word), or kNoIndex.
  uint32_t search(uint32_t context, uint32_t word) const;
  std::vector<uint32_t> chain(uint32_t state) const;        // from the empty context to the state
  double backoff(uint32_t context, uint32_t column) const;  // a weight; nothing is shorter than the empty context
  float mean(uint32_t from, uint32_t matched_context, uint64_t entry) const;
  void score_range(const NgramIndex& index, std::span<const uint32_t> words, std::span<const uint64_t> offsets,
                   uint64_t first, uint64_t last, float* log_prob, uint8_t* matched) const;

  void search_range(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint64_t first, uint64_t last,
                    float* log_prob, uint8_t* matched) const;

  BackoffView arrays_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MappedRegion> region_;
  std::shared_ptr<LazyIndex> index_;
  uint32_t vocabulary_size_ = 0, begin_ = 0;
};

}  // namespace binyan::ngram
