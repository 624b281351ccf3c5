// What queries need of one state of a chain of hpylm+i (inflection_hpylm.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ngram/inflection_hpylm.hpp"

namespace binyan::ngram {

// What is collected of each sample, one column per sample; rows as the trees number things, level after level.
struct InflectionSamples {
  struct Generator {
    // G: probability of each head; weight (a m + b) / (n + b) of the base in each node.
    std::vector<float> head, head_fresh;
    std::vector<float> pair, pair_fresh;  // F given first tokens: of each pair; in each head
    std::vector<float> second;            // F alone: of each second token
  };
  uint32_t columns = 1;
  std::vector<float> word, word_fresh;  // H: of each entry; in each context
  std::vector<float> weight;            // by context length, then floor
  std::vector<float> analysis;          // of each word
  std::vector<Generator> generators;

  // All arrays by name.
  std::vector<std::pair<std::string, std::vector<float>*>> arrays();
};

// Rows of each array, in the order of arrays().
std::vector<size_t> sample_rows(const GeneratorForest& forest);
// The present state of a chain as one column.
InflectionSamples collect(const InflectionHPYLM& model);

}  // namespace binyan::ngram
