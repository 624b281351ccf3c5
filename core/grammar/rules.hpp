// A simple range concatenating grammar, compiled: rules of any rank and arity become productions with at most two
// right-hand symbols. Symbols, atoms and rules are numbers; names stay with the caller.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

constexpr int32_t kTerminal = -1, kFree = -2;

// Part of an argument: argument `index` of right-hand symbol `child`; terminal atom `index` where child == kTerminal;
// variable `index`, which is no argument by itself, where child == kFree.
struct Element {
  int32_t child;
  uint32_t index;
  friend bool operator==(const Element&, const Element&) = default;
};

// An argument of a right-hand symbol that differs from what the word shows: atoms that are not in the word, at most one
// variable among them. R3(a, w, c) in a word that shows a and c has {0, 1, {w}}; R3(a, b, b) where b is written once
// has {0, 2, {argument 1 of symbol 0}}.
struct UnderlyingArgument {
  uint32_t child, index;
  std::vector<Element> parts;
};

// A(alpha_1, ..., alpha_k) -> B_1 ... B_r. Each argument of each B occurs exactly once, among the alphas or as the
// place of an underlying argument; each free variable occurs once among the alphas.
struct SourceRule {
  uint32_t lhs;
  std::vector<std::vector<Element>> arguments;
  std::vector<uint32_t> rhs;
  double weight;  // Dirichlet pseudo-count
  std::vector<UnderlyingArgument> underlying = {};
};

// Part of an argument of a production: a variable of it, or a terminal atom.
struct Part {
  bool terminal;
  uint32_t index;
};
using Parts = std::vector<Part>;

// A binarised rule, its variables numbered. Productions of intermediate symbols carry no rule (`rule` ==
// CompiledGrammar::unit()): their probability is 1.
struct Production {
  uint32_t lhs;
  uint32_t rule;
  std::vector<Parts> arguments;
  std::vector<uint32_t> children;
  std::vector<std::vector<Parts>> child_arguments;  // of each child: one variable each, or an underlying argument
  uint32_t variables;
  bool plain = false;  // A(x) -> B(x) or A(xy) -> B(x) C(y)
};

class CompiledGrammar {
 public:
  // `adapted[s]` marks adapted symbols. Throws InputError on a rule that is not simple, on an empty argument, on
  // symbols of conflicting arity, on a cycle of unary rules, on recursion through an adapted symbol and on recursion
  // through a rule with underlying arguments.
  CompiledGrammar(uint32_t symbol_count, uint32_t atom_count, uint32_t start_symbol, std::vector<SourceRule> source,
                  const std::vector<bool>& adapted);

  uint32_t start;
  uint32_t source_symbols;  // symbols of the caller; intermediate symbols follow
  uint32_t atoms;
  std::vector<SourceRule> rules;
  std::vector<uint32_t> adapted_index;  // of each symbol: its number among the adapted symbols, or kNoIndex
  std::vector<uint32_t> adapted_symbols;

  std::vector<Production> productions;                // all but lexical rules
  std::vector<std::vector<uint32_t>> productions_of;  // of each symbol
  std::vector<uint32_t> arity;                        // of each symbol, intermediate ones included
  std::vector<uint32_t> atom_class;  // atoms that no rule tells apart, but for its number, share a class

  uint32_t symbols() const { return static_cast<uint32_t>(arity.size()); }
  uint32_t unit() const { return static_cast<uint32_t>(rules.size()); }  // the "rule" of weight 1
  // The rule A(atom) -> empty, or kNoIndex. All other rules that hold terminals are productions.
  uint32_t lexical_rule(uint32_t symbol, uint32_t atom) const {
    return lexical_[static_cast<size_t>(symbol) * atoms + atom];
  }
  bool only_lexical(uint32_t symbol) const {
    return productions_of[symbol].empty() && adapted_index[symbol] == kNoIndex;
  }
  // Throws InputError unless `items` are one derivation of `symbol` in preorder. `symbol_of(item)` is the symbol of an
  // item that is no rule (a tree), or kNoIndex where there is no such item.
  template <class SymbolOf>
  void check_derivation(uint32_t symbol, std::span<const uint32_t> items, SymbolOf symbol_of) const {
    std::vector<uint32_t> expected{symbol};
    for (uint32_t item : items) {
      const bool is_rule = item < rules.size();
      if (expected.empty() || (is_rule ? rules[item].lhs : symbol_of(item)) != expected.back())
        throw InputError("a derivation does not fit the rules of the grammar");
      expected.pop_back();
      if (is_rule) expected.insert(expected.end(), rules[item].rhs.rbegin(), rules[item].rhs.rend());
    }
    if (!expected.empty()) throw InputError("a derivation ends too soon");
  }
  // Bounds on the number of atoms of each variable of a production; kNoIndex = unbounded (most) or unproductive
  // (least).
  const std::vector<uint32_t>& least(uint32_t production) const { return least_[production]; }
  const std::vector<uint32_t>& most(uint32_t production) const { return most_[production]; }
  // Whether an atom of the class can be the first of a variable of a production: what cannot begin need not be tried.
  bool begins(uint32_t production, uint32_t variable, uint32_t class_of_atom) const {
    return class_of_atom < class_count_ && begins_[production][variable * class_count_ + class_of_atom];
  }
  // The productions of the symbol whose first argument can begin with an atom of the class.
  std::span<const uint32_t> productions_beginning(uint32_t symbol, uint32_t class_of_atom) const {
    if (class_of_atom >= class_count_) return {};
    const auto& by_class = beginning_[symbol];
    return by_class.empty() ? productions_of[symbol] : by_class[class_of_atom];
  }
  // Whether a lexical rule of the symbol rewrites the atoms of the class.
  bool accepts(uint32_t symbol, uint32_t class_of_atom) const {
    return class_of_atom < class_count_ && accepts_[static_cast<size_t>(symbol) * class_count_ + class_of_atom];
  }

 private:
  void check_rules() const;
  void check_cycles() const;
  void check_recursion() const;
  bool reaches(uint32_t from, uint32_t symbol) const;
  void add_lexical();
  void binarise(Production production);
  void bound_lengths();
  void find_beginnings();
  bool can_begin(uint32_t production, uint32_t class_of_atom) const;

  std::vector<uint32_t> lexical_;
  std::vector<std::vector<uint32_t>> least_, most_;
  uint32_t class_count_ = 0;
  std::vector<std::vector<bool>> begins_;
  std::vector<bool> accepts_;
  std::vector<std::vector<std::vector<uint32_t>>> beginning_;  // of symbols with many productions, by class
};

}  // namespace binyan::grammar
