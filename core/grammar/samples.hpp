// Derivations of each word collected over kept sweeps, each distinct one once with its count.
#pragma once
#include <cstdint>
#include <vector>

#include "grammar/chain.hpp"

namespace binyan::grammar {

class Samples {
 public:
  // Add the current derivation of every word of the chain.
  void add(const Chain& chain);
  // Add all of another store of the same words.
  void merge(const Samples& other);

  struct Counted {
    std::vector<uint32_t> rules;
    uint32_t count;
  };
  // Most frequent first; equal counts by first occurrence.
  std::vector<Counted> of(uint32_t word) const;
  uint32_t kept() const { return kept_; }

  // The whole store as numbers, and back.
  std::vector<uint32_t> state() const;
  // Throws InputError where they are not records of derivations of `grammar`.
  void restore(std::span<const uint32_t> state, const CompiledGrammar& grammar);
  uint32_t words() const { return static_cast<uint32_t>(words_.size()); }

 private:
  void add_counted(uint32_t word, std::span<const uint32_t> rules, uint32_t count);
  uint32_t kept_ = 0;
  std::vector<std::vector<uint32_t>> words_;  // of each word: records (count, length, rules ...), one after another
};

}  // namespace binyan::grammar
