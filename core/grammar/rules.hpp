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

// Part of a left-hand argument: argument `index` of right-hand symbol `child`, or terminal atom `index` where child <
// 0.
struct Element {
  int32_t child;
  uint32_t index;
};

// A(alpha_1, ..., alpha_k) -> B_1 ... B_r. Each argument of each B occurs exactly once among the alphas.
struct SourceRule {
  uint32_t lhs;
  std::vector<std::vector<Element>> arguments;
  std::vector<uint32_t> rhs;
  double weight;  // Dirichlet pseudo-count
};

// A binarised rule. Productions of intermediate symbols carry no rule (`rule` == CompiledGrammar::unit()): their
// probability is 1.
struct Production {
  uint32_t lhs;
  uint32_t rule;
  std::vector<std::vector<Element>> arguments;
  std::vector<uint32_t> children;
};

class CompiledGrammar {
 public:
  // `adapted[s]` marks adapted symbols. Throws InputError on a rule that is not simple, on an empty argument, on
  // symbols of conflicting arity, on a cycle of unary rules and on recursion through an adapted symbol.
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
  // Bounds on the number of atoms of an argument; kNoIndex = unbounded (most) or unproductive (least).
  uint32_t least(uint32_t symbol, uint32_t argument) const { return least_[first_argument_[symbol] + argument]; }
  uint32_t most(uint32_t symbol, uint32_t argument) const { return most_[first_argument_[symbol] + argument]; }
  // Whether an atom of the class can be the first of an argument: what cannot begin need not be tried.
  bool may_begin(uint32_t symbol, uint32_t argument, uint32_t atom_class_number) const {
    return atom_class_number < class_count_ &&
           begins_[static_cast<size_t>(first_argument_[symbol] + argument) * class_count_ + atom_class_number];
  }

 private:
  void check_rules() const;
  void check_recursion() const;
  void add_lexical();
  void binarise(Production production);
  void bound_lengths();
  void find_beginnings();

  std::vector<uint32_t> lexical_;
  std::vector<uint32_t> first_argument_, least_, most_;
  uint32_t class_count_ = 0;
  std::vector<bool> begins_;  // of each argument, for each class of atoms
};

}  // namespace binyan::grammar
