#include "ngram/modifier_model.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "errors.hpp"

namespace binyan::ngram {

void Components::check() const {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != components.size())
    throw InputError("offsets do not cover the components");
  for (uint32_t w = 0; w < words(); ++w)
    if (offsets[w + 1] <= offsets[w] || offsets[w + 1] - offsets[w] > kMaxParts)
      throw InputError("word " + std::to_string(w) + " has no component, or more than " + std::to_string(kMaxParts));
  for (uint32_t c : components)
    if (c >= component_count)
      throw InputError("component " + std::to_string(c) + " is not one of " + std::to_string(component_count));
}

namespace {

using Pair = std::pair<uint32_t, uint32_t>;

// (component, next) of every choice of every word.
std::vector<Pair> pairs_of(const Components& words) {
  std::vector<Pair> pairs;
  pairs.reserve(words.components.size());
  for (uint32_t w = 0; w < words.words(); ++w)
    for (uint32_t i = words.offsets[w]; i < words.offsets[w + 1]; ++i)
      pairs.emplace_back(words.components[i],
                         i + 1 < words.offsets[w + 1] ? words.components[i + 1] : words.component_count);
  return pairs;
}

uint32_t distinct(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return static_cast<uint32_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
}

}  // namespace

ModifierModel::ModifierModel(const Components& words)
    : bigrams(words.component_count, distinct(pairs_of(words))),
      unigrams(1, words.component_count + 1),
      components_(words.component_count),
      base_(1.0 / (words.component_count + 1.0)),
      first_(words.offsets) {
  const std::vector<Pair> all = pairs_of(words);
  std::vector<Pair> kinds = all;
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  for (const auto& [context, next] : kinds) {
    context_.push_back(context);
    next_.push_back(next);
  }
  for (const Pair& pair : all)
    entry_.push_back(static_cast<uint32_t>(std::lower_bound(kinds.begin(), kinds.end(), pair) - kinds.begin()));
}

ModifierModel::Weights ModifierModel::weights(std::span<const uint32_t> entries, size_t i,
                                              const Outcome* before) const {
  const uint32_t e = entries[i], c = context_[e], d = next_[e];
  // What the earlier choices of the same word have added.
  uint32_t same = 0, same_opened = 0, here = 0, here_opened = 0, root_same = 0, root_same_opened = 0, root = 0,
           root_opened = 0;
  for (size_t j = 0; j < i; ++j) {
    const bool opened = before[j] != kJoin, both = before[j] == kOpenBoth;
    if (context_[entries[j]] == c) {
      ++here;
      here_opened += opened;
    }
    if (entries[j] == e) {
      ++same;
      same_opened += opened;
    }
    root += opened;
    root_opened += both;
    if (next_[entries[j]] == d) {
      root_same += opened;
      root_same_opened += both;
    }
  }
  const double a = bigrams.hyper.discount, a0 = unigrams.hyper.discount;
  const double total = bigrams.total_weight(c) + here, total0 = unigrams.total_weight(0) + root;
  const double open = (bigrams.new_table_weight(c) + a * here_opened) / total;
  return {{(bigrams.old_table_weight(e) + same - a * same_opened) / total,
           open * (unigrams.old_table_weight(d) + root_same - a0 * root_same_opened) / total0,
           open * (unigrams.new_table_weight(0) + a0 * root_opened) * base_ / total0}};
}

double ModifierModel::total(std::span<const uint32_t> entries, size_t i, Outcome* outcomes) const {
  const Weights w = weights(entries, i, outcomes);
  const bool last = i + 1 == entries.size();
  if (last) return w.of[kJoin] + w.of[kOpen] + w.of[kOpenBoth];
  if (i + 1 >= kExact) {  // too long to look at all futures: the rest as if this choice had joined a table
    outcomes[i] = kJoin;
    return (w.of[kJoin] + w.of[kOpen] + w.of[kOpenBoth]) * total(entries, i + 1, outcomes);
  }
  double sum = 0;
  for (Outcome o : {kJoin, kOpen, kOpenBoth}) {
    if (w.of[o] == 0) continue;
    outcomes[i] = o;
    sum += w.of[o] * total(entries, i + 1, outcomes);
  }
  return sum;
}

double ModifierModel::joint_of(std::span<const uint32_t> entries) const {
  std::array<Outcome, Components::kMaxParts> outcomes;
  return total(entries, 0, outcomes.data());
}

void ModifierModel::add_all(std::span<const uint32_t> entries, pitman_yor::Random& random) {
  std::array<Outcome, Components::kMaxParts> outcomes;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Weights w = weights(entries, i, outcomes.data());
    double chance[3], sum = 0;
    for (Outcome o : {kJoin, kOpen, kOpenBoth}) {
      outcomes[i] = o;
      chance[o] = i + 1 < entries.size() && i + 1 < kExact ? w.of[o] * total(entries, i + 1, outcomes.data()) : w.of[o];
      sum += chance[o];
    }
    double left = random.uniform() * sum;
    Outcome drawn = kOpenBoth;
    for (Outcome o : {kJoin, kOpen})
      if ((left -= chance[o]) < 0) {
        drawn = o;
        break;
      }
    outcomes[i] = drawn;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint32_t e = entries[i], c = context_[e], d = next_[e];
    if (outcomes[i] == kJoin) {
      bigrams.join(c, e, random);
    } else {
      bigrams.open(c, e);
      if (outcomes[i] == kOpen) unigrams.join(0, d, random);
      else unigrams.open(0, d);
    }
  }
}

void ModifierModel::reseat(pitman_yor::Random& random) {
  for (uint32_t e = 0; e < bigrams.dishes(); ++e) {
    const uint32_t customers = bigrams.customers(e), c = context_[e], d = next_[e];
    for (uint32_t i = std::min(customers, 16 + customers / 8); i > 0; --i) {
      if (bigrams.remove(c, e, random)) unigrams.remove(0, d, random);
      if (bigrams.add(c, e, unigrams.probability(0, d, base_), random)) unigrams.add(0, d, base_, random);
    }
  }
}

double ModifierModel::probability(uint32_t component, uint32_t next) const {
  const double p = unigrams.probability(0, next, base_);
  const auto begin = std::lower_bound(context_.begin(), context_.end(), component),
             end = std::upper_bound(begin, context_.end(), component);
  const auto first = next_.begin() + (begin - context_.begin()), last = next_.begin() + (end - context_.begin());
  const auto hit = std::lower_bound(first, last, next);
  if (hit == last || *hit != next) return bigrams.new_table_weight(component) * p / bigrams.total_weight(component);
  return bigrams.probability(component, static_cast<uint32_t>(hit - next_.begin()), p);
}

double ModifierModel::product(std::span<const uint32_t> components) const {
  double p = 1.0;
  for (size_t i = 0; i < components.size(); ++i)
    p *= probability(components[i], i + 1 < components.size() ? components[i + 1] : end());
  return p;
}

}  // namespace binyan::ngram
