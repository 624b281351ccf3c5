// What is known of a word before learning: borders and labels of its parts, and what constituents of some kind spell.
// A forest is cut to the derivations that agree.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/loose_forest.hpp"

namespace binyan::grammar {

// The topmost constituents of `symbols` spell one of `strings` (their atoms in order, gaps left out), and there is at
// least one of them; without strings, there is none.
struct Spelling {
  std::vector<uint32_t> symbols;
  std::vector<std::vector<uint32_t>> strings;
};

// Parts are the topmost nodes whose symbols have a label.
struct Evidence {
  enum Border : uint8_t {
    kUnknown,
    kBorder,  // no part has atoms on both sides in one piece
    kInside,  // no piece of a part begins or ends here
  };
  static constexpr uint32_t kNoPart = 31;  // the bit of atoms that may be in no part

  std::vector<uint8_t> borders;  // before each atom but the first; empty: all unknown
  std::vector<uint32_t> labels;  // of each atom, the labels that its part may have, as bits; empty: any
  std::vector<Spelling> spellings;

  bool empty() const { return borders.empty() && labels.empty() && spellings.empty(); }
};

constexpr size_t kMostSpellings = 3;
constexpr size_t kLongestKnown = 500;

// Throws InputError unless the evidence fits a word of `length` atoms.
void check(const Evidence& evidence, size_t length, const CompiledGrammar& grammar);

// Only the derivations that agree. `label_of[s]` is the label of symbol s, a number below kNoPart, or kNoIndex.
LooseForest cut(const LooseForest& whole, const Evidence& evidence, std::span<const uint32_t> word,
                std::span<const uint32_t> label_of);

// The atoms of a constituent, gaps left out, atoms that the word does not show included.
std::vector<uint32_t> spelt(const LooseForest& forest, const Item& item, std::span<const uint32_t> word);

}  // namespace binyan::grammar
