#include "grammar/surface_strings.hpp"

#include <algorithm>

#include "errors.hpp"

namespace binyan::grammar {
namespace {

using String = std::vector<uint32_t>;

bool is_variable(const Element& e) { return e.child != kTerminal; }

// The atoms that the variable among `parts` stands for, given the whole.
String variable_string(const std::vector<Element>& parts, const String& whole) {
  const size_t before = std::find_if(parts.begin(), parts.end(), is_variable) - parts.begin();
  const size_t given = parts.size() - 1;
  if (whole.size() <= given) throw InputError("a derivation lacks the underlying atoms of a rule");
  return {whole.begin() + before, whole.end() - (given - before)};
}

String free_variable(const SourceRule& rule, const std::vector<Strings>& children, const Element& variable) {
  for (const UnderlyingArgument& u : rule.underlying)
    if (std::find(u.parts.begin(), u.parts.end(), variable) != u.parts.end())
      return variable_string(u.parts, children[u.child][u.index]);
  throw InputError("a variable belongs to no right-hand argument");
}

}  // namespace

Strings surface_strings(const SourceRule& rule, const std::vector<Strings>& children) {
  const auto string_of = [&](const Element& e) -> String {
    if (e.child == kTerminal) return {e.index};
    return e.child == kFree ? free_variable(rule, children, e) : children[e.child][e.index];
  };
  const auto join = [&](const std::vector<Element>& parts) {
    String joined;
    for (const Element& e : parts) {
      const String string = string_of(e);
      joined.insert(joined.end(), string.begin(), string.end());
    }
    return joined;
  };
  for (const UnderlyingArgument& u : rule.underlying)
    if (join(u.parts) != children[u.child][u.index])
      throw InputError("a derivation has other underlying atoms than its rules");
  Strings result;
  for (const auto& argument : rule.arguments) result.push_back(join(argument));
  return result;
}

}  // namespace binyan::grammar
