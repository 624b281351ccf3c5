// A grammar of stems and suffixes over three letters, both adapted.
#pragma once
#include <memory>
#include <vector>

#include "grammar/rules.hpp"

// Word -> Stem Suffix | Stem; Stem, Suffix -> Chars; Chars -> Char | Char Chars; Char -> a | b | c.
inline std::shared_ptr<const binyan::grammar::CompiledGrammar> small_grammar() {
  using binyan::grammar::SourceRule;
  const auto joined = [](uint32_t lhs, std::vector<uint32_t> rhs) {
    std::vector<binyan::grammar::Element> argument;
    for (int32_t i = 0; i < static_cast<int32_t>(rhs.size()); ++i) argument.push_back({i, 0});
    return SourceRule{lhs, {argument}, std::move(rhs), 1.0};
  };
  std::vector<SourceRule> rules{joined(0, {1, 2}), joined(0, {1}), joined(1, {3}),
                                joined(2, {3}),    joined(3, {4}), joined(3, {4, 3})};
  for (uint32_t a = 0; a < 3; ++a) rules.push_back({4, {{{-1, a}}}, {}, 1.0});
  return std::make_shared<const binyan::grammar::CompiledGrammar>(5, 3, 0, std::move(rules),
                                                                  std::vector<bool>{false, true, true, false, false});
}
