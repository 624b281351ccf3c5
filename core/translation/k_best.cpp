#include "translation/k_best.hpp"

#include <algorithm>
#include <tuple>

#include "no_index.hpp"

namespace binyan::translation {
namespace {

// Heap order: the best on top; ties by edge and ranks, so that the result is one.
bool worse(const KBest::Backpointer& a, const KBest::Backpointer& b) {
  if (a.score != b.score) return a.score < b.score;
  return std::tuple(a.edge, a.rank[0], a.rank[1]) > std::tuple(b.edge, b.rank[0], b.rank[1]);
}

}  // namespace

KBest::KBest(const Hypergraph& graph, Yield yield)
    : graph_(graph), yield_(std::move(yield)), nodes_(graph.nodes.size()) {}

// Whether a candidate is new, and if so its place among the best.
bool KBest::keep(uint32_t node, const Backpointer& candidate) {
  if (yield_) {
    const HyperEdge& edge = graph_.edges[candidate.edge];
    const std::vector<uint32_t>* tails[2] = {nullptr, nullptr};
    for (int i = 0; i < edge.arity; ++i) {
      derivation(edge.tails[i], candidate.rank[i]);
      tails[i] = &nodes_[edge.tails[i]].yields[candidate.rank[i]];
    }
    std::vector<uint32_t> words = yield_(edge, tails);
    if (!nodes_[node].seen.insert(words).second) return false;
    nodes_[node].yields.push_back(std::move(words));
  }
  nodes_[node].best.push_back(candidate);
  return true;
}

void KBest::start(uint32_t node) {
  Node& n = nodes_[node];
  n.started = true;
  for (uint32_t e = graph_.nodes[node].edge; e != kNoIndex; e = graph_.edges[e].next) {
    const HyperEdge& edge = graph_.edges[e];
    double score = edge.score;
    for (int i = 0; i < edge.arity; ++i) score += graph_.nodes[edge.tails[i]].score;
    n.candidates.push_back({e, {0, 0}, score});
  }
  std::ranges::make_heap(n.candidates, worse);
}

const KBest::Backpointer* KBest::derivation(uint32_t node, uint32_t rank) {
  if (!nodes_[node].started) start(node);
  while (nodes_[node].best.size() <= rank) {
    Node& n = nodes_[node];
    for (; n.expanded < n.best.size(); ++n.expanded) push_successors(n, n.best[n.expanded]);
    while (!n.repeated.empty()) {
      const Backpointer again = n.repeated.back();
      n.repeated.pop_back();
      push_successors(n, again);
    }
    if (n.candidates.empty()) return nullptr;
    std::ranges::pop_heap(n.candidates, worse);
    const Backpointer candidate = n.candidates.back();
    n.candidates.pop_back();
    if (!keep(node, candidate)) n.repeated.push_back(candidate);
  }
  return &nodes_[node].best[rank];
}

void KBest::push_successors(Node& node, Backpointer from) {
  const HyperEdge& edge = graph_.edges[from.edge];
  // A rank vector has one parent: the second rank grows freely, the first only while the second is 0.
  for (int i = edge.arity - 1; i >= 0; --i) {
    if (i == 0 && edge.arity == 2 && from.rank[1] > 0) break;
    const Backpointer* old = derivation(edge.tails[i], from.rank[i]);
    const double before = old->score;
    if (const Backpointer* next = derivation(edge.tails[i], from.rank[i] + 1)) {
      Backpointer successor = from;
      ++successor.rank[i];
      successor.score += next->score - before;
      node.candidates.push_back(successor);
      std::ranges::push_heap(node.candidates, worse);
    }
  }
}

void KBest::edges(uint32_t node, uint32_t rank, std::vector<uint32_t>& out) {
  const Backpointer at = *derivation(node, rank);
  out.push_back(at.edge);
  const HyperEdge& edge = graph_.edges[at.edge];
  for (int i = 0; i < edge.arity; ++i) edges(edge.tails[i], at.rank[i], out);
}

}  // namespace binyan::translation
