#include "grammar/rules.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

constexpr uint32_t kMostSymbols = 10'000;

std::string rule_name(size_t r) { return "rule " + std::to_string(r + 1); }

bool is_lexical(const SourceRule& rule) {
  return rule.rhs.empty() && rule.arguments.size() == 1 && rule.arguments[0].size() == 1;
}

// What reaches kNoIndex stays there.
uint32_t add_lengths(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{x} + y, kNoIndex));
}

bool is_plain(const Production& p) {
  if (p.arguments.size() != 1 || p.children.empty() || p.arguments[0].size() != p.children.size() ||
      p.variables != p.children.size())
    return false;
  for (uint32_t c = 0; c < p.children.size(); ++c) {
    const Part& part = p.arguments[0][c];
    if (part.terminal || part.index != c || p.child_arguments[c].size() != 1) return false;
    const Parts& argument = p.child_arguments[c][0];
    if (argument.size() != 1 || argument[0].terminal || argument[0].index != c) return false;
  }
  return true;
}

// The rule with its variables numbered in the order of the left side.
Production numbered(const SourceRule& rule, uint32_t number, const std::vector<uint32_t>& arity) {
  Production p{rule.lhs, number, {}, rule.rhs, {}, 0};
  for (uint32_t symbol : rule.rhs) p.child_arguments.emplace_back(arity[symbol]);
  std::map<std::pair<int32_t, uint32_t>, uint32_t> variable;
  for (const auto& argument : rule.arguments) {
    p.arguments.emplace_back();
    for (const Element& e : argument) {
      if (e.child == kTerminal) {
        p.arguments.back().push_back({true, e.index});
        continue;
      }
      variable[{e.child, e.index}] = p.variables;
      if (e.child != kFree) p.child_arguments[e.child][e.index] = {{false, p.variables}};
      p.arguments.back().push_back({false, p.variables++});
    }
  }
  for (const UnderlyingArgument& u : rule.underlying)
    for (const Element& e : u.parts) {
      const bool terminal = e.child == kTerminal;
      p.child_arguments[u.child][u.index].push_back({terminal, terminal ? e.index : variable.at({e.child, e.index})});
    }
  return p;
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
    if (!is_lexical(rules[r])) binarise(numbered(rules[r], r, arity));
  adapted_index.resize(symbols(), kNoIndex);
  lexical_.resize(static_cast<size_t>(symbols()) * atoms, kNoIndex);
  check_cycles();
  check_recursion();
  bound_lengths();
  find_beginnings();
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
          if (e.child == kTerminal) signature[e.index].push_back(source_symbols + e.index);
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
    // All children but the last go under an intermediate symbol; each maximal run of variables that are theirs alone is
    // one argument of it, and so is each variable that the last child needs as well.
    std::vector<bool> of_last(production.variables, false), of_others(production.variables, false);
    for (size_t c = 0; c < rank; ++c)
      for (const Parts& parts : production.child_arguments[c])
        for (const Part& part : parts)
          if (!part.terminal) (c + 1 == rank ? of_last : of_others)[part.index] = true;
    const uint32_t middle = symbols();
    Production inner{middle,
                     unit(),
                     {},
                     {production.children.begin(), production.children.end() - 1},
                     {production.child_arguments.begin(), production.child_arguments.end() - 1},
                     production.variables};
    std::vector<Parts> of_middle;
    for (Parts& argument : production.arguments) {
      Parts outer;
      bool in_run = false;
      for (const Part& part : argument) {
        const bool alone = !part.terminal && !of_last[part.index];
        if (!alone || !in_run) outer.push_back(alone ? Part{false, production.variables++} : part);
        if (!part.terminal && of_others[part.index]) {
          if (!alone || !in_run) {
            of_middle.push_back({outer.back()});
            inner.arguments.emplace_back();
          }
          inner.arguments.back().push_back(part);
        }
        in_run = alone;
      }
      argument = std::move(outer);
    }
    production.child_arguments = {std::move(of_middle), std::move(production.child_arguments.back())};
    production.children = {middle, production.children.back()};
    arity.push_back(static_cast<uint32_t>(inner.arguments.size()));
    productions_of.emplace_back();
    binarise(std::move(inner));
  }
  productions_of[production.lhs].push_back(static_cast<uint32_t>(productions.size()));
  production.plain = is_plain(production);
  productions.push_back(std::move(production));
}

namespace {

// Bounds on the length of each variable of a production, given those of the arguments of symbols.
std::vector<uint32_t> variable_bounds(const Production& p, const std::vector<std::vector<uint32_t>>& of_symbol,
                                      bool upper) {
  std::vector<uint32_t> bounds(p.variables, upper ? kNoIndex : 1);
  for (size_t c = 0; c < p.children.size(); ++c)
    for (size_t a = 0; a < p.child_arguments[c].size(); ++a) {
      const Parts& parts = p.child_arguments[c][a];
      const uint32_t bound = of_symbol[p.children[c]][a], others = static_cast<uint32_t>(parts.size()) - 1;
      for (const Part& part : parts) {
        if (part.terminal) continue;
        uint32_t& mine = bounds[part.index];
        if (upper) mine = std::min(mine, bound == kNoIndex ? bound : bound - std::min(bound, others));
        else if (others == 0) mine = std::max(mine, bound);
      }
    }
  return bounds;
}

}  // namespace

void CompiledGrammar::bound_lengths() {
  std::vector<std::vector<uint32_t>> least, most;
  size_t arguments = 0;
  for (uint32_t s = 0; s < symbols(); ++s) {
    least.emplace_back(std::max(arity[s], 1u), kNoIndex);
    most.emplace_back(std::max(arity[s], 1u), 0);
    arguments += most.back().size();
    for (uint32_t a = 0; a < atoms; ++a)
      if (lexical_rule(s, a) != kNoIndex) least[s][0] = most[s][0] = 1;
  }
  const auto pass = [&](std::vector<std::vector<uint32_t>>& bound, bool upper, bool to_infinity) {
    bool changed = false;
    for (const Production& p : productions) {
      const std::vector<uint32_t> of_variable = variable_bounds(p, bound, upper);
      for (size_t a = 0; a < p.arguments.size(); ++a) {
        uint32_t length = 0;
        for (const Part& part : p.arguments[a])
          length = add_lengths(length, part.terminal ? 1 : of_variable[part.index]);
        uint32_t& mine = bound[p.lhs][a];
        if (upper ? length > mine : length < mine) {
          mine = to_infinity ? kNoIndex : length;
          changed = true;
        }
      }
    }
    return changed;
  };
  while (pass(least, false, false)) {
  }
  // What still grows after as many passes as there are arguments grows without bound.
  bool changed = true;
  for (size_t i = 0; i <= arguments && changed; ++i) changed = pass(most, true, false);
  while (changed) changed = pass(most, true, true);
  for (const Production& p : productions) {
    least_.push_back(variable_bounds(p, least, false));
    most_.push_back(variable_bounds(p, most, true));
  }
}

namespace {

// Of each symbol, for each argument and each class of atoms: whether an atom of the class can be its first.
using Beginnings = std::vector<std::vector<bool>>;

// The same for the variables of a production. A variable that begins several arguments begins as all of them do.
std::vector<bool> variable_beginnings(const Production& p, const Beginnings& of_symbol, uint32_t classes) {
  std::vector<bool> begins(static_cast<size_t>(p.variables) * classes, true);
  for (size_t c = 0; c < p.children.size(); ++c)
    for (size_t a = 0; a < p.child_arguments[c].size(); ++a) {
      const Part& first = p.child_arguments[c][a][0];
      if (first.terminal) continue;
      for (uint32_t k = 0; k < classes; ++k)
        if (!of_symbol[p.children[c]][a * classes + k]) begins[static_cast<size_t>(first.index) * classes + k] = false;
    }
  return begins;
}

}  // namespace

void CompiledGrammar::find_beginnings() {
  class_count_ = atoms == 0 ? 0 : 1 + *std::max_element(atom_class.begin(), atom_class.end());
  Beginnings of_symbol;
  for (uint32_t s = 0; s < symbols(); ++s) {
    of_symbol.emplace_back(static_cast<size_t>(std::max(arity[s], 1u)) * class_count_, false);
    for (uint32_t a = 0; a < atoms; ++a)
      if (lexical_rule(s, a) != kNoIndex) of_symbol[s][atom_class[a]] = true;
    accepts_.insert(accepts_.end(), of_symbol[s].begin(), of_symbol[s].begin() + class_count_);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Production& p : productions) {
      const std::vector<bool> of_variable = variable_beginnings(p, of_symbol, class_count_);
      for (size_t argument = 0; argument < p.arguments.size(); ++argument) {
        const Part& first = p.arguments[argument][0];
        for (uint32_t k = 0; k < class_count_; ++k) {
          const bool possible =
              first.terminal ? k == atom_class[first.index] : of_variable[first.index * class_count_ + k];
          const size_t mine = argument * class_count_ + k;
          if (!possible || of_symbol[p.lhs][mine]) continue;
          of_symbol[p.lhs][mine] = true;
          changed = true;
        }
      }
    }
  }
  for (const Production& p : productions) begins_.push_back(variable_beginnings(p, of_symbol, class_count_));
  constexpr size_t kMany = 8;
  beginning_.resize(symbols());
  for (uint32_t s = 0; s < symbols(); ++s) {
    if (productions_of[s].size() < kMany) continue;
    beginning_[s].resize(class_count_);
    for (uint32_t k = 0; k < class_count_; ++k)
      for (uint32_t p : productions_of[s])
        if (can_begin(p, k)) beginning_[s][k].push_back(p);
  }
}

bool CompiledGrammar::can_begin(uint32_t production, uint32_t class_of_atom) const {
  const Part& first = productions[production].arguments[0][0];
  return first.terminal ? atom_class[first.index] == class_of_atom : begins(production, first.index, class_of_atom);
}

}  // namespace binyan::grammar
