#include "grammar/agreement.hpp"

#include <unordered_map>

#include "no_index.hpp"
#include "stack_space.hpp"

namespace binyan::grammar {
namespace {

using Trees = std::vector<std::pair<uint32_t, uint32_t>>;

// Follows the items of a derivation through a forest. Items are in preorder, so what a node takes of them is fixed;
// which of its edges they belong to has to be found.
class Follower {
 public:
  Follower(const Adaptor& adaptor, const WordView& w, std::span<const uint32_t> items)
      : adaptor_(adaptor), w_(w), items_(items) {}

  bool whole(uint32_t index, bool by_an_edge) {
    return (by_an_edge ? edges(index, 0) : node(index, 0)) == items_.size();
  }

  void gather(uint32_t index, uint32_t at, bool by_an_edge, Trees& trees) {
    require_stack();
    const Forest& f = w_.forest;
    if (index < f.node_base()) return;
    const Forest::Node& n = f.nodes[index - f.node_base()];
    if (n.adapted != kNoIndex && !by_an_edge) {
      if (!f.is_restricted(n.adapted)) return;
      trees.emplace_back(tree_of(items_[at]), index);
      Follower(adaptor_, w_, adaptor_.trees[tree_of(items_[at])].body).gather(index, 0, true, trees);
      return;
    }
    for (uint32_t e = n.first_edge; e < (&n + 1)->first_edge; ++e) {
      const Edge& edge = f.edges[e];
      if (edge_end(edge, at) == kNoIndex) continue;
      const uint32_t left = at + (edge.rule == adaptor_.grammar.unit() ? 0 : 1);
      if (edge.left != 0) gather(edge.left, left, false, trees);
      if (edge.right != 0) gather(edge.right, node(edge.left, left), false, trees);
      return;
    }
  }

 private:
  // Where the items of a node end that begin at `at`; kNoIndex where they do not derive it.
  uint32_t node(uint32_t index, uint32_t at) {
    if (at >= items_.size()) return kNoIndex;
    const Forest& f = w_.forest;
    const uint32_t item = items_[at];
    if (index < f.node_base()) return item == leaf_rule(adaptor_.grammar, w_, index) ? at + 1 : kNoIndex;
    const Forest::Node& n = f.nodes[index - f.node_base()];
    if (n.adapted == kNoIndex) return edges(index, at);
    if (!is_tree(item)) return kNoIndex;
    const CachedTree& t = adaptor_.trees[tree_of(item)];
    if (t.adapted != adaptor_.grammar.adapted_index[n.symbol] || t.yield != w_.yields[n.adapted]) return kNoIndex;
    if (t.yield != 0 && !f.is_restricted(n.adapted)) return at + 1;
    return Follower(adaptor_, w_, t.body).whole(index, true) ? at + 1 : kNoIndex;
  }

  uint32_t edges(uint32_t index, uint32_t at) {
    require_stack();
    const uint64_t key = (static_cast<uint64_t>(index) << 32) | at;
    if (const auto hit = ends_.find(key); hit != ends_.end()) return hit->second;
    const Forest::Node& n = w_.forest.nodes[index - w_.forest.node_base()];
    uint32_t end = kNoIndex;
    for (uint32_t e = n.first_edge; e < (&n + 1)->first_edge && end == kNoIndex; ++e)
      end = edge_end(w_.forest.edges[e], at);
    ends_.emplace(key, end);
    return end;
  }

  uint32_t edge_end(const Edge& edge, uint32_t at) {
    if (edge.rule != adaptor_.grammar.unit()) {
      if (at >= items_.size() || items_[at] != edge.rule) return kNoIndex;
      ++at;
    }
    if (edge.left != 0) at = node(edge.left, at);
    if (at != kNoIndex && edge.right != 0) at = node(edge.right, at);
    return at;
  }

  const Adaptor& adaptor_;
  const WordView& w_;
  std::span<const uint32_t> items_;
  std::unordered_map<uint64_t, uint32_t> ends_;
};

}  // namespace

bool agrees(const Adaptor& adaptor, const WordView& w, uint32_t index, std::span<const uint32_t> items) {
  return Follower(adaptor, w, items).whole(index, true);
}

bool derives(const Adaptor& adaptor, const WordView& w, std::span<const uint32_t> items) {
  return Follower(adaptor, w, items).whole(w.forest.root, false);
}

Trees restricted_trees(const Adaptor& adaptor, const WordView& w, std::span<const uint32_t> items) {
  Trees trees;
  Follower(adaptor, w, items).gather(w.forest.root, 0, false, trees);
  return trees;
}

}  // namespace binyan::grammar
