// A forest while it is being made: nodes with lists of edges, before it is packed into flat arrays.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/forest.hpp"

namespace binyan::grammar {

// A symbol with the ranges of its arguments.
struct Item {
  uint32_t symbol;
  std::vector<Range> ranges;
  friend bool operator==(const Item&, const Item&) = default;
};

struct LooseForest {
  static constexpr uint32_t kLexical = UINT32_MAX - 1;  // left child of an edge to a leaf, which is a node's first edge
  struct Node {
    Item item;
    std::vector<Edge> edges;  // children are numbers of nodes, which come before their parents; kNoIndex: none
    bool cut;                 // some derivations of the item are not among those of the node
  };
  uint32_t length;
  uint32_t root;  // kNoIndex: no derivation
  std::vector<Node> nodes;
  std::vector<uint32_t> tape;  // as in Forest

  // What stands at a position of the word or its tape.
  uint32_t entry(uint32_t position) const { return position < length ? position : tape[position - length]; }
};

// All derivations of `top` in a word given as the classes of its atoms. Throws InputError beyond `max_bytes`.
LooseForest derive(const CompiledGrammar& grammar, std::span<const uint32_t> classes, const Item& top,
                   size_t max_bytes);

// What the root reaches, leaves first.
Forest pack(const CompiledGrammar& grammar, const LooseForest& loose);

}  // namespace binyan::grammar
