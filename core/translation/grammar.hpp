// A synchronous grammar of hierarchical rules X -> (source, target) (Chiang 2007), packed: the source sides are one
// trie, the rules of a source side are adjacent, target sides are stored once each.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "no_index.hpp"
#include "translation/sequence_table.hpp"

namespace binyan::translation {

// Symbols below kSecondGap are word ids. A source side has kFirstGap for each of its gaps; on the target side kFirstGap
// and kSecondGap stand for the first and second gap of the source side.
constexpr uint32_t kFirstGap = UINT32_MAX, kSecondGap = UINT32_MAX - 1;
inline bool is_gap(uint32_t symbol) { return symbol >= kSecondGap; }
inline uint32_t gap_index(uint32_t symbol) { return kFirstGap - symbol; }

// What a grammar file holds. Node 0 is the root; nodes are in breadth-first order, children of a node adjacent and
// ordered by symbol.
struct GrammarArrays {
  // One element per node; the two `first` arrays have one more.
  std::vector<uint32_t> symbol;
  std::vector<uint32_t> first_child;
  std::vector<uint32_t> first_rule;
  // One element per rule.
  std::vector<uint32_t> target;
  std::vector<float> features;  // `feature_count` per rule
  // Target side t: target_symbols[target_offset[t] ... target_offset[t + 1]).
  std::vector<uint32_t> target_offset;
  std::vector<uint32_t> target_symbols;
  uint32_t feature_count = 0;
};

struct Rule {
  uint32_t source, target;  // numbers of sequences
};

class Grammar {
 public:
  // Throws InputError where the arrays are inconsistent, or words are not below the sizes of the two vocabularies.
  explicit Grammar(GrammarArrays arrays, uint32_t source_words = kSecondGap, uint32_t target_words = kSecondGap);
  // `features`: `feature_count` per rule. Rules of a source side keep their order.
  static Grammar pack(const SequenceTable& sources, const SequenceTable& targets, std::span<const Rule> rules,
                      std::span<const float> features, uint32_t feature_count);

  uint32_t nodes() const { return static_cast<uint32_t>(arrays_.symbol.size()); }
  uint32_t rules() const { return static_cast<uint32_t>(arrays_.target.size()); }
  uint32_t feature_count() const { return arrays_.feature_count; }
  // The node one symbol further, or kNoIndex.
  uint32_t child(uint32_t node, uint32_t symbol) const;
  bool has_children(uint32_t node) const { return arrays_.first_child[node] < arrays_.first_child[node + 1]; }
  uint32_t first_rule(uint32_t node) const { return arrays_.first_rule[node]; }
  uint32_t end_rule(uint32_t node) const { return arrays_.first_rule[node + 1]; }
  std::span<const float> features(uint32_t rule) const {
    return {arrays_.features.data() + uint64_t{rule} * arrays_.feature_count, arrays_.feature_count};
  }
  std::span<const uint32_t> target(uint32_t rule) const {
    const uint32_t t = arrays_.target[rule];
    return {arrays_.target_symbols.data() + arrays_.target_offset[t],
            arrays_.target_offset[t + 1] - arrays_.target_offset[t]};
  }
  // Which rules can match somewhere in a sentence, one byte per rule, added to `used`.
  void mark_usable(std::span<const uint32_t> sentence, uint32_t max_span, std::vector<uint8_t>& used) const;
  // Adds, for each node, the number of spans of a sentence that its source side matches. A span counts once however
  // many ways there are to fill the gaps.
  void count_matches(std::span<const uint32_t> sentence, uint32_t max_span, std::vector<uint32_t>& counts) const;
  // Divides a feature that is a logarithm by a count of each node with rules.
  void divide(uint32_t feature, std::span<const uint32_t> counts);
  // The source side of a node.
  std::vector<uint32_t> source(uint32_t node) const;
  // The grammar of the rules marked by 1 in `used`.
  Grammar restricted(std::span<const uint8_t> used) const;
  // The source side of every node, as (offsets, symbols).
  void sources(std::vector<uint64_t>& offsets, std::vector<uint32_t>& symbols) const;

  const GrammarArrays& arrays() const { return arrays_; }

 private:
  void check() const;
  void check_rules(uint32_t source_words, uint32_t target_words) const;
  GrammarArrays arrays_;
  std::vector<uint32_t> root_child_;  // child of the root by word
};

}  // namespace binyan::translation
