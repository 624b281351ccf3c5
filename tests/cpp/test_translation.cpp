// The decoder with its language-model features, k-best lists, BLEU and the line search.
#include <algorithm>
#include <memory>

#include "errors.hpp"
#include "harness.hpp"
#include "ngram/compound_query.hpp"
#include "ngram/kneser_ney.hpp"
#include "small_text.hpp"
#include "translation/bleu.hpp"
#include "translation/compound_feature.hpp"
#include "translation/decoder.hpp"
#include "translation/k_best_lists.hpp"
#include "translation/language_model_query.hpp"
#include "translation/log_bilinear_query.hpp"

using namespace binyan;
using namespace binyan::translation;
using Numbers = std::vector<uint32_t>;

namespace {

constexpr uint32_t kA = 3, kB = 4;  // source words; target words are those of SmallText

// With `more`, a second feature and a rule for (b, a) that has it.
Grammar small_grammar(bool more = false) {
  SequenceTable sources, targets;
  std::vector<Rule> rules;
  std::vector<float> features;
  const auto add = [&](Numbers source, Numbers target, float feature, float second = 0) {
    rules.push_back({sources.intern(source), targets.intern(target)});
    features.push_back(feature);
    if (more) features.push_back(second);
  };
  add({kA}, {5}, 0.1f);
  add({kA}, {6, 7}, 0.3f);
  add({kB}, {8}, 0.2f);
  add({kB, kFirstGap}, {kFirstGap, 9}, 0.4f);
  add({kFirstGap, kA, kFirstGap}, {kSecondGap, 3, kFirstGap}, 0.5f);
  if (more) add({kB, kA}, {10, 11}, 0.6f, 2.0f);
  return Grammar::pack(sources, targets, rules, features, more ? 2 : 1);
}

const std::vector<SourceSentence>& sentences() {
  static const std::vector<SourceSentence> all{
      {{kA, kB, kA}, {3, 4, 3}}, {{kB, 0, kA, kB}, {4, 12, 3, 4}}, {{}, {}}, {{0, 0}, {12, 13}}};
  return all;
}

struct Models {
  SmallText text{7, 200};
  ngram::BackoffModel backoff = ngram::estimate_kneser_ney(*text.tree(3), {}, {}).model;
  std::shared_ptr<const ngram::CompoundTree> tree;
  std::unique_ptr<ngram::CompoundQuery> compound;

  Models() {
    ngram::Components c;
    c.component_count = 4;
    c.offsets = {0};
    for (uint32_t w = 0; w < SmallText::kVocabulary; ++w) {
      c.components.push_back(w % 4);
      if (w % 3 == 0) c.components.push_back(w % 2);
      c.offsets.push_back(static_cast<uint32_t>(c.components.size()));
    }
    tree = std::make_shared<const ngram::CompoundTree>(text.tree(3), std::move(c));
    ngram::CompoundHPYLM chain(tree, false, 1, 0);
    chain.initialise(ngram::Initialisation::kSequential);
    compound = std::make_unique<ngram::CompoundQuery>(tree, ngram::collect(chain));
  }
};

const Models& models() {
  static const Models all;
  return all;
}

constexpr uint32_t kKnown = SmallText::kVocabulary, kAll = kKnown + 2;  // two words are copied

std::unique_ptr<BackoffFeature> backoff_feature(uint32_t words) {
  Numbers ids;
  for (uint32_t w = 0; w < words; ++w) ids.push_back(w < kKnown ? w : text::kUnknownWord);
  return std::make_unique<BackoffFeature>(models().backoff, std::move(ids));
}

std::vector<ngram::CompoundQuery::Word> compound_words(uint32_t first, uint32_t last) {
  std::vector<ngram::CompoundQuery::Word> words;
  for (uint32_t w = first; w < last; ++w)
    words.push_back(w < kKnown ? models().compound->word(w) : models().compound->word(Numbers{w % 4, 1}));
  return words;
}

std::unique_ptr<CompoundFeature> compound_feature(uint32_t words) {
  return std::make_unique<CompoundFeature>(*models().compound, compound_words(0, words), std::vector<uint8_t>(words, 0),
                                           false);
}

// Vectors that are functions of the word and the position.
constexpr uint32_t kOrder = 3, kWidth = 2, kRows = 6;
float number(uint32_t x) { return std::sin(static_cast<float>(x) * 12.9898f); }

std::vector<float> context_rows(uint32_t first, uint32_t last, bool with_start) {
  std::vector<float> rows;
  for (uint32_t position = 0; position + 1 < kOrder; ++position) {
    for (uint32_t w = first; w < last; ++w)
      for (uint32_t i = 0; i < kWidth; ++i) rows.push_back(number(w * 10 + position * 3 + i));
    if (with_start)
      for (uint32_t i = 0; i < kWidth; ++i) rows.push_back(number(5000 + position * 3 + i));
  }
  return rows;
}

std::unique_ptr<LogBilinearFeature> log_bilinear_feature(uint32_t words) {
  LogBilinearArrays a;
  a.order = kOrder;
  a.width = kWidth;
  a.context = context_rows(0, words, true);
  for (uint32_t i = 0; i < 2 * kWidth; ++i) a.class_vectors.push_back(number(900 + i));
  a.class_bias = {0.1f, -0.2f};
  for (uint32_t i = 0; i < kRows * kWidth; ++i) a.target_vectors.push_back(number(700 + i));
  a.target_bias.assign(kRows, 0.5f);
  a.first = {0, 2, kRows};
  for (uint32_t w = 0; w < words; ++w) a.row.push_back(w % kRows);
  a.end_row = 1;
  return std::make_unique<LogBilinearFeature>(std::move(a), std::vector<uint8_t>(words, 0));
}

void check_same(const std::vector<Translations>& x, const std::vector<Translations>& y) {
  CHECK(x.size() == y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    CHECK(x[i].derivations.size() == y[i].derivations.size() && x[i].features == y[i].features);
    for (size_t d = 0; d < x[i].derivations.size(); ++d)
      CHECK(x[i].derivations[d].score == y[i].derivations[d].score &&
            x[i].derivations[d].words == y[i].derivations[d].words);
  }
}

std::vector<float> weights(size_t models) {
  std::vector<float> all{0.5f, 0.2f, -1.0f, 0.6f, 0.1f};
  for (size_t i = 0; i < models; ++i) all.insert(all.end(), {0.7f, -0.4f});
  return all;
}

}  // namespace

TEST(scores_are_weighted_features) {
  const Grammar grammar = small_grammar();
  const auto one = backoff_feature(kAll);
  const auto two = log_bilinear_feature(kAll);
  const auto three = compound_feature(kAll);
  const DecoderModels features({one.get(), two.get(), three.get()});
  const Decoder decoder(grammar, features, weights(3), {10, 100, 0});
  const auto all = translate(decoder, sentences(), 10, false, 1);
  CHECK(all[2].derivations.empty());
  for (size_t i : {0u, 1u, 3u}) {
    CHECK(!all[i].derivations.empty());
    const size_t width = decoder.weights().size();
    for (size_t d = 0; d < all[i].derivations.size(); ++d) {
      const Derivation& derivation = all[i].derivations[d];
      double score = 0;
      for (size_t f = 0; f < width; ++f) score += decoder.weights()[f] * all[i].features[d * width + f];
      CHECK_NEAR(derivation.score, score, 1e-4);
      CHECK(d == 0 || derivation.score <= all[i].derivations[d - 1].score + 1e-9);
      // The language model's feature is the log-probability of the string.
      double log_prob = 0;
      uint32_t state = models().backoff.begin();
      for (uint32_t w : derivation.words) {
        const auto s = models().backoff.score(state, w < kKnown ? w : text::kUnknownWord);
        log_prob += s.log_prob;
        state = s.state;
      }
      log_prob += models().backoff.score(state, text::kSentenceEnd).log_prob;
      CHECK_NEAR(all[i].features[d * width + grammar.feature_count() + kModels], log_prob, 1e-4);
    }
  }
}

TEST(threads_and_earlier_sentences_change_nothing) {
  const Grammar grammar = small_grammar();
  const auto one = backoff_feature(kAll);
  const auto two = log_bilinear_feature(kAll);
  std::vector<SourceSentence> many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), sentences().begin(), sentences().end());
  const DecoderModels features({one.get(), two.get()}), others({one.get(), two.get()});
  const Decoder decoder(grammar, features, weights(2), {10, 20, 0});
  const auto expected = translate(decoder, many, 5, true, 1);
  check_same(translate(decoder, many, 5, true, 3), expected);
  const Decoder fresh(grammar, others, weights(2), {10, 20, 0});
  check_same(translate(fresh, std::span(many).last(1), 5, true, 1), {expected.back()});
}

TEST(decoders_of_other_rules_and_weights_may_share_models) {
  const auto one = backoff_feature(kAll);
  const auto two = log_bilinear_feature(kAll);
  const DecoderModels shared({one.get(), two.get()});
  std::vector<float> other_weights = weights(2);
  other_weights.front() += 1;
  for (int round = 0; round < 2; ++round)
    for (const std::vector<float>& own : {weights(2), other_weights}) {
      const Grammar grammar = small_grammar();  // freed when the next one comes
      const DecoderModels apart({one.get(), two.get()});
      check_same(translate(Decoder(grammar, shared, own, {10, 20, 0}), sentences(), 5, true, 2),
                 translate(Decoder(grammar, apart, own, {10, 20, 0}), sentences(), 5, true, 1));
    }
}

TEST(rules_for_spans_are_tried_beside_the_grammar) {
  const Grammar grammar = small_grammar(), whole = small_grammar(true);
  const auto one = backoff_feature(kAll);
  const DecoderModels features({one.get()});
  std::vector<float> more = weights(1);
  more.insert(more.begin() + 1, 0.3f);
  const Decoder decoder(grammar, features, more, {10, 1000, 0}, 1), expected(whole, features, more, {10, 1000, 0});
  const auto rules = [](RulePlace place, Numbers target = {10, 11}, uint32_t columns = 2) {
    return std::make_shared<const SpanRules>(target, std::vector<uint64_t>{0, 2}, std::vector<float>{0.6f, 2.0f},
                                             columns, std::vector<RulePlace>{place}, std::vector<uint64_t>{0, 0, 1});
  };
  const auto sentence = [](std::shared_ptr<const SpanRules> own, size_t number = 1) {
    return std::vector<SourceSentence>{{{kA, kB, kA}, {3, 4, 3}, std::move(own), number}};
  };
  const auto with = sentence(rules({1, 3, 0}));
  check_same(translate(decoder, with, 40, true, 1), translate(expected, sentence(nullptr), 40, true, 1));
  const auto best = translate(decoder, with, 40, false, 1)[0].derivations;
  CHECK(std::ranges::any_of(best, [](const Derivation& d) { return std::ranges::count(d.words, 10u) > 0; }));
  // Alone on its span it is the translation: nothing is copied.
  const std::vector<SourceSentence> unknown{{{0}, {12}, rules({0, 1, 0}), 1}};
  CHECK(translate(decoder, unknown, 40, false, 1)[0].derivations.size() == 1);
  CHECK_THROWS(translate(decoder, sentence(rules({1, 4, 0})), 1, false, 1), InputError, "after the sentence");
  CHECK_THROWS(translate(decoder, sentence(rules({1, 3, 0}), 2), 1, false, 1), InputError, "not for this sentence");
  CHECK_THROWS(translate(decoder, sentence(rules({1, 3, 0}, {10, kAll})), 1, false, 1), InputError, "extend it first");
  const Decoder plain(grammar, features, weights(1), {10, 1000, 0});
  CHECK_THROWS(translate(plain, with, 1, false, 1), InputError, "not for this decoder");
  CHECK_THROWS(rules({1, 1, 0}), InputError, "no such place");
  CHECK_THROWS(rules({1, 2, 1}), InputError, "among the rules");
  CHECK_THROWS(rules({1, 2, 0}, {10, kFirstGap}), InputError, "gaps");
  CHECK_THROWS(rules({1, 2, 0}, {10}), InputError, "fit together");
  CHECK_THROWS(rules({1, 2, 0}, {10, 11}, 3), InputError, "fit together");
}

TEST(features_take_new_words_while_a_decoder_lives) {
  const Grammar grammar = small_grammar();
  const auto whole = backoff_feature(kAll);
  const auto whole_compound = compound_feature(kAll);
  const auto whole_lbl = log_bilinear_feature(kAll);
  const DecoderModels wholes({whole.get(), whole_compound.get(), whole_lbl.get()});
  const Decoder expected(grammar, wholes, weights(3), {10, 50, 0});
  const auto one = backoff_feature(kKnown);
  const auto two = compound_feature(kKnown);
  const auto three = log_bilinear_feature(kKnown);
  const DecoderModels growing({one.get(), two.get(), three.get()});
  const Decoder decoder(grammar, growing, weights(3), {10, 50, 0});
  check_same(translate(decoder, std::span(sentences()).first(1), 5, false, 1),
             translate(expected, std::span(sentences()).first(1), 5, false, 1));
  CHECK_THROWS(translate(decoder, sentences(), 5, false, 1), InputError, "extend it first");
  const std::vector<uint8_t> known(2, 0);
  one->extend(Numbers{text::kUnknownWord, text::kUnknownWord});
  two->extend(compound_words(kKnown, kAll), known);
  three->extend(context_rows(kKnown, kAll, false), Numbers{kKnown % kRows, (kKnown + 1) % kRows}, known);
  CHECK(one->words() == kAll && two->words() == kAll && three->words() == kAll);
  check_same(translate(decoder, sentences(), 5, false, 2), translate(expected, sentences(), 5, false, 1));
  CHECK_THROWS(one->extend(Numbers{kKnown}), InputError, "vocabulary");
  CHECK_THROWS(two->extend({}, known), InputError, "each word");
  CHECK_THROWS(three->extend({}, Numbers{0}, known), InputError, "fit together");
}

TEST(bad_settings_are_refused) {
  const Grammar grammar = small_grammar();
  const DecoderModels none({});
  CHECK_THROWS(Decoder(grammar, none, weights(1), {}), InputError, "weights");
  CHECK_THROWS(Decoder(grammar, none, weights(0), {0, 5, 0}), InputError, "limits");
  const Decoder decoder(grammar, none, weights(0), {});
  CHECK_THROWS(decoder.decode({{kA}, {}}), InputError, "one word or more");
}

TEST(grammars_keep_what_they_pack) {
  const Grammar grammar = small_grammar();
  CHECK(grammar.rules() == 5 && grammar.feature_count() == 1);
  const uint32_t a = grammar.child(0, kA);
  CHECK(a != kNoIndex && grammar.end_rule(a) - grammar.first_rule(a) == 2 && grammar.child(a, kB) == kNoIndex);
  std::vector<uint8_t> used(grammar.rules(), 0);
  grammar.mark_usable(Numbers{kA}, 10, used);
  CHECK(std::count(used.begin(), used.end(), 1) == 2 && grammar.restricted(used).rules() == 2);
  GrammarArrays arrays = grammar.arrays();
  arrays.target[0] = 77;
  CHECK_THROWS(Grammar(arrays), InputError, "");
}

TEST(bleu_counts_matches) {
  const Numbers hypothesis{1, 2, 3, 4}, reference{1, 2, 3, 4}, other{1, 2, 9};
  const std::vector<std::span<const uint32_t>> references{reference};
  BleuStatistics sums = bleu_statistics(hypothesis, references);
  CHECK_NEAR(bleu(sums), 1.0, 1e-12);
  sums = bleu_statistics(other, references);
  CHECK(bleu(sums) < 1.0);
}

MAIN
