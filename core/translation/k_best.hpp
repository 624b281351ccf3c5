// The k best derivations of a hypergraph, lazily (Huang and Chiang 2005, algorithm 3).
#pragma once
#include <functional>
#include <set>
#include <vector>

#include "translation/hypergraph.hpp"

namespace binyan::translation {

class KBest {
 public:
  // The words of an edge over those of its tails.
  using Yield = std::function<std::vector<uint32_t>(const HyperEdge&, const std::vector<uint32_t>* const* tails)>;

  // With `yield`, only the best of the derivations of a node that have the same words is kept (Huang, Knight and Joshi
  // 2006): the k best are then distinct translations.
  explicit KBest(const Hypergraph& graph, Yield yield = nullptr);

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
    std::vector<std::vector<uint32_t>> yields;  // of `best`, where they are to be distinct
    std::set<std::vector<uint32_t>> seen;
    std::vector<Backpointer> repeated;  // not kept, their successors not among the candidates yet
  };
  void start(uint32_t node);
  void push_successors(Node& node, Backpointer from);

  bool keep(uint32_t node, const Backpointer& candidate);

  const Hypergraph& graph_;
  Yield yield_;
  std::vector<Node> nodes_;
};

}  // namespace binyan::translation
