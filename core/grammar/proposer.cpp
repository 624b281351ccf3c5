#include "grammar/proposer.hpp"

#include "no_index.hpp"

namespace binyan::grammar {

bool Proposer::sum_doubles(const WordView& w, uint32_t index) {
  adaptor_.refresh();
  inside(adaptor_.grammar, adaptor_.weights, w, index, values_);
  if (values_[index] > kUnderflow) return true;
  inside(adaptor_.grammar, adaptor_.weights, w, index, extended_);
  return false;
}

ScaledDouble Proposer::sum(const WordView& w, uint32_t index) {
  return sum_doubles(w, index) ? ScaledDouble(values_[index]) : extended_[index];
}

void Proposer::draw(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random) {
  items.clear();
  if (sum_doubles(w, index)) descend(w, word, index, values_, random);
  else descend(w, word, index, extended_, random);
}

void Proposer::draw_new(const WordView& w, uint32_t word, uint32_t index, pitman_yor::Random& random) {
  items.clear();
  if (sum_doubles(w, index)) descend_edge(w, word, index, values_, random);
  else descend_edge(w, word, index, extended_, random);
}

template <class Number>
void Proposer::descend_edge(const WordView& w, uint32_t word, uint32_t index, const std::vector<Number>& value,
                            pitman_yor::Random& random) {
  const Edge& edge = draw_edge(adaptor_.weights, w.forest, index, value, random);
  if (edge.rule != adaptor_.grammar.unit()) items.push_back(edge.rule);
  if (edge.left != 0) descend(w, word, edge.left, value, random);
  if (edge.right != 0) descend(w, word, edge.right, value, random);
}

template <class Number>
void Proposer::descend(const WordView& w, uint32_t word, uint32_t index, const std::vector<Number>& value,
                       pitman_yor::Random& random) {
  const uint32_t base = w.forest.node_base();
  if (index < base) {
    items.push_back(leaf_rule(adaptor_.grammar, w, index));
    return;
  }
  const Forest::Node& node = w.forest.nodes[index - base];
  if (node.adapted == kNoIndex) return descend_edge(w, word, index, value, random);
  const uint32_t adapted = adaptor_.grammar.adapted_index[node.symbol], yield = w.yields[node.adapted];
  if (adaptor_.weights.is_used(yield)) {
    const Number cached(adaptor_.weights.cached(adapted, yield));
    if (value[index] * Number(random.uniform()) < cached) {
      items.push_back(kTreeItem | adaptor_.draw_cached(adapted, yield, random));
      return;
    }
  }
  const size_t first = items.size();
  descend_edge(w, word, index, value, random);
  const uint32_t tree = adaptor_.intern(adapted, yield, std::span(items).subspan(first), word, index);
  items.resize(first);
  items.push_back(kTreeItem | tree);
}

}  // namespace binyan::grammar
