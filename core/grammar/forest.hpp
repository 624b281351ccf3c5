// The packed forest of all derivations of a word, in flat arrays, children before parents.
//
// The rules see a word only through the classes of its atoms, so words with the same sequence of classes share one
// forest; with a grammar that fills its terminals from the data, that is one forest for each word length. What differs
// from word to word is the weight of the leaves, and which cached trees match the adapted nodes
// (constituent_strings.hpp).
//
// Rules with underlying arguments put atoms where the word shows none. Each such string is written after the word, on
// the forest's tape: position `length` + i of the word is entry i of the tape, an atom or an atom of the word.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/ranges.hpp"
#include "grammar/rules.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

// An entry of a tape, or the position of a leaf: kGiven | atom for an atom that is not in the word, else a position in
// the word.
constexpr uint32_t kGiven = uint32_t{1} << 31;
inline uint32_t atom_at(std::span<const uint32_t> word, uint32_t entry) {
  return entry & kGiven ? entry ^ kGiven : word[entry];
}

// Value = weight of `rule` * value of `left` * value of `right`; index 0 is the empty product.
struct Edge {
  uint32_t rule, left, right;
};

struct Forest {
  struct Leaf {
    uint32_t symbol;    // a lexical rule of `symbol` rewrites the atom at `position`
    uint32_t position;  // in the word, or kGiven | atom
    bool whole;         // the leaf is the whole node of its symbol, not one edge of it
  };
  struct Node {
    uint32_t symbol;
    uint32_t first_edge;  // its edges end where those of the next node begin
    uint32_t adapted;     // its number among the adapted nodes of this forest, or kNoIndex
  };

  uint32_t length = 0;       // atoms of the word
  uint32_t root = kNoIndex;  // index of the root; kNoIndex: no derivation
  std::vector<Leaf> leaves;  // indices 1, 2, ...
  std::vector<Node> nodes;   // the indices that follow, and one more node that ends the last one's edges
  std::vector<Edge> edges;
  std::vector<uint32_t> adapted;      // indices of the adapted nodes
  std::vector<uint32_t> first_range;  // of each adapted node, its ranges
  std::vector<Range> ranges;
  std::vector<bool> restricted;  // of each adapted node: some of its derivations disagree with what is known of the
                                 // word; empty where no node is restricted
  std::vector<uint32_t> tape;    // atoms beyond the word, see above

  bool is_restricted(uint32_t adapted_node) const { return !restricted.empty() && restricted[adapted_node]; }
  uint32_t node_base() const { return static_cast<uint32_t>(leaves.size()) + 1; }
  uint32_t size() const { return node_base() + static_cast<uint32_t>(nodes.size()) - 1; }
  size_t bytes() const;
};

// The forest of a word given as the classes of its atoms. Throws InputError where it would take more than `max_bytes`.
Forest build_forest(const CompiledGrammar& grammar, std::span<const uint32_t> classes, size_t max_bytes);

}  // namespace binyan::grammar
