#include "translation/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "errors.hpp"
#include "translation/decoder_workspace.hpp"
#include "translation/sentence_decoder.hpp"

namespace binyan::translation {

Decoder::Decoder(const Grammar& grammar, const DecoderModels& models, std::vector<float> weights,
                 DecoderSettings settings, uint32_t more_features)
    : grammar_(grammar),
      models_(models),
      weights_(std::move(weights)),
      settings_(settings),
      rule_features_(grammar.feature_count() + more_features),
      number_(models.next_decoder()) {
  const size_t expected = uint64_t{rule_features_} + kModels + 2 * models.features().size();
  if (weights_.size() != expected)
    throw InputError(std::to_string(weights_.size()) + " weights where grammar and models have " +
                     std::to_string(expected) + " features");
  if (settings.max_span < 1 || settings.pop_limit < 1)
    throw InputError("span and pop limits of the decoder are 1 or more");
  if (!std::ranges::all_of(weights_, [](float w) { return std::isfinite(w); }))
    throw InputError("a weight of the decoder is not a finite number");
}

void Decoder::check(const SourceSentence& sentence) const {
  if (sentence.words.empty() || sentence.words.size() != sentence.copies.size())
    throw InputError("a sentence to translate has one word or more, each with its copy");
  if (sentence.words.size() > kLongestSentence)
    throw InputError("a line of " + std::to_string(sentence.words.size()) + " words: at most " +
                     std::to_string(kLongestSentence) + " are translated at once; split it into sentences");
  uint64_t words = uint64_t{std::ranges::max(sentence.copies)} + 1;
  if (const SpanRules* rules = sentence.span_rules.get()) {
    if (rules->feature_count() != rule_features_ || sentence.number >= rules->sentences() ||
        rules->rules() >= kGoal - grammar_.rules())
      throw InputError("the rules for spans are not for this decoder, or not for this sentence");
    for (const RulePlace& place : rules->places(sentence.number))
      if (place.last > sentence.words.size()) throw InputError("a rule for a span ends after the sentence");
    words = std::max<uint64_t>(words, rules->word_limit());
  }
  for (const LanguageModelFeature* model : models_.features())
    if (words > model->words())
      throw InputError("word " + std::to_string(words - 1) + " is to be written, but a language model knows " +
                       std::to_string(model->words()) + " words of the decoder: extend it first");
}

Hypergraph Decoder::decode(const SourceSentence& sentence) const {
  std::vector<std::shared_lock<std::shared_mutex>> locks;
  for (const LanguageModelFeature* model : models_.features()) locks.push_back(model->decoding());
  check(sentence);
  std::unique_ptr<DecoderWorkspace> workspace = models_.take_workspace(number_);
  Hypergraph graph = SentenceDecoder(*this, sentence, *workspace).run();
  models_.give_back(std::move(workspace));
  return graph;
}

void Decoder::check(const Hypergraph& graph) const {
  const SpanRules* more = graph.span_rules.get();
  bool sound = !graph.nodes.empty() && graph.model_width == weights_.size() - rule_features_ - kModels &&
               (!more || more->feature_count() == rule_features_);
  const uint64_t rules = uint64_t{grammar_.rules()} + (more ? more->rules() : 0);
  for (const HyperEdge& e : graph.edges)
    if (e.rule < kGoal) sound = sound && e.rule < rules && std::ranges::count_if(target(graph, e), is_gap) == e.arity;
  if (!sound) throw InputError("the hypergraph is of another decoder");
}

std::span<const uint32_t> Decoder::target(const Hypergraph& graph, const HyperEdge& edge) const {
  if (edge.rule == kPassThrough) return {&edge.word, 1};
  return edge.rule < grammar_.rules() ? grammar_.target(edge.rule)
                                      : graph.span_rules->target(edge.rule - grammar_.rules());
}

std::span<const float> Decoder::rule_features(const Hypergraph& graph, uint32_t rule) const {
  return rule < grammar_.rules() ? grammar_.features(rule) : graph.span_rules->features(rule - grammar_.rules());
}

void Decoder::add_features(const Hypergraph& graph, uint32_t edge, std::span<double> values) const {
  const HyperEdge& e = graph.edges[edge];
  const uint32_t own = rule_features_;
  if (e.rule == kGlueJoin) values[own + kGlueFeature] += 1;
  if (e.rule == kPassThrough) {
    values[own + kPassThroughFeature] += 1;
    values[own + kWordFeature] += 1;
  }
  if (e.rule < kGoal) {
    const auto features = rule_features(graph, e.rule);
    for (size_t f = 0; f < features.size(); ++f) values[f] += features[f];
    values[own + kRuleFeature] += 1;
    for (uint32_t s : target(graph, e)) values[own + kWordFeature] += !is_gap(s);
  }
  const auto of_models = graph.values(edge);
  for (size_t i = 0; i < of_models.size(); ++i) values[own + kModels + i] += of_models[i];
}

std::vector<uint32_t> Decoder::words(const Hypergraph& graph, const HyperEdge& edge,
                                     const std::vector<uint32_t>* const* tails) const {
  if (edge.rule == kPassThrough) return {edge.word};
  std::vector<uint32_t> yield;
  if (edge.rule >= kGoal) {
    for (int t = 0; t < edge.arity; ++t) yield.insert(yield.end(), tails[t]->begin(), tails[t]->end());
    return yield;
  }
  for (uint32_t s : target(graph, edge)) {
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
    std::vector<uint32_t> yield = words(graph, e, tails);
    yields.resize(yields.size() - e.arity);
    yields.push_back(std::move(yield));
  }
  return yields.back();
}

}  // namespace binyan::translation
