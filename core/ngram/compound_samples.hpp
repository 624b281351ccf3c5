// What queries need of one state of a compound model's chain (compound_hpylm.hpp).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngram/compound_hpylm.hpp"

namespace binyan::ngram {

// What is collected of each sample, one column per sample; rows as the tree numbers things, level after level.
struct CompoundSamples {
  uint32_t columns = 1;
  // H: probability of each entry; weight (a m + b) / (n + b) of the base in each context.
  std::vector<float> word, word_fresh;
  std::vector<float> head, head_fresh;  // G: the same
  std::vector<float> pair, pair_fresh;  // F_c: of each pair of components; of each component
  std::vector<float> next;              // F_empty: of each component and the end
  std::vector<float> shortening;        // w_k by context length

  std::array<std::vector<float>*, 8> arrays();
};

// The present state of a chain as one column.
CompoundSamples collect(const CompoundHPYLM& model);
// Rows of each array, in the order of the struct.
std::array<size_t, 8> sample_rows(const CompoundTree& tree);

}  // namespace binyan::ngram
