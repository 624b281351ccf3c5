// One model, several threads: every thread gets the answers that one alone gets. `make sanitize-threads` looks for
// races.
#include <functional>
#include <memory>
#include <thread>

#include "grammar/chain.hpp"
#include "grammar/posterior_parser.hpp"
#include "harness.hpp"
#include "ngram/compound_query.hpp"
#include "ngram/kneser_ney.hpp"
#include "small_grammar.hpp"
#include "small_text.hpp"
#include "translation/decoder.hpp"
#include "translation/k_best_lists.hpp"

using namespace binyan;
using Numbers = std::vector<uint32_t>;

namespace {

constexpr size_t kThreads = 4;

// Every thread has the answers that are given afterwards to one that asks alone.
void check_from_threads(const std::function<std::vector<double>()>& ask) {
  std::vector<std::vector<double>> answers(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { answers[i] = ask(); });
  for (std::thread& thread : threads) thread.join();
  const std::vector<double> expected = ask();
  CHECK(!expected.empty());
  for (const std::vector<double>& one : answers) CHECK(one == expected);
}

}  // namespace

TEST(backoff_models) {
  const SmallText text(7, 200);
  const ngram::BackoffModel model = ngram::estimate_kneser_ney(*text.tree(3), {}, {}).model;
  check_from_threads([&] {
    std::vector<double> all;
    uint32_t state = model.begin();
    for (const uint32_t word : text.words) {
      const ngram::Scored scored = model.score(state, word);
      all.push_back(scored.log_prob);
      state = scored.state;
    }
    return all;
  });
}

TEST(compound_queries) {
  const SmallText text(7, 200);
  const auto tree = text.compound_tree(3);
  ngram::CompoundHPYLM chain(tree, true, 1, 0);
  chain.initialise(ngram::Initialisation::kSequential);
  const ngram::CompoundQuery query(tree, ngram::collect(chain));
  check_from_threads([&] {
    std::vector<double> all;
    ngram::CompoundQuery::State state = query.begin();
    for (const uint32_t word : text.words) {
      const auto scored = query.score(state, query.word(word), true);
      all.push_back(scored.log_prob);
      all.push_back(query.score(state, query.word(Numbers{word % 4, 1}), false).log_prob);
      state = scored.state;
    }
    return all;
  });
}

TEST(posterior_parsers) {
  const auto compiled = small_grammar();
  const std::vector<Numbers> words{{0, 1, 2}, {0, 1, 1}, {2, 2, 1, 0}, {0, 1}, {1}, {0, 1, 2, 0, 1, 2}};
  const auto forests = std::make_shared<const grammar::WordForests>(compiled, words, size_t{1} << 24);
  grammar::Chain chain(forests, std::vector<grammar::SymbolRestaurant>(2), 3, 1);
  chain.initialise(false);
  chain.sweep(1.0, true, true);
  // Forests are remembered within 1 << 15 bytes: threads also drop what others use.
  for (const size_t bytes : {size_t{1} << 24, size_t{1} << 15}) {
    grammar::PosteriorParser parser(compiled, bytes);
    parser.add(chain.adaptor.rule_counts(), chain.adaptor.adaptors, {});
    check_from_threads([&] {
      std::vector<double> all;
      for (int round = 0; round < 5; ++round)
        for (const Numbers& word : words) {
          all.push_back(parser.log_probability(word));
          for (const auto& derivation : parser.best(word, 3, 20)) all.push_back(derivation.log_probability);
        }
      return all;
    });
  }
}

// What the explorer's threads ask about models that they share: probabilities of all words, how each came about,
// analyses by several states, and grammars that a visitor wrote.
TEST(questions_of_the_explorer) {
  const SmallText text(7, 200);
  const ngram::BackoffModel model = ngram::estimate_kneser_ney(*text.tree(3), {}, {}).model;
  const auto tree = text.compound_tree(3);
  ngram::CompoundHPYLM compound_chain(tree, true, 1, 0);
  compound_chain.initialise(ngram::Initialisation::kSequential);
  const ngram::CompoundQuery query(tree, ngram::collect(compound_chain));
  const auto compiled = small_grammar();
  const std::vector<Numbers> words{{0, 1, 2}, {0, 1, 1}, {2, 2, 1, 0}, {0, 1}, {1}};
  const auto forests = std::make_shared<const grammar::WordForests>(compiled, words, size_t{1} << 24);
  grammar::PosteriorParser parser(compiled, size_t{1} << 15);
  for (uint64_t i = 0; i < 3; ++i) {
    grammar::Chain chain(forests, std::vector<grammar::SymbolRestaurant>(2), 3, i);
    chain.initialise(i == 1);
    chain.sweep(1.0, true, true, 0.5);
    parser.add(chain.adaptor.rule_counts(), chain.adaptor.adaptors, {});
  }
  check_from_threads([&] {
    std::vector<double> all, probability(SmallText::kVocabulary);
    uint32_t state = model.begin();
    ngram::CompoundQuery::State compound_state = query.begin();
    for (size_t i = 0; i < 20; ++i) {
      const uint32_t word = text.words[i];
      model.distribution(state, probability);
      all.insert(all.end(), probability.begin(), probability.end());
      for (const double share : model.shares(state, word)) all.push_back(share);
      state = model.score(state, word).state;
      query.distribution(compound_state, i % 2 == 0, probability);
      all.insert(all.end(), probability.begin(), probability.end());
      all.push_back(query.vocabulary_mass(compound_state));
      for (const auto& part : query.explain(compound_state, query.word(word))) all.push_back(part.seen);
      compound_state = query.score(compound_state, query.word(word), true).state;
      const Numbers unseen{word % 3, static_cast<uint32_t>(i) % 3, 1, 2};
      for (const auto& derivation : parser.best(unseen, 5, 28, true)) all.push_back(derivation.log_probability);
      grammar::PosteriorParser fresh(small_grammar(), size_t{1} << 20);
      fresh.add(std::vector<uint64_t>(compiled->rules.size(), 0), std::vector<grammar::SymbolRestaurant>(2), {});
      all.push_back(fresh.log_probability(unseen));
    }
    return all;
  });
}

// Chains of one list of words, each in its own thread; the first to ask finds the families of words.
TEST(chains) {
  const auto forests = std::make_shared<const grammar::WordForests>(
      small_grammar(), std::vector<Numbers>{{0, 1, 2}, {0, 1, 1}, {2, 2, 1, 0}, {0, 1}, {0, 1, 2, 2}, {1}},
      size_t{1} << 24);
  check_from_threads([&] {
    grammar::Chain chain(forests, std::vector<grammar::SymbolRestaurant>(2), 3, 1);
    chain.initialise(false);
    for (int sweep = 0; sweep < 5; ++sweep) chain.sweep(1.0, true, true, 0.5);
    return std::vector<double>{chain.adaptor.log_joint()};
  });
}

TEST(decoders) {
  using namespace translation;
  const SmallText text(7, 200);
  const ngram::BackoffModel model = ngram::estimate_kneser_ney(*text.tree(3), {}, {}).model;
  Numbers ids;
  for (uint32_t w = 0; w < SmallText::kVocabulary; ++w) ids.push_back(w);
  BackoffFeature feature(model, ids);
  SequenceTable sources, targets;
  std::vector<Rule> rules;
  std::vector<float> features;
  const auto add = [&](Numbers source, Numbers target, float value) {
    rules.push_back({sources.intern(source), targets.intern(target)});
    features.push_back(value);
  };
  add({3}, {5}, 0.1f);
  add({3}, {6, 7}, 0.3f);
  add({4}, {8}, 0.2f);
  add({4, kFirstGap}, {kFirstGap, 9}, 0.4f);
  const Grammar rule_table = Grammar::pack(sources, targets, rules, features, 1);
  const DecoderModels models({&feature});
  const Decoder decoder(rule_table, models, {0.5f, 0.2f, -1.0f, 0.6f, 0.1f, 0.7f, -0.4f}, {});
  // Meanwhile the vocabulary grows, as it does where words are copied from the source.
  std::thread growing([&] {
    for (int i = 0; i < 20; ++i) {
      feature.extend(Numbers{binyan::text::kUnknownWord});
      std::this_thread::yield();
    }
  });
  check_from_threads([&] {
    std::vector<double> all;
    for (int round = 0; round < 5; ++round)
      for (const Numbers& words : {Numbers{3, 4, 3}, Numbers{4, 4, 3, 3}, Numbers{3}}) {
        const Hypergraph graph = decoder.decode({words, words});
        all.push_back(static_cast<double>(graph.edges.size()));
      }
    return all;
  });
  growing.join();
}

MAIN
