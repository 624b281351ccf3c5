#include "grammar/chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

bool accept(const Change& added, const Change& removed, const ScaledDouble& proposed, const ScaledDouble& old,
            double temperature, pitman_yor::Random& random) {
  // joint(new) / joint(old) * Q(old) / Q(new), where weight = joint / probability of the seats.
  const ScaledDouble ratio = (added.weight * old) / (removed.weight * proposed);
  double log_ratio = 0.0;
  if (temperature != 1.0) log_ratio = (1.0 / temperature - 1.0) * (added.joint.log() - removed.joint.log());
  const double u = 1.0 - random.uniform();
  if (log_ratio == 0.0) return !(ratio < ScaledDouble(u));
  return std::log(u) <= ratio.log() + log_ratio;
}

}  // namespace

Chain::Chain(std::shared_ptr<const WordForests> words, std::vector<SymbolRestaurant> adaptors, uint64_t seed,
             uint64_t chain)
    : adaptor(words->grammar(), std::move(adaptors), words->yields()),
      words_(std::move(words)),
      seed_(seed),
      chain_(chain),
      items_(words_->size()),
      proposer_(adaptor),
      stack_(proposer_.items) {}

void Chain::initialise(bool incremental) {
  pitman_yor::Random random(seed_, chain_, 0);
  Change change;
  for (uint32_t i = 0; i < items_.size(); ++i) {
    if (!words_->parses(i)) continue;
    proposer_.draw(words_->view(i), i, words_->forest(i).root, random);
    items_[i] = stack_;
    if (incremental) {
      adaptor.add(items_[i], random, change);
      adaptor.commit();
    }
  }
  if (!incremental) {
    for (const auto& items : items_) adaptor.add(items, random, change);
    adaptor.commit();
  }
}

bool Chain::step(uint32_t word, double temperature, pitman_yor::Random& random, SweepInfo& info) {
  Change removed, added;
  adaptor.remove(items_[word], random, removed);
  proposer_.draw(words_->view(word), word, words_->forest(word).root, random);
  const ScaledDouble old = adaptor.proposal(items_[word]), proposed = adaptor.proposal(stack_);
  adaptor.add(stack_, random, added);
  ++info.proposals;
  const bool accepted = accept(added, removed, proposed, old, temperature, random);
  if (accepted) {
    ++info.accepted;
    if (items_[word] != stack_) {
      ++info.changed;
      items_[word] = stack_;
    }
  } else {
    adaptor.rollback();
  }
  adaptor.commit();
  return accepted;
}

// A new derivation for the yield of a cached tree: all its tables, and so all words that use it, change together
// (Johnson and Goldwater 2009). A derivation that another tree of the cache has already is refused, so the move is its
// own reverse.
void Chain::relabel(uint32_t tree, double temperature, pitman_yor::Random& random, SweepInfo& info) {
  const CachedTree& t = adaptor.trees[tree];
  const uint32_t tables = t.seats.tables, word = t.word, node = t.node;
  Change removed, added;
  for (uint32_t i = 0; i < tables; ++i) adaptor.remove(t.body, random, removed);
  proposer_.draw_new(words_->view(word), word, node, random);
  ++info.relabel_proposals;
  bool accepted = false;
  const uint32_t yield = adaptor.trees[tree].yield;
  bool taken = false;
  if (yield != 0)
    for (uint32_t i = adaptor.first_tree[yield]; i != kNoIndex; i = adaptor.trees[i].next)
      taken |= i != tree && adaptor.trees[i].seats.customers > 0 && adaptor.trees[i].body == stack_;
  if (!taken) {
    const ScaledDouble old = adaptor.proposal(adaptor.trees[tree].body), proposed = adaptor.proposal(stack_);
    for (uint32_t i = 0; i < tables; ++i) adaptor.add(stack_, random, added);
    accepted = accept(added, removed, proposed, old, temperature, random);
  }
  if (accepted) {
    ++info.relabel_accepted;
    adaptor.relabel(tree, stack_);
  } else {
    adaptor.rollback();
  }
  adaptor.commit();
}

SweepInfo Chain::sweep(double temperature, bool relabel_trees, bool hyperparameters) {
  SweepInfo info;
  pitman_yor::Random random(seed_, chain_, ++sweeps);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < items_.size(); ++i)
    if (!items_[i].empty()) order.push_back(i);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (uint32_t i : order) step(i, temperature, random, info);
  if (relabel_trees)
    for (uint32_t t = 0; t < adaptor.trees.size(); ++t)
      if (adaptor.trees[t].adapted != kNoIndex) relabel(t, temperature, random, info);
  if (hyperparameters) adaptor.sample_hyperparameters(random);
  return info;
}

std::vector<uint32_t> Chain::derivation(uint32_t word) const {
  std::vector<uint32_t> rules;
  adaptor.expand(items_[word], rules);
  return rules;
}

void Chain::check() const {
  std::vector<uint64_t> rules(adaptor.grammar.rules.size(), 0), customers(adaptor.trees.size(), 0);
  auto use = [&](const std::vector<uint32_t>& items, uint64_t times) {
    for (uint32_t item : items) (is_tree(item) ? customers[tree_of(item)] : rules[item]) += times;
  };
  for (const auto& items : items_) use(items, 1);
  for (const CachedTree& t : adaptor.trees)
    if (t.adapted != kNoIndex) use(t.body, t.seats.tables);
  std::vector<uint64_t> seated(adaptor.adaptors.size(), 0), tables(seated), of_yield(adaptor.weights.yield.size(), 0);
  for (size_t i = 0; i < adaptor.trees.size(); ++i) {
    const CachedTree& t = adaptor.trees[i];
    if (t.adapted == kNoIndex) continue;
    const pitman_yor::TableList& seats = t.seats;
    uint64_t sum = seats.tables == 1 ? seats.customers : 0;
    for (uint32_t n : seats.sizes) sum += n;
    if (seats.customers == 0 || seats.customers != customers[i] || sum != seats.customers ||
        (seats.tables > 1 && seats.sizes.size() != seats.tables))
      throw InternalError("the customers of a tree are not its uses");
    seated[t.adapted] += seats.customers;
    tables[t.adapted] += seats.tables;
    if (t.yield != 0) of_yield[t.yield] += seats.customers;
  }
  if (rules != adaptor.rule_counts()) throw InternalError("the rule counts are not those of the trees");
  for (size_t k = 0; k < seated.size(); ++k)
    if (seated[k] != adaptor.adaptors[k].customers || tables[k] != adaptor.adaptors[k].tables)
      throw InternalError("the customers of a symbol are not those of its trees");
  for (uint32_t y = 1; y < of_yield.size(); ++y)
    if (of_yield[y] != adaptor.weights.yield[y].customers || adaptor.weights.is_used(y) != (of_yield[y] > 0))
      throw InternalError("the customers of a yield are not those of its trees");
}

std::vector<uint64_t> Chain::state() const {
  std::vector<uint64_t> out{sweeps, adaptor.adaptors.size()};
  for (const SymbolRestaurant& p : adaptor.adaptors) {
    out.push_back(std::bit_cast<uint64_t>(p.hyper.discount));
    out.push_back(std::bit_cast<uint64_t>(p.hyper.strength));
  }
  auto list = [&](const auto& values) {
    out.push_back(values.size());
    out.insert(out.end(), values.begin(), values.end());
  };
  list(adaptor.rule_counts());
  list(adaptor.free_trees);
  list(adaptor.first_tree);
  out.push_back(adaptor.trees.size());
  for (const CachedTree& t : adaptor.trees) {
    for (uint32_t x : {t.adapted, t.yield, t.seats.customers, t.seats.tables, t.next, t.word, t.node}) out.push_back(x);
    list(t.body);
    list(t.seats.sizes);
  }
  out.push_back(items_.size());
  for (const auto& items : items_) list(items);
  return out;
}

void Chain::restore(std::span<const uint64_t> state) {
  size_t at = 0;
  auto next = [&]() -> uint64_t {
    if (at >= state.size()) throw InputError("the checkpoint ends too soon");
    return state[at++];
  };
  auto list = [&](auto& values) {
    const uint64_t n = next();
    if (n > state.size() - at) throw InputError("the checkpoint ends too soon");
    values.assign(state.begin() + at, state.begin() + at + n);
    at += n;
  };
  sweeps = next();
  if (next() != adaptor.adaptors.size()) throw InputError("the checkpoint is of another grammar");
  for (SymbolRestaurant& p : adaptor.adaptors) {
    p.hyper.discount = std::bit_cast<double>(next());
    p.hyper.strength = std::bit_cast<double>(next());
  }
  std::vector<uint64_t> counts;
  list(counts);
  list(adaptor.free_trees);
  list(adaptor.first_tree);
  if (adaptor.first_tree.size() != words_->yields()) throw InputError("the checkpoint is of other words");
  const uint64_t trees = next();
  if (trees > state.size()) throw InputError("the checkpoint ends too soon");
  adaptor.trees.assign(trees, {});
  for (CachedTree& t : adaptor.trees) {
    for (uint32_t* x : {&t.adapted, &t.yield, &t.seats.customers, &t.seats.tables, &t.next, &t.word, &t.node})
      *x = static_cast<uint32_t>(next());
    list(t.body);
    list(t.seats.sizes);
    if (t.yield >= words_->yields() || (t.adapted != kNoIndex && t.adapted >= adaptor.adaptors.size()))
      throw InputError("the checkpoint is of other words");
  }
  if (next() != items_.size()) throw InputError("the checkpoint is of other words");
  for (auto& items : items_) list(items);
  adaptor.restore(std::move(counts));
}

}  // namespace binyan::grammar
