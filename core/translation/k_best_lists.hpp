// The k best translations of many sentences.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "translation/decoder.hpp"
#include "translation/k_best.hpp"

namespace binyan::translation {

struct Translations {
  std::vector<Derivation> derivations;  // best first
  std::vector<double> features;         // a row per derivation, as long as the decoder's weights
};

// With `distinct`, derivations of the same words count once.
Translations best_translations(const Decoder& decoder, const Hypergraph& graph, uint32_t k, bool distinct);
// Those of each sentence; a sentence of no words has none.
std::vector<Translations> translate(const Decoder& decoder, std::span<const SourceSentence> sentences, uint32_t k,
                                    bool distinct, unsigned threads);

}  // namespace binyan::translation
