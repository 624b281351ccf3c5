// The part of learning that never changes: the words, their forests (shared between words of the same shape) and the
// yield numbers of their adapted nodes, and what is known beforehand. Chains share it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "grammar/evidence.hpp"
#include "grammar/forest.hpp"
#include "grammar/inside.hpp"
#include "grammar/word_families.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

// A morpheme that is known: `copies` customers of its symbol from the start, each with a tree of its own.
struct KnownMorpheme {
  uint32_t symbol;
  std::vector<std::vector<uint32_t>> strings;  // one for each argument of the symbol
  uint32_t copies;
};

// Words that share a stem: one of `stems`, as the topmost constituents of `symbols` spell it.
struct SharedStem {
  std::vector<uint32_t> words, symbols;
  std::vector<std::vector<uint32_t>> stems;
};

struct Knowledge {
  std::vector<uint32_t> label_of;         // of each symbol: a number below Evidence::kNoPart, or kNoIndex
  std::map<uint32_t, Evidence> of_words;  // by the word's number
  std::vector<KnownMorpheme> morphemes;
  std::vector<SharedStem> shared_stems;  // no word is in two of them
};

// Words that are drawn together, with an entry for each word and stem.
struct WordGroup {
  std::vector<uint32_t> words;
  uint32_t stems, first_entry;
  uint32_t entry(uint32_t place, uint32_t stem) const { return first_entry + place * stems + stem; }
};

// Entries are the words, then the copies of known morphemes, then the words of groups with each of their stems.
class WordForests {
 public:
  // Throws InputError where forests and yield numbers would take more than `max_bytes`.
  WordForests(std::shared_ptr<const CompiledGrammar> grammar, const std::vector<std::vector<uint32_t>>& words,
              size_t max_bytes, const Knowledge& known = {});

  const CompiledGrammar& grammar() const { return *grammar_; }
  uint32_t observed() const { return observed_; }  // words
  uint32_t size() const { return size_; }          // words and copies of known morphemes: all that have a tree
  uint32_t entries() const { return static_cast<uint32_t>(forest_of_.size()); }
  bool parses(uint32_t entry) const { return forests_[forest_of_[entry]].root != kNoIndex; }
  const Forest& forest(uint32_t entry) const { return forests_[forest_of_[entry]]; }
  WordView view(uint32_t entry) const {
    return {forest(entry),
            {atoms_.data() + first_atom_[entry], atoms_.data() + first_atom_[entry + 1]},
            yields_.data() + first_yield_[entry]};
  }
  uint32_t top_symbol(uint32_t entry) const {
    return entry < observed_ || entry >= size_ ? grammar_->start : morpheme_symbol_[entry - observed_];
  }
  // The words of which something is known.
  const std::vector<uint32_t>& constrained() const { return constrained_; }
  // How many copies there are of the known morpheme of an entry.
  uint32_t copies(uint32_t entry) const { return morpheme_copies_[entry - observed_]; }
  // The group of a word; nullptr where it has none.
  const WordGroup* group_of(uint32_t word) const {
    return word < group_of_.size() && group_of_[word] != kNoIndex ? &groups_[group_of_[word]] : nullptr;
  }
  uint32_t yields() const { return yield_count_; }  // yield numbers, 0 included
  uint32_t shapes() const { return static_cast<uint32_t>(forests_.size()); }
  size_t bytes() const { return bytes_; }
  // Families of at most 100 words, found when they are first asked for.
  const WordFamilies& families() const;

 private:
  void check(const Knowledge& known, const std::vector<std::vector<uint32_t>>& words) const;
  std::vector<uint32_t> classes(std::span<const uint32_t> word) const;
  uint32_t keep(Forest forest);
  void add_entry(std::span<const uint32_t> atoms, uint32_t forest);
  void add_known(std::span<const uint32_t> word, const Evidence& evidence, const Knowledge& known);
  void add_morpheme(const KnownMorpheme& morpheme);
  void add_group(const SharedStem& shared, const std::vector<std::vector<uint32_t>>& words, const Knowledge& known);
  void number_yields();

  std::shared_ptr<const CompiledGrammar> grammar_;
  size_t max_bytes_;
  std::vector<uint32_t> atoms_;
  std::vector<size_t> first_atom_, first_yield_;
  std::vector<Forest> forests_;
  std::vector<uint32_t> forest_of_;
  std::vector<uint32_t> yields_;
  std::vector<uint32_t> morpheme_symbol_, morpheme_copies_;
  std::vector<uint32_t> constrained_;
  std::vector<WordGroup> groups_;
  std::vector<uint32_t> group_of_;
  uint32_t observed_ = 0, size_ = 0, yield_count_ = 1;
  size_t bytes_ = 0;
  mutable std::once_flag families_once_;
  mutable std::unique_ptr<const WordFamilies> families_;
};

}  // namespace binyan::grammar
