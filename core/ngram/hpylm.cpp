#include "ngram/hpylm.hpp"

#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"

namespace binyan::ngram {

HPYLM::HPYLM(std::shared_ptr<const ContextTree> tree, uint64_t seed, uint64_t chain, uint64_t symbols)
    : random(seed, chain), tree_(std::move(tree)) {
  if (tree_->order() > kMaxLevels)
    throw InputError("the order of a Pitman-Yor model is at most " + std::to_string(kMaxLevels));
  for (const Level& level : tree_->levels) levels_.emplace_back(level.contexts(), level.entries());
  const uint64_t words = tree_->vocabulary_size - 1;  // with <unk>, without <s>
  if (symbols != 0 && symbols + 1 < words) throw InputError("the base has fewer symbols than the text");
  base_ = 1.0 / static_cast<double>(symbols == 0 ? words : symbols);
  unknown_base_ = symbols == 0 ? base_ : static_cast<double>(symbols - words + 1) * base_;
}

void HPYLM::follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const {
  for (uint32_t k = level;; --k) {
    chain.context[k] = context;
    chain.entry[k] = entry;
    if (k == 0) break;
    context = tree_->levels[k].context_parent[context];
    entry = tree_->levels[k].parent[entry];
  }
}

void HPYLM::fill_bases(Chain& chain, uint32_t level, double base) const {
  double p = base;
  for (uint32_t k = 0; k < level; ++k) {
    chain.base[k] = p;
    p = levels_[k].probability(chain.context[k], chain.entry[k], p);
  }
  chain.base[level] = p;
}

double HPYLM::initialise(Initialisation how) {
  double log_probability = 0;
  Chain chain;
  tree_->for_each_direct([&](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
    follow(chain, level, context, entry);
    for (uint32_t i = 0; i < customers; ++i) {
      fill_bases(chain, level, base_);
      for (uint32_t k = level;; --k) {
        pitman_yor::Restaurants& r = levels_[k];
        const uint32_t c = chain.context[k], e = chain.entry[k];
        const bool opened = how == Initialisation::kSequential ? r.draw_opening(c, e, chain.base[k], random)
                                                               : random.below(r.tables(e) + 1) == 0;
        double weight = r.new_table_weight(c);
        const double total = r.total_weight(c);
        if (opened) r.open(c, e);
        else
          weight =
              (how == Initialisation::kSequential ? r.join(c, e, random) : r.join_any(c, e, random)) - r.hyper.discount;
        log_probability += elementary::log(weight / total);
        if (!opened) break;
        if (k == 0) {
          log_probability += elementary::log(base_);
          break;
        }
      }
    }
  });
  return log_probability;
}

void HPYLM::sweep() {
  tree_->for_each_direct([this](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
    reseat(level, context, entry, customers);
  });
}

void HPYLM::reseat(uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
  // The only customer of a dish, taken away and seated again, always opens the same table again: only the customer it
  // sends to the parent has a choice to make.
  while (levels_[level].customers(entry) == 1) {
    if (level == 0) return;
    context = tree_->levels[level].context_parent[context];
    entry = tree_->levels[level].parent[entry];
    --level;
  }
  Chain chain;
  follow(chain, level, context, entry);
  pitman_yor::Restaurants& own = levels_[level];
  bool stale = true;  // are chain's base probabilities older than the last change below this level?
  for (uint32_t i = 0; i < customers; ++i) {
    if (own.remove(context, entry, random)) {
      stale = true;
      for (uint32_t k = level; k > 0 && levels_[k - 1].remove(chain.context[k - 1], chain.entry[k - 1], random);) --k;
    }
    if (stale) {
      fill_bases(chain, level, base_);
      stale = false;
    }
    if (own.add(context, entry, chain.base[level], random)) {
      stale = true;
      for (uint32_t k = level;
           k > 0 && levels_[k - 1].add(chain.context[k - 1], chain.entry[k - 1], chain.base[k - 1], random);)
        --k;
    }
  }
}

double HPYLM::resample_hyperparameters() {
  double sum = levels_[0].restaurant_tables(0) * elementary::log(base_);
  for (pitman_yor::Restaurants& level : levels_) {
    const pitman_yor::SeatingSummary summary = level.summary();
    resample(level.hyper, summary, random);
    sum += summary.log_likelihood(level.hyper);
  }
  return sum;
}

double HPYLM::log_likelihood() const {
  double sum = levels_[0].restaurant_tables(0) * elementary::log(base_);
  for (const pitman_yor::Restaurants& level : levels_) sum += level.summary().log_likelihood(level.hyper);
  return sum;
}

std::vector<uint32_t> HPYLM::customers_of(uint32_t level, std::span<const uint32_t> tables_above,
                                          std::span<const uint32_t> direct) const {
  const Level& l = tree_->levels[level];
  std::vector<uint32_t> customers(l.entries());
  for (uint32_t e = 0; e < l.entries(); ++e) customers[e] = direct.empty() ? tree_->direct(level, e) : direct[e];
  if (level + 1 < tree_->order()) {
    const std::vector<uint32_t>& parent = tree_->levels[level + 1].parent;
    if (tables_above.size() != parent.size()) throw InputError("the saved seating is damaged: wrong number of entries");
    for (size_t e = 0; e < parent.size(); ++e) customers[parent[e]] += tables_above[e];
  }
  return customers;
}

void HPYLM::check(std::span<const std::vector<uint32_t>> direct) const {
  std::vector<uint32_t> above;
  for (uint32_t k = tree_->order(); k-- > 0;) {
    const pitman_yor::Restaurants& level = levels_[k];
    const std::vector<uint32_t> expected =
        customers_of(k, above, direct.empty() ? std::span<const uint32_t>() : direct[k]);
    std::vector<uint64_t> customers(level.restaurants(), 0), tables(level.restaurants(), 0);
    above.resize(level.dishes());
    for (uint32_t e = 0; e < level.dishes(); ++e) {
      above[e] = level.tables(e);
      uint64_t seated = 0, counted = 0;
      for (const auto& bin : level.table_sizes(e)) {
        counted += bin.tables;
        seated += static_cast<uint64_t>(bin.tables) * bin.size;
      }
      if (level.customers(e) != expected[e] || seated != expected[e] || counted != above[e])
        throw InternalError("seating of entry " + std::to_string(e) + " on level " + std::to_string(k) +
                            " is inconsistent");
      customers[tree_->levels[k].context[e]] += expected[e];
      tables[tree_->levels[k].context[e]] += above[e];
    }
    for (uint32_t c = 0; c < level.restaurants(); ++c)
      if (level.restaurant_customers(c) != customers[c] || level.restaurant_tables(c) != tables[c])
        throw InternalError("totals of context " + std::to_string(c) + " on level " + std::to_string(k) +
                            " are inconsistent");
  }
}

void HPYLM::predict(uint32_t level, std::span<const double> shorter, std::span<double> probability,
                    std::span<double> backoff) const {
  const Level& l = tree_->levels[level];
  const pitman_yor::Restaurants& r = levels_[level];
  for (uint32_t c = 0; c < l.contexts(); ++c) {
    backoff[c] = r.new_table_weight(c) / r.total_weight(c);
    for (uint32_t e = l.first_entry[c]; e < l.first_entry[c + 1]; ++e)
      probability[e] = r.probability(c, e,
                                     level > 0         ? shorter[l.parent[e]]
                                     : shorter.empty() ? base_
                                                       : shorter[l.word[e]]);
  }
}

}  // namespace binyan::ngram
