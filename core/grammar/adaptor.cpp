#include "grammar/adaptor.hpp"

#include <algorithm>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

Adaptor::Adaptor(const CompiledGrammar& grammar, std::vector<PitmanYor> adaptors, uint32_t yields)
    : grammar(grammar), adaptors(std::move(adaptors)), first_tree(yields, kNoIndex) {
  if (this->adaptors.size() != grammar.adapted_symbols.size()) throw InputError("each adapted symbol needs its a and b");
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
  for (uint32_t s = 0; s < grammar.symbols(); ++s) totals_[s] = prior_totals_[s] + static_cast<double>(symbol_counts_[s]);
  for (PitmanYor& p : adaptors) p.customers = p.tables = 0;
  std::fill(weights.yield.begin(), weights.yield.end(), YieldCounts{});
  std::fill(weights.used.begin(), weights.used.end(), 0);
  for (const CachedTree& t : trees) {
    if (t.adapted == kNoIndex) continue;
    adaptors[t.adapted].customers += t.customers;
    adaptors[t.adapted].tables += t.tables;
    if (t.yield != 0) weights.seat(t.yield, static_cast<int>(t.customers), static_cast<int>(t.tables));
  }
  weights.scale.assign(grammar.symbols(), 1.0);
  weights.discount.assign(adaptors.size(), 0.0);
  weights.per_customer.assign(adaptors.size(), 0.0);
  journal_.clear();
  touched_.clear();
  refresh();
}

void Adaptor::refresh() {
  for (uint32_t s = 0; s < grammar.source_symbols; ++s) weights.scale[s] = 1.0 / totals_[s];
  for (size_t k = 0; k < adaptors.size(); ++k) {
    const PitmanYor& p = adaptors[k];
    weights.discount[k] = p.a;
    weights.per_customer[k] = p.customers == 0 ? 0.0 : 1.0 / p.seats();
    weights.scale[grammar.adapted_symbols[k]] *= p.fresh();
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

void Adaptor::note(CachedTree& t, int customers, int tables) {
  t.customers += customers;
  t.tables += tables;
  adaptors[t.adapted].customers += customers;
  adaptors[t.adapted].tables += tables;
  if (t.yield != 0) weights.seat(t.yield, customers, tables);
}

void Adaptor::sit(uint32_t tree, uint32_t table) {
  CachedTree& t = trees[tree];
  if (t.tables > 1) ++t.sizes[table];
  note(t, 1, 0);
}

void Adaptor::leave(uint32_t tree, uint32_t table) {
  CachedTree& t = trees[tree];
  if (t.tables > 1) --t.sizes[table];
  note(t, -1, 0);
}

void Adaptor::open(uint32_t tree, uint32_t table) {
  CachedTree& t = trees[tree];
  if (t.tables == 1) t.sizes.assign(1, t.customers);
  if (t.tables > 0) {
    t.sizes.push_back(1);
    std::swap(t.sizes.back(), t.sizes[table]);
  }
  note(t, 1, 1);
}

void Adaptor::close(uint32_t tree, uint32_t table) {
  CachedTree& t = trees[tree];
  if (t.tables > 1) {
    std::swap(t.sizes.back(), t.sizes[table]);
    t.sizes.pop_back();
  }
  note(t, -1, -1);
  if (t.tables == 1) t.sizes.clear();
}

void Adaptor::rollback() {
  for (size_t i = journal_.size(); i-- > 0;) {
    const Step& step = journal_[i];
    switch (step.kind) {
      case Step::kCount: count(step.item, -1); break;
      case Step::kUncount: count(step.item, 1); break;
      case Step::kSit: leave(step.item, step.table); break;
      case Step::kLeave: sit(step.item, step.table); break;
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
    if (t.customers > 0 || t.adapted == kNoIndex) continue;
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
}

// ---- derivations ----

ScaledDouble Adaptor::proposal(std::span<const uint32_t> items) const {
  ScaledDouble product(1.0);
  for (uint32_t item : items) product *= is_tree(item) ? tree_proposal(tree_of(item)) : ScaledDouble(rule_probability(item));
  return product;
}

ScaledDouble Adaptor::tree_proposal(uint32_t tree) const {
  const CachedTree& t = trees[tree];
  const PitmanYor& p = adaptors[t.adapted];
  ScaledDouble result = proposal(t.body) * ScaledDouble(p.fresh());
  if (t.customers > 0) result += ScaledDouble((t.customers - p.a * t.tables) / p.seats());
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
    const PitmanYor& p = adaptors[t.adapted];
    const double fresh = p.fresh();
    ScaledDouble below(1.0), mass(fresh);
    if (t.customers > 0) {
      const ScaledDouble cached((t.customers - p.a * t.tables) / p.seats());
      below = proposal(t.body);
      mass = cached + ScaledDouble(fresh) * below;
      if (mass * ScaledDouble(random.uniform()) < cached) {
        uint32_t table = 0;
        double chance = 1.0;
        if (t.tables > 1) {
          double left = random.uniform() * (t.customers - p.a * t.tables);
          while (table + 1 < t.tables && (left -= t.sizes[table] - p.a) >= 0.0) ++table;
          chance = (t.sizes[table] - p.a) / (t.customers - p.a * t.tables);
        }
        change.joint *= cached * ScaledDouble(chance);
        change.weight *= mass;
        sit(tree, table);
        journal_.push_back({Step::kSit, tree, table});
        continue;
      }
    }
    change.joint *= ScaledDouble(fresh);
    change.weight *= mass / below;
    journal_.push_back({Step::kOpen, tree, t.tables});
    open(tree, t.tables);
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
    uint32_t table = 0, size = t.customers;
    if (t.tables > 1) {
      uint64_t seat = random.below(t.customers);
      while (seat >= t.sizes[table]) seat -= t.sizes[table++];
      size = t.sizes[table];
    }
    const bool closes = size == 1;
    if (closes) {
      remove(t.body, random, change);
      close(tree, table);
      journal_.push_back({Step::kClose, tree, table});
      if (t.customers == 0) touched_.push_back(tree);
    } else {
      leave(tree, table);
      journal_.push_back({Step::kLeave, tree, table});
    }
    const PitmanYor& p = adaptors[t.adapted];
    const double fresh = p.fresh();
    ScaledDouble below(1.0), mass(fresh);
    if (t.customers > 0) {
      below = proposal(t.body);
      mass = ScaledDouble((t.customers - p.a * t.tables) / p.seats()) + ScaledDouble(fresh) * below;
    }
    change.joint *= ScaledDouble(closes ? fresh : (size - 1 - p.a) / p.seats());
    change.weight *= closes ? mass / below : mass;
  }
}

// ---- cached trees ----

uint32_t Adaptor::intern(uint32_t adapted, uint32_t yield, std::span<const uint32_t> body, uint32_t word, uint32_t node) {
  const auto same = [&](const CachedTree& t) { return std::equal(body.begin(), body.end(), t.body.begin(), t.body.end()); };
  if (yield != 0) {
    for (uint32_t i = first_tree[yield]; i != kNoIndex; i = trees[i].next)
      if (same(trees[i])) return i;
  } else {
    for (uint32_t i : touched_)
      if (trees[i].adapted == adapted && trees[i].word == word && trees[i].node == node && same(trees[i])) return i;
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
  const double a = adaptors[adapted].a;
  double left = random.uniform() * (weights.yield[yield].customers - a * weights.yield[yield].tables);
  uint32_t chosen = kNoIndex;
  for (uint32_t i = first_tree[yield]; i != kNoIndex; i = trees[i].next) {
    if (trees[i].customers == 0) continue;
    chosen = i;
    if ((left -= trees[i].customers - a * trees[i].tables) < 0.0) break;
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
