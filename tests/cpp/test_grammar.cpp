// Grammars: what is refused, forests and sums over them, the adaptor chain, parsers of its states.
#include <map>
#include <memory>

#include "errors.hpp"
#include "grammar/chain.hpp"
#include "grammar/parser.hpp"
#include "grammar/posterior_parser.hpp"
#include "grammar/samples.hpp"
#include "grammar/scaled_double.hpp"
#include "harness.hpp"

using namespace binyan;
using namespace binyan::grammar;
using Numbers = std::vector<uint32_t>;

namespace {

constexpr uint32_t kWord = 0, kStem = 1, kSuffix = 2, kChars = 3, kChar = 4, kAtoms = 3;

// Word -> Stem Suffix | Stem; Stem, Suffix -> Chars; Chars -> Char | Char Chars; Char -> a | b | c.
std::vector<SourceRule> rules() {
  const auto concatenation = [](uint32_t lhs, Numbers rhs) {
    std::vector<Element> argument;
    for (int32_t i = 0; i < static_cast<int32_t>(rhs.size()); ++i) argument.push_back({i, 0});
    return SourceRule{lhs, {argument}, std::move(rhs), 1.0};
  };
  std::vector<SourceRule> all{concatenation(kWord, {kStem, kSuffix}), concatenation(kWord, {kStem}),
                              concatenation(kStem, {kChars}),         concatenation(kSuffix, {kChars}),
                              concatenation(kChars, {kChar}),         concatenation(kChars, {kChar, kChars})};
  for (uint32_t a = 0; a < kAtoms; ++a) all.push_back({kChar, {{{-1, a}}}, {}, 1.0});
  return all;
}

std::shared_ptr<const CompiledGrammar> concatenative(bool adapted = true) {
  return std::make_shared<const CompiledGrammar>(5, kAtoms, kWord, rules(),
                                                 std::vector<bool>{false, adapted, adapted, false, false});
}

// Word -> Template(x, y) Root(x, y): x1 y1 x2 y2, with discontiguous Root and Template of two atoms each.
std::shared_ptr<const CompiledGrammar> templatic() {
  std::vector<SourceRule> all;
  all.push_back({0, {{{0, 0}, {1, 0}, {0, 1}, {1, 1}}}, {1, 2}, 1.0});
  for (uint32_t s : {1u, 2u}) all.push_back({s, {{{0, 0}}, {{1, 0}}}, {3, 3}, 1.0});
  for (uint32_t a = 0; a < kAtoms; ++a) all.push_back({3, {{{-1, a}}}, {}, 1.0});
  return std::make_shared<const CompiledGrammar>(4, kAtoms, 0, std::move(all),
                                                 std::vector<bool>{false, true, true, false});
}

std::vector<Numbers> words() {
  return {{0, 1, 2}, {0, 1, 1}, {0, 1, 2}, {2, 2, 1, 0}, {0, 1}, {1}, {2, 2, 0, 1}, {0, 1, 2, 0, 1, 2}};
}

std::vector<SymbolRestaurant> adaptors(size_t count) { return std::vector<SymbolRestaurant>(count); }

std::vector<SavedTree> saved_trees(const Adaptor& adaptor) {
  std::vector<SavedTree> trees;
  for (const CachedTree& t : adaptor.trees) {
    if (t.adapted == kNoIndex || t.seats.customers == 0) continue;
    trees.push_back({t.adapted, t.seats.customers, t.seats.tables, {}});
    adaptor.expand(t.body, trees.back().rules);
  }
  return trees;
}

}  // namespace

TEST(scaled_doubles_do_not_underflow) {
  ScaledDouble product(1.0);
  for (int i = 0; i < 1000; ++i) product *= ScaledDouble(1e-200);
  CHECK_NEAR(product.log(), 1000 * std::log(1e-200), 1e-12);
  ScaledDouble twice = product + product;
  CHECK_NEAR((twice / product).as_double(), 2.0, 1e-15);
  CHECK(product < twice && !(twice < product) && ScaledDouble(0.0) < product && product < ScaledDouble(1.0));
}

TEST(faulty_grammars_are_refused) {
  const std::vector<bool> none(5, false);
  auto faulty = rules();
  faulty[0].arguments[0].pop_back();
  CHECK_THROWS(CompiledGrammar(5, kAtoms, kWord, faulty, none), InputError, "rule 1: each right-hand argument");
  faulty = rules();
  faulty[2].weight = 0;
  CHECK_THROWS(CompiledGrammar(5, kAtoms, kWord, faulty, none), InputError, "rule 3: the weight");
  faulty = rules();
  faulty.push_back(faulty.back());
  CHECK_THROWS(CompiledGrammar(5, kAtoms, kWord, faulty, none), InputError, "repeats");
  CHECK_THROWS(CompiledGrammar(5, kAtoms, kWord, rules(), std::vector<bool>(5, true)), InputError, "recursive");
  faulty = rules();
  faulty.push_back({kChars, {{{0, 0}}}, {kStem}, 1.0});
  CHECK_THROWS(CompiledGrammar(5, kAtoms, kWord, faulty, none), InputError, "unary");
}

TEST(forests_hold_every_derivation) {
  Parser parser(concatenative(false), std::vector<uint64_t>(9, 0), {}, {});
  for (const Numbers& word : words()) {
    double sum = 0;
    const auto best = parser.best(word, 100);
    CHECK(best.size() == word.size());
    for (size_t i = 0; i < best.size(); ++i) {
      CHECK(i == 0 || best[i].log_probability <= best[i - 1].log_probability);
      CHECK_NEAR(parser.log_probability(best[i].rules), best[i].log_probability, 1e-10);
      sum += std::exp(best[i].log_probability);
    }
    CHECK_NEAR(std::log(sum), parser.log_inside(word), 1e-10);
  }
  CHECK(std::isfinite(parser.log_inside(Numbers(400, 1))));  // doubles alone would underflow
}

TEST(the_chain_keeps_its_invariants) {
  for (const auto& grammar : {concatenative(), templatic()}) {
    const auto forests = std::make_shared<const WordForests>(grammar, words(), size_t{1} << 24);
    for (const bool incremental : {false, true}) {
      Chain chain(forests, adaptors(2), 3, 0);
      chain.initialise(incremental);
      for (int i = 0; i < 60; ++i) {
        const SweepInfo info = chain.sweep(i < 10 ? 2.0 : 1.0, i % 2 == 0, true);
        chain.check();
        CHECK(info.accepted <= info.proposals && info.changed <= info.accepted);
        CHECK(std::isfinite(chain.adaptor.log_joint()) && std::isfinite(chain.adaptor.log_hyperprior()));
      }
    }
  }
}

TEST(a_restored_chain_goes_on_bit_for_bit) {
  const auto forests = std::make_shared<const WordForests>(concatenative(), words(), size_t{1} << 24);
  Chain chain(forests, adaptors(2), 3, 1);
  chain.initialise(false);
  for (int i = 0; i < 7; ++i) chain.sweep(1.0, true, true);
  Chain other(forests, adaptors(2), 3, 1);
  other.restore(chain.state());
  for (int i = 0; i < 7; ++i) {
    chain.sweep(1.0, true, true);
    other.sweep(1.0, true, true);
  }
  CHECK(chain.state() == other.state() && chain.adaptor.log_joint() == other.adaptor.log_joint());
  std::vector<uint64_t> damaged = chain.state();
  damaged.resize(damaged.size() / 2);
  CHECK_THROWS(other.restore(damaged), InputError, "ends too soon");
}

TEST(samples_are_counted_and_restored) {
  const auto forests = std::make_shared<const WordForests>(concatenative(), words(), size_t{1} << 24);
  Chain chain(forests, adaptors(2), 3, 1);
  chain.initialise(false);
  Samples samples;
  for (int i = 0; i < 20; ++i) {
    chain.sweep(1.0, false, true);
    samples.add(chain);
  }
  Samples other;
  other.restore(samples.state(), chain.words().grammar());
  other.merge(samples);
  CHECK(samples.kept() == 20 && other.kept() == 40);
  for (uint32_t w = 0; w < words().size(); ++w) {
    uint32_t count = 0;
    for (const auto& c : other.of(w)) count += c.count;
    CHECK(count == 40);
  }
}

TEST(the_posterior_is_the_mixture_of_its_states) {
  const auto grammar = concatenative();
  const auto forests = std::make_shared<const WordForests>(grammar, words(), size_t{1} << 24);
  Chain chain(forests, adaptors(2), 3, 1);
  chain.initialise(false);
  PosteriorParser together(grammar, size_t{1} << 24);
  std::vector<std::unique_ptr<Parser>> single;
  for (int i = 0; i < 4; ++i) {
    chain.sweep(1.0, true, true);
    const Adaptor& a = chain.adaptor;
    together.add(a.rule_counts(), a.adaptors, saved_trees(a));
    single.push_back(std::make_unique<Parser>(grammar, a.rule_counts(), a.adaptors, saved_trees(a)));
  }
  CHECK(together.size() == 4);
  auto tested = words();
  tested.push_back({2, 1, 1, 2, 0});
  for (const Numbers& word : tested) {
    double mean = 0;
    std::map<Numbers, double> sums;
    for (const auto& parser : single) {
      mean += std::exp(parser->log_inside(word)) / 4;
      for (const Derivation& d : parser->best(word, 100)) sums[d.rules] += std::exp(d.log_probability) / 4;
    }
    CHECK_NEAR(together.log_probability(word), std::log(mean), 1e-9);
    for (const Derivation& d : together.best(word, 3, 1000))
      CHECK_NEAR(std::exp(d.log_probability), sums[d.rules] / mean, 1e-3);  // the search leaves out a thousandth
  }
  pitman_yor::Random random(1);
  CHECK(!single[0]->sample(tested.back(), random).empty());
  CHECK(together.best({}, 1, 10).empty());
}

MAIN
