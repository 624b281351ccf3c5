// What makes the rules of a grammar unusable.
#include <algorithm>
#include <string>

#include "errors.hpp"
#include "grammar/rules.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

constexpr size_t kMostParts = 1000;
constexpr double kLargestWeight = 1e100;

std::string rule_name(size_t r) { return "rule " + std::to_string(r + 1); }

// How often each argument of each right-hand symbol of a rule is given.
class ArgumentUses {
 public:
  ArgumentUses(const SourceRule& rule, size_t number, const std::vector<uint32_t>& arity) : name_(rule_name(number)) {
    for (uint32_t b : rule.rhs) {
      if (b >= arity.size()) throw InputError(name_ + ": unknown right-hand symbol");
      if (arity[b] == 0) throw InputError(name_ + ": a right-hand symbol has no rules");
      uses_.emplace_back(arity[b], 0);
    }
  }

  void add(int32_t child, uint32_t index) {
    if (child < 0 || static_cast<size_t>(child) >= uses_.size() || index >= uses_[child].size())
      throw InputError(name_ + ": a variable belongs to no right-hand argument");
    ++uses_[child][index];
  }

  void check_once() const {
    for (const auto& child : uses_)
      for (uint32_t n : child)
        if (n != 1) throw InputError(name_ + ": each right-hand argument must occur exactly once on the left");
  }

 private:
  std::string name_;
  std::vector<std::vector<uint32_t>> uses_;
};

// Variables of the left side may occur in underlying arguments any number of times, free ones at least once.
void check_underlying(const SourceRule& rule, size_t r, uint32_t atoms) {
  std::vector<Element> left, used;
  for (const auto& argument : rule.arguments)
    for (const Element& e : argument)
      if (e.child != kTerminal) left.push_back(e);
  for (const UnderlyingArgument& u : rule.underlying) {
    size_t variables = 0;
    if (u.parts.empty() || u.parts.size() > kMostParts)
      throw InputError(rule_name(r) + ": an underlying argument is empty or too long");
    for (const Element& e : u.parts) {
      if (e.child == kTerminal) {
        if (e.index >= atoms) throw InputError(rule_name(r) + ": unknown terminal");
        continue;
      }
      if (std::find(left.begin(), left.end(), e) == left.end())
        throw InputError(rule_name(r) + ": a variable of an underlying argument is not on the left");
      used.push_back(e);
      ++variables;
    }
    if (variables > 1) throw InputError(rule_name(r) + ": an underlying argument has more than one variable");
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].child != kFree) continue;
    if (std::find(used.begin(), used.end(), left[i]) == used.end())
      throw InputError(rule_name(r) + ": a variable belongs to no right-hand argument");
    if (std::find(left.begin() + i + 1, left.end(), left[i]) != left.end())
      throw InputError(rule_name(r) + ": a variable stands twice on the left");
  }
}

}  // namespace

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
    ArgumentUses uses(rule, r, arity);
    for (const auto& argument : rule.arguments) {
      if (argument.empty()) throw InputError(rule_name(r) + ": an argument is empty");
      if (argument.size() > kMostParts)
        throw InputError(rule_name(r) + ": an argument of more than " + std::to_string(kMostParts) + " parts");
      for (const Element& e : argument) {
        if (e.child == kTerminal && e.index >= atoms) throw InputError(rule_name(r) + ": unknown terminal");
        if (e.child != kTerminal && e.child != kFree) uses.add(e.child, e.index);
      }
    }
    for (const UnderlyingArgument& u : rule.underlying) uses.add(static_cast<int32_t>(u.child), u.index);
    uses.check_once();
    check_underlying(rule, r, atoms);
  }
}

// Depth-first search over right-hand symbols, with a stack of its own: the depth of a grammar is its author's choice.
void CompiledGrammar::check_cycles() const {
  enum State : uint8_t { kNew, kOnPath, kDone };
  std::vector<std::vector<uint32_t>> unary(symbols());
  for (const Production& p : productions) {
    bool terminals = false;
    for (const Parts& argument : p.arguments)
      for (const Part& part : argument) terminals |= part.terminal;
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
}

// Whether `symbol` is below `from`, one level down or more.
bool CompiledGrammar::reaches(uint32_t from, uint32_t symbol) const {
  std::vector<bool> seen(symbols(), false);
  std::vector<uint32_t> stack{from};
  while (!stack.empty()) {
    const uint32_t t = stack.back();
    stack.pop_back();
    for (uint32_t p : productions_of[t])
      for (uint32_t c : productions[p].children) {
        if (c == symbol) return true;
        if (!seen[c]) {
          seen[c] = true;
          stack.push_back(c);
        }
      }
  }
  return false;
}

void CompiledGrammar::check_recursion() const {
  for (uint32_t s : adapted_symbols)
    if (reaches(s, s)) throw InputError("adapted symbol " + std::to_string(s) + " is recursive");
  // Atoms that are not in the word would make derivations endless.
  std::vector<bool> cleared(symbols(), false);
  for (size_t r = 0; r < rules.size(); ++r) {
    if (rules[r].underlying.empty() || cleared[rules[r].lhs]) continue;
    if (reaches(rules[r].lhs, rules[r].lhs))
      throw InputError(rule_name(r) + " has an underlying argument, and its left-hand symbol is recursive");
    cleared[rules[r].lhs] = true;
  }
}

}  // namespace binyan::grammar
