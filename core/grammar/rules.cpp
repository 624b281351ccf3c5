#include "grammar/rules.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

constexpr uint32_t kMostSymbols = 10'000;
constexpr size_t kMostParts = 1000;
constexpr double kLargestWeight = 1e100;

std::string rule_name(size_t r) { return "rule " + std::to_string(r + 1); }

bool is_lexical(const SourceRule& rule) {
  return rule.rhs.empty() && rule.arguments.size() == 1 && rule.arguments[0].size() == 1;
}

// What reaches kNoIndex stays there.
uint32_t add_lengths(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{x} + y, kNoIndex));
}

}  // namespace

CompiledGrammar::CompiledGrammar(uint32_t symbol_count, uint32_t atom_count, uint32_t start_symbol,
                                 std::vector<SourceRule> source, const std::vector<bool>& adapted)
    : start(start_symbol),
      source_symbols(symbol_count),
      atoms(atom_count),
      rules(std::move(source)),
      arity(symbol_count, 0) {
  if (symbol_count > kMostSymbols)
    throw InputError("a grammar of " + std::to_string(symbol_count) + " symbols: at most " +
                     std::to_string(kMostSymbols) + " are supported");
  if (start >= symbol_count || adapted.size() != symbol_count)
    throw InputError("the start symbol or the adapted symbols do not fit the symbols");
  for (size_t r = 0; r < rules.size(); ++r) {
    const SourceRule& rule = rules[r];
    if (rule.lhs >= symbol_count) throw InputError(rule_name(r) + ": unknown left-hand symbol");
    if (arity[rule.lhs] == 0) arity[rule.lhs] = static_cast<uint32_t>(rule.arguments.size());
  }
  check_rules();
  adapted_index.assign(symbol_count, kNoIndex);
  for (uint32_t s = 0; s < symbol_count; ++s)
    if (adapted[s]) {
      adapted_index[s] = static_cast<uint32_t>(adapted_symbols.size());
      adapted_symbols.push_back(s);
    }
  productions_of.resize(symbol_count);
  add_lexical();
  for (uint32_t r = 0; r < rules.size(); ++r)
    if (!is_lexical(rules[r])) binarise({rules[r].lhs, r, rules[r].arguments, rules[r].rhs});
  adapted_index.resize(symbols(), kNoIndex);
  lexical_.resize(static_cast<size_t>(symbols()) * atoms, kNoIndex);
  check_recursion();
  bound_lengths();
  find_beginnings();
}

void CompiledGrammar::check_rules() const {
  if (arity[start] != 1) throw InputError("the start symbol must have rules and exactly one argument");
  for (size_t r = 0; r < rules.size(); ++r) {
    const SourceRule& rule = rules[r];
    if (rule.arguments.size() != arity[rule.lhs])
      throw InputError(rule_name(r) + ": the left-hand symbol has another number of arguments elsewhere");
    if (!(rule.weight > 0.0 && rule.weight < kLargestWeight))
      throw InputError(rule_name(r) + ": the weight must be positive and finite");
    if (rule.rhs.size() > kMostParts)
      throw InputError(rule_name(r) + ": more than " + std::to_string(kMostParts) + " symbols on the right-hand side");
    std::vector<std::vector<uint32_t>> uses;
    for (uint32_t b : rule.rhs) {
      if (b >= source_symbols) throw InputError(rule_name(r) + ": unknown right-hand symbol");
      if (arity[b] == 0) throw InputError(rule_name(r) + ": a right-hand symbol has no rules");
      uses.emplace_back(arity[b], 0);
    }
    for (const auto& argument : rule.arguments) {
      if (argument.empty()) throw InputError(rule_name(r) + ": an argument is empty");
      if (argument.size() > kMostParts)
        throw InputError(rule_name(r) + ": an argument of more than " + std::to_string(kMostParts) + " parts");
      for (const Element& e : argument) {
        if (e.child < 0) {
          if (e.index >= atoms) throw InputError(rule_name(r) + ": unknown terminal");
        } else if (static_cast<size_t>(e.child) >= uses.size() || e.index >= uses[e.child].size()) {
          throw InputError(rule_name(r) + ": a variable belongs to no right-hand argument");
        } else {
          ++uses[e.child][e.index];
        }
      }
    }
    for (const auto& child : uses)
      for (uint32_t n : child)
        if (n != 1) throw InputError(rule_name(r) + ": each right-hand argument must occur exactly once on the left");
  }
}

void CompiledGrammar::add_lexical() {
  lexical_.assign(static_cast<size_t>(source_symbols) * atoms, kNoIndex);
  // Atoms named in any rule that is not lexical are in a class of their own.
  std::vector<std::vector<uint32_t>> signature(atoms);
  for (uint32_t r = 0; r < rules.size(); ++r) {
    if (is_lexical(rules[r])) {
      const uint32_t atom = rules[r].arguments[0][0].index;
      uint32_t& entry = lexical_[static_cast<size_t>(rules[r].lhs) * atoms + atom];
      if (entry != kNoIndex) throw InputError(rule_name(r) + " repeats " + rule_name(entry));
      entry = r;
      signature[atom].push_back(rules[r].lhs);
    } else {
      for (const auto& argument : rules[r].arguments)
        for (const Element& e : argument)
          if (e.child < 0) signature[e.index].push_back(source_symbols + e.index);
    }
  }
  std::map<std::vector<uint32_t>, uint32_t> classes;
  atom_class.resize(atoms);
  for (uint32_t a = 0; a < atoms; ++a) {
    std::sort(signature[a].begin(), signature[a].end());
    atom_class[a] = classes.emplace(signature[a], static_cast<uint32_t>(classes.size())).first->second;
  }
}

void CompiledGrammar::binarise(Production production) {
  const size_t rank = production.children.size();
  if (rank > 2) {
    // All children but the last go under an intermediate symbol; each maximal run of their variables is one argument of
    // it.
    const int32_t last = static_cast<int32_t>(rank) - 1;
    const uint32_t middle = symbols();
    Production inner{middle, unit(), {}, {production.children.begin(), production.children.end() - 1}};
    for (auto& argument : production.arguments) {
      std::vector<Element> outer;
      bool in_run = false;
      for (const Element& e : argument) {
        if (e.child < 0 || e.child == last) {
          outer.push_back(e.child < 0 ? e : Element{1, e.index});
          in_run = false;
          continue;
        }
        if (!in_run) {
          outer.push_back({0, static_cast<uint32_t>(inner.arguments.size())});
          inner.arguments.emplace_back();
        }
        inner.arguments.back().push_back(e);
        in_run = true;
      }
      argument = std::move(outer);
    }
    production.children = {middle, production.children.back()};
    arity.push_back(static_cast<uint32_t>(inner.arguments.size()));
    productions_of.emplace_back();
    binarise(std::move(inner));
  }
  productions_of[production.lhs].push_back(static_cast<uint32_t>(productions.size()));
  productions.push_back(std::move(production));
}

// Depth-first search over right-hand symbols, with a stack of its own: the depth of a grammar is its author's choice.
void CompiledGrammar::check_recursion() const {
  enum State : uint8_t { kNew, kOnPath, kDone };
  std::vector<std::vector<uint32_t>> unary(symbols());
  for (const Production& p : productions) {
    bool terminals = false;
    for (const auto& argument : p.arguments)
      for (const Element& e : argument) terminals |= e.child < 0;
    if (p.children.size() == 1 && !terminals) unary[p.lhs].push_back(p.children[0]);
  }
  struct Visit {
    uint32_t symbol, next;
  };
  std::vector<uint8_t> state(symbols(), kNew);
  std::vector<Visit> path;
  for (uint32_t s = 0; s < symbols(); ++s) {
    if (state[s] != kNew) continue;
    path.push_back({s, 0});
    state[s] = kOnPath;
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == unary[visit.symbol].size()) {
        state[visit.symbol] = kDone;
        path.pop_back();
        continue;
      }
      const uint32_t c = unary[visit.symbol][visit.next++];
      if (state[c] == kOnPath)
        throw InputError("symbol " + std::to_string(c) +
                         " derives itself through unary rules: the number of derivations is infinite");
      if (state[c] == kNew) {
        state[c] = kOnPath;
        path.push_back({c, 0});
      }
    }
  }
  // Recursion through adapted symbols: s is reachable from a child of s.
  for (uint32_t s : adapted_symbols) {
    std::vector<bool> seen(symbols(), false);
    std::vector<uint32_t> stack{s};
    while (!stack.empty()) {
      const uint32_t t = stack.back();
      stack.pop_back();
      for (uint32_t p : productions_of[t])
        for (uint32_t c : productions[p].children) {
          if (c == s) throw InputError("adapted symbol " + std::to_string(s) + " is recursive");
          if (!seen[c]) {
            seen[c] = true;
            stack.push_back(c);
          }
        }
    }
  }
}

void CompiledGrammar::bound_lengths() {
  first_argument_.resize(symbols() + 1, 0);
  for (uint32_t s = 0; s < symbols(); ++s) first_argument_[s + 1] = first_argument_[s] + std::max(arity[s], 1u);
  least_.assign(first_argument_.back(), kNoIndex);
  most_.assign(first_argument_.back(), 0);
  for (uint32_t s = 0; s < symbols(); ++s)
    for (uint32_t a = 0; a < atoms; ++a)
      if (lexical_rule(s, a) != kNoIndex) least_[first_argument_[s]] = most_[first_argument_[s]] = 1;
  auto pass = [&](std::vector<uint32_t>& bound, auto better, bool to_infinity) {
    bool changed = false;
    for (const Production& p : productions)
      for (size_t a = 0; a < p.arguments.size(); ++a) {
        uint32_t length = 0;
        for (const Element& e : p.arguments[a])
          length = add_lengths(length, e.child < 0 ? 1 : bound[first_argument_[p.children[e.child]] + e.index]);
        uint32_t& mine = bound[first_argument_[p.lhs] + a];
        if (better(length, mine)) {
          mine = to_infinity ? kNoIndex : length;
          changed = true;
        }
      }
    return changed;
  };
  while (pass(
      least_, [](uint32_t x, uint32_t y) { return x < y; }, false)) {
  }
  // What still grows after as many passes as there are arguments grows without bound.
  auto larger = [](uint32_t x, uint32_t y) { return x > y; };
  bool changed = true;
  for (size_t i = 0; i <= most_.size() && changed; ++i) changed = pass(most_, larger, false);
  while (changed) changed = pass(most_, larger, true);
}

void CompiledGrammar::find_beginnings() {
  class_count_ = atoms == 0 ? 0 : 1 + *std::max_element(atom_class.begin(), atom_class.end());
  begins_.assign(static_cast<size_t>(first_argument_.back()) * class_count_, false);
  for (uint32_t s = 0; s < source_symbols; ++s)
    for (uint32_t a = 0; a < atoms; ++a)
      if (lexical_rule(s, a) != kNoIndex)
        begins_[static_cast<size_t>(first_argument_[s]) * class_count_ + atom_class[a]] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Production& p : productions)
      for (size_t argument = 0; argument < p.arguments.size(); ++argument) {
        const Element& first = p.arguments[argument][0];
        for (uint32_t c = 0; c < class_count_; ++c) {
          const bool possible =
              first.child < 0 ? c == atom_class[first.index] : may_begin(p.children[first.child], first.index, c);
          const size_t mine = static_cast<size_t>(first_argument_[p.lhs] + argument) * class_count_ + c;
          if (!possible || begins_[mine]) continue;
          begins_[mine] = true;
          changed = true;
        }
      }
  }
}

}  // namespace binyan::grammar
