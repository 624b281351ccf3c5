// Short runs of the samplers: every number of their traces is the same on every processor. A change of a digest here is
// a change of results for a fixed seed, and belongs in the changelog.
#include <memory>

#include "digest.hpp"
#include "grammar/chain.hpp"
#include "grammar/posterior_parser.hpp"
#include "harness.hpp"
#include "ngram/compound_hpylm.hpp"
#include "ngram/hpylm.hpp"
#include "ngram/kneser_ney.hpp"
#include "small_grammar.hpp"
#include "small_text.hpp"

using namespace binyan;
using Numbers = std::vector<uint32_t>;

namespace {

void add(Digest& digest, const std::vector<pitman_yor::Restaurants>& levels) {
  for (const pitman_yor::Restaurants& level : levels) {
    digest.add(level.hyper.discount);
    digest.add(level.hyper.strength);
    for (const uint32_t customers : level.all_customers()) digest.add(uint64_t{customers});
  }
}

}  // namespace

TEST(hpylm_chains) {
  const SmallText text(7, 300);
  Digest digest;
  ngram::HPYLM chain(text.tree(3), 5, 1);
  digest.add(chain.initialise(ngram::Initialisation::kSequential));
  for (int sweep = 0; sweep < 20; ++sweep) {
    chain.sweep();
    digest.add(chain.resample_hyperparameters());
    add(digest, chain.levels());
  }
  CHECK_DIGEST(digest, 0x6f01858420edf975);
}

TEST(compound_chains) {
  const SmallText text(7, 200);
  Digest digest;
  ngram::CompoundHPYLM chain(text.compound_tree(3), true, 1, 0);
  chain.initialise(ngram::Initialisation::kSequential);
  for (int sweep = 0; sweep < 20; ++sweep) {
    chain.sweep();
    digest.add(chain.resample_hyperparameters());
    add(digest, chain.heads);
  }
  CHECK_DIGEST(digest, 0xecf5a5acf9fb2f0f);
}

TEST(adaptor_chains) {
  const auto compiled = small_grammar();
  const std::vector<Numbers> words{{0, 1, 2}, {0, 1, 1}, {2, 2, 1, 0}, {0, 1}, {1}, {0, 1, 2, 0, 1, 2}, {2, 0, 1}};
  const auto forests = std::make_shared<const grammar::WordForests>(compiled, words, size_t{1} << 24);
  grammar::Chain chain(forests, std::vector<grammar::SymbolRestaurant>(2), 3, 1);
  Digest digest;
  chain.initialise(true);
  grammar::PosteriorParser parser(compiled, size_t{1} << 24);
  for (int sweep = 0; sweep < 50; ++sweep) {
    chain.sweep(1.0, true, true);
    digest.add(chain.adaptor.log_joint());
    for (const grammar::SymbolRestaurant& adaptor : chain.adaptor.adaptors) {
      digest.add(adaptor.hyper.discount);
      digest.add(adaptor.hyper.strength);
    }
    for (uint32_t w = 0; w < words.size(); ++w)
      for (const uint32_t rule : chain.derivation(w)) digest.add(uint64_t{rule});
  }
  parser.add(chain.adaptor.rule_counts(), chain.adaptor.adaptors, {});
  for (const Numbers& word : words) digest.add(parser.log_probability(word));
  CHECK_DIGEST(digest, 0x928c7f5d57cd1fef);
}

TEST(kneser_ney_estimates) {
  const SmallText text(7, 300);
  const ngram::BackoffModel model = ngram::estimate_kneser_ney(*text.tree(3), {}, {}).model;
  Digest digest;
  for (const ngram::ValueArray* values : {&model.arrays().log_prob, &model.arrays().log_backoff})
    for (size_t i = 0; i < values->size(); ++i) digest.add(static_cast<double>((*values)[i]));
  CHECK_DIGEST(digest, 0x9f52466f7d51c633);
}

MAIN
