// A forest while it is being made, before what the root reaches is packed.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/forest.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

// A symbol with the ranges of its arguments.
struct Item {
  uint32_t symbol;
  Ranges ranges;
  friend bool operator==(const Item&, const Item&) = default;
};

struct LooseForest {
  static constexpr uint32_t kLexical = UINT32_MAX - 1;  // left child of an edge to a leaf, which is a node's first edge
  struct Node {
    Item item;
    uint32_t first_edge, edge_count;
    bool cut;  // some derivations of the item are not among those of the node
  };
  uint32_t length = 0;
  uint32_t root = kNoIndex;  // kNoIndex: no derivation
  std::vector<Node> nodes;
  std::vector<Edge> edges;     // children are numbers of nodes, which come before their parents; kNoIndex: none
  std::vector<uint32_t> tape;  // as in Forest

  void add(const Item& item, std::span<const Edge> its_edges, bool cut) {
    nodes.push_back({item, static_cast<uint32_t>(edges.size()), static_cast<uint32_t>(its_edges.size()), cut});
    edges.insert(edges.end(), its_edges.begin(), its_edges.end());
  }
  std::span<const Edge> edges_of(const Node& node) const { return {edges.data() + node.first_edge, node.edge_count}; }
  // What stands at a position of the word or its tape.
  uint32_t entry(uint32_t position) const { return position < length ? position : tape[position - length]; }
};

// All derivations of `top` in a word given as the classes of its atoms. Throws InputError beyond `max_bytes`.
LooseForest derive(const CompiledGrammar& grammar, std::span<const uint32_t> classes, const Item& top,
                   size_t max_bytes);

// What the root reaches, leaves first.
Forest pack(const CompiledGrammar& grammar, const LooseForest& loose);

}  // namespace binyan::grammar
