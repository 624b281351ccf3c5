// What a rule shows of the strings of its right-hand symbols.
#pragma once
#include <cstdint>
#include <vector>

#include "grammar/rules.hpp"

namespace binyan::grammar {

using Strings = std::vector<std::vector<uint32_t>>;  // the atoms of each argument of a symbol

// The strings of the left-hand symbol, given those of each right-hand symbol. Throws InputError where these have other
// atoms than the rule's underlying arguments.
Strings surface_strings(const SourceRule& rule, const std::vector<Strings>& children);

}  // namespace binyan::grammar
