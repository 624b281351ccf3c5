// The chart of one sentence. Used by Decoder alone.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "translation/decoder.hpp"
#include "translation/decoder_workspace.hpp"
#include "translation/model_states.hpp"

namespace binyan::translation {

class SentenceDecoder {
 public:
  SentenceDecoder(const Decoder& decoder, const SourceSentence& sentence, DecoderWorkspace& workspace);
  Hypergraph run();

 private:
  // A source side over a span: options x hypotheses of its gaps.
  struct Bundle {
    const Options* options;
    const std::vector<uint32_t>* gaps[2];
    uint8_t arity;
    bool from_begin;
  };
  struct Candidate {
    float total;  // score and estimate of the whole hypothesis
    double score;
    float edge_score;
    uint32_t bundle, rank[3], id;  // id: how many were pushed before it
  };
  // A dotted rule that begins where the chart is being filled.
  struct Item {
    uint32_t node;
    uint8_t gaps;
    uint32_t cells[2];
  };

  const Options& options_of(uint32_t node);
  void add_span_options();
  void order(Options& list) const;
  void add_option(Options& list, uint32_t rule, uint32_t word, std::span<const uint32_t> target, float score);
  void fill_from(uint32_t start);
  void glue(uint32_t end);
  void finish();
  void prune(const std::vector<Bundle>& bundles, uint32_t first, uint32_t last, std::vector<uint32_t>& cell);
  void push(const std::vector<Bundle>& bundles, uint32_t bundle, const uint32_t* rank);
  uint32_t cell_index(uint32_t first, uint32_t last) const { return first * (span_ + 1) + (last - first); }
  const uint32_t* state(uint32_t node) const { return states_.data() + uint64_t{node} * models_.width(); }
  uint32_t add_edge(HyperEdge edge, const float* values);

  const Decoder& decoder_;
  const Grammar& grammar_;
  const SourceSentence& sentence_;
  const float* weights_;  // of the features that are not the grammar's
  uint32_t size_, span_;
  DecoderWorkspace& workspace_;
  ModelStates& models_;
  Hypergraph graph_;
  std::vector<uint32_t> states_;                         // of each node
  std::vector<float> totals_;                            // of each node: score and estimate of the open words
  std::vector<std::vector<uint32_t>> cells_, prefixes_;  // nodes of X by span, of S by end; best first
  Options glue_first_, glue_join_;
  std::vector<Options> copies_;
  std::unordered_map<uint32_t, Options> span_options_;  // of rules for spans, by cell

  // The cell being pruned.
  std::vector<Candidate> heap_;
  std::vector<uint32_t> candidate_states_;
  std::vector<float> candidate_values_, estimates_;
  uint32_t pushed_ = 0;
  std::vector<uint32_t> scratch_;
  std::vector<float> scratch_values_;
};

}  // namespace binyan::translation
