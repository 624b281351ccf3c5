// The k best derivations of a hypergraph, lazily (Huang and Chiang 2005, algorithm 3).
#pragma once
#include <functional>
#include <vector>

#include "translation/hypergraph.hpp"

namespace binyan::translation {

class KBest {
 public:
  explicit KBest(const Hypergraph& graph);

  struct Backpointer {
    uint32_t edge;
    uint32_t rank[2];
    double score;
  };
  // The derivation of `rank` (0: the best) of a node, or nullptr where there are fewer.
  const Backpointer* derivation(uint32_t node, uint32_t rank);
  // The edges of that derivation, heads first, tails left to right.
  void edges(uint32_t node, uint32_t rank, std::vector<uint32_t>& out);

 private:
  struct Node {
    bool started = false;
    size_t expanded = 0;                        // of `best`, those whose successors are among the candidates
    std::vector<Backpointer> best, candidates;  // candidates: a heap
  };
  void start(uint32_t node);
  void push_successors(Node& node, Backpointer from);

  const Hypergraph& graph_;
  std::vector<Node> nodes_;
};

}  // namespace binyan::translation
