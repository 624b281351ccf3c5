#include "grammar/adaptor.hpp"

#include <algorithm>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

Adaptor::Adaptor(const CompiledGrammar& compiled, std::vector<SymbolRestaurant> restaurants, uint32_t yields)
    : grammar(compiled), adaptors(std::move(restaurants)), first_tree(yields, kNoIndex) {
  if (adaptors.size() != grammar.adapted_symbols.size()) throw InputError("each adapted symbol needs its a and b");
  weights.resize_yields(yields);
  restore(std::vector<uint64_t>(grammar.rules.size(), 0));
}

void Adaptor::restore(std::vector<uint64_t> rule_counts) {
  if (rule_counts.size() != grammar.rules.size()) throw InputError("the rule counts are of another grammar");
  counts_ = std::move(rule_counts);
  weights.rule.assign(grammar.rules.size() + 1, 1.0);
  prior_totals_.assign(grammar.symbols(), 0.0);
  symbol_counts_.assign(grammar.symbols(), 0);
  for (size_t r = 0; r < counts_.size(); ++r) {
    weights.rule[r] = grammar.rules[r].weight + static_cast<double>(counts_[r]);
    prior_totals_[grammar.rules[r].lhs] += grammar.rules[r].weight;
    symbol_counts_[grammar.rules[r].lhs] += counts_[r];
  }
  totals_.resize(grammar.symbols());
  for (uint32_t s = 0; s < grammar.symbols(); ++s)
    totals_[s] = prior_totals_[s] + static_cast<double>(symbol_counts_[s]);
  for (SymbolRestaurant& p : adaptors) p.customers = p.tables = 0;
  std::fill(weights.yield.begin(), weights.yield.end(), YieldCounts{});
  std::fill(weights.used.begin(), weights.used.end(), 0);
  for (const CachedTree& t : trees) {
    if (t.adapted == kNoIndex) continue;
    follow(t, static_cast<int>(t.seats.customers), static_cast<int>(t.seats.tables));
  }
  weights.scale.assign(grammar.symbols(), 1.0);
  weights.discount.assign(adaptors.size(), 0.0);
  weights.per_customer.assign(adaptors.size(), 0.0);
  journal_.clear();
  touched_.clear();
  first_of_word_ = 0;
  refresh();
}

void Adaptor::refresh() {
  for (uint32_t s = 0; s < grammar.source_symbols; ++s) weights.scale[s] = 1.0 / totals_[s];
  for (size_t k = 0; k < adaptors.size(); ++k) {
    const SymbolRestaurant& p = adaptors[k];
    weights.discount[k] = p.hyper.discount;
    weights.per_customer[k] = p.customers == 0 ? 0.0 : 1.0 / p.total_weight();
    weights.scale[grammar.adapted_symbols[k]] *= p.new_table_probability();
  }
}

// ---- elementary changes, each the inverse of another ----

void Adaptor::count(uint32_t rule, int by) {
  const uint32_t s = grammar.rules[rule].lhs;
  counts_[rule] += by;
  symbol_counts_[s] += by;
  weights.rule[rule] = grammar.rules[rule].weight + static_cast<double>(counts_[rule]);
  totals_[s] = prior_totals_[s] + static_cast<double>(symbol_counts_[s]);
}

void Adaptor::follow(const CachedTree& t, int customers, int tables) {
  adaptors[t.adapted].customers += customers;
  adaptors[t.adapted].tables += tables;
  if (t.yield != 0) weights.seat(t.yield, customers, tables);
}

void Adaptor::join(uint32_t tree, uint32_t table) {
  trees[tree].seats.join(table);
  follow(trees[tree], 1, 0);
}

void Adaptor::leave(uint32_t tree, uint32_t table) {
  trees[tree].seats.leave(table);
  follow(trees[tree], -1, 0);
}

void Adaptor::open(uint32_t tree, uint32_t table) {
  trees[tree].seats.open(table);
  follow(trees[tree], 1, 1);
}

void Adaptor::close(uint32_t tree, uint32_t table) {
  trees[tree].seats.close(table);
  follow(trees[tree], -1, -1);
}

void Adaptor::rollback() {
  for (size_t i = journal_.size(); i-- > 0;) {
    const Step& step = journal_[i];
    switch (step.kind) {
      case Step::kCount: count(step.item, -1); break;
      case Step::kUncount: count(step.item, 1); break;
      case Step::kJoin: leave(step.item, step.table); break;
      case Step::kLeave: join(step.item, step.table); break;
      case Step::kOpen: close(step.item, step.table); break;
      case Step::kClose: open(step.item, step.table); break;
    }
  }
  journal_.clear();
}

void Adaptor::commit() {
  journal_.clear();
  for (uint32_t i : touched_) {
    CachedTree& t = trees[i];
    if (t.seats.customers > 0 || t.adapted == kNoIndex) continue;
    if (t.yield != 0) {
      uint32_t* link = &first_tree[t.yield];
      while (*link != i) link = &trees[*link].next;
      *link = t.next;
    }
    t.adapted = t.next = kNoIndex;
    t.body.clear();
    free_trees.push_back(i);
  }
  touched_.clear();
  first_of_word_ = 0;
}

// ---- derivations ----

ScaledDouble Adaptor::proposal(std::span<const uint32_t> items) const {
  ScaledDouble product(1.0);
  for (uint32_t item : items)
    product *= is_tree(item) ? tree_proposal(tree_of(item)) : ScaledDouble(rule_probability(item));
  return product;
}

ScaledDouble Adaptor::tree_proposal(uint32_t tree) const {
  const CachedTree& t = trees[tree];
  const SymbolRestaurant& p = adaptors[t.adapted];
  ScaledDouble result = proposal(t.body) * ScaledDouble(p.new_table_probability());
  if (t.seats.customers > 0) result += ScaledDouble(p.old_tables_probability(t.seats));
  return result;
}

// The two ways to use a tree as they are now: from the cache, or derived anew by its body.
Adaptor::Ways Adaptor::ways(const CachedTree& t) const {
  const SymbolRestaurant& p = adaptors[t.adapted];
  const double new_table = p.new_table_probability();
  Ways result{new_table, ScaledDouble(0.0), ScaledDouble(1.0), ScaledDouble(new_table)};
  if (t.seats.customers > 0) {
    result.cached = ScaledDouble(p.old_tables_probability(t.seats));
    result.body = proposal(t.body);
    result.both = result.cached + ScaledDouble(new_table) * result.body;
  }
  return result;
}

void Adaptor::add(std::span<const uint32_t> items, pitman_yor::Random& random, Change& change) {
  for (uint32_t item : items) {
    if (!is_tree(item)) {
      const ScaledDouble p(rule_probability(item));
      change.joint *= p;
      change.weight *= p;
      count(item, 1);
      journal_.push_back({Step::kCount, item, 0});
      continue;
    }
    const uint32_t tree = tree_of(item);
    const CachedTree& t = trees[tree];
    const Ways w = ways(t);
    if (t.seats.customers > 0 && w.both * ScaledDouble(random.uniform()) < w.cached) {
      const double discount = adaptors[t.adapted].hyper.discount;
      const uint32_t table = t.seats.draw_to_join(discount, random);
      change.joint *= w.cached * ScaledDouble(t.seats.join_probability(table, discount));
      change.weight *= w.both;
      join(tree, table);
      journal_.push_back({Step::kJoin, tree, table});
      continue;
    }
    change.joint *= ScaledDouble(w.new_table);
    change.weight *= w.both / w.body;
    const uint32_t table = t.seats.tables;
    journal_.push_back({Step::kOpen, tree, table});
    open(tree, table);
    add(trees[tree].body, random, change);
  }
}

void Adaptor::remove(std::span<const uint32_t> items, pitman_yor::Random& random, Change& change) {
  for (size_t i = items.size(); i-- > 0;) {
    const uint32_t item = items[i];
    if (!is_tree(item)) {
      count(item, -1);
      journal_.push_back({Step::kUncount, item, 0});
      const ScaledDouble p(rule_probability(item));
      change.joint *= p;
      change.weight *= p;
      continue;
    }
    const uint32_t tree = tree_of(item);
    const CachedTree& t = trees[tree];
    const uint32_t table = t.seats.draw_to_leave(random), size = t.seats.size(table);
    const bool closes = size == 1;
    if (closes) {
      remove(t.body, random, change);
      close(tree, table);
      journal_.push_back({Step::kClose, tree, table});
      if (t.seats.customers == 0) touched_.push_back(tree);
    } else {
      leave(tree, table);
      journal_.push_back({Step::kLeave, tree, table});
    }
    const SymbolRestaurant& p = adaptors[t.adapted];
    const Ways w = ways(t);
    change.joint *=
        ScaledDouble(closes ? w.new_table : pitman_yor::table_weight(size - 1, p.hyper.discount) / p.total_weight());
    change.weight *= closes ? w.both / w.body : w.both;
  }
}

// ---- cached trees ----

uint32_t Adaptor::intern(uint32_t adapted, uint32_t yield, std::span<const uint32_t> body, uint32_t word,
                         uint32_t node) {
  const auto same = [&](const CachedTree& t) {
    return std::equal(body.begin(), body.end(), t.body.begin(), t.body.end());
  };
  if (yield != 0) {
    for (uint32_t i = first_tree[yield]; i != kNoIndex; i = trees[i].next)
      if (same(trees[i])) return i;
  } else {
    for (size_t k = first_of_word_; k < touched_.size(); ++k)
      if (const uint32_t i = touched_[k];
          trees[i].adapted == adapted && trees[i].word == word && trees[i].node == node && same(trees[i]))
        return i;
  }
  uint32_t i;
  if (free_trees.empty()) {
    i = static_cast<uint32_t>(trees.size());
    trees.emplace_back();
  } else {
    i = free_trees.back();
    free_trees.pop_back();
  }
  CachedTree& t = trees[i];
  t.adapted = adapted;
  t.yield = yield;
  t.word = word;
  t.node = node;
  t.body.assign(body.begin(), body.end());
  if (yield != 0) {
    t.next = first_tree[yield];
    first_tree[yield] = i;
  }
  touched_.push_back(i);
  return i;
}

uint32_t Adaptor::draw_cached(uint32_t adapted, uint32_t yield, pitman_yor::Random& random) const {
  const double discount = adaptors[adapted].hyper.discount;
  double left = random.uniform() *
                pitman_yor::old_tables_weight(weights.yield[yield].customers, weights.yield[yield].tables, discount);
  uint32_t chosen = kNoIndex;
  for (uint32_t i = first_tree[yield]; i != kNoIndex; i = trees[i].next) {
    if (trees[i].seats.customers == 0) continue;
    chosen = i;
    if ((left -= trees[i].seats.weight(discount)) < 0.0) break;
  }
  if (chosen == kNoIndex) throw InternalError("no cached tree where the counts say there is one");
  return chosen;
}

void Adaptor::expand(std::span<const uint32_t> items, std::vector<uint32_t>& rules) const {
  for (uint32_t item : items) {
    if (is_tree(item)) expand(trees[tree_of(item)].body, rules);
    else rules.push_back(item);
  }
}

}  // namespace binyan::grammar
