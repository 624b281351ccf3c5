#include "grammar/n_best.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory_resource>
#include <unordered_set>

#include "elementary/functions.hpp"
#include "no_index.hpp"
#include "stack_space.hpp"

namespace binyan::grammar {
namespace {

constexpr uint32_t kNewTree = ~0u;  // an item: a tree that is not cached, and so is part of none that is

// One of the ways to derive an index: a cached tree, or an edge with the ranks of its children.
struct Way {
  double log_value;
  uint32_t tree, edge, left, right;
  bool operator<(const Way& other) const { return log_value < other.log_value; }
};

class Search {
 public:
  Search(const Adaptor& adaptor, const SearchWeights& weights, const WordView& w, uint32_t last)
      : adaptor_(adaptor), weights_(weights), w_(w), best_(last + 1), place_of_(last + 1, kNoIndex) {
    const Forest& f = w.forest;
    for (uint32_t i = 1; i < f.node_base() && i <= last; ++i) {
      const Forest::Leaf& leaf = f.leaves[i - 1];
      best_[i] =
          weights.log_rule[leaf_rule(adaptor.grammar, w, i)] + (leaf.whole ? weights.log_scale[leaf.symbol] : 0.0);
    }
    for (uint32_t i = f.node_base(); i <= last; ++i) {
      const Forest::Node& node = f.nodes[i - f.node_base()];
      double best = -INFINITY;
      for (uint32_t e = node.first_edge; e < (&node + 1)->first_edge; ++e)
        best = std::max(best, value(f.edges[e], best_[f.edges[e].left], best_[f.edges[e].right]));
      best += weights.log_scale[node.symbol];
      for (uint32_t t = first_tree(node); t != kNoIndex; t = adaptor.trees[t].next)
        best = std::max(best, weights.log_cached[t]);
      best_[i] = best;
    }
  }

  // The way of this rank to derive `index`, or null where there are fewer.
  const Way* get(uint32_t index, uint32_t rank) {
    require_stack();
    Place& place = this->place(index);
    while (place.ways.size() <= rank) {
      if (place.candidates.empty()) return nullptr;
      std::pop_heap(place.candidates.begin(), place.candidates.end());
      const Way way = place.candidates.back();
      place.candidates.pop_back();
      place.ways.push_back(way);
      if (way.tree != kNoIndex) continue;
      const Edge& e = w_.forest.edges[way.edge];
      propose(place, index, way.edge, way.left, way.right + 1, e.right, way.right + 1);
      if (way.right == 0) propose(place, index, way.edge, way.left + 1, 0, e.left, way.left + 1);
    }
    return &place.ways[rank];
  }

  // Write the rules of the way of this rank; returns the probability of the derivation, whichever way it is made.
  ScaledDouble write(uint32_t index, uint32_t rank, std::vector<uint32_t>& rules) {
    require_stack();
    if (index == 0) return 1.0;
    if (index < w_.forest.node_base()) {
      const uint32_t rule = leaf_rule(adaptor_.grammar, w_, index);
      rules.push_back(rule);
      items_.push_back(rule);
      return adaptor_.rule_probability(rule);
    }
    const Way way = *get(index, rank);
    if (way.tree != kNoIndex) {
      adaptor_.expand(adaptor_.trees[way.tree].body, rules);
      items_.push_back(kTreeItem | way.tree);
      return weights_.tree[way.tree];
    }
    const size_t first = items_.size();
    const Edge& e = w_.forest.edges[way.edge];
    ScaledDouble probability(1.0);
    if (e.rule != adaptor_.grammar.unit()) {
      rules.push_back(e.rule);
      items_.push_back(e.rule);
      probability = adaptor_.rule_probability(e.rule);
    }
    probability *= write(e.left, way.left, rules);
    probability *= write(e.right, way.right, rules);
    const Forest::Node& node = w_.forest.nodes[index - w_.forest.node_base()];
    if (node.adapted == kNoIndex) return probability;
    uint32_t tree = first_tree(node);
    while (tree != kNoIndex && !std::equal(items_.begin() + first, items_.end(), adaptor_.trees[tree].body.begin(),
                                           adaptor_.trees[tree].body.end()))
      tree = adaptor_.trees[tree].next;
    items_.resize(first);
    items_.push_back(tree == kNoIndex ? kNewTree : kTreeItem | tree);
    return tree == kNoIndex
               ? probability *
                     ScaledDouble(
                         adaptor_.adaptors[adaptor_.grammar.adapted_index[node.symbol]].new_table_probability())
               : weights_.tree[tree];
  }

  void clear_items() { items_.clear(); }

 private:
  struct Place {
    explicit Place(std::pmr::memory_resource* arena) : ways(arena), candidates(arena) {}
    std::pmr::vector<Way> ways;        // found, best first
    std::pmr::vector<Way> candidates;  // a heap of the next ones
  };

  double value(const Edge& e, double left, double right) const { return weights_.log_rule[e.rule] + left + right; }

  uint32_t first_tree(const Forest::Node& node) const {
    return node.adapted == kNoIndex || w_.yields[node.adapted] == 0 ? kNoIndex
                                                                    : adaptor_.first_tree[w_.yields[node.adapted]];
  }

  Place& place(uint32_t index) {
    if (place_of_[index] == kNoIndex) {
      place_of_[index] = static_cast<uint32_t>(places_.size());
      places_.emplace_back(&arena_);
      start(index, places_.back());
    }
    return places_[place_of_[index]];
  }

  void start(uint32_t index, Place& place) {
    const Forest& f = w_.forest;
    if (index < f.node_base()) {
      place.ways.push_back({best_[index], kNoIndex, kNoIndex, 0, 0});
      return;
    }
    const Forest::Node& node = f.nodes[index - f.node_base()];
    const double scale = weights_.log_scale[node.symbol];
    place.candidates.reserve((&node + 1)->first_edge - node.first_edge + 4);
    for (uint32_t e = node.first_edge; e < (&node + 1)->first_edge; ++e)
      place.candidates.push_back(
          {scale + value(f.edges[e], best_[f.edges[e].left], best_[f.edges[e].right]), kNoIndex, e, 0, 0});
    for (uint32_t t = first_tree(node); t != kNoIndex; t = adaptor_.trees[t].next)
      if (adaptor_.trees[t].seats.customers > 0) place.candidates.push_back({weights_.log_cached[t], t, 0, 0, 0});
    std::make_heap(place.candidates.begin(), place.candidates.end());
  }

  // Add the way over `edge` with these ranks, if the child `needed` has one of rank `rank`.
  void propose(Place& place, uint32_t index, uint32_t edge, uint32_t left, uint32_t right, uint32_t needed,
               uint32_t rank) {
    if (get(needed, rank) == nullptr) return;
    const Edge& e = w_.forest.edges[edge];
    const double scale = weights_.log_scale[w_.forest.nodes[index - w_.forest.node_base()].symbol];
    place.candidates.push_back(
        {scale + value(e, get(e.left, left)->log_value, get(e.right, right)->log_value), kNoIndex, edge, left, right});
    std::push_heap(place.candidates.begin(), place.candidates.end());
  }

  const Adaptor& adaptor_;
  const SearchWeights& weights_;
  const WordView& w_;
  std::vector<double> best_;                            // log value of the best way of each index
  std::vector<uint32_t> place_of_;                      // of each index, its place; kNoIndex: not visited
  std::pmr::monotonic_buffer_resource arena_{1 << 16};  // a search allocates much and frees nothing before its end
  std::pmr::deque<Place> places_{&arena_};              // a deque: places stay where they are when others are added
  std::vector<uint32_t> items_;                         // of the derivation being written
};

}  // namespace

SearchWeights::SearchWeights(const Adaptor& adaptor) {
  for (double p : adaptor.weights.rule) log_rule.push_back(elementary::log(p));
  for (double s : adaptor.weights.scale) log_scale.push_back(elementary::log(s));
  for (uint32_t t = 0; t < adaptor.trees.size(); ++t) {
    const CachedTree& cached_tree = adaptor.trees[t];
    const bool cached = cached_tree.adapted != kNoIndex && cached_tree.seats.customers > 0;
    log_cached.push_back(
        cached ? elementary::log(cached_tree.seats.weight(adaptor.adaptors[cached_tree.adapted].hyper.discount) *
                                 adaptor.weights.per_customer[cached_tree.adapted])
               : -INFINITY);
    tree.push_back(cached_tree.adapted == kNoIndex ? ScaledDouble(0.0) : adaptor.tree_proposal(t));
  }
}

std::vector<Derivation> n_best(const Adaptor& adaptor, const SearchWeights& weights, const WordView& w, uint32_t index,
                               const SearchLimit& limit) {
  Search search(adaptor, weights, w, index);
  std::unordered_set<std::vector<uint32_t>, RulesHash> seen;
  std::vector<Derivation> derivations;
  double rest = 1.0;
  for (uint32_t rank = 0; !limit.reached(rank, derivations.size(), rest); ++rank) {
    if (search.get(index, rank) == nullptr) break;
    std::vector<uint32_t> rules;
    search.clear_items();
    const double log_probability = search.write(index, rank, rules).log();
    if (!seen.insert(rules).second) continue;
    derivations.push_back({std::move(rules), log_probability});
    rest -= elementary::exp(log_probability - limit.log_total);
  }
  std::stable_sort(derivations.begin(), derivations.end(),
                   [](const Derivation& x, const Derivation& y) { return x.log_probability > y.log_probability; });
  return derivations;
}

}  // namespace binyan::grammar
