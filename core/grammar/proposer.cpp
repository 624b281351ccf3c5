#include "grammar/proposer.hpp"

#include "errors.hpp"
#include "grammar/agreement.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

WordView Proposer::with_agreeing_trees(const WordView& w) {
  adaptor_.refresh();
  if (w.forest.restricted.empty()) return w;
  const Forest& f = w.forest;
  cached_.assign(f.adapted.size(), 0.0);
  for (uint32_t k = 0; k < f.adapted.size(); ++k) {
    const uint32_t yield = w.yields[k];
    if (!adaptor_.weights.is_used(yield)) continue;
    const uint32_t adapted = adaptor_.grammar.adapted_index[f.nodes[f.adapted[k] - f.node_base()].symbol];
    if (!f.restricted[k]) {
      cached_[k] = adaptor_.weights.cached(adapted, yield);
      continue;
    }
    for (uint32_t i = adaptor_.first_tree[yield]; i != kNoIndex; i = adaptor_.trees[i].next)
      if (adaptor_.trees[i].seats.customers > 0 && agrees(adaptor_, w, f.adapted[k], adaptor_.trees[i].body))
        cached_[k] += adaptor_.trees[i].seats.weight(adaptor_.adaptors[adapted].hyper.discount) *
                      adaptor_.weights.per_customer[adapted];
  }
  return {f, w.atoms, w.yields, cached_.data()};
}

uint32_t Proposer::draw_cached(const WordView& w, uint32_t index, uint32_t yield, pitman_yor::Random& random) const {
  const Forest::Node& node = w.forest.nodes[index - w.forest.node_base()];
  const uint32_t adapted = adaptor_.grammar.adapted_index[node.symbol];
  if (!w.forest.is_restricted(node.adapted)) return adaptor_.draw_cached(adapted, yield, random);
  const double discount = adaptor_.adaptors[adapted].hyper.discount;
  double left = random.uniform() * w.cached[node.adapted] / adaptor_.weights.per_customer[adapted];
  uint32_t chosen = kNoIndex;
  for (uint32_t i = adaptor_.first_tree[yield]; i != kNoIndex; i = adaptor_.trees[i].next) {
    const CachedTree& t = adaptor_.trees[i];
    if (t.seats.customers == 0 || !agrees(adaptor_, w, index, t.body)) continue;
    chosen = i;
    if ((left -= t.seats.weight(discount)) < 0.0) break;
  }
  if (chosen == kNoIndex) throw InternalError("no cached tree agrees where one should");
  return chosen;
}

bool Proposer::sum_doubles(const WordView& w, uint32_t index) {
  inside(adaptor_.grammar, *weights_, w, index, values_);
  in_doubles_ = values_[index] > kUnderflow;
  if (!in_doubles_) inside(adaptor_.grammar, *weights_, w, index, extended_);
  return in_doubles_;
}

// Sums what is below the node, and `total`: the sum over its edges as probabilities.
bool Proposer::sum_doubles_below(const WordView& w, uint32_t index) {
  const std::span<const uint32_t> below = below_.of(w.forest, index);
  const Forest::Node& node = w.forest.nodes[index - w.forest.node_base()];
  inside_some(adaptor_.grammar, *weights_, w, below, values_);
  const double sum = edge_sum(*weights_, w.forest, node, values_);
  in_doubles_ = sum > kUnderflow && sum < 1.0 / kUnderflow;
  total = ScaledDouble(sum);
  if (!in_doubles_) {
    inside_some(adaptor_.grammar, *weights_, w, below, extended_);
    total = edge_sum(*weights_, w.forest, node, extended_);
  }
  total /= ScaledDouble(adaptor_.rule_total(node.symbol));
  return in_doubles_;
}

ScaledDouble Proposer::sum(const WordView& word, uint32_t index) {
  const WordView w = with_agreeing_trees(word);
  return total = sum_doubles(w, index) ? ScaledDouble(values_[index]) : extended_[index];
}

ScaledDouble Proposer::sum_new(const WordView& word, uint32_t index) {
  sum_doubles_below(with_agreeing_trees(word), index);
  return total;
}

void Proposer::draw(const WordView& given, uint32_t word, uint32_t index, pitman_yor::Random& random) {
  sum(given, index);
  draw_summed(given, word, index, random);
}

void Proposer::draw_summed(const WordView& given, uint32_t word, uint32_t index, pitman_yor::Random& random) {
  items.clear();
  pending_.assign(1, {index, kNoIndex});
  const WordView w{given.forest, given.atoms, given.yields, given.forest.restricted.empty() ? nullptr : cached_.data()};
  if (in_doubles_) descend(w, word, values_, random);
  else descend(w, word, extended_, random);
}

void Proposer::draw_new(const WordView& given, uint32_t word, uint32_t index, pitman_yor::Random& random) {
  items.clear();
  pending_.clear();
  const WordView w = weights_ == &flat_ ? given : with_agreeing_trees(given);
  if (sum_doubles_below(w, index)) {
    take_edge(w, index, values_, random);
    descend(w, word, values_, random);
  } else {
    take_edge(w, index, extended_, random);
    descend(w, word, extended_, random);
  }
}

void Proposer::draw_any(const WordView& given, uint32_t word, uint32_t index, pitman_yor::Random& random) {
  const Weights& now = adaptor_.weights;
  if (flat_.used.size() != now.used.size()) {
    flat_.rule.assign(now.rule.size(), 1.0);
    flat_.scale.assign(now.scale.size(), 1.0);
    flat_.used.assign(now.used.size(), 0);
  }
  weights_ = &flat_;
  draw_new(given, word, index, random);
  weights_ = &now;
}

template <class Number>
void Proposer::take_edge(const WordView& w, uint32_t index, const std::vector<Number>& value,
                         pitman_yor::Random& random) {
  const Edge& edge = draw_edge(*weights_, w.forest, index, value, random);
  if (edge.rule != adaptor_.grammar.unit()) items.push_back(edge.rule);
  if (edge.right != 0) pending_.push_back({edge.right, kNoIndex});
  if (edge.left != 0) pending_.push_back({edge.left, kNoIndex});
}

template <class Number>
void Proposer::descend(const WordView& w, uint32_t word, const std::vector<Number>& value, pitman_yor::Random& random) {
  const uint32_t base = w.forest.node_base();
  while (!pending_.empty()) {
    const auto [index, first] = pending_.back();
    pending_.pop_back();
    if (index < base) {
      items.push_back(leaf_rule(adaptor_.grammar, w, index));
      continue;
    }
    const Forest::Node& node = w.forest.nodes[index - base];
    if (node.adapted == kNoIndex) {
      take_edge(w, index, value, random);
      continue;
    }
    const uint32_t adapted = adaptor_.grammar.adapted_index[node.symbol], yield = w.yields[node.adapted];
    if (first != kNoIndex) {
      const uint32_t tree = adaptor_.intern(adapted, yield, std::span(items).subspan(first), word, index);
      items.resize(first);
      items.push_back(kTreeItem | tree);
      continue;
    }
    if (weights_->is_used(yield)) {
      const Number cached(w.cached_value(*weights_, adapted, node.adapted, yield));
      if (value[index] * Number(random.uniform()) < cached) {
        items.push_back(kTreeItem | draw_cached(w, index, yield, random));
        continue;
      }
    }
    pending_.push_back({index, static_cast<uint32_t>(items.size())});
    take_edge(w, index, value, random);
  }
}

}  // namespace binyan::grammar
