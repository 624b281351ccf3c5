// The joint probability of an adaptor grammar's state, and draws of a and b from their conditionals.
#include <cmath>
#include <map>

#include "grammar/adaptor.hpp"
#include "no_index.hpp"
#include "pitman_yor/slice_sampler.hpp"

namespace binyan::grammar {
namespace {

using Histogram = std::vector<std::pair<uint32_t, uint64_t>>;  // (customers, how many tables)

// Priors of the sources the thesis used: a ~ Beta(1, 1); b ~ Gamma(shape 0.1, scale 10), mean 1, variance 10.
constexpr double kShape = 0.1, kScale = 10.0;

double log_prior_b(double b) { return pitman_yor::log_gamma_density(b, kShape, kScale) - std::lgamma(kShape) - kShape * std::log(kScale); }

// Sum over 0 < i < tables of log(b + a i).
double log_openings(double a, double b, uint64_t tables) {
  const double m = static_cast<double>(tables) - 1.0;
  if (a <= 0.0 || b / a > 1e9) return m * std::log(b) + (a > 0.0 ? a / b * m * (m + 1.0) / 2.0 : 0.0);
  if (tables <= 8) {
    double sum = 0.0;
    for (uint64_t i = 1; i < tables; ++i) sum += std::log(b + a * static_cast<double>(i));
    return sum;
  }
  return m * std::log(a) + std::lgamma(m + 1.0 + b / a) - std::lgamma(1.0 + b / a);
}

std::vector<Histogram> table_sizes(const Adaptor& adaptor) {
  std::vector<std::map<uint32_t, uint64_t>> sizes(adaptor.adaptors.size());
  for (const CachedTree& t : adaptor.trees) {
    if (t.adapted == kNoIndex || t.tables == 0) continue;
    if (t.tables == 1) ++sizes[t.adapted][t.customers];
    else for (uint32_t n : t.sizes) ++sizes[t.adapted][n];
  }
  std::vector<Histogram> result;
  for (const auto& s : sizes) result.emplace_back(s.begin(), s.end());
  return result;
}

}  // namespace

double log_seating(double a, double b, uint64_t customers, uint64_t tables, const Histogram& sizes) {
  if (customers == 0) return 0.0;
  double sum = log_openings(a, b, tables) + std::lgamma(1.0 + b) - std::lgamma(b + static_cast<double>(customers));
  const double first = std::lgamma(1.0 - a);
  for (const auto& [n, how_many] : sizes)
    if (n > 1) sum += static_cast<double>(how_many) * (std::lgamma(n - a) - first);
  return sum;
}

double Adaptor::log_joint() const {
  double sum = 0.0;
  for (size_t r = 0; r < counts_.size(); ++r)
    if (counts_[r] > 0) sum += std::lgamma(weights.rule[r]) - std::lgamma(grammar.rules[r].weight);
  for (uint32_t s = 0; s < grammar.source_symbols; ++s)
    if (symbol_counts_[s] > 0) sum += std::lgamma(prior_totals_[s]) - std::lgamma(totals_[s]);
  const auto sizes = table_sizes(*this);
  for (size_t k = 0; k < adaptors.size(); ++k) sum += log_seating(adaptors[k].a, adaptors[k].b, adaptors[k].customers, adaptors[k].tables, sizes[k]);
  return sum;
}

double Adaptor::log_hyperprior() const {
  double sum = 0.0;
  for (const PitmanYor& p : adaptors)
    if (p.sample_b) sum += log_prior_b(p.b);
  return sum;
}

void Adaptor::sample_hyperparameters(pitman_yor::Random& random) {
  constexpr int kRounds = 5;
  const auto sizes = table_sizes(*this);
  for (size_t k = 0; k < adaptors.size(); ++k) {
    PitmanYor& p = adaptors[k];
    for (int round = 0; round < kRounds; ++round) {
      // b on a logarithmic scale: the prior has most of its mass very near 0.
      if (p.sample_b)
        p.b = std::exp(pitman_yor::slice_sample(random, std::log(p.b), -500.0, 500.0, 2.0, [&](double x) {
          const double b = std::exp(x);
          return log_seating(p.a, b, p.customers, p.tables, {}) + log_prior_b(b) + x;
        }));
      if (p.sample_a)
        p.a = pitman_yor::slice_sample(random, p.a, 0.0, 1.0, 0.2, [&](double a) {
          // Stepping out may leave (0, 1).
          return a <= 0.0 || a >= 1.0 ? -INFINITY : log_seating(a, p.b, p.customers, p.tables, sizes[k]);
        });
    }
  }
}

}  // namespace binyan::grammar
