// The part of learning that never changes: the words, their forests (shared between words of the same shape) and the
// yield numbers of their adapted nodes. Chains share it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grammar/forest.hpp"
#include "grammar/inside.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

class WordForests {
 public:
  // Throws InputError where forests and yield numbers would take more than `max_bytes`.
  WordForests(std::shared_ptr<const CompiledGrammar> grammar, const std::vector<std::vector<uint32_t>>& words,
              size_t max_bytes);

  const CompiledGrammar& grammar() const { return *grammar_; }
  uint32_t size() const { return static_cast<uint32_t>(forest_of_.size()); }
  bool parses(uint32_t word) const { return forests_[forest_of_[word]].root != kNoIndex; }
  const Forest& forest(uint32_t word) const { return forests_[forest_of_[word]]; }
  WordView view(uint32_t word) const {
    return {forest(word),
            {atoms_.data() + first_atom_[word], atoms_.data() + first_atom_[word + 1]},
            yields_.data() + first_yield_[word]};
  }
  uint32_t yields() const { return yield_count_; }  // yield numbers, 0 included
  uint32_t shapes() const { return static_cast<uint32_t>(forests_.size()); }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const CompiledGrammar> grammar_;
  std::vector<uint32_t> atoms_;
  std::vector<size_t> first_atom_, first_yield_;
  std::vector<Forest> forests_;
  std::vector<uint32_t> forest_of_;
  std::vector<uint32_t> yields_;
  uint32_t yield_count_ = 1;
  size_t bytes_ = 0;
};

}  // namespace binyan::grammar
