#include "grammar/n_best.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace binyan {
namespace {

// One of the best ways to derive an index: a cached tree, or an edge with the ranks of its children.
struct Way {
  double log_value;
  uint32_t tree, edge, left, right;
  bool operator<(const Way& other) const { return log_value < other.log_value; }
};

class Search {
 public:
  Search(const Adaptor& adaptor, const WordView& w, uint32_t last, uint32_t n) : adaptor_(adaptor), w_(w), ways_(last + 1) {
    const Forest& f = w.forest;
    ways_[0] = {{0.0, kNothing, kNothing, 0, 0}};
    for (uint32_t i = 1; i < f.node_base() && i <= last; ++i) {
      const Forest::Leaf& leaf = f.leaves[i - 1];
      const double p = adaptor.weights.rule[leaf_rule(adaptor.grammar, w, i)];
      ways_[i] = {{std::log(leaf.whole ? p * adaptor.weights.scale[leaf.symbol] : p), kNothing, kNothing, 0, 0}};
    }
    for (uint32_t i = f.node_base(); i <= last; ++i) fill(i, n);
  }

  std::vector<std::vector<uint32_t>> derivations(uint32_t index) const {
    std::vector<std::vector<uint32_t>> result;
    for (uint32_t rank = 0; rank < ways_[index].size(); ++rank) {
      result.emplace_back();
      write(index, rank, result.back());
    }
    return result;
  }

 private:
  double value(const Edge& e, uint32_t left, uint32_t right, double scale) const {
    return scale + std::log(adaptor_.weights.rule[e.rule]) + ways_[e.left][left].log_value + ways_[e.right][right].log_value;
  }

  void fill(uint32_t index, uint32_t n) {
    const Forest& f = w_.forest;
    const Forest::Node& node = f.nodes[index - f.node_base()];
    const double scale = std::log(adaptor_.weights.scale[node.symbol]);
    std::priority_queue<Way> queue;
    for (uint32_t e = node.first_edge; e < (&node + 1)->first_edge; ++e) queue.push({value(f.edges[e], 0, 0, scale), kNothing, e, 0, 0});
    if (node.adapted != kNothing && w_.yields[node.adapted] != 0) {
      const uint32_t k = adaptor_.grammar.adapted_index[node.symbol];
      for (uint32_t t = adaptor_.first_tree[w_.yields[node.adapted]]; t != kNothing; t = adaptor_.trees[t].next) {
        const CachedTree& tree = adaptor_.trees[t];
        if (tree.customers > 0) queue.push({std::log((tree.customers - adaptor_.adaptors[k].a * tree.tables) * adaptor_.weights.per_customer[k]), t, 0, 0, 0});
      }
    }
    while (!queue.empty() && ways_[index].size() < n) {
      const Way way = queue.top();
      queue.pop();
      ways_[index].push_back(way);
      if (way.tree != kNothing) continue;
      const Edge& e = f.edges[way.edge];
      if (way.right + 1 < ways_[e.right].size()) queue.push({value(e, way.left, way.right + 1, scale), kNothing, way.edge, way.left, way.right + 1});
      if (way.right == 0 && way.left + 1 < ways_[e.left].size()) queue.push({value(e, way.left + 1, 0, scale), kNothing, way.edge, way.left + 1, 0});
    }
  }

  void write(uint32_t index, uint32_t rank, std::vector<uint32_t>& rules) const {
    if (index == 0) return;
    if (index < w_.forest.node_base()) {
      rules.push_back(leaf_rule(adaptor_.grammar, w_, index));
      return;
    }
    const Way& way = ways_[index][rank];
    if (way.tree != kNothing) return adaptor_.expand(adaptor_.trees[way.tree].body, rules);
    const Edge& e = w_.forest.edges[way.edge];
    if (e.rule != adaptor_.grammar.unit()) rules.push_back(e.rule);
    write(e.left, way.left, rules);
    write(e.right, way.right, rules);
  }

  const Adaptor& adaptor_;
  const WordView& w_;
  std::vector<std::vector<Way>> ways_;
};

}  // namespace

std::vector<std::vector<uint32_t>> n_best(const Adaptor& adaptor, const WordView& w, uint32_t index, uint32_t n) {
  return Search(adaptor, w, index, n).derivations(index);
}

}  // namespace binyan
