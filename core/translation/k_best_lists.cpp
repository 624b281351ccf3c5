#include "translation/k_best_lists.hpp"

#include "parallel.hpp"

namespace binyan::translation {

Translations best_translations(const Decoder& decoder, const Hypergraph& graph, uint32_t k, bool distinct) {
  Translations out;
  const auto words = [&](const HyperEdge& edge, const std::vector<uint32_t>* const* tails) {
    return decoder.words(graph, edge, tails);
  };
  KBest best(graph, distinct ? KBest::Yield(words) : nullptr);
  const auto goal = static_cast<uint32_t>(graph.nodes.size()) - 1;
  const size_t width = decoder.weights().size();
  for (uint32_t rank = 0; rank < k; ++rank) {
    const auto* at = best.derivation(goal, rank);
    if (!at) break;
    Derivation d;
    d.score = at->score;
    best.edges(goal, rank, d.edges);
    d.words = decoder.words(graph, d.edges);
    out.features.resize(out.features.size() + width, 0.0);
    const auto values = std::span(out.features).last(width);
    for (uint32_t e : d.edges) decoder.add_features(graph, e, values);
    out.derivations.push_back(std::move(d));
  }
  return out;
}

std::vector<Translations> translate(const Decoder& decoder, std::span<const SourceSentence> sentences, uint32_t k,
                                    bool distinct, unsigned threads) {
  std::vector<Translations> all(sentences.size());
  parallel_for(sentences.size(), threads, [&](size_t i) {
    if (!sentences[i].words.empty()) all[i] = best_translations(decoder, decoder.decode(sentences[i]), k, distinct);
  });
  return all;
}

}  // namespace binyan::translation
