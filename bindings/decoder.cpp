// Language models in the decoder, decoding and k-best lists.
#include "translation/decoder.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "translation/compound_feature.hpp"
#include "translation/inflection_feature.hpp"
#include "translation/k_best_lists.hpp"
#include "translation/log_bilinear_query.hpp"
#include "translation/open_feature.hpp"
#include "translation/score_cache.hpp"
#include "translation/sequence_table.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;
using namespace binyan::translation;

namespace {

// Any model of the protocol, by a call into Python for each new (context, word). States are contexts of up to
// order - 1 words.
class CallbackFeature final : public LanguageModelFeature {
 public:
  CallbackFeature(uint32_t order, std::vector<uint8_t> unknown, nb::callable log_prob)
      : order_(order), unknown_(std::move(unknown)), log_prob_(std::move(log_prob)) {
    if (order < 1) throw InputError("a language model in the decoder has an order of 1 or more");
  }
  void extend(std::span<const uint8_t> unknown) {
    const auto lock = growing();
    unknown_.insert(unknown_.end(), unknown.begin(), unknown.end());
  }
  uint32_t words() const override { return static_cast<uint32_t>(unknown_.size()); }
  uint32_t order() const override { return order_; }
  bool unknown(uint32_t word) const override { return unknown_[word]; }
  std::unique_ptr<LanguageModelQuery> query() const override { return std::make_unique<Query>(*this); }

 private:
  class Query final : public LanguageModelQuery {
   public:
    explicit Query(const CallbackFeature& feature) : feature_(feature) { contexts_.intern({}); }
    uint32_t begin() override { return 0; }
    uint32_t empty() override { return 0; }
    uint32_t length(uint32_t state) override { return static_cast<uint32_t>(contexts_[state].size()); }
    QueryResult score(uint32_t state, uint32_t word) override {
      return known_.get(state, word, [&]() -> QueryResult {
        std::vector<uint32_t> context(contexts_[state].begin(), contexts_[state].end());
        const float log_p = ask(context, word);
        context.push_back(word);
        if (context.size() >= feature_.order_) context.erase(context.begin());
        return {contexts_.intern(context), log_p};
      });
    }
    float end(uint32_t state) override {
      const auto context = contexts_[state];
      return ask({context.begin(), context.end()}, -1);
    }
    uint64_t remembered() const override { return known_.bytes() + uint64_t{contexts_.size()} * 32; }

   private:
    float ask(const std::vector<uint32_t>& context, int64_t word) {
      nb::gil_scoped_acquire locked;
      return nb::cast<float>(feature_.log_prob_(nb::tuple(nb::cast(context)), word));
    }
    const CallbackFeature& feature_;
    SequenceTable contexts_;
    ScoreCache known_;
  };
  uint32_t order_;
  std::vector<uint8_t> unknown_;
  nb::callable log_prob_;
};

// (sentence, score, words, word offsets, features) of the hypotheses of all sentences.
nb::tuple flatten(const std::vector<Translations>& all) {
  std::vector<uint32_t> sentence, words;
  std::vector<uint64_t> offsets{0};
  std::vector<double> score, features;
  for (uint32_t i = 0; i < all.size(); ++i) {
    for (const Derivation& d : all[i].derivations) {
      sentence.push_back(i);
      score.push_back(d.score);
      words.insert(words.end(), d.words.begin(), d.words.end());
      offsets.push_back(words.size());
    }
    features.insert(features.end(), all[i].features.begin(), all[i].features.end());
  }
  return nb::make_tuple(numpy(std::move(sentence)), numpy(std::move(score)), numpy(std::move(words)),
                        numpy(std::move(offsets)), numpy(std::move(features)));
}

nb::tuple derivations(const Decoder& decoder, const Hypergraph& graph, uint32_t k, bool distinct) {
  decoder.check(graph);
  std::vector<Translations> best(1);
  {
    nb::gil_scoped_release unlocked;
    best[0] = best_translations(decoder, graph, k, distinct);
  }
  std::vector<uint32_t> edges;
  std::vector<uint64_t> offsets{0};
  for (const Derivation& d : best[0].derivations) {
    edges.insert(edges.end(), d.edges.begin(), d.edges.end());
    offsets.push_back(edges.size());
  }
  return nb::make_tuple(flatten(best), numpy(std::move(edges)), numpy(std::move(offsets)));
}

auto edge_features(const Decoder& decoder, const Hypergraph& graph, const Ids& edges) {
  decoder.check(graph);
  const size_t width = decoder.weights().size();
  std::vector<double> values(edges.size() * width, 0.0);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges.data()[i] >= graph.edges.size()) throw InputError("the hypergraph has no such edge");
    decoder.add_features(graph, edges.data()[i], std::span(values).subspan(i * width, width));
  }
  return numpy(std::move(values));
}

std::pair<Flat<uint32_t>, Flat<uint64_t>> edge_targets(const Decoder& decoder, const Hypergraph& graph,
                                                       const Ids& edges) {
  decoder.check(graph);
  std::vector<uint32_t> symbols;
  std::vector<uint64_t> offsets{0};
  for (uint32_t e : view(edges)) {
    if (e >= graph.edges.size()) throw InputError("the hypergraph has no such edge");
    if (const HyperEdge& edge = graph.edges[e]; edge.rule < kGoal || edge.rule == kPassThrough) {
      const auto target = decoder.target(graph, edge);
      symbols.insert(symbols.end(), target.begin(), target.end());
    }
    offsets.push_back(symbols.size());
  }
  return {numpy(std::move(symbols)), numpy(std::move(offsets))};
}

using SharedRules = std::shared_ptr<SpanRules>;

SourceSentence sentence_of(const Ids& words, const Ids& copies, const Offsets& offsets, size_t i,
                           const SharedRules& rules, size_t number) {
  const auto w = view(words).subspan(offsets.data()[i], offsets.data()[i + 1] - offsets.data()[i]);
  const auto c = view(copies).subspan(offsets.data()[i], offsets.data()[i + 1] - offsets.data()[i]);
  return {{w.begin(), w.end()}, {c.begin(), c.end()}, rules, number};
}

template <class T>
auto copied(const std::optional<T>& array) {
  return array ? copy(*array) : decltype(copy(*array))();
}

void bind_features(nb::module_& m) {
  // Words may be appended while another thread decodes, which may need the interpreter to finish: wait without its
  // lock.
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<LanguageModelFeature>(
      m, "LanguageModelFeature",
      "A language model as a feature of the decoder. `extend` appends words to the decoder's vocabulary.")
      .def_prop_ro("words", &LanguageModelFeature::words, "How many words of the decoder the feature knows.");
  nb::class_<BackoffFeature, LanguageModelFeature>(
      m, "BackoffFeature", "A back-off n-gram model in the decoder; `ids` are its ids of the decoder's words.")
      .def(
          "__init__",
          [](BackoffFeature* self, const BackoffModel& model, Ids ids) { new (self) BackoffFeature(model, copy(ids)); },
          nb::arg("model"), nb::arg("ids"), nb::keep_alive<1, 2>())
      .def(
          "extend", [](BackoffFeature& self, Ids ids) { self.extend(view(ids)); }, nb::arg("ids"), Unlocked(),
          "Append words; `ids` as for the constructor.");
  nb::class_<LogBilinearFeature, LanguageModelFeature>(
      m, "LogBilinearFeature",
      "A log-bilinear model in the decoder (core/translation/log_bilinear_query.hpp has the arrays).")
      .def(
          "__init__",
          [](LogBilinearFeature* self, uint32_t order, uint32_t width, bool sigmoid, Array<float> context,
             Array<float> class_vectors, Array<float> class_bias, Array<float> target_vectors, Array<float> target_bias,
             Ids first, Ids row, uint32_t end_row, Array<uint8_t> unknown,
             std::optional<Array<float>> extension_vectors, std::optional<Array<float>> extension_bias,
             std::optional<Ids> place) {
            new (self) LogBilinearFeature({order, width, sigmoid, copy(context), copy(class_vectors), copy(class_bias),
                                           copy(target_vectors), copy(target_bias), copy(first), copy(row), end_row,
                                           copied(extension_vectors), copied(extension_bias), copied(place)},
                                          copy(unknown));
          },
          nb::arg("order"), nb::arg("width"), nb::arg("sigmoid"), nb::arg("context"), nb::arg("class_vectors"),
          nb::arg("class_bias"), nb::arg("target_vectors"), nb::arg("target_bias"), nb::arg("first"), nb::arg("row"),
          nb::arg("end_row"), nb::arg("unknown"), nb::arg("extension_vectors") = nb::none(),
          nb::arg("extension_bias") = nb::none(), nb::arg("place") = nb::none())
      .def(
          "extend",
          [](LogBilinearFeature& self, Array<float> context, Ids row, Array<uint8_t> unknown,
             std::optional<Ids> place) {
            self.extend(view(context), view(row), view(unknown), place ? view(*place) : std::span<const uint32_t>());
          },
          nb::arg("context"), nb::arg("row"), nb::arg("unknown"), nb::arg("place") = nb::none(), Unlocked(),
          "Append words: `context` is (order - 1) x new words x width, without a row for the start of the sentence.");
  nb::class_<CompoundFeature, LanguageModelFeature>(
      m, "CompoundFeature", "HPYLM+c in the decoder; `words` are the decoder's words as the model sees them.")
      .def(
          "__init__",
          [](CompoundFeature* self, const CompoundQuery& model, std::vector<CompoundQuery::Word> words,
             Array<uint8_t> unknown,
             bool renormalise) { new (self) CompoundFeature(model, std::move(words), copy(unknown), renormalise); },
          nb::arg("model"), nb::arg("words"), nb::arg("unknown"), nb::arg("renormalise"), nb::keep_alive<1, 2>())
      .def(
          "extend",
          [](CompoundFeature& self, std::vector<CompoundQuery::Word> words, Array<uint8_t> unknown) {
            self.extend(std::move(words), view(unknown));
          },
          nb::arg("words"), nb::arg("unknown"), Unlocked(), "Append words, as for the constructor.");
  nb::class_<InflectionFeature, LanguageModelFeature>(
      m, "InflectionFeature", "hpylm+i in the decoder; `words` are the decoder's words as the model sees them.")
      .def(
          "__init__",
          [](InflectionFeature* self, const InflectionQuery& model, std::vector<InflectionQuery::Word> words,
             Array<uint8_t> unknown,
             bool renormalise) { new (self) InflectionFeature(model, std::move(words), copy(unknown), renormalise); },
          nb::arg("model"), nb::arg("words"), nb::arg("unknown"), nb::arg("renormalise"), nb::keep_alive<1, 2>())
      .def(
          "extend",
          [](InflectionFeature& self, std::vector<InflectionQuery::Word> words, Array<uint8_t> unknown) {
            self.extend(std::move(words), view(unknown));
          },
          nb::arg("words"), nb::arg("unknown"), Unlocked(), "Append words, as for the constructor.");
  nb::class_<OpenFeature, LanguageModelFeature>(m, "OpenFeature",
                                                "An open vocabulary in the decoder: `closed` has <unk> and then the "
                                                "decoder's words, and `spelt` is the logarithm of each "
                                                "unknown word's share of <unk>.")
      .def(
          "__init__",
          [](OpenFeature* self, const LanguageModelFeature& closed, Array<float> spelt, Array<double> offsets) {
            new (self) OpenFeature(closed, copy(spelt), copy(offsets));
          },
          nb::arg("closed"), nb::arg("spelt"), nb::arg("offsets"), nb::keep_alive<1, 2>())
      .def(
          "extend",
          [](OpenFeature& self, Array<float> spelt, const nb::tuple& closed) {
            const auto extend = [&] {
              nb::gil_scoped_acquire locked;
              nb::find(self.closed()).attr("extend")(*closed);
            };
            nb::gil_scoped_release unlocked;
            self.extend(view(spelt), extend);
          },
          nb::arg("spelt"), nb::arg("closed"), "Append words: `closed` is what `extend` of the closed model takes.");
  nb::class_<CallbackFeature, LanguageModelFeature>(
      m, "CallbackFeature", "Any model in the decoder: log_prob(context, word) with words as ids, -1 for the end.")
      .def(
          "__init__",
          [](CallbackFeature* self, uint32_t order, Array<uint8_t> unknown, nb::callable log_prob) {
            new (self) CallbackFeature(order, copy(unknown), std::move(log_prob));
          },
          nb::arg("order"), nb::arg("unknown"), nb::arg("log_prob"))
      .def(
          "extend", [](CallbackFeature& self, Array<uint8_t> unknown) { self.extend(view(unknown)); },
          nb::arg("unknown"), Unlocked(), "Append words; log_prob must know them already.");
}

void bind_hypergraph(nb::module_& m) {
  nb::class_<Hypergraph>(m, "Hypergraph",
                         "The translations of a sentence, packed. Tails come before heads; the last node is the goal.")
      .def_prop_ro("nodes", [](const Hypergraph& g) { return g.nodes.size(); })
      .def_prop_ro("edges", [](const Hypergraph& g) { return g.edges.size(); })
      .def(
          "node",
          [](const Hypergraph& g, size_t i) {
            const auto& n = g.nodes.at(i);
            return std::tuple(n.first, n.last, n.score);
          },
          nb::arg("index"), "(first, last, best score): its span of source words.")
      .def(
          "edge",
          [](const Hypergraph& g, size_t i) {
            const auto& e = g.edges.at(i);
            return std::tuple(e.head, std::vector<uint32_t>(e.tails, e.tails + e.arity), e.rule, e.score);
          },
          nb::arg("index"), "(head, tails, rule, score of the edge alone).");
  m.attr("GLUE_FIRST") = kGlueFirst;
  m.attr("GLUE_JOIN") = kGlueJoin;
  m.attr("PASS_THROUGH") = kPassThrough;
  m.attr("GOAL") = kGoal;
}

void bind_decoder_class(nb::module_& m) {
  nb::class_<SpanRules>(m, "SpanRules", "Rules that are made for some sentences, beside those of a grammar.")
      .def(
          "__init__",
          [](SpanRules* self, Ids target_words, Offsets target_offsets, Array<float> features, uint32_t feature_count,
             Ids places, Offsets place_offsets) {
            if (places.size() % 3)
              throw InputError("a place of a rule is its first word, its end and the number of the rule");
            std::vector<RulePlace> own;
            for (size_t i = 0; i < places.size(); i += 3)
              own.push_back({places.data()[i], places.data()[i + 1], places.data()[i + 2]});
            new (self) SpanRules(copy(target_words), copy(target_offsets), copy(features), feature_count,
                                 std::move(own), copy(place_offsets));
          },
          nb::arg("target_words"), nb::arg("target_offsets"), nb::arg("features"), nb::arg("feature_count"),
          nb::arg("places"), nb::arg("place_offsets"),
          "`places`: (first word, end, rule), flat; those of each sentence by `place_offsets`.");
  nb::class_<DecoderModels>(m, "DecoderModels",
                            "Features of language models and what they have answered; decoders may share it.")
      .def(nb::init<std::vector<const LanguageModelFeature*>>(), nb::arg("features"), nb::keep_alive<1, 2>());
  nb::class_<Decoder>(m, "Decoder", "Hierarchical decoding with cube pruning.")
      .def(
          "__init__",
          [](Decoder* self, const Grammar& grammar, const DecoderModels& models, Array<float> weights,
             uint32_t max_span, uint32_t pop_limit, uint32_t rule_limit, uint32_t more_features) {
            new (self) Decoder(grammar, models, copy(weights), {max_span, pop_limit, rule_limit}, more_features);
          },
          nb::arg("grammar"), nb::arg("models"), nb::arg("weights"), nb::arg("max_span"), nb::arg("pop_limit"),
          nb::arg("rule_limit"), nb::arg("more_features") = 0, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(
          "hypergraph",
          [](const Decoder& self, Ids words, Ids copies, const SharedRules& rules) {
            nb::gil_scoped_release unlocked;
            return self.decode({copy(words), copy(copies), rules});
          },
          nb::arg("words"), nb::arg("copies"), nb::arg("span_rules").none() = nb::none(),
          "The translations of the first sentence of `span_rules`, if these are given.")
      .def(
          "k_best",
          [](const Decoder& self, const Hypergraph& graph, uint32_t k, bool distinct) {
            self.check(graph);
            return flatten({best_translations(self, graph, k, distinct)});
          },
          nb::arg("graph"), nb::arg("k"), nb::arg("distinct") = false)
      .def("derivations", &derivations, nb::arg("graph"), nb::arg("k"), nb::arg("distinct") = false,
           "What `k_best` returns, and how each was made: (lists, edges of each derivation, heads first and tails left "
           "to right, offsets of the derivations in them).")
      .def("edge_features", &edge_features, nb::arg("graph"), nb::arg("edges"),
           "The feature values of each edge alone, a row of as many as there are weights.")
      .def("edge_targets", &edge_targets, nb::arg("graph"), nb::arg("edges"),
           "The target side of each edge, (symbols, offsets); those of the goal and of glue are empty.")
      .def(
          "translate",
          [](const Decoder& self, Ids words, Ids copies, Offsets offsets, uint32_t k, bool distinct, unsigned threads,
             const SharedRules& rules, size_t first) {
            if (offsets.size() == 0 || offsets.data()[offsets.size() - 1] > words.size() ||
                words.size() != copies.size() || !std::ranges::is_sorted(view(offsets)))
              throw InputError("offsets do not fit the sentences");
            std::vector<Translations> all;
            {
              nb::gil_scoped_release unlocked;
              std::vector<SourceSentence> sentences;
              for (size_t i = 0; i + 1 < offsets.size(); ++i)
                sentences.push_back(sentence_of(words, copies, offsets, i, rules, first + i));
              all = translate(self, sentences, k, distinct, threads);
            }
            return flatten(all);
          },
          nb::arg("words"), nb::arg("copies"), nb::arg("offsets"), nb::arg("k") = 1, nb::arg("distinct") = false,
          nb::arg("threads") = 1, nb::arg("span_rules").none() = nb::none(), nb::arg("first") = 0,
          "`first`: which sentence of `span_rules` the first one is. (sentence, score, words, word offsets, features) "
          "of the k best hypotheses; a sentence of no words has "
          "none.");
}

}  // namespace

void bind_decoder(nb::module_& m) {
  bind_features(m);
  bind_hypergraph(m);
  bind_decoder_class(m);
}
