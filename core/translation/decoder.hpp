// Hierarchical decoding: CKY+ over the grammar's trie, cube pruning with language-model states (Chiang 2007, section
// 5).
//
// A span has one list of hypotheses of X, a prefix of the sentence one of S (S -> X | S X). A hypothesis keeps, for
// each language model, the words at its left edge whose probability waits for their context, and the state at its right
// edge.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translation/decoder_models.hpp"
#include "translation/grammar.hpp"
#include "translation/hypergraph.hpp"

namespace binyan::translation {

struct DecoderSettings {
  uint32_t max_span = 10;    // source words of X; longer spans are joined by glue alone
  uint32_t pop_limit = 200;  // hypotheses of a span
  uint32_t rule_limit = 0;  // target sides of a source side that are tried, the best by rule score and estimate; 0: all
};

// Derivations of a sentence are as deep as it is long.
constexpr size_t kLongestSentence = 3000;

// Places of the features that are not the grammar's; language model l has kModels + 2 l (log-probability) and
// kModels + 2 l + 1 (unknown words).
enum : uint32_t { kGlueFeature, kPassThroughFeature, kWordFeature, kRuleFeature, kModels };

struct SourceSentence {
  std::vector<uint32_t> words;                            // source ids; 0 for words the grammar does not know
  std::vector<uint32_t> copies;                           // target id of each word where it is passed through
  std::shared_ptr<const SpanRules> span_rules = nullptr;  // those of sentence `number` are tried beside the grammar's
  size_t number = 0;
};

class Decoder {
 public:
  // `weights`: the grammar's features, `more_features` that only rules for spans have, then those above. Grammar and
  // models outlive the decoder, which remembers the rules of source sides from sentence to sentence. The models may
  // learn new words meanwhile (LanguageModelFeature).
  Decoder(const Grammar& grammar, const DecoderModels& models, std::vector<float> weights, DecoderSettings settings,
          uint32_t more_features = 0);

  // The hypergraph of a sentence of one word or more; its goal always has a derivation. Const and safe from several
  // threads.
  Hypergraph decode(const SourceSentence& sentence) const;
  // The feature values of a derivation or an edge, added to `values` (as many as weights).
  void add_features(const Hypergraph& graph, uint32_t edge, std::span<double> values) const;
  // Throws InputError unless the hypergraph can be one of this decoder's.
  void check(const Hypergraph& graph) const;
  // The words of an edge over those of its tails.
  std::vector<uint32_t> words(const Hypergraph& graph, const HyperEdge& edge,
                              const std::vector<uint32_t>* const* tails) const;
  // The words of a derivation given as edges, heads first.
  std::vector<uint32_t> words(const Hypergraph& graph, std::span<const uint32_t> edges) const;

  // The target side of an edge that is neither glue nor the goal.
  std::span<const uint32_t> target(const Hypergraph& graph, const HyperEdge& edge) const;

  const std::vector<float>& weights() const { return weights_; }

 private:
  friend class SentenceDecoder;
  void check(const SourceSentence& sentence) const;
  std::span<const float> rule_features(const Hypergraph& graph, uint32_t rule) const;

  const Grammar& grammar_;
  const DecoderModels& models_;
  std::vector<float> weights_;
  DecoderSettings settings_;
  uint32_t rule_features_;  // the weights of these come first
  uint64_t number_;         // of all decoders over these models
};

}  // namespace binyan::translation
