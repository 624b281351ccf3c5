// Context trees, back-off models, Kneser-Ney, and the Pitman-Yor samplers over them.
#include <numeric>

#include "errors.hpp"
#include "harness.hpp"
#include "ngram/backoff_model.hpp"
#include "ngram/compound_hpylm.hpp"
#include "ngram/compound_query.hpp"
#include "ngram/hpylm.hpp"
#include "ngram/kneser_ney.hpp"
#include "no_index.hpp"
#include "small_text.hpp"

using namespace binyan;
using namespace binyan::ngram;

namespace {

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void check_distributions(const BackoffModel& model) {
  std::vector<double> p(model.vocabulary_size());
  for (uint32_t state = 0; state < model.states(); ++state) {
    model.distribution(state, p);
    CHECK_NEAR(sum(p), 1.0, 1e-5);
    for (uint32_t w = 0; w < p.size(); ++w) {
      if (w == text::kSentenceStart) continue;
      const Scored s = model.score(state, w);
      CHECK_NEAR(std::exp(s.log_prob), p[w], 1e-5);
      CHECK(s.state < model.states() && s.matched >= 1 && s.matched <= model.order());
    }
    CHECK_NEAR(sum(model.masses(state)), 1.0, 1e-5);
  }
}

// Every word in one to three of four components.
std::shared_ptr<const CompoundTree> compound_tree(const SmallText& text, uint32_t order) {
  Components c;
  c.component_count = 4;
  c.offsets = {0};
  pitman_yor::Random random(8);
  for (uint32_t w = 0; w < SmallText::kVocabulary; ++w) {
    for (uint64_t n = 1 + random.below(3); n > 0; --n) c.components.push_back(static_cast<uint32_t>(random.below(4)));
    c.offsets.push_back(static_cast<uint32_t>(c.components.size()));
  }
  return std::make_shared<const CompoundTree>(text.tree(order), std::move(c));
}

}  // namespace

TEST(a_tree_counts_its_ngrams) {
  const std::vector<uint32_t> words{3, 4, 3, 4, 3};
  const std::vector<uint64_t> offsets{0, 3, 5};  // "a b a" and "b a"
  const ContextTree tree = ContextTree::build(words, offsets, 2, 5);
  CHECK(tree.order() == 2 && tree.events == 7 && tree.levels[0].entries() == 3);
  CHECK(tree.levels[0].count[tree.find_entry(0, 0, 3)] == 3);
  const uint32_t after_b = tree.find_child(0, 0, 4);
  CHECK(after_b != kNoIndex && tree.find_entry(1, after_b, 4) == kNoIndex);
  CHECK(tree.levels[1].count[tree.find_entry(1, after_b, 3)] == 2);
  uint64_t events = 0;
  tree.for_each_direct([&](uint32_t, uint32_t, uint32_t, uint32_t n) { events += n; });
  CHECK(events == tree.events);
}

TEST(entries_link_to_the_shorter_context) {
  const auto tree = SmallText(1).tree(4);
  for (uint32_t k = 1; k < 4; ++k) {
    const Level &level = tree->levels[k], &below = tree->levels[k - 1];
    for (uint32_t e = 0; e < level.entries(); ++e) {
      CHECK(below.word[level.parent[e]] == level.word[e]);
      CHECK(below.context[level.parent[e]] == level.context_parent[level.context[e]]);
      CHECK(tree->find_entry(k, level.context[e], level.word[e]) == e);
    }
  }
}

TEST(bad_texts_are_refused) {
  const std::vector<uint32_t> words{3, 9};
  const std::vector<uint64_t> offsets{0, 2};
  CHECK_THROWS(ContextTree::build(words, offsets, 2, 5), InputError, "word id 9");
  CHECK_THROWS(ContextTree::build(words, offsets, 0, 20), InputError, "order");
  CHECK_THROWS(ContextTree::build(words, std::vector<uint64_t>{0, 2, 1, 2}, 2, 20), InputError, "decrease");
  CHECK_THROWS(ContextTree::build(words, std::vector<uint64_t>{0, 1}, 2, 20), InputError, "cover");
}

TEST(kneser_ney_sums_to_one) {
  for (uint32_t order = 1; order <= 4; ++order) {
    const auto kn = estimate_kneser_ney(*SmallText(2).tree(order), {}, {});
    CHECK(kn.model.order() == order && kn.discounts.size() == order);
    check_distributions(kn.model);
  }
}

TEST(batched_scores_are_single_scores) {
  const SmallText text(3, 400);
  const auto model = estimate_kneser_ney(*text.tree(3), {}, {}).model;
  std::vector<float> log_prob(text.words.size() + text.offsets.size() - 1), again(log_prob.size());
  std::vector<uint8_t> matched(log_prob.size()), matched_again(log_prob.size());
  model.score_sentences(text.words, text.offsets, log_prob, matched, 1);
  model.score_sentences(text.words, text.offsets, again, matched_again, 3);
  CHECK(log_prob == again && matched == matched_again);
  for (size_t s = 0; s + 1 < text.offsets.size(); ++s) {
    uint32_t state = model.begin();
    for (uint64_t i = text.offsets[s]; i <= text.offsets[s + 1]; ++i) {
      const Scored one = model.score(state, i < text.offsets[s + 1] ? text.words[i] : text::kSentenceEnd);
      CHECK_NEAR(log_prob[i + s], one.log_prob, 1e-6);
      CHECK(matched[i + s] == one.matched);
      state = one.state;
    }
  }
  CHECK_THROWS(model.score_sentences(text.words, text.offsets, std::span(log_prob).first(3), matched, 1), InputError,
               "result");
}

TEST(damaged_arrays_are_refused) {
  BackoffArrays arrays = estimate_kneser_ney(*SmallText(2).tree(3), {}, {}).model.arrays().copy();
  arrays.next[0] = 1u << 30;
  CHECK_THROWS(BackoffModel(arrays), InputError, "");
}

TEST(the_sampler_keeps_its_invariants) {
  for (const Initialisation how : {Initialisation::kRandom, Initialisation::kSequential}) {
    HPYLM model(SmallText(4).tree(3), 1, 0);
    const double made = model.initialise(how);
    CHECK_NEAR(model.log_likelihood(), made, 1e-9);
    for (int i = 0; i < 30; ++i) {
      model.sweep();
      model.check();
      const double reported = model.resample_hyperparameters();
      CHECK_NEAR(reported, model.log_likelihood(), 1e-9);
    }
    model.levels()[0].open(0, 0);
    CHECK_THROWS(model.check(), InternalError, "inconsistent");
  }
}

TEST(equal_seeds_give_equal_chains) {
  const auto tree = SmallText(4).tree(3);
  HPYLM one(tree, 5, 1), two(tree, 5, 1), other(tree, 5, 2);
  double last[3];
  int i = 0;
  for (HPYLM* model : {&one, &two, &other}) {
    model->initialise(Initialisation::kSequential);
    for (int sweep = 0; sweep < 5; ++sweep) {
      model->sweep();
      last[i] = model->resample_hyperparameters();
    }
    ++i;
  }
  CHECK(last[0] == last[1] && last[0] != last[2]);
}

TEST(compound_chains_keep_their_invariants) {
  const auto tree = compound_tree(SmallText(6), 3);
  for (const bool both_ways : {false, true})
    for (const Initialisation how : {Initialisation::kRandom, Initialisation::kSequential}) {
      CompoundHPYLM model(tree, both_ways, 1, 0);
      model.initialise(how);
      for (int i = 0; i < 20; ++i) {
        model.sweep();
        model.check();
        const double reported = model.resample_hyperparameters();
        CHECK_NEAR(reported, model.log_likelihood(), 1e-9);
      }
      model.heads[0].open(0, 0);
      CHECK_THROWS(model.check(), InternalError, "inconsistent");
    }
}

TEST(compound_queries_sum_to_one_when_renormalised) {
  const auto tree = compound_tree(SmallText(6), 3);
  for (const bool both_ways : {false, true}) {
    CompoundHPYLM model(tree, both_ways, 1, 0);
    model.initialise(Initialisation::kSequential);
    for (int i = 0; i < 5; ++i) model.sweep();
    const CompoundQuery query(tree, collect(model));
    std::vector<double> p(SmallText::kVocabulary);
    for (CompoundQuery::State state : {query.begin(), query.score(query.begin(), query.word(3), true).state}) {
      query.distribution(state, true, p);
      CHECK_NEAR(sum(p), 1.0, 1e-5);
      query.distribution(state, false, p);
      CHECK_NEAR(sum(p), query.vocabulary_mass(state), 1e-5);
      for (uint32_t w = text::kFirstWord; w < p.size(); ++w)
        CHECK_NEAR(std::exp(query.score(state, query.word(w), false).log_prob), p[w], 1e-9);
    }
    const std::vector<uint32_t> components{2, 1, 1, 0};
    CHECK(std::isfinite(query.score(query.begin(), query.word(components), false).log_prob));
    CHECK_THROWS(query.word(std::vector<uint32_t>{9}), InputError, "component");
  }
}

MAIN
