// The joint probability of an adaptor grammar's state, and draws of the hyperparameters from their conditionals.

#include "elementary/functions.hpp"
#include "grammar/adaptor.hpp"
#include "no_index.hpp"
#include "pitman_yor/hyperparameters.hpp"

namespace binyan::grammar {
namespace {

using Sizes = std::vector<pitman_yor::ValueCounts::Item>;

// The table sizes of each adapted symbol.
std::vector<Sizes> table_sizes(const Adaptor& adaptor) {
  std::vector<pitman_yor::ValueCounts> sizes(adaptor.adaptors.size());
  for (const CachedTree& t : adaptor.trees)
    if (t.adapted != kNoIndex)
      for (uint32_t table = 0; table < t.seats.tables; ++table) sizes[t.adapted].add(t.seats.size(table));
  std::vector<Sizes> result;
  for (const auto& s : sizes) result.push_back(s.sorted());
  return result;
}

}  // namespace

double Adaptor::log_joint() const {
  double sum = 0.0;
  for (size_t r = 0; r < counts_.size(); ++r)
    if (counts_[r] > 0) sum += elementary::lgamma(weights.rule[r]) - elementary::lgamma(grammar.rules[r].weight);
  for (uint32_t s = 0; s < grammar.source_symbols; ++s)
    if (symbol_counts_[s] > 0) sum += elementary::lgamma(prior_totals_[s]) - elementary::lgamma(totals_[s]);
  const auto sizes = table_sizes(*this);
  for (size_t k = 0; k < adaptors.size(); ++k)
    sum += pitman_yor::log_seating(adaptors[k].hyper, adaptors[k].customers, adaptors[k].tables, sizes[k]);
  return sum;
}

double Adaptor::log_hyperprior() const {
  double sum = 0.0;
  for (const SymbolRestaurant& p : adaptors)
    if (p.sample_strength) sum += pitman_yor::log_strength_density(p.hyper.strength);
  return sum;
}

void Adaptor::sample_hyperparameters(pitman_yor::Random& random) {
  constexpr int kRounds = 5;
  constexpr pitman_yor::StrengthWalk walk{-500.0, 500.0, 2.0};
  const auto sizes = table_sizes(*this);
  for (size_t k = 0; k < adaptors.size(); ++k) {
    SymbolRestaurant& p = adaptors[k];
    const auto log_seating = [&](double discount, double strength, const Sizes& of) {
      return pitman_yor::log_seating({discount, strength}, p.customers, p.tables, of);
    };
    for (int round = 0; round < kRounds; ++round) {
      if (p.sample_strength)
        pitman_yor::sample_strength(
            p.hyper, walk, random, [&](double b) { return log_seating(p.hyper.discount, b, {}); },
            pitman_yor::log_strength_density);
      if (p.sample_discount)
        pitman_yor::sample_discount(p.hyper, 0.2, random,
                                    [&](double a) { return log_seating(a, p.hyper.strength, sizes[k]); });
    }
  }
}

}  // namespace binyan::grammar
