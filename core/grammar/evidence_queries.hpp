// Questions about what is known of a word, asked before learning to find contradictions.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/evidence.hpp"

namespace binyan::grammar {

// How many derivations of a word agree with the evidence.
double agreeing_derivations(const CompiledGrammar& grammar, std::span<const uint32_t> word,
                            std::span<const uint32_t> label_of, const Evidence& evidence);

// What the topmost constituents of `symbols` spell in derivations that agree with the evidence, where all that a
// derivation has spell the same; sorted.
std::vector<std::vector<uint32_t>> possible_strings(const CompiledGrammar& grammar, std::span<const uint32_t> word,
                                                    std::span<const uint32_t> label_of, const Evidence& evidence,
                                                    const std::vector<uint32_t>& symbols);

// Whether a symbol derives the strings, one for each of its arguments.
bool derives_strings(const CompiledGrammar& grammar, uint32_t symbol,
                     const std::vector<std::vector<uint32_t>>& strings);

}  // namespace binyan::grammar
