// The joint probability of an adaptor grammar's state, and draws of the hyperparameters from their conditionals.

#include "elementary/functions.hpp"
#include "grammar/adaptor.hpp"
#include "no_index.hpp"
#include "pitman_yor/hyperparameters.hpp"
#include "pitman_yor/stirling_numbers.hpp"

namespace binyan::grammar {
namespace {

using Sizes = std::vector<pitman_yor::ValueCounts::Item>;

// Whether the table sizes of a tree are summed out when the discount of its symbol is drawn.
bool is_summed_out(const Adaptor& adaptor, const CachedTree& t) {
  return t.adapted != kNoIndex && adaptor.adaptors[t.adapted].sample_discount &&
         pitman_yor::SeatCounts::covers(t.seats.customers, t.seats.tables);
}

// The table sizes of each adapted symbol; with `sum_out_seats`, of trees whose sizes are not summed out.
std::vector<Sizes> table_sizes(const Adaptor& adaptor, bool sum_out_seats = false) {
  std::vector<pitman_yor::ValueCounts> sizes(adaptor.adaptors.size());
  for (const CachedTree& t : adaptor.trees)
    if (t.adapted != kNoIndex && !(sum_out_seats && is_summed_out(adaptor, t)))
      for (uint32_t table = 0; table < t.seats.tables; ++table) sizes[t.adapted].add(t.seats.size(table));
  std::vector<Sizes> result;
  for (const auto& s : sizes) result.push_back(s.sorted());
  return result;
}

// Customers and tables of the trees of each adapted symbol whose table sizes are summed out.
std::vector<pitman_yor::SeatCounts> summed_out(const Adaptor& adaptor) {
  std::vector<pitman_yor::SeatCounts> counts(adaptor.adaptors.size());
  for (const CachedTree& t : adaptor.trees)
    if (is_summed_out(adaptor, t)) counts[t.adapted].add(t.seats.customers, t.seats.tables);
  return counts;
}

// The sizes that were summed out, given the discounts.
void draw_table_sizes(Adaptor& adaptor, const std::vector<pitman_yor::SeatCounts>& counts, pitman_yor::Random& random) {
  std::vector<pitman_yor::StirlingNumbers> numbers;
  for (size_t k = 0; k < counts.size(); ++k) numbers.push_back(counts[k].numbers(adaptor.adaptors[k].hyper.discount));
  for (CachedTree& t : adaptor.trees)
    if (is_summed_out(adaptor, t)) numbers[t.adapted].draw_sizes(t.seats.customers, t.seats.sizes, random);
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

void Adaptor::sample_hyperparameters(pitman_yor::Random& random, bool sum_out_seats) {
  constexpr int kRounds = 5;
  constexpr pitman_yor::StrengthWalk walk{-500.0, 500.0, 2.0};
  const auto sizes = table_sizes(*this, sum_out_seats);
  const auto counts = sum_out_seats ? summed_out(*this) : std::vector<pitman_yor::SeatCounts>{};
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
        pitman_yor::sample_discount(p.hyper, 0.2, random, [&](double a) {
          const double given = log_seating(a, p.hyper.strength, sizes[k]);
          return sum_out_seats ? given + counts[k].log_likelihood(a) : given;
        });
    }
  }
  if (sum_out_seats) draw_table_sizes(*this, counts, random);
}

}  // namespace binyan::grammar
