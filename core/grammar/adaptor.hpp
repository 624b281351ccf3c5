// The state of an adaptor grammar with rule probabilities and adaptors integrated out (thesis, section 5.6.2):
// rule counts, and for each adapted symbol the cached trees with their customers and tables.
//
// A derivation is a list of items in preorder: a rule, or a cached tree (the whole subtree of an adapted symbol). The
// body of a cached tree is such a list too. Every table of a tree counts its body's rules once and seats one customer
// at each tree in it. A tree has a number while it has customers; equal trees have equal numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/inside.hpp"
#include "grammar/rules.hpp"
#include "grammar/scaled_double.hpp"
#include "no_index.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/seating.hpp"
#include "pitman_yor/table_list.hpp"

namespace binyan::grammar {

constexpr uint32_t kTreeItem = 0x80000000u;  // item = kTreeItem | tree number; other items are rules
inline bool is_tree(uint32_t item) { return (item & kTreeItem) != 0; }
inline uint32_t tree_of(uint32_t item) { return item & ~kTreeItem; }

struct CachedTree {
  uint32_t adapted = kNoIndex;         // number of its symbol among the adapted ones; kNoIndex: free
  uint32_t yield = 0;                  // 0: its yield occurs once in the data, no other word can use it
  uint32_t next = kNoIndex;            // next tree of the same yield
  uint32_t word = kNoIndex, node = 0;  // a place in the data where the tree fits
  pitman_yor::TableList seats;         // where it is the dish
  std::vector<uint32_t> body;
};

// The restaurant of an adapted symbol, whose dishes are the symbol's cached trees. Discount and strength are sampled,
// or held fixed.
struct SymbolRestaurant {
  pitman_yor::Hyperparameters hyper;
  bool sample_discount = true, sample_strength = true;
  uint64_t customers = 0, tables = 0;

  double total_weight() const { return pitman_yor::total_weight(static_cast<double>(customers), hyper); }
  // Probability that the next customer opens a table.
  double new_table_probability() const {
    return customers == 0 ? 1.0 : pitman_yor::new_table_weight(static_cast<double>(tables), hyper) / total_weight();
  }
  // Probability that it sits at one of the tables of a dish, which has customers.
  double old_tables_probability(const pitman_yor::TableList& dish) const {
    return dish.weight(hyper.discount) / total_weight();
  }
};

// What adding (or removing) a derivation multiplies: the joint probability, and joint / probability of the seats drawn.
struct Change {
  ScaledDouble joint{1.0};
  ScaledDouble weight{1.0};
};

class Adaptor {
 public:
  // `restaurants`: one per adapted symbol; `yields`: how many distinct yields there are. The grammar outlives the
  // adaptor.
  Adaptor(const CompiledGrammar& compiled, std::vector<SymbolRestaurant> restaurants, uint32_t yields);

  // Add or remove the customers and rules of a derivation. Seats are drawn in proportion to the proposal; a leaving
  // customer's table by exchangeability. Removing undoes adding in reverse order.
  void add(std::span<const uint32_t> items, pitman_yor::Random& random, Change& change);
  void remove(std::span<const uint32_t> items, pitman_yor::Random& random, Change& change);
  // Probability of the derivation under the snapshot: every adapted node is cached or new, summed.
  ScaledDouble proposal(std::span<const uint32_t> items) const;
  ScaledDouble tree_proposal(uint32_t tree) const;
  double rule_total(uint32_t symbol) const { return totals_[symbol]; }  // weights of its rules
  double rule_probability(uint32_t rule) const { return weights.rule[rule] / totals_[grammar.rules[rule].lhs]; }

  // The number of the tree with this body; a new one has no customers yet and is dropped by `commit` if it stays so.
  uint32_t intern(uint32_t adapted, uint32_t yield, std::span<const uint32_t> body, uint32_t word, uint32_t node);
  // From here on, trees of one word are interned: only those can be equal to a tree whose yield occurs once.
  void begin_word() { first_of_word_ = touched_.size(); }
  // A tree of the yield in proportion to customers - a * tables.
  uint32_t draw_cached(uint32_t adapted, uint32_t yield, pitman_yor::Random& random) const;
  // The body of a tree replaced in place, its counts unchanged; the caller has removed and added what is below.
  void relabel(uint32_t tree, std::vector<uint32_t> body) { trees[tree].body = std::move(body); }

  void rollback();  // back to the last commit
  void commit();    // forget how to go back; drop trees without customers
  void refresh();   // bring `weights` up to date before an inside pass

  // With `sum_out_seats`, discounts are drawn with the table sizes of trees that have few customers summed out, and
  // these sizes are then drawn given the new discount.
  void sample_hyperparameters(pitman_yor::Random& random, bool sum_out_seats = false);
  double log_joint() const;       // log P(trees, seats | a, b, alpha): thesis, equation 5.9 (section 5.6.2)
  double log_hyperprior() const;  // of the hyperparameters that are sampled
  std::vector<uint64_t> rule_counts() const { return counts_; }
  // The derivation with all cached trees written out: rules in preorder.
  void expand(std::span<const uint32_t> items, std::vector<uint32_t>& rules) const;

  const CompiledGrammar& grammar;
  std::vector<SymbolRestaurant> adaptors;
  std::vector<CachedTree> trees;
  std::vector<uint32_t> free_trees;
  std::vector<uint32_t> first_tree;  // of each yield number
  Weights weights;

  // Rebuild sums from `trees`, `free_trees` and rule counts (after loading a checkpoint).
  void restore(std::vector<uint64_t> rule_counts);

 private:
  struct Step {
    enum Kind : uint32_t { kCount, kUncount, kJoin, kLeave, kOpen, kClose } kind;
    uint32_t item, table;
  };
  // How a tree may be used: probability of a new table, of the tables it has, of its body, and of both ways together.
  struct Ways {
    double new_table;
    ScaledDouble cached, body, both;
  };
  Ways ways(const CachedTree& t) const;
  void count(uint32_t rule, int by);
  void join(uint32_t tree, uint32_t table);
  void leave(uint32_t tree, uint32_t table);
  void open(uint32_t tree, uint32_t table);
  void close(uint32_t tree, uint32_t table);
  // Follow a change of a tree's seats in the totals.
  void follow(const CachedTree& t, int customers, int tables);

  std::vector<uint64_t> counts_;      // of each rule
  std::vector<double> prior_totals_;  // of each symbol: sum of its rules' pseudo-counts
  std::vector<uint64_t> symbol_counts_;
  std::vector<double> totals_;  // prior + counts
  std::vector<Step> journal_;
  size_t first_of_word_ = 0;       // among those touched
  std::vector<uint32_t> touched_;  // trees that may be without customers at the next commit
};

}  // namespace binyan::grammar
