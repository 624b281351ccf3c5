#include "grammar/chain.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "pitman_yor/hyperparameters.hpp"

namespace binyan::grammar {
bool Chain::accept(const Change& added, const Change& removed, const ScaledDouble& proposed, const ScaledDouble& old,
                   double temperature, pitman_yor::Random& random) {
  // joint(new) / joint(old) * Q(old) / Q(new), where weight = joint / probability of the seats.
  const ScaledDouble ratio = (added.weight * old) / (removed.weight * proposed);
  double log_ratio = 0.0;
  if (temperature != 1.0) log_ratio = (1.0 / temperature - 1.0) * (added.joint.log() - removed.joint.log());
  const double u = 1.0 - random.uniform();
  if (log_ratio == 0.0) return !(ratio < ScaledDouble(u));
  return elementary::log(u) <= ratio.log() + log_ratio;
}

Chain::Chain(std::shared_ptr<const WordForests> words, std::vector<SymbolRestaurant> adaptors, uint64_t seed,
             uint64_t chain)
    : adaptor(words->grammar(), std::move(adaptors), words->yields()),
      words_(std::move(words)),
      seed_(seed),
      chain_(chain),
      items_(words_->size()),
      proposer_(adaptor),
      stack_(proposer_.items),
      upper_symbols_(symbols_above_others(words_->grammar())) {}

void Chain::initialise(bool incremental, const std::function<void()>& between) {
  constexpr uint32_t kBetween = 1000;  // words
  try {
    pitman_yor::Random random(seed_, chain_, 0);
    Change change;
    for (uint32_t i = words_->observed(); i < items_.size(); ++i) {
      draw_first(i, random);
      adaptor.add(items_[i], random, change);
      adaptor.commit();
    }
    for (uint32_t i = 0; i < words_->observed(); ++i) {
      if (between && i % kBetween == 0) between();
      if (!words_->parses(i)) continue;
      const WordGroup* group = words_->group_of(i);
      if (group != nullptr && group->words[0] != i) continue;
      const std::vector<uint32_t> together = group == nullptr ? std::vector<uint32_t>{i} : group->words;
      if (group == nullptr) {
        draw_first(i, random);
      } else {
        adaptor.begin_word();
        draw_group(*group, random);
        for (size_t k = 0; k < together.size(); ++k) items_[together[k]] = drawn_[k];
      }
      if (incremental) {
        for (uint32_t word : together) adaptor.add(items_[word], random, change);
        adaptor.commit();
      }
    }
    if (incremental) return;
    for (uint32_t i = 0; i < words_->observed(); ++i) {
      if (between && i % kBetween == 0) between();
      adaptor.add(items_[i], random, change);
    }
    adaptor.commit();
  } catch (...) {
    clear();
    throw;
  }
}

void Chain::clear() {
  for (auto& items : items_) items.clear();
  adaptor.trees.clear();
  adaptor.free_trees.clear();
  std::fill(adaptor.first_tree.begin(), adaptor.first_tree.end(), kNoIndex);
  adaptor.restore(std::vector<uint64_t>(adaptor.grammar.rules.size(), 0));
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
  bool taken = !may_become(tree, stack_);
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
    const bool other_trees = adaptor.trees[tree].body != stack_ &&
                             (std::any_of(stack_.begin(), stack_.end(), is_tree) ||
                              std::any_of(adaptor.trees[tree].body.begin(), adaptor.trees[tree].body.end(), is_tree));
    adaptor.relabel(tree, stack_);
    if (other_trees) renew_restricted_uses(tree);
  } else {
    adaptor.rollback();
  }
  adaptor.commit();
}

SweepInfo Chain::sweep(double temperature, bool relabel_trees, bool hyperparameters, double joint, double trees,
                       bool sum_out_seats) {
  SweepInfo info;
  pitman_yor::Random random(seed_, chain_, ++sweeps);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < words_->observed(); ++i) {
    const WordGroup* group = words_->group_of(i);
    if (!items_[i].empty() && (group == nullptr || group->words[0] == i)) order.push_back(i);
  }
  // Of many copies of a known morpheme some are enough: their derivations hardly differ.
  constexpr uint32_t kCopies = 5;
  for (uint32_t i = words_->observed(); i < items_.size(); ++i)
    if (words_->copies(i) <= kCopies || random.below(words_->copies(i)) < kCopies) order.push_back(i);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  SweepInfo of_morphemes;
  for (uint32_t i : order) {
    if (const WordGroup* group = words_->group_of(i)) step_group(*group, temperature, random, info);
    else step(i, temperature, random, i < words_->observed() ? info : of_morphemes);
  }
  find_restricted_uses();
  if (relabel_trees)
    for (uint32_t t = 0; t < adaptor.trees.size(); ++t)
      if (adaptor.trees[t].adapted != kNoIndex) relabel(t, temperature, random, info);
  if (trees > 0.0)
    for (uint32_t adapted : upper_symbols_) redraw_tree_families(adapted, trees, temperature, random, info);
  if (joint > 0.0) redraw_families(joint, temperature, random, info);
  if (hyperparameters) adaptor.sample_hyperparameters(random, sum_out_seats);
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

// A state as numbers, read in order.
class Chain::StateReader {
 public:
  explicit StateReader(std::span<const uint64_t> state) : state_(state) {}
  uint64_t next() {
    if (at_ >= state_.size()) throw InputError("the state of a chain ends too soon");
    return state_[at_++];
  }
  uint32_t next_small() {
    const uint64_t value = next();
    if (value > UINT32_MAX) throw InputError("the state of a chain holds a number that is too large");
    return static_cast<uint32_t>(value);
  }
  template <class Value>
  void list(std::vector<Value>& values) {
    const uint64_t n = next();
    if (n > state_.size() - at_) throw InputError("the state of a chain ends too soon");
    values.clear();
    for (uint64_t i = 0; i < n; ++i) {
      if constexpr (sizeof(Value) == 4) values.push_back(next_small());
      else values.push_back(next());
    }
  }
  uint64_t left() const { return state_.size() - at_; }

 private:
  std::span<const uint64_t> state_;
  size_t at_ = 0;
};

void Chain::restore(std::span<const uint64_t> state) {
  StateReader reader(state);
  sweeps = reader.next();
  if (reader.next() != adaptor.adaptors.size()) throw InputError("the state of a chain is of another grammar");
  for (SymbolRestaurant& p : adaptor.adaptors) {
    p.hyper.discount = std::bit_cast<double>(reader.next());
    p.hyper.strength = std::bit_cast<double>(reader.next());
    pitman_yor::check(p.hyper, p.sample_strength);
  }
  std::vector<uint64_t> counts;
  reader.list(counts);
  reader.list(adaptor.free_trees);
  reader.list(adaptor.first_tree);
  const uint64_t trees = reader.next();
  if (trees > reader.left()) throw InputError("the state of a chain ends too soon");
  adaptor.trees.assign(trees, {});
  for (CachedTree& t : adaptor.trees) {
    for (uint32_t* x : {&t.adapted, &t.yield, &t.seats.customers, &t.seats.tables, &t.next, &t.word, &t.node})
      *x = reader.next_small();
    reader.list(t.body);
    reader.list(t.seats.sizes);
  }
  if (reader.next() != items_.size()) throw InputError("the state of a chain is of other words");
  for (auto& items : items_) reader.list(items);
  if (reader.left() != 0) throw InputError("the state of a chain goes on after its end");
  check_trees();
  check_links();
  adaptor.restore(std::move(counts));
  for (uint32_t word : words_->constrained())
    if (entry_in_use(word) == kNoIndex) throw InputError("the state of a chain disagrees with what is known of a word");
  try {
    check();
  } catch (const InternalError& e) {
    throw InputError(std::string("the state of a chain is damaged: ") + e.what());
  }
}

// Every derivation fits the grammar, and every tree its place in the data. Adapted symbols are not recursive, so no
// tree is part of itself.
void Chain::check_trees() const {
  const CompiledGrammar& g = adaptor.grammar;
  const auto refuse = [](const char* what) {
    throw InputError(std::string("the state of a chain is damaged: ") + what);
  };
  const auto symbol_of = [&](uint32_t item) {
    if (!is_tree(item) || tree_of(item) >= adaptor.trees.size()) return kNoIndex;
    const CachedTree& t = adaptor.trees[tree_of(item)];
    return t.adapted < g.adapted_symbols.size() ? g.adapted_symbols[t.adapted] : kNoIndex;
  };
  for (const CachedTree& t : adaptor.trees) {
    const pitman_yor::TableList& seats = t.seats;
    if (t.adapted == kNoIndex) {
      if (seats.customers != 0 || seats.tables != 0 || !seats.sizes.empty() || !t.body.empty())
        refuse("a tree that is not used has customers");
      continue;
    }
    if (t.adapted >= g.adapted_symbols.size() || t.yield >= words_->yields()) refuse("a tree of no symbol or yield");
    uint64_t seated = seats.tables == 1 ? seats.customers : 0;
    for (uint32_t n : seats.sizes) {
      if (n == 0) refuse("an empty table");
      seated += n;
    }
    if (seats.customers == 0 || seats.customers > INT32_MAX || seats.tables == 0 || seated != seats.customers ||
        seats.sizes.size() != (seats.tables > 1 ? seats.tables : 0))
      refuse("the tables of a tree do not seat its customers");
    if (t.word >= words_->entries() || !words_->parses(t.word)) refuse("a tree of no word");
    const Forest& f = words_->forest(t.word);
    if (t.node < f.node_base() || t.node >= f.size()) refuse("a tree of no constituent");
    const Forest::Node& node = f.nodes[t.node - f.node_base()];
    if (node.adapted == kNoIndex || g.adapted_index[node.symbol] != t.adapted ||
        words_->view(t.word).yields[node.adapted] != t.yield)
      refuse("a tree of another constituent");
    g.check_derivation(g.adapted_symbols[t.adapted], t.body, symbol_of);
  }
  for (uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].empty()) continue;
    if (!words_->parses(i)) refuse("a derivation of a word that has none");
    g.check_derivation(words_->top_symbol(i), items_[i], symbol_of);
  }
}

// The lists of the trees of one yield, and of those that are free, hold each tree once.
void Chain::check_links() const {
  const auto refuse = [](const char* what) {
    throw InputError(std::string("the state of a chain is damaged: ") + what);
  };
  if (adaptor.first_tree.size() != words_->yields()) refuse("it is of other words");
  std::vector<bool> listed(adaptor.trees.size(), false);
  const auto list = [&](uint32_t tree) {
    if (tree >= listed.size() || listed[tree]) refuse("a list of trees has no end");
    listed[tree] = true;
  };
  for (uint32_t tree : adaptor.free_trees) {
    list(tree);
    if (adaptor.trees[tree].adapted != kNoIndex) refuse("a tree in use is listed as free");
  }
  for (uint32_t y = 0; y < adaptor.first_tree.size(); ++y)
    for (uint32_t tree = adaptor.first_tree[y]; tree != kNoIndex; tree = adaptor.trees[tree].next) {
      list(tree);
      if (y == 0 || adaptor.trees[tree].yield != y || adaptor.trees[tree].adapted == kNoIndex)
        refuse("a tree is listed under another yield");
    }
  for (uint32_t i = 0; i < adaptor.trees.size(); ++i)
    if (adaptor.trees[i].yield != 0 && adaptor.trees[i].adapted != kNoIndex && !listed[i])
      refuse("a tree is not listed under its yield");
}

}  // namespace binyan::grammar
