// Extraction of hierarchical rules from an aligned bitext (Chiang 2007, section 3.2) with their features.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "translation/grammar.hpp"
#include "translation/symmetrise.hpp"

namespace binyan::translation {

struct ExtractionLimits {
  uint32_t max_span = 10;    // words of an initial phrase, on either side
  uint32_t max_symbols = 5;  // words and gaps of a source side
  uint32_t max_gaps = 2;     // 0, 1 or 2; never adjacent on the source side
  uint32_t min_count = 1;    // rules with gaps seen fewer times are left out
  uint32_t max_targets = 0;  // the most frequent target sides kept for a source side; 0: all
};

// Source sides that match somewhere in given sentences, by hash: a false match keeps a rule too many and does no harm.
class PatternFilter {
 public:
  PatternFilter(std::span<const uint32_t> words, std::span<const uint64_t> offsets, const ExtractionLimits& limits);
  bool contains(std::span<const uint32_t> pattern) const;

 private:
  static uint64_t hash(std::span<const uint32_t> pattern);
  bool insert(uint64_t key);
  std::vector<uint64_t> slots_;
  uint64_t size_ = 0;
};

// Maximum-likelihood word translation probabilities read off the links; word 0 is the empty word.
class LexicalTable {
 public:
  void add(std::span<const uint32_t> source, std::span<const uint32_t> target, std::span<const Link> links);
  // log of prod over target words of max over source words, or the empty word, of w(t | s).
  float target_given_source(std::span<const uint32_t> source, std::span<const uint32_t> target) const;
  float source_given_target(std::span<const uint32_t> source, std::span<const uint32_t> target) const;

 private:
  double joint(uint32_t source, uint32_t target) const;
  std::unordered_map<uint64_t, uint32_t> joint_;
  std::vector<uint64_t> source_total_, target_total_;
};

// Counts the rules of a bitext, a sentence pair at a time, and packs them.
class RuleCounter {
 public:
  // `filter` may be null; it is not owned and outlives the counter.
  RuleCounter(ExtractionLimits limits, const PatternFilter* filter);

  // Throws InputError where a link points outside the sentences.
  void add(std::span<const uint32_t> source, std::span<const uint32_t> target, std::span<const Link> links);
  // With a filter, the counts of target sides need a second reading of the bitext: the same pairs again.
  void add_target_totals(std::span<const uint32_t> source, std::span<const uint32_t> target,
                         std::span<const Link> links);

  // Features of a rule, natural logarithms: p(t|s), p(s|t), lexical weights w(t|s), w(s|t); of the rule, then of its
  // source side, log of the number of times seen, and 1 if seen once; and log of the number of spans the source side
  // was extracted from, to be divided by the number of those it matches (Grammar::count_matches, Grammar::divide).
  static constexpr uint32_t kFeatures = 9;
  Grammar finish() const;

  uint64_t instances() const { return instances_; }
  uint64_t rules() const { return occurrences_.size(); }

 private:
  struct Phrase {
    int16_t first = -1, last = -1;
  };  // target words of a source span; first < 0: not a phrase
  struct Instance {
    uint32_t end, source, target;
  };
  struct Gap {
    uint32_t first, last;
  };

  void find_phrases(std::span<const uint32_t> source, std::span<const uint32_t> target, std::span<const Link> links);
  void extract(std::span<const uint32_t> source, std::span<const uint32_t> target, std::span<const Link> links);
  void extend(uint32_t position, uint32_t aligned);
  void emit(uint32_t end);
  const Phrase& phrase(uint32_t first, uint32_t last) const {
    return phrases_[first * limits_.max_span + (last - first)];
  }
  void count_spans();
  void count(const Instance& instance, double share);

  ExtractionLimits limits_;
  const PatternFilter* filter_;
  LexicalTable lexicon_;
  SequenceTable sources_, targets_;
  std::vector<double> source_total_, target_total_;
  std::vector<uint32_t> source_seen_,
      source_spans_;             // rules extracted with the source side; spans they were extracted from
  std::vector<uint32_t> table_;  // open addressing over rules
  std::vector<Rule> rules_;
  std::vector<float> share_;  // fractional counts (Chiang 2007, section 3.3)
  std::vector<uint32_t> occurrences_;
  uint64_t instances_ = 0;
  bool totals_only_ = false;

  // The sentence pair at hand.
  std::span<const uint32_t> source_, target_;
  std::vector<Phrase> phrases_;
  std::vector<uint8_t> aligned_;
  std::vector<int> low_, high_, back_low_,
      back_high_;  // extent of the links of each source word, and of each target word
  uint32_t start_ = 0;
  std::vector<uint32_t> pattern_, target_side_;
  std::vector<Gap> gaps_;
  std::vector<Instance> found_;
  std::vector<uint32_t> per_end_;
  std::vector<uint64_t> spans_;
};

}  // namespace binyan::translation
