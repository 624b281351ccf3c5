#include "ngram/inflection_hpylm.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "pitman_yor/slice_sampler.hpp"

namespace binyan::ngram {
namespace {

// A sweep draws anew the way that the word of a table came for one in so many dishes.
constexpr uint32_t kRedrawEvery = 2;

}  // namespace

InflectionHPYLM::InflectionHPYLM(std::shared_ptr<const GeneratorForest> forest, uint64_t seed, uint64_t chain)
    : analysis(forest->words->vocabulary_size, 0),
      random(seed, chain),
      forest_(std::move(forest)),
      floors_(forest_->size() + 1),
      word_base_(1.0 / (forest_->words->vocabulary_size - 1.0)) {
  const ContextTree& tree = *forest_->words;
  if (tree.order() > kMaxLevels)
    throw InputError("the order of a Pitman-Yor model is at most " + std::to_string(kMaxLevels));
  for (const Level& level : tree.levels) {
    if (uint64_t{level.entries()} * floors_ >= kNoIndex)
      throw InputError("more than " + std::to_string(kNoIndex / floors_) +
                       " n-grams of one length: lower the order or train on a part of the text");
    words.emplace_back(level.contexts(), level.entries() * floors_);
  }
  for (const auto& g : forest_->generators) generators.emplace_back(g);
  weights.assign(tree.order(), std::vector<double>(floors_, 1.0 / floors_));
}

void InflectionHPYLM::follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const {
  const ContextTree& tree = *forest_->words;
  chain.word = tree.levels[level].word[entry];
  std::array<uint32_t, kMaxLevels> places;
  for (uint32_t k = level;; --k) {
    chain.context[k] = context;
    chain.entry[k] = entry;
    places[k] = forest_->place(k, entry) + analysis[chain.word];
    if (k == 0) break;
    context = tree.levels[k].context_parent[context];
    entry = tree.levels[k].parent[entry];
  }
  for (uint32_t g = 0; g < generators.size(); ++g) {
    const Analyses& all = generators[g].tree().analyses;
    generators[g].follow(chain.of[g], level, chain.context.data(), places.data(),
                         all.second[all.offsets[chain.word] + analysis[chain.word]]);
  }
}

void InflectionHPYLM::prefetch(const Chain& chain, uint32_t level) const {
  for (uint32_t k = 0; k <= level; ++k) words[k].prefetch(chain.context[k], dish(chain.entry[k], 0));
  for (uint32_t g = 0; g < generators.size(); ++g) generators[g].prefetch(chain.of[g], level);
}

// What the base of H gives to the word by one of its ways.
double InflectionHPYLM::base(const Chain& chain, uint32_t level, uint32_t floor) const {
  if (floor != kShortened) return weights[level][floor] * generators[floor - 1].joint(chain.of[floor - 1], level);
  return weights[level][kShortened] * (level > 0 ? chain.probability[level - 1] : word_base_);
}

void InflectionHPYLM::fill(Chain& chain, uint32_t level) const {
  for (uint32_t g = 0; g < generators.size(); ++g) generators[g].fill(chain.of[g], level);
  for (uint32_t k = 0; k < level; ++k) {
    double sum = 0;
    for (uint32_t f = 0; f < floors_; ++f) sum += base(chain, k, f);
    const double scale = 1.0 / words[k].total_weight(chain.context[k]);
    chain.probability[k] =
        old_table_weight(k, chain.entry[k]) * scale + words[k].new_table_weight(chain.context[k]) * scale * sum;
  }
}

// A table was opened on a floor: who it sends on is seated.
void InflectionHPYLM::add_to(const Chain& chain, uint32_t level, uint32_t floor) {
  if (floor != kShortened) generators[floor - 1].add(chain.of[floor - 1], level, random);
  else if (level > 0) add_word(chain, level - 1);
}

void InflectionHPYLM::remove_from(const Chain& chain, uint32_t level, uint32_t floor) {
  if (floor != kShortened) generators[floor - 1].remove(chain.of[floor - 1], level, random);
  else if (level > 0) remove_word(chain, level - 1);
}

// Returns whether a table was opened.
bool InflectionHPYLM::add_word(const Chain& chain, uint32_t level) {
  pitman_yor::Restaurants& r = words[level];
  const uint32_t c = chain.context[level], d = dish(chain.entry[level], 0);
  std::array<double, kMaxFloors> old, fresh;
  double sum = 0;
  for (uint32_t f = 0; f < floors_; ++f) {
    sum += old[f] = r.old_table_weight(d + f);
    sum += fresh[f] = r.new_table_weight(c) * base(chain, level, f);
  }
  // At first no generator knows anything: left to the model, all words would be drawn whole, and none would learn.
  if (is_starting_) {
    double all = 0;
    for (uint32_t f = 0; f < floors_; ++f) all += fresh[f];
    for (uint32_t f = 0; f < floors_; ++f) fresh[f] = all / floors_;
  }
  double left = random.uniform() * sum;
  uint32_t last = kShortened;
  for (uint32_t f = 0; f < floors_; ++f) {
    if (r.customers(d + f) > 0 && (left -= old[f]) < 0) {
      r.join(c, d + f, random);
      return false;
    }
    if (fresh[f] > 0) last = f;
  }
  for (uint32_t f = 0; f < last; ++f)
    if ((left -= fresh[f]) < 0) {
      last = f;
      break;
    }
  r.open(c, d + last);
  add_to(chain, level, last);
  return true;
}

// Returns whether a table was closed.
bool InflectionHPYLM::remove_word(const Chain& chain, uint32_t level) {
  pitman_yor::Restaurants& r = words[level];
  const uint32_t d = dish(chain.entry[level], 0);
  uint64_t customers = 0;
  for (uint32_t f = 0; f < floors_; ++f) customers += r.customers(d + f);
  uint32_t floor = 0;
  for (uint64_t left = random.below(customers); left >= r.customers(d + floor); ++floor) left -= r.customers(d + floor);
  if (!r.remove(chain.context[level], d + floor, random)) return false;
  remove_from(chain, level, floor);
  return true;
}

void InflectionHPYLM::add_word_at_random(const Chain& chain, uint32_t level) {
  for (uint32_t k = level;; --k) {
    pitman_yor::Restaurants& r = words[k];
    const uint32_t floor = static_cast<uint32_t>(random.below(floors_)), d = dish(chain.entry[k], floor);
    const bool opens = random.below(r.tables(d) + 1) == 0;
    if (opens) r.open(chain.context[k], d);
    else r.join_any(chain.context[k], d, random);
    if (!opens) return;
    if (floor != kShortened) return generators[floor - 1].add_at_random(chain.of[floor - 1], k, random);
    if (k == 0) return;
  }
}

void InflectionHPYLM::initialise(Initialisation how) {
  Chain chain;
  is_starting_ = true;
  forest_->words->for_each_direct([&](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
    follow(chain, level, context, entry);
    for (uint32_t i = 0; i < customers; ++i) {
      if (how == Initialisation::kRandom) {
        add_word_at_random(chain, level);
      } else {
        fill(chain, level);
        add_word(chain, level);
      }
    }
  });
  is_starting_ = false;
}

void InflectionHPYLM::sweep() {
  // What the next dish needs is fetched while one is reseated: memory is what a sweep waits for.
  Chain chains[2];
  uint32_t levels[2], customers[2], next = 0;
  bool any = false;
  forest_->words->for_each_direct([&](uint32_t level, uint32_t context, uint32_t entry, uint32_t count) {
    follow(chains[next], level, context, entry);
    prefetch(chains[next], level);
    levels[next] = level;
    customers[next] = count;
    next ^= 1;
    if (any) reseat(chains[next], levels[next], customers[next]);
    any = true;
  });
  if (any) reseat(chains[next ^ 1], levels[next ^ 1], customers[next ^ 1]);
  redraw_shorter_floors();
  resample_analyses();
}

void InflectionHPYLM::reseat(Chain& chain, uint32_t level, uint32_t customers) {
  if (customers == 1) {  // the only customer of a word opens the same table again, on some floor
    uint32_t floor = 0;
    while (words[level].customers(dish(chain.entry[level], floor)) == 0) ++floor;
    return redraw_floor(chain, level, floor, 1);
  }
  bool stale = true;  // are the chain's probabilities older than the last change below this level?
  for (uint32_t i = 0; i < customers; ++i) {
    stale |= remove_word(chain, level);
    if (stale) fill(chain, level);
    stale = add_word(chain, level);
  }
  if (level + 1 == words.size() && random.below(kRedrawEvery) == 0) redraw_floors(chain, level);
}

// The word of a table of `size` customers, who stay, is drawn anew from the base distribution.
void InflectionHPYLM::redraw_floor(Chain& chain, uint32_t level, uint32_t floor, uint32_t size) {
  remove_from(chain, level, floor);
  fill(chain, level);
  std::array<double, kMaxFloors> chance;
  double sum = 0;
  for (uint32_t f = 0; f < floors_; ++f) sum += chance[f] = base(chain, level, f);
  double left = random.uniform() * sum;
  uint32_t drawn = floors_ - 1;
  for (uint32_t f = 0; f + 1 < floors_; ++f)
    if ((left -= chance[f]) < 0) {
      drawn = f;
      break;
    }
  add_to(chain, level, drawn);
  if (drawn != floor) words[level].relabel(dish(chain.entry[level], floor), dish(chain.entry[level], drawn), size);
}

// A table of many customers would hardly ever change its floor while they move one at a time.
void InflectionHPYLM::redraw_floors(Chain& chain, uint32_t level) {
  std::vector<pitman_yor::TableSizes::Bin> bins;
  tables_.clear();
  for (uint32_t f = 0; f < floors_; ++f) {
    bins.clear();
    words[level].append_table_sizes(dish(chain.entry[level], f), bins);
    for (const auto& bin : bins) tables_.push_back({f, bin});
  }
  for (size_t t = 0; t < tables_.size(); ++t)
    for (uint32_t i = 0; i < tables_[t].bin.tables; ++i)
      redraw_floor(chain, level, tables_[t].floor, tables_[t].bin.size);
}

// The same below the longest contexts. Dishes of one customer are redrawn with a table above.
void InflectionHPYLM::redraw_shorter_floors() {
  Chain chain;
  for (uint32_t k = order() - 1; k-- > 0;) {
    const Level& level = forest_->words->levels[k];
    for (uint32_t e = static_cast<uint32_t>(random.below(kRedrawEvery)); e < level.entries(); e += kRedrawEvery) {
      uint64_t customers = 0;
      for (uint32_t f = 0; f < floors_; ++f) customers += words[k].customers(dish(e, f));
      if (customers < 2) continue;
      follow(chain, k, level.context[e], e);
      redraw_floors(chain, k);
    }
  }
}

std::array<double, InflectionHPYLM::kMaxFloors> InflectionHPYLM::tables_by_floor(uint32_t level) const {
  std::array<double, kMaxFloors> tables{};
  for (uint32_t d = 0; d < words[level].dishes(); ++d) tables[d % floors_] += words[level].tables(d);
  return tables;
}

// Dirichlet(1 + tables of each floor), one share of what is left after another.
void InflectionHPYLM::resample_weights(uint32_t level) {
  const auto tables = tables_by_floor(level);
  double after = 0, left_before = 1, left = 1;
  for (uint32_t f = 0; f < floors_; ++f) after += tables[f] + 1;
  for (uint32_t f = 0; f + 1 < floors_; ++f) {
    after -= tables[f] + 1;
    const double own = tables[f], others = after - 1;
    const double share = std::min(std::max(weights[level][f] / left_before, 1e-12), 1 - 1e-12);
    left_before = std::max(left_before - weights[level][f], 1e-300);
    const double drawn = pitman_yor::slice_sample(random, share, 0.0, 1.0, 0.1, [&](double v) {
      return v <= 0 || v >= 1 ? -INFINITY : own * elementary::log(v) + others * elementary::log1p(-v);
    });
    weights[level][f] = left * drawn;
    left *= 1 - drawn;
  }
  weights[level][floors_ - 1] = left;
}

// Log-probability of what the restaurants leave out: floors, and dishes drawn from uniform bases.
double InflectionHPYLM::log_base() const {
  double sum = 0;
  for (const WordGenerator& g : generators) sum += g.log_base();
  for (uint32_t k = 0; k < order(); ++k) {
    const auto tables = tables_by_floor(k);
    for (uint32_t f = 0; f < floors_; ++f)
      if (tables[f] > 0) sum += tables[f] * elementary::log(weights[k][f]);
    if (k == 0) sum += tables[kShortened] * elementary::log(word_base_);
  }
  return sum;
}

double InflectionHPYLM::resample_hyperparameters() {
  if (floors_ > 1)
    for (uint32_t k = 0; k < order(); ++k) resample_weights(k);
  double sum = log_base();
  for_each_level([&](pitman_yor::Restaurants& r) {
    const pitman_yor::SeatingSummary summary = r.summary();
    resample(r.hyper, summary, random);
    sum += summary.log_likelihood(r.hyper);
  });
  return sum;
}

double InflectionHPYLM::log_likelihood() const {
  double sum = log_base();
  const_cast<InflectionHPYLM*>(this)->for_each_level(  // nothing is drawn
      [&](const pitman_yor::Restaurants& r) { sum += r.summary().log_likelihood(r.hyper); });
  return sum;
}

void InflectionHPYLM::check() const {
  const ContextTree& tree = *forest_->words;
  std::vector<std::vector<std::vector<uint64_t>>> heads(generators.size()), pairs(generators.size());
  for (uint32_t g = 0; g < generators.size(); ++g) {
    for (const auto& r : generators[g].heads) heads[g].emplace_back(r.dishes(), 0);
    for (const auto& r : generators[g].pairs) pairs[g].emplace_back(r.dishes(), 0);
  }
  std::vector<uint64_t> sent;
  for (uint32_t k = order(); k-- > 0;) {
    const Level& level = tree.levels[k];
    std::vector<uint64_t> expected(words[k].dishes()), below(k > 0 ? tree.levels[k - 1].entries() : 0, 0);
    std::vector<uint32_t> restaurant(words[k].dishes());
    for (uint32_t e = 0; e < level.entries(); ++e) {
      uint64_t all = 0;
      for (uint32_t f = 0; f < floors_; ++f) {
        const uint32_t d = dish(e, f), tables = words[k].tables(d);
        all += expected[d] = words[k].customers(d);  // how a word's customers divide over the floors is free
        restaurant[d] = level.context[e];
        if (f == kShortened) {
          if (k > 0) below[level.parent[e]] += tables;
          continue;
        }
        const GeneratorTree& g = generators[f - 1].tree();
        const uint32_t place = forest_->place(k, e) + analysis[level.word[e]];
        heads[f - 1][k][g.levels[k].head_of[place]] += tables;
        uint32_t s = g.second_level(k), entry = e;
        for (uint32_t j = k; j > s; --j) entry = tree.levels[j].parent[entry];
        pairs[f - 1][s][g.levels[s].pair_of[forest_->place(s, entry) + analysis[level.word[e]]]] += tables;
      }
      if (all != tree.direct(k, e) + (sent.empty() ? 0 : sent[e]))
        throw InternalError("the customers of words are not the events and the tables of longer contexts");
    }
    check_seating(words[k], expected, restaurant, "words");
    sent = std::move(below);
  }
  for (uint32_t g = 0; g < generators.size(); ++g) generators[g].check(std::move(heads[g]), std::move(pairs[g]));
}

}  // namespace binyan::ngram
