#include "ngram/hpylm_block.hpp"

#include <algorithm>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {

using pitman_yor::Random;
using pitman_yor::Restaurants;

HPYLMBlock::HPYLMBlock(std::shared_ptr<const SuffixBlock> block) : block_(std::move(block)) {
  if (order() > HPYLM::kMaxLevels)
    throw InputError("the order of a Pitman-Yor model is at most " + std::to_string(HPYLM::kMaxLevels));
  for (const Level& level : block_->levels()) levels_.emplace_back(level.contexts(), level.entries());
}

void HPYLMBlock::set_hyperparameters(std::span<const pitman_yor::Hyperparameters> hyper) {
  if (hyper.size() != levels_.size()) throw InputError("one (discount, strength) pair a level is needed");
  for (size_t i = 0; i < levels_.size(); ++i) {
    pitman_yor::check(hyper[i]);
    levels_[i].hyper = hyper[i];
  }
}

bool HPYLMBlock::is_direct(uint32_t level, uint32_t context) const {
  return level + 1 == order() || tree(level).left_word[context] == text::kSentenceStart;
}

template <class Visit>
void HPYLMBlock::for_each_direct(uint32_t first, uint32_t lowest, Visit visit) const {
  uint32_t begin = first, end = first + 1;
  for (uint32_t k = 1; k < order(); ++k) {
    const Level& level = tree(k);
    if (k > 1) {  // contexts are ordered by their shorter ones
      const auto from = level.context_parent.begin(), to = level.context_parent.end();
      begin = static_cast<uint32_t>(std::lower_bound(from, to, begin) - from);
      end = static_cast<uint32_t>(std::lower_bound(from + begin, to, end) - from);
    }
    if (k < lowest) continue;
    for (uint32_t c = begin; c < end; ++c) {
      if (!is_direct(k, c)) continue;
      for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) visit(k, c, e, level.count[e]);
    }
  }
}

void HPYLMBlock::follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const {
  for (uint32_t k = level;; --k) {
    chain.context[k] = context;
    chain.entry[k] = entry;
    if (k == 1) break;
    context = tree(k).context_parent[context];
    entry = tree(k).parent[entry];
  }
}

void HPYLMBlock::initialise(Initialisation how, std::span<const double> word_probability, const SweepStreams& streams) {
  const Level& lowest = tree(1);
  Chain chain;
  for (uint32_t first = 0; first < lowest.contexts(); ++first) {
    Random random = streams.of(SweepStreams::kUpper, lowest.left_word[first]);
    for_each_direct(first, 1, [&](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
      follow(chain, level, context, entry);
      const uint32_t word = tree(level).word[entry];
      if (word >= word_probability.size()) throw InputError("a block of n-grams has words of another vocabulary");
      for (uint32_t i = 0; i < customers; ++i) seat(chain, level, how, word_probability[word], random);
    });
  }
}

void HPYLMBlock::seat(Chain& chain, uint32_t level, Initialisation how, double word_probability, Random& random) {
  double p = word_probability;
  for (uint32_t k = 1; k <= level; ++k) {
    chain.base[k] = p;
    p = seats(k).probability(chain.context[k], chain.entry[k], p);
  }
  for (uint32_t k = level; k > 0; --k) {
    Restaurants& r = seats(k);
    const uint32_t c = chain.context[k], e = chain.entry[k];
    const bool sequential = how == Initialisation::kSequential;
    const bool opened = sequential ? r.draw_opening(c, e, chain.base[k], random) : random.below(r.tables(e) + 1) == 0;
    if (opened) {
      r.open(c, e);
      continue;
    }
    if (sequential) r.join(c, e, random);
    else r.join_any(c, e, random);
    return;
  }
}

void HPYLMBlock::seat_root(RootRestaurant& root, const SweepStreams& streams) const {
  const Level& lowest = tree(1);
  for (uint32_t c = 0; c < lowest.contexts(); ++c) {
    Random random = streams.of(SweepStreams::kLowest, lowest.left_word[c]);
    for (uint32_t e = lowest.first_entry[c]; e < lowest.first_entry[c + 1]; ++e)
      for (uint32_t i = 0; i < levels_[0].tables(e); ++i) root.add(lowest.word[e], random);
  }
}

void HPYLMBlock::sweep_upper(const SweepStreams& streams) {
  if (order() == 2) return;
  const Level& lowest = tree(1);
  for (uint32_t first = 0; first < lowest.contexts(); ++first) {
    Random random = streams.of(SweepStreams::kUpper, lowest.left_word[first]);
    for_each_direct(first, 2, [&](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
      reseat(level, context, entry, customers, random);
    });
  }
}

void HPYLMBlock::reseat(uint32_t level, uint32_t context, uint32_t entry, uint32_t customers, Random& random) {
  // As in HPYLM::reseat: the only customer of a dish has no choice, but the one it sends to the parent has.
  while (seats(level).customers(entry) == 1) {
    if (level == 2) return;  // the parent is seated by sweep_lowest
    context = tree(level).context_parent[context];
    entry = tree(level).parent[entry];
    --level;
  }
  Chain chain;
  follow(chain, level, context, entry);
  bool stale = true;
  for (uint32_t i = 0; i < customers; ++i) {
    if (!take_away(chain, level, stale, random)) continue;
    if (stale) {
      fill_bases(chain, level);
      stale = false;
    }
    put_back(chain, level, stale, random);
  }
}

// A customer leaves, and those that its tables sent to shorter contexts. One that would close a table on level 1 has to
// open one again, since their number is given, and so on every level above: it stays, and the result is false.
bool HPYLMBlock::take_away(const Chain& chain, uint32_t level, bool& stale, Random& random) {
  uint32_t k = level;
  while (seats(k).remove(chain.context[k], chain.entry[k], random)) {
    if (k == 1) {
      for (uint32_t j = 1; j <= level; ++j) seats(j).open(chain.context[j], chain.entry[j]);
      return false;
    }
    --k;
  }
  stale = stale || k < level;
  return true;
}

void HPYLMBlock::put_back(const Chain& chain, uint32_t level, bool& stale, Random& random) {
  uint32_t k = level;
  for (; k > 1; --k)
    if (!seats(k).add(chain.context[k], chain.entry[k], chain.base[k], random)) break;
  if (k == 1) seats(1).join(chain.context[1], chain.entry[1], random);
  stale = stale || k < level;
}

void HPYLMBlock::fill_bases(Chain& chain, uint32_t level) const {
  const Restaurants& lowest = levels_[0];
  double p = lowest.old_table_weight(chain.entry[1]) / lowest.total_weight(chain.context[1]);
  for (uint32_t k = 2; k < level; ++k) {
    chain.base[k] = p;
    p = levels_[k - 1].probability(chain.context[k], chain.entry[k], p);
  }
  chain.base[level] = p;
}

void HPYLMBlock::sweep_lowest(RootRestaurant& root, const SweepStreams& streams) {
  const Level& level = tree(1);
  Restaurants& own = seats(1);
  for (uint32_t c = 0; c < level.contexts(); ++c) {
    Random random = streams.of(SweepStreams::kLowest, level.left_word[c]);
    for (uint32_t e = level.first_entry[c]; e < level.first_entry[c + 1]; ++e) {
      const uint32_t word = level.word[e], customers = own.customers(e);
      if (customers == 1) {
        root.remove(word, random);
        root.add(word, random);
        continue;
      }
      for (uint32_t i = 0; i < customers; ++i) {
        if (own.remove(c, e, random)) root.remove(word, random);
        if (own.add(c, e, root.probability(word), random)) root.add(word, random);
      }
    }
  }
}

void HPYLMBlock::count(std::span<pitman_yor::SeatingCounts> levels) const {
  if (levels.size() != levels_.size()) throw InputError("counts of every level are needed");
  for (size_t i = 0; i < levels_.size(); ++i) levels_[i].count(levels[i]);
}

void HPYLMBlock::predict(uint32_t level, std::span<const double> shorter, std::span<double> probability,
                         std::span<double> backoff) const {
  const Level& l = tree(level);
  const Restaurants& r = levels_[level - 1];
  for (uint32_t c = 0; c < l.contexts(); ++c) {
    backoff[c] = r.new_table_weight(c) / r.total_weight(c);
    for (uint32_t e = l.first_entry[c]; e < l.first_entry[c + 1]; ++e)
      probability[e] = r.probability(c, e, shorter[level == 1 ? l.word[e] : l.parent[e]]);
  }
}

void HPYLMBlock::restore(uint32_t level, std::span<const uint32_t> tables_above, std::span<const uint32_t> tables,
                         std::span<const uint32_t> sizes) {
  const Level& l = tree(level);
  std::vector<uint32_t> customers(l.entries(), 0);
  for (uint32_t e = 0; e < l.entries(); ++e)
    if (is_direct(level, l.context[e])) customers[e] = l.count[e];
  if (level + 1 < order()) {
    const std::vector<uint32_t>& parent = tree(level + 1).parent;
    if (tables_above.size() != parent.size()) throw InputError("the saved seating is damaged: wrong number of entries");
    for (size_t e = 0; e < parent.size(); ++e) customers[parent[e]] += tables_above[e];
  }
  seats(level).restore(customers, l.context, tables, sizes);
}

double resample_levels(std::span<pitman_yor::Hyperparameters> hyper, std::span<const pitman_yor::SeatingCounts> counts,
                       const RootRestaurant& root, const SweepStreams& streams) {
  if (hyper.size() != counts.size()) throw InputError("counts of every level are needed");
  Random random = streams.of(SweepStreams::kHyperparameters);
  double sum = root.seats.restaurant_tables(0) * elementary::log(root.base());
  for (size_t k = 0; k < hyper.size(); ++k) {
    const pitman_yor::SeatingSummary summary = counts[k].summary();
    resample(hyper[k], summary, random);
    sum += summary.log_likelihood(hyper[k]);
  }
  return sum;
}

}  // namespace binyan::ngram
