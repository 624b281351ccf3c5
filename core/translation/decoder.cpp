#include "translation/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "errors.hpp"
#include "translation/model_states.hpp"
#include "translation/sentence_decoder.hpp"

namespace binyan::translation {

Decoder::Decoder(const Grammar& grammar, std::vector<const LanguageModelFeature*> models, std::vector<float> weights,
                 DecoderSettings settings)
    : grammar_(grammar), models_(std::move(models)), weights_(std::move(weights)), settings_(settings) {
  const size_t expected = grammar.feature_count() + kModels + 2 * models_.size();
  if (weights_.size() != expected)
    throw InputError(std::to_string(weights_.size()) + " weights where grammar and models have " +
                     std::to_string(expected) + " features");
  if (settings.max_span < 1 || settings.pop_limit < 1)
    throw InputError("span and pop limits of the decoder are 1 or more");
  if (!std::ranges::all_of(weights_, [](float w) { return std::isfinite(w); }))
    throw InputError("a weight of the decoder is not a finite number");
}

Decoder::~Decoder() = default;

Hypergraph Decoder::decode(const SourceSentence& sentence) const {
  if (sentence.words.empty() || sentence.words.size() != sentence.copies.size())
    throw InputError("a sentence to translate has one word or more, each with its copy");
  if (sentence.words.size() > kLongestSentence)
    throw InputError("a line of " + std::to_string(sentence.words.size()) + " words: at most " +
                     std::to_string(kLongestSentence) + " are translated at once; split it into sentences");
  std::vector<std::shared_lock<std::shared_mutex>> locks;
  for (const LanguageModelFeature* model : models_) {
    locks.push_back(model->decoding());
    if (const uint32_t last = std::ranges::max(sentence.copies); last >= model->words())
      throw InputError("word " + std::to_string(last) + " is to be copied, but a language model knows " +
                       std::to_string(model->words()) + " words of the decoder: extend it first");
  }
  std::unique_ptr<DecoderWorkspace> own;
  if (const std::scoped_lock locked(idle_lock_); !idle_.empty()) {
    own = std::move(idle_.back());
    idle_.pop_back();
  }
  if (!own) own = std::make_unique<DecoderWorkspace>(models_);
  Hypergraph graph = SentenceDecoder(*this, sentence, *own).run();
  own->forget_most();
  const std::scoped_lock locked(idle_lock_);
  idle_.push_back(std::move(own));
  return graph;
}

void Decoder::check(const Hypergraph& graph) const {
  bool sound = !graph.nodes.empty() && graph.model_width == weights_.size() - grammar_.feature_count() - kModels;
  for (const HyperEdge& e : graph.edges)
    if (e.rule < kGoal)
      sound = sound && e.rule < grammar_.rules() && std::ranges::count_if(grammar_.target(e.rule), is_gap) == e.arity;
  if (!sound) throw InputError("the hypergraph is of another decoder");
}

void Decoder::add_features(const Hypergraph& graph, uint32_t edge, std::span<double> values) const {
  const HyperEdge& e = graph.edges[edge];
  const uint32_t own = grammar_.feature_count();
  if (e.rule == kGlueJoin) values[own + kGlueFeature] += 1;
  if (e.rule == kPassThrough) {
    values[own + kPassThroughFeature] += 1;
    values[own + kWordFeature] += 1;
  }
  if (e.rule < kGoal) {
    const auto features = grammar_.features(e.rule);
    for (size_t f = 0; f < features.size(); ++f) values[f] += features[f];
    values[own + kRuleFeature] += 1;
    for (uint32_t s : grammar_.target(e.rule)) values[own + kWordFeature] += !is_gap(s);
  }
  const auto of_models = graph.values(edge);
  for (size_t i = 0; i < of_models.size(); ++i) values[own + kModels + i] += of_models[i];
}

std::vector<uint32_t> Decoder::words(const HyperEdge& edge, const std::vector<uint32_t>* const* tails) const {
  if (edge.rule == kPassThrough) return {edge.word};
  std::vector<uint32_t> yield;
  if (edge.rule >= kGoal) {
    for (int t = 0; t < edge.arity; ++t) yield.insert(yield.end(), tails[t]->begin(), tails[t]->end());
    return yield;
  }
  for (uint32_t s : grammar_.target(edge.rule)) {
    if (is_gap(s)) yield.insert(yield.end(), tails[gap_index(s)]->begin(), tails[gap_index(s)]->end());
    else yield.push_back(s);
  }
  return yield;
}

std::vector<uint32_t> Decoder::words(const Hypergraph& graph, std::span<const uint32_t> edges) const {
  // Heads first and tails left to right: read backwards, the first tail's yield is on top.
  std::vector<std::vector<uint32_t>> yields;
  for (size_t i = edges.size(); i-- > 0;) {
    const HyperEdge& e = graph.edges[edges[i]];
    const std::vector<uint32_t>* tails[2] = {nullptr, nullptr};
    for (int t = 0; t < e.arity; ++t) tails[t] = &yields[yields.size() - 1 - t];
    std::vector<uint32_t> yield = words(e, tails);
    yields.resize(yields.size() - e.arity);
    yields.push_back(std::move(yield));
  }
  return yields.back();
}

}  // namespace binyan::translation
