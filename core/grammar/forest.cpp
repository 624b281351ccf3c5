#include "grammar/forest.hpp"

#include <algorithm>

#include "grammar/loose_forest.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

constexpr uint32_t kLexical = LooseForest::kLexical;

}  // namespace

size_t Forest::bytes() const {
  return leaves.size() * sizeof(Leaf) + nodes.size() * sizeof(Node) + edges.size() * sizeof(Edge) + adapted.size() * 8 +
         ranges.size() * sizeof(Range) + tape.size() * 4 + sizeof(Forest);
}

Forest pack(const CompiledGrammar& g, const LooseForest& loose) {
  const auto& built = loose.nodes;
  const uint32_t root = loose.root;
  Forest forest;
  forest.length = loose.length;
  forest.first_range.push_back(0);
  if (root == kNoIndex) return forest;
  std::vector<bool> used(built.size(), false);
  used[root] = true;
  size_t nodes = 1, edges = 0, adapted_nodes = 0;
  for (uint32_t i = root + 1; i-- > 0;) {
    if (!used[i]) continue;
    ++nodes;
    edges += built[i].edge_count;
    adapted_nodes += g.adapted_index[built[i].item.symbol] != kNoIndex;
    for (const Edge& e : loose.edges_of(built[i])) {
      if (e.left == kLexical) continue;
      if (e.left != kNoIndex) used[e.left] = true;
      if (e.right != kNoIndex) used[e.right] = true;
    }
  }
  forest.nodes.reserve(nodes);
  forest.edges.reserve(edges);
  forest.adapted.reserve(adapted_nodes);
  forest.first_range.reserve(adapted_nodes + 1);
  std::vector<uint32_t> place(built.size(), 0), leaf(built.size(), 0);
  for (uint32_t i = 0; i <= root; ++i) {
    if (!used[i] || loose.edges[built[i].first_edge].left != kLexical) continue;
    const bool whole = g.only_lexical(built[i].item.symbol);
    forest.leaves.push_back({built[i].item.symbol, loose.entry(built[i].item.ranges[0].begin), whole});
    (whole ? place : leaf)[i] = static_cast<uint32_t>(forest.leaves.size());
  }
  const uint32_t base = forest.node_base();
  for (uint32_t i = 0; i <= root; ++i) {
    if (!used[i] || place[i] != 0) continue;
    const Item& item = built[i].item;
    place[i] = base + static_cast<uint32_t>(forest.nodes.size());
    const bool adapted = g.adapted_index[item.symbol] != kNoIndex;
    forest.nodes.push_back({item.symbol, static_cast<uint32_t>(forest.edges.size()),
                            adapted ? static_cast<uint32_t>(forest.adapted.size()) : kNoIndex});
    if (adapted) {
      forest.adapted.push_back(place[i]);
      forest.restricted.push_back(built[i].cut);
      forest.ranges.insert(forest.ranges.end(), item.ranges.begin(), item.ranges.end());
      forest.first_range.push_back(static_cast<uint32_t>(forest.ranges.size()));
    }
    for (const Edge& e : loose.edges_of(built[i])) {
      if (e.left == kLexical) forest.edges.push_back({e.rule, leaf[i], 0});
      else
        forest.edges.push_back(
            {e.rule, e.left == kNoIndex ? 0 : place[e.left], e.right == kNoIndex ? 0 : place[e.right]});
    }
  }
  forest.nodes.push_back({kNoIndex, static_cast<uint32_t>(forest.edges.size()), kNoIndex});
  if (std::find(forest.restricted.begin(), forest.restricted.end(), true) == forest.restricted.end())
    forest.restricted.clear();
  forest.root = place[root];
  forest.tape = loose.tape;
  return forest;
}

Forest build_forest(const CompiledGrammar& grammar, std::span<const uint32_t> classes, size_t max_bytes) {
  if (classes.empty()) return Forest{};
  const Item whole{grammar.start, {{0, static_cast<uint32_t>(classes.size())}}};
  return pack(grammar, derive(grammar, classes, whole, max_bytes));
}

}  // namespace binyan::grammar
