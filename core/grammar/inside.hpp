// Sums over the derivations in a forest, for weights that change while the forest does not.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/forest.hpp"
#include "grammar/scaled_double.hpp"
#include "no_index.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/seating.hpp"

namespace binyan::grammar {

// Customers and tables of all cached trees that share one yield.
struct YieldCounts {
  uint32_t customers = 0, tables = 0;
};

// A snapshot of the weights of rules and cached trees. A node of symbol A is worth
//   scale[A] * sum over its edges + (customers - a * tables) * per_customer   (the second term only where A is adapted)
// with scale[A] = 1 / (total weight of A's rules), times (a M + b) / (N + b) where A is adapted; per_customer = 1 / (N
// + b).
struct Weights {
  std::vector<double> rule;          // of each rule, and 1 for the unit rule
  std::vector<double> scale;         // of each symbol; 1 for intermediate symbols
  std::vector<double> discount;      // a of each adapted symbol
  std::vector<double> per_customer;  // of each adapted symbol
  std::vector<YieldCounts> yield;    // of each yield number; number 0 is never cached
  std::vector<uint64_t>
      used;  // a bit for each yield with customers: few have any, and the bits stay in the processor's cache

  bool is_used(uint32_t y) const { return (used[y >> 6] >> (y & 63)) & 1; }
  void resize_yields(size_t n) {
    yield.resize(n);
    used.resize((n + 63) / 64);
  }
  void seat(uint32_t y, int customers, int tables) {
    yield[y].customers += customers;
    yield[y].tables += tables;
    const uint64_t bit = uint64_t{1} << (y & 63);
    if (yield[y].customers > 0) used[y >> 6] |= bit;
    else used[y >> 6] &= ~bit;
  }
  double cached(uint32_t adapted, uint32_t y) const {
    const YieldCounts& c = yield[y];
    return pitman_yor::old_tables_weight(c.customers, c.tables, discount[adapted]) * per_customer[adapted];
  }
};

// A word to be summed over: its atoms, its forest, and the yield number of each adapted node. Where nodes are
// restricted, `cached` has the value of the cached trees that agree, for each adapted node.
struct WordView {
  const Forest& forest;
  std::span<const uint32_t> atoms;
  const uint32_t* yields;
  const double* cached = nullptr;

  double cached_value(const Weights& weights, uint32_t adapted, uint32_t adapted_node, uint32_t yield) const {
    return cached == nullptr ? weights.cached(adapted, yield) : cached[adapted_node];
  }
};

inline uint32_t leaf_rule(const CompiledGrammar& g, const WordView& w, uint32_t index) {
  const Forest::Leaf& leaf = w.forest.leaves[index - 1];
  return g.lexical_rule(leaf.symbol, atom_at(w.atoms, leaf.position));
}

// Below this, products of doubles may have lost digits: sum again with extended exponents.
constexpr double kUnderflow = 1e-280;

// Values of the leaves, and of the empty product.
template <class Number>
void inside_leaves(const CompiledGrammar& g, const Weights& weights, const WordView& w, std::vector<Number>& value) {
  const Forest& f = w.forest;
  if (value.size() < f.size()) value.resize(f.size());
  value[0] = Number(1.0);
  for (uint32_t i = 0; i < f.leaves.size(); ++i) {
    const double p = weights.rule[leaf_rule(g, w, i + 1)];
    value[i + 1] = Number(f.leaves[i].whole ? p * weights.scale[f.leaves[i].symbol] : p);
  }
}

// Sum over the edges of a node, given the values of what is below it.
template <class Number>
Number edge_sum(const Weights& weights, const Forest& f, const Forest::Node& node, const std::vector<Number>& value) {
  const double* rule = weights.rule.data();
  const Edge* end = f.edges.data() + (&node + 1)->first_edge;
  Number sum(0.0);
  for (const Edge* edge = f.edges.data() + node.first_edge; edge != end; ++edge)
    sum += Number(rule[edge->rule]) * value[edge->left] * value[edge->right];
  return sum;
}

// Inside values of all leaves and of the nodes at(0), ..., at(count - 1), children before parents. Number is double, or
// ScaledDouble where doubles underflow.
template <class Number, class At>
void inside_nodes(const CompiledGrammar& g, const Weights& weights, const WordView& w, size_t count, At at,
                  std::vector<Number>& value) {
  inside_leaves(g, weights, w, value);
  const Forest& f = w.forest;
  const uint32_t base = f.node_base();
  for (size_t k = 0; k < count; ++k) {
    const uint32_t i = at(k);
    const Forest::Node& node = f.nodes[i - base];
    Number sum = edge_sum(weights, f, node, value);
    sum *= Number(weights.scale[node.symbol]);
    if (node.adapted != kNoIndex) {
      const uint32_t y = w.yields[node.adapted];
      if (weights.is_used(y)) sum += Number(w.cached_value(weights, g.adapted_index[node.symbol], node.adapted, y));
    }
    value[i] = sum;
  }
}

// Inside values of the indices 0, ..., last.
template <class Number>
void inside(const CompiledGrammar& g, const Weights& weights, const WordView& w, uint32_t last,
            std::vector<Number>& value) {
  const uint32_t base = w.forest.node_base();
  const auto at = [base](size_t k) { return base + static_cast<uint32_t>(k); };
  inside_nodes(g, weights, w, last < base ? 0 : last - base + 1, at, value);
}

// Inside values of some nodes only, children before parents.
template <class Number>
void inside_some(const CompiledGrammar& g, const Weights& weights, const WordView& w, std::span<const uint32_t> some,
                 std::vector<Number>& value) {
  inside_nodes(
      g, weights, w, some.size(), [some](size_t k) { return some[k]; }, value);
}

// An edge of the node in proportion to its value.
template <class Number>
const Edge& draw_edge(const Weights& weights, const Forest& f, uint32_t index, const std::vector<Number>& value,
                      pitman_yor::Random& random) {
  const Forest::Node& node = f.nodes[index - f.node_base()];
  const Edge* first = f.edges.data() + node.first_edge;
  const Edge* last = f.edges.data() + (&node + 1)->first_edge - 1;
  if (first == last) return *first;
  Number sum(0.0);
  for (const Edge* e = first; e <= last; ++e) sum += Number(weights.rule[e->rule]) * value[e->left] * value[e->right];
  const Number threshold = sum * Number(random.uniform());
  Number passed(0.0);
  for (const Edge* e = first; e < last; ++e) {
    passed += Number(weights.rule[e->rule]) * value[e->left] * value[e->right];
    if (threshold < passed) return *e;
  }
  // Rounding may leave the last edge; it must be possible.
  while (last > first && !(Number(0.0) < Number(weights.rule[last->rule]) * value[last->left] * value[last->right]))
    --last;
  return *last;
}

}  // namespace binyan::grammar
