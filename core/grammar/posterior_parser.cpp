#include "grammar/posterior_parser.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "elementary/functions.hpp"

namespace binyan::grammar {
namespace {

// Of a word's probability: what is not worth another way, and what is worth as many as kFarthest in each state.
constexpr double kRest = 1e-3, kLargeRest = 0.05;
constexpr uint32_t kFarthest = 512;

double log_sum(const std::vector<double>& terms) {
  const double highest = terms.empty() ? -INFINITY : *std::max_element(terms.begin(), terms.end());
  if (!std::isfinite(highest)) return -INFINITY;
  double sum = 0.0;
  for (double x : terms) sum += elementary::exp(x - highest);
  return highest + elementary::log(sum);
}

}  // namespace

PosteriorParser::PosteriorParser(std::shared_ptr<const CompiledGrammar> grammar, size_t max_bytes)
    : grammar_(std::move(grammar)), yields_(std::make_shared<ConstituentStrings>(*grammar_)), max_bytes_(max_bytes) {}

void PosteriorParser::add(std::vector<uint64_t> rule_counts, std::vector<SymbolRestaurant> adaptors,
                          const std::vector<SavedTree>& trees) {
  states_.push_back(std::make_unique<Parser>(grammar_, std::move(rule_counts), std::move(adaptors), trees, yields_));
  for (auto& state : states_) state->fit();
}

std::shared_ptr<const Forest> PosteriorParser::forest(std::span<const uint32_t> word) const {
  std::vector<uint32_t> classes = classes_of(*grammar_, word);
  {
    std::lock_guard lock(mutex_);
    if (const auto hit = forests_.find(classes); hit != forests_.end()) return hit->second;
  }
  auto built = std::make_shared<const Forest>(build_forest(*grammar_, classes, max_bytes_));
  std::lock_guard lock(mutex_);
  if (bytes_ + built->bytes() > max_bytes_) {
    forests_.clear();
    bytes_ = 0;
  }
  const auto [place, fresh] = forests_.try_emplace(std::move(classes), built);
  if (fresh) bytes_ += built->bytes();
  return place->second;
}

std::vector<double> PosteriorParser::log_inside(const WordView& w) const {
  std::vector<double> each;
  for (const auto& state : states_) each.push_back(state->log_inside(w));
  return each;
}

double PosteriorParser::log_probability(std::span<const uint32_t> word) const {
  const auto f = forest(word);
  const std::vector<uint32_t> yields = yields_of(*yields_, *f, word);
  return log_sum(log_inside({*f, word, yields.data()})) - elementary::log(static_cast<double>(states_.size()));
}

std::vector<Derivation> PosteriorParser::best(std::span<const uint32_t> word, uint32_t n, uint32_t most,
                                              bool all) const {
  const auto f = forest(word);
  const std::vector<uint32_t> yields = yields_of(*yields_, *f, word);
  const WordView w{*f, word, yields.data()};
  const std::vector<double> inside = log_inside(w);
  const double total = log_sum(inside);
  // Of each derivation that any state has among its best, its probability in every state.
  std::unordered_map<std::vector<uint32_t>, std::vector<double>, RulesHash> by_rules;
  for (size_t i = 0; i < states_.size() && std::isfinite(total); ++i)
    for (Derivation& d : states_[i]->best(w, {n, most, inside[i], kRest, kFarthest, kLargeRest})) {
      auto& by_state = by_rules[std::move(d.rules)];
      by_state.resize(states_.size(), NAN);
      by_state[i] = d.log_probability;
    }
  std::vector<Derivation> derivations;
  for (auto& [rules, by_state] : by_rules) {
    for (size_t i = 0; i < states_.size(); ++i)
      if (std::isnan(by_state[i])) by_state[i] = states_[i]->log_joint(rules);
    derivations.push_back({rules, log_sum(by_state) - total});
  }
  // Ties by the rules, so that the order of a hash table does not show.
  const auto better = [](const Derivation& x, const Derivation& y) {
    return x.log_probability != y.log_probability ? x.log_probability > y.log_probability : x.rules < y.rules;
  };
  const size_t kept = all ? derivations.size() : std::min<size_t>(n, derivations.size());
  std::partial_sort(derivations.begin(), derivations.begin() + kept, derivations.end(), better);
  derivations.resize(kept);
  return derivations;
}

}  // namespace binyan::grammar
