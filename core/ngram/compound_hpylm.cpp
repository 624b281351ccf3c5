#include "ngram/compound_hpylm.hpp"

#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "pitman_yor/slice_sampler.hpp"

namespace binyan::ngram {
namespace {

// A sweep of hpylm+g draws anew where the dish of a table came from for one in so many dishes.
constexpr uint32_t kRedrawEvery = 2;

}  // namespace

CompoundTree::CompoundTree(std::shared_ptr<const ContextTree> tree, Components parts)
    : words(std::move(tree)), components(std::move(parts)) {
  components.check();
  if (components.words() != words->vocabulary_size)
    throw InputError("components are needed for every word of the vocabulary");
  std::vector<uint32_t> head(components.words());
  for (uint32_t w = 0; w < components.words(); ++w) head[w] = components.head(w);
  heads = build_head_tree(*words, head);
}

CompoundHPYLM::CompoundHPYLM(std::shared_ptr<const CompoundTree> tree, bool both_ways, uint64_t seed, uint64_t chain)
    : modifiers(tree->components),
      shortening(tree->words->order(), both_ways ? 0.5 : 0.0),
      random(seed, chain),
      tree_(std::move(tree)),
      floors_(both_ways ? 2 : 1),
      head_base_(1.0 / tree_->components.component_count) {
  const ContextTree& t = *tree_->words;
  if (t.order() > kMaxLevels)
    throw InputError("the order of a Pitman-Yor model is at most " + std::to_string(kMaxLevels));
  shortening[0] = 0.0;
  for (uint32_t k = 0; k < t.order(); ++k) {
    if (uint64_t{t.levels[k].entries()} * floors_ >= kNoIndex)
      throw InputError("more than " + std::to_string(kNoIndex / floors_) + " n-grams of length " +
                       std::to_string(k + 1) + ": lower the order or train on a part of the text");
    words.emplace_back(t.levels[k].contexts(), t.levels[k].entries() * floors_);
    heads.emplace_back(t.levels[k].contexts(), tree_->heads[k].entries());
  }
}

void CompoundHPYLM::follow(Chain& chain, uint32_t level, uint32_t context, uint32_t entry) const {
  chain.word = tree_->words->levels[level].word[entry];
  chain.entry[level] = entry;
  chain.context[level] = context;
  chain.head[level] = tree_->heads[level].entry_of[entry];
  for (uint32_t k = level; k > 0; --k) {
    chain.context[k - 1] = context = tree_->words->levels[k].context_parent[context];
    chain.head[k - 1] = tree_->heads[k].parent[chain.head[k]];
    if (floors_ == 2) chain.entry[k - 1] = entry = tree_->words->levels[k].parent[entry];
  }
}

void CompoundHPYLM::fill(Chain& chain, uint32_t level) const {
  chain.modifiers = modifiers.joint(chain.word);
  double head = head_base_;
  for (uint32_t k = 0; k <= level; ++k)
    chain.head_probability[k] = head = heads[k].probability(chain.context[k], chain.head[k], head);
  if (floors_ == 1) return;
  double word = 0;
  for (uint32_t k = 0; k < level; ++k) {
    const pitman_yor::Restaurants& r = words[k];
    const uint32_t d = dish(chain.entry[k], kDecomposed);
    const double scale = 1.0 / r.total_weight(chain.context[k]);
    const double base = shortening[k] * word + (1 - shortening[k]) * chain.head_probability[k] * chain.modifiers;
    chain.word_probability[k] = word = (r.old_table_weight(d) + r.old_table_weight(d + 1)) * scale +
                                       r.new_table_weight(chain.context[k]) * scale * base;
  }
}

// Algorithms 1 and 2 of the thesis (section 3.3.2): a table of H opened (closed) by decomposing adds (removes) a head
// in G and the modifiers in F; one opened by shortening adds a customer to H of the shorter context. Returns whether a
// table was opened or closed.
bool CompoundHPYLM::add_word(const Chain& chain, uint32_t level) {
  for (uint32_t k = level;; --k) {
    pitman_yor::Restaurants& r = words[k];
    const uint32_t c = chain.context[k], d = dish(chain.entry[k], kDecomposed);
    const double decomposed = r.old_table_weight(d), shortened = floors_ == 2 ? r.old_table_weight(d + 1) : 0.0;
    const double open_decomposed =
        r.new_table_weight(c) * (1 - shortening[k]) * chain.head_probability[k] * chain.modifiers;
    const double open_shortened =
        k > 0 && floors_ == 2 ? r.new_table_weight(c) * shortening[k] * chain.word_probability[k - 1] : 0.0;
    double left = random.uniform() * (decomposed + shortened + open_decomposed + open_shortened);
    if ((left -= decomposed) < 0) {
      r.join(c, d, random);
      return k < level;
    }
    if ((left -= shortened) < 0) {
      r.join(c, d + 1, random);
      return k < level;
    }
    if ((left -= open_shortened) < 0) {
      r.open(c, d + 1);
      continue;
    }
    r.open(c, d);
    add_head(chain, k);
    modifiers.add(chain.word, random);
    return true;
  }
}

bool CompoundHPYLM::remove_word(const Chain& chain, uint32_t level) {
  for (uint32_t k = level;; --k) {
    pitman_yor::Restaurants& r = words[k];
    uint32_t d = dish(chain.entry[k], kDecomposed);
    const uint32_t decomposed = r.customers(d);
    if (floors_ == 2 && r.customers(d + 1) > 0 &&
        (decomposed == 0 || random.below(uint64_t{decomposed} + r.customers(d + 1)) >= decomposed))
      ++d;
    if (!r.remove(chain.context[k], d, random)) return k < level;
    if (d == dish(chain.entry[k], kDecomposed)) {
      remove_head(chain, k);
      modifiers.remove(chain.word, random);
      return true;
    }
  }
}

void CompoundHPYLM::add_head(const Chain& chain, uint32_t level) {
  for (uint32_t k = level;
       heads[k].add(chain.context[k], chain.head[k], k > 0 ? chain.head_probability[k - 1] : head_base_, random) &&
       k > 0;)
    --k;
}

void CompoundHPYLM::remove_head(const Chain& chain, uint32_t level) {
  for (uint32_t k = level; heads[k].remove(chain.context[k], chain.head[k], random) && k > 0;) --k;
}

void CompoundHPYLM::add_word_at_random(const Chain& chain, uint32_t level) {
  const auto sit = [this](pitman_yor::Restaurants& r, uint32_t c, uint32_t d) {
    const bool opens = random.below(r.tables(d) + 1) == 0;
    if (opens) r.open(c, d);
    else r.join_any(c, d, random);
    return opens;
  };
  for (uint32_t k = level;; --k) {
    const Floor floor = k > 0 && floors_ == 2 && random.below(2) == 0 ? kShortened : kDecomposed;
    if (!sit(words[k], chain.context[k], dish(chain.entry[k], floor))) return;
    if (floor == kShortened) continue;
    for (uint32_t j = k; sit(heads[j], chain.context[j], chain.head[j]) && j > 0;) --j;
    for (uint32_t e : modifiers.entries_of(chain.word))
      if (sit(modifiers.bigrams, modifiers.pair_context()[e], e)) sit(modifiers.unigrams, 0, modifiers.pair_next()[e]);
    return;
  }
}

void CompoundHPYLM::initialise(Initialisation how) {
  Chain chain;
  tree_->words->for_each_direct([&](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
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
}

void CompoundHPYLM::sweep() {
  // What the next dish needs is fetched while one is reseated: memory is what a sweep waits for.
  Chain chains[2];
  uint32_t levels[2], customers[2], next = 0;
  bool any = false;
  tree_->words->for_each_direct([&](uint32_t level, uint32_t context, uint32_t entry, uint32_t count) {
    follow(chains[next], level, context, entry);
    prefetch(chains[next], level);
    levels[next] = level;
    customers[next] = count;
    next ^= 1;
    if (any) reseat(chains[next], levels[next], customers[next]);
    any = true;
  });
  if (any) reseat(chains[next ^ 1], levels[next ^ 1], customers[next ^ 1]);
  if (both_ways()) redraw_shorter_floors();
  modifiers.reseat(random);
}

void CompoundHPYLM::prefetch(const Chain& chain, uint32_t level) const {
  for (uint32_t k = 0; k <= level; ++k) {
    heads[k].prefetch(chain.context[k], chain.head[k]);
    if (both_ways() || k == level) words[k].prefetch(chain.context[k], dish(chain.entry[k], kDecomposed));
  }
  modifiers.prefetch(chain.word);
}

void CompoundHPYLM::reseat(Chain& chain, uint32_t level, uint32_t customers) {
  if (customers == 1 && (!both_ways() || level > 0)) return reseat_only(chain, level);
  bool stale = true;  // are the chain's probabilities older than the last change below this level?
  for (uint32_t i = 0; i < customers; ++i) {
    stale |= remove_word(chain, level);
    if (stale) fill(chain, level);
    stale = add_word(chain, level);
  }
  if (both_ways() && level > 0 && level + 1 == words.size() && random.below(kRedrawEvery) == 0)
    redraw_floors(chain, level);
}

// The only customer of a dish of H opens the same table again: what it sends on has choices to make, and where to.
void CompoundHPYLM::reseat_only(Chain& chain, uint32_t level) {
  const Floor floor = words[level].customers(dish(chain.entry[level], kDecomposed)) > 0 ? kDecomposed : kShortened;
  if (both_ways() && random.below(kRedrawEvery) == 0) return redraw_floor(chain, level, floor, 1);
  if (floor == kDecomposed) return reseat_head(chain, level);
  remove_word(chain, level - 1);
  fill(chain, level - 1);
  add_word(chain, level - 1);
}

// The dish of a table of `size` customers, who stay, is drawn anew from the base distribution.
void CompoundHPYLM::redraw_floor(Chain& chain, uint32_t level, Floor floor, uint32_t size) {
  if (floor == kShortened) {
    remove_word(chain, level - 1);
  } else {
    remove_head(chain, level);
    modifiers.remove(chain.word, random);
  }
  fill(chain, level);
  const double shortened = shortening[level] * chain.word_probability[level - 1];
  const double decomposed = (1 - shortening[level]) * chain.head_probability[level] * chain.modifiers;
  const Floor drawn = random.uniform() * (shortened + decomposed) < shortened ? kShortened : kDecomposed;
  if (drawn == kShortened) {
    add_word(chain, level - 1);
  } else {
    add_head(chain, level);
    modifiers.add(chain.word, random);
  }
  if (drawn != floor) words[level].relabel(dish(chain.entry[level], floor), dish(chain.entry[level], drawn), size);
}

// A table of many customers would hardly ever change its floor while they move one at a time.
void CompoundHPYLM::redraw_floors(Chain& chain, uint32_t level) {
  const uint32_t d = dish(chain.entry[level], kDecomposed);
  sizes_.clear();
  words[level].append_table_sizes(d, sizes_);
  const size_t decomposed = sizes_.size();
  words[level].append_table_sizes(d + 1, sizes_);
  for (size_t b = 0; b < sizes_.size(); ++b)
    for (uint32_t i = 0; i < sizes_[b].tables; ++i)
      redraw_floor(chain, level, b < decomposed ? kDecomposed : kShortened, sizes_[b].size);
}

// The same below the longest contexts, for dishes with more than one customer: others are redrawn with a table above.
void CompoundHPYLM::redraw_shorter_floors() {
  Chain chain;
  for (uint32_t k = static_cast<uint32_t>(words.size()) - 1; k-- > 1;) {
    const Level& level = tree_->words->levels[k];
    for (uint32_t e = static_cast<uint32_t>(random.below(kRedrawEvery)); e < level.entries(); e += kRedrawEvery) {
      const uint32_t d = dish(e, kDecomposed);
      if (words[k].customers(d) + words[k].customers(d + 1) < 2) continue;
      follow(chain, k, level.context[e], e);
      redraw_floors(chain, k);
    }
  }
}

// The components of a table's only customer; those of F are left to modifiers.reseat(). The only customer of a dish of
// G has no choice either.
void CompoundHPYLM::reseat_head(Chain& chain, uint32_t level) {
  while (heads[level].customers(chain.head[level]) == 1) {
    if (level == 0) return;
    --level;
  }
  remove_head(chain, level);
  double head = head_base_;
  for (uint32_t k = 0; k < level; ++k)
    chain.head_probability[k] = head = heads[k].probability(chain.context[k], chain.head[k], head);
  add_head(chain, level);
}

template <class Visit>
void CompoundHPYLM::for_each_level(Visit visit) {
  for (auto* levels : {&words, &heads})
    for (pitman_yor::Restaurants& r : *levels) visit(r);
  visit(modifiers.bigrams);
  visit(modifiers.unigrams);
}

// Log-probability of what the restaurants leave out: dishes drawn from the uniform bases, and the floors.
double CompoundHPYLM::log_base(bool resample_shortening) {
  double sum = heads[0].restaurant_tables(0) * elementary::log(head_base_) +
               modifiers.unigrams.restaurant_tables(0) * elementary::log(modifiers.base());
  if (floors_ == 1) return sum;
  for (uint32_t k = 1; k < words.size(); ++k) {
    double tables[2] = {0, 0};
    for (uint32_t d = 0; d < words[k].dishes(); ++d) tables[d & 1] += words[k].tables(d);
    const auto log_density = [&](double w) {
      return tables[kShortened] * elementary::log(w) + tables[kDecomposed] * elementary::log1p(-w);
    };
    if (resample_shortening)
      shortening[k] = pitman_yor::slice_sample(random, shortening[k], 0.0, 1.0, 0.1, log_density);
    sum += log_density(shortening[k]);
  }
  return sum;
}

double CompoundHPYLM::resample_hyperparameters() {
  double sum = log_base(true);
  for_each_level([&](pitman_yor::Restaurants& r) {
    const pitman_yor::SeatingSummary summary = r.summary();
    resample(r.hyper, summary, random);
    sum += summary.log_likelihood(r.hyper);
  });
  return sum;
}

double CompoundHPYLM::log_likelihood() const {
  auto* self = const_cast<CompoundHPYLM*>(this);  // nothing is drawn
  double sum = self->log_base(false);
  self->for_each_level([&](const pitman_yor::Restaurants& r) { sum += r.summary().log_likelihood(r.hyper); });
  return sum;
}

namespace {

void expect(const pitman_yor::Restaurants& r, const std::vector<uint64_t>& customers,
            const std::vector<uint32_t>* restaurant, const char* what) {
  std::vector<uint64_t> all(r.restaurants(), 0), tables(r.restaurants(), 0);
  for (uint32_t d = 0; d < r.dishes(); ++d) {
    uint64_t seated = 0, counted = 0;
    for (const auto& bin : r.table_sizes(d)) {
      counted += bin.tables;
      seated += static_cast<uint64_t>(bin.tables) * bin.size;
    }
    if (r.customers(d) != customers[d] || seated != customers[d] || counted != r.tables(d))
      throw InternalError(std::string("the seating of ") + what + " is inconsistent at dish " + std::to_string(d));
    const uint32_t at = restaurant ? (*restaurant)[d] : 0;
    all[at] += seated;
    tables[at] += counted;
  }
  for (uint32_t c = 0; c < r.restaurants(); ++c)
    if (r.restaurant_customers(c) != all[c] || r.restaurant_tables(c) != tables[c])
      throw InternalError(std::string("the totals of ") + what + " are inconsistent in restaurant " +
                          std::to_string(c));
}

}  // namespace

void CompoundHPYLM::check() const {
  const ContextTree& t = *tree_->words;
  std::vector<uint64_t> shortened, opened_heads, pairs(modifiers.bigrams.dishes(), 0),
      nexts(modifiers.unigrams.dishes(), 0);
  for (uint32_t k = t.order(); k-- > 0;) {
    const Level& level = t.levels[k];
    const HeadLevel& head = tree_->heads[k];
    std::vector<uint64_t> from_above(k > 0 ? t.levels[k - 1].entries() : 0, 0), expected(words[k].dishes());
    std::vector<uint64_t> heads_expected(head.entries(), 0), heads_above(k > 0 ? tree_->heads[k - 1].entries() : 0, 0);
    std::vector<uint32_t> restaurant(words[k].dishes());
    for (uint32_t e = 0; e < level.entries(); ++e) {
      const uint32_t d = dish(e, kDecomposed);
      const uint64_t both = uint64_t{words[k].customers(d)} + (floors_ == 2 ? words[k].customers(d + 1) : 0);
      if (both != t.direct(k, e) + (shortened.empty() ? 0 : shortened[e]))
        throw InternalError("the customers of words are not the events and the tables of longer contexts");
      for (uint32_t f = 0; f < floors_; ++f) {
        expected[d + f] = words[k].customers(d + f);  // how a dish's customers divide over the floors is free
        restaurant[d + f] = level.context[e];
      }
      heads_expected[head.entry_of[e]] += words[k].tables(d);
      for (uint32_t p : modifiers.entries_of(level.word[e])) pairs[p] += words[k].tables(d);
      if (floors_ == 2 && k > 0) from_above[level.parent[e]] += words[k].tables(d + 1);
      if (floors_ == 2 && k == 0 && words[0].customers(d + 1) > 0)
        throw InternalError("the empty context cannot be shortened");
    }
    for (uint32_t a = 0; a < head.entries(); ++a) {
      if (!opened_heads.empty()) heads_expected[a] += opened_heads[a];
      if (k > 0) heads_above[head.parent[a]] += heads[k].tables(a);
    }
    expect(words[k], expected, &restaurant, "words");
    expect(heads[k], heads_expected, &head.context, "heads");
    shortened = std::move(from_above);
    opened_heads = std::move(heads_above);
  }
  for (uint32_t p = 0; p < pairs.size(); ++p) nexts[modifiers.pair_next()[p]] += modifiers.bigrams.tables(p);
  expect(modifiers.bigrams, pairs, &modifiers.pair_context(), "modifiers");
  expect(modifiers.unigrams, nexts, nullptr, "modifiers without context");
}

}  // namespace binyan::ngram
