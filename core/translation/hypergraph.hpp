// The translations of a sentence, packed: a node is a span with its language-model states, an edge is a rule over
// nodes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "no_index.hpp"
#include "translation/span_rules.hpp"

namespace binyan::translation {

// What is no rule, as `rule` of an edge.
constexpr uint32_t kGlueFirst = UINT32_MAX, kGlueJoin = UINT32_MAX - 1, kPassThrough = UINT32_MAX - 2,
                   kGoal = UINT32_MAX - 3;

struct HyperEdge {
  uint32_t head, rule;
  uint32_t tails[2];
  uint8_t arity;
  uint32_t word;  // the target word of kPassThrough
  float score;    // weighted features of this edge alone
  uint32_t next;  // another edge with the same head, or kNoIndex
};

struct HyperNode {
  uint32_t first, last;  // span of source words [first, last)
  uint32_t edge;         // first of its edges, the best one
  double score;          // of the best derivation
};

struct Derivation {
  double score = 0;
  std::vector<uint32_t> words;  // target word ids
  std::vector<uint32_t> edges;  // in the order of a walk from the root, heads first, tails left to right
};

struct Hypergraph {
  std::vector<HyperNode> nodes;  // tails come before heads; the last one is the goal
  std::vector<HyperEdge> edges;
  std::vector<float> model_values;  // language-model features of each edge, `model_width` per edge
  uint32_t model_width = 0;
  std::shared_ptr<const SpanRules> span_rules;  // numbered after the rules of the grammar; may be null

  std::span<const float> values(uint32_t edge) const {
    return {model_values.data() + uint64_t{edge} * model_width, model_width};
  }
};

}  // namespace binyan::translation
