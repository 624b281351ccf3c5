#include "ngram/open_hpylm.hpp"

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::ngram {

OpenHPYLM::OpenHPYLM(std::shared_ptr<const ContextTree> tree, const Strings& strings, uint64_t seed, uint64_t chain)
    : HPYLM(std::move(tree), seed, chain), spelling(strings, ~seed, chain) {
  const std::vector<uint32_t>& words = this->tree().levels[0].word;
  if (strings.words() != this->tree().vocabulary_size)
    throw InputError("strings are needed for every word of the vocabulary");
  if (!words.empty() && words[0] == text::kUnknownWord)
    throw InputError("the text has unknown words, whose strings are not known: take them into the vocabulary");
}

// The share of words, against ends of sentences, among what the base gives: a Beta(1, 1) prior, integrated out.
double OpenHPYLM::share_of_words() const {
  const pitman_yor::Restaurants& root = levels()[0];
  const uint32_t end = tree().find_entry(0, 0, text::kSentenceEnd);
  const double ends = end == kNoIndex ? 0 : root.tables(end), tables = root.restaurant_tables(0);
  return (tables - ends + 1) / (tables + 2);
}

double OpenHPYLM::log_shares() const {
  const pitman_yor::Restaurants& root = levels()[0];
  const uint32_t end = tree().find_entry(0, 0, text::kSentenceEnd);
  const double ends = end == kNoIndex ? 0 : root.tables(end), tables = root.restaurant_tables(0);
  return elementary::lgamma(ends + 1) + elementary::lgamma(tables - ends + 1) - elementary::lgamma(tables + 2);
}

bool OpenHPYLM::remove(const Chain& chain, uint32_t level) {
  for (uint32_t k = level; levels()[k].remove(chain.context[k], chain.entry[k], random); --k)
    if (k == 0) return true;
  return false;
}

void OpenHPYLM::open_all(const Chain& chain, uint32_t level) {
  for (uint32_t k = 0; k <= level; ++k) levels()[k].open(chain.context[k], chain.entry[k]);
}

// A customer whose dish comes from a table that there is: the chain's bases are those of a base that never has it.
void OpenHPYLM::join(const Chain& chain, uint32_t level) {
  for (uint32_t k = level; levels()[k].add(chain.context[k], chain.entry[k], chain.base[k], random); --k) {
  }
}

OpenHPYLM::Weights OpenHPYLM::weights(const Chain& chain, uint32_t level, double opened_below) const {
  const pitman_yor::Restaurants& r = levels()[level];
  const uint32_t c = chain.context[level], e = chain.entry[level];
  const double opened = r.new_table_weight(c) / r.total_weight(c);
  return {r.probability(c, e, chain.base[level]), opened * opened_below};
}

double OpenHPYLM::initialise(Initialisation how) {
  Chain chain;
  tree().for_each_direct([&](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
    follow(chain, level, context, entry);
    const uint32_t word = tree().levels[0].word[chain.entry[0]];
    for (uint32_t i = 0; i < customers; ++i) {
      if (how == Initialisation::kSequential) {
        const double share = share_of_words();
        fill_bases(chain, level, word == text::kSentenceEnd ? 1 - share : share * spelling.product(word));
      }
      for (uint32_t k = level;; --k) {
        pitman_yor::Restaurants& r = levels()[k];
        const uint32_t c = chain.context[k], e = chain.entry[k];
        const bool opened = how == Initialisation::kSequential ? r.draw_opening(c, e, chain.base[k], random)
                                                               : random.below(r.tables(e) + 1) == 0;
        if (!opened) {
          if (how == Initialisation::kSequential) r.join(c, e, random);
          else r.join_any(c, e, random);
          break;
        }
        r.open(c, e);
        if (k > 0) continue;
        in_.clear();
        if (word != text::kSentenceEnd) spelling.seat(word, in_);
        break;
      }
    }
  });
  return log_likelihood();
}

void OpenHPYLM::sweep() {
  tree().for_each_direct([this](uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
    reseat(level, context, entry, customers);
  });
  const Level& root = tree().levels[0];
  for (uint32_t e = 0; e < root.entries(); ++e)
    if (root.word[e] != text::kSentenceEnd) spelling.reseat(root.word[e]);
}

void OpenHPYLM::reseat(uint32_t level, uint32_t context, uint32_t entry, uint32_t customers) {
  // As in the HPYLM: the only customer of a dish opens its table again.
  while (levels()[level].customers(entry) == 1) {
    if (level == 0) return;
    context = tree().levels[level].context_parent[context];
    entry = tree().levels[level].parent[entry];
    --level;
  }
  Chain chain;
  follow(chain, level, context, entry);
  if (tree().levels[0].word[chain.entry[0]] == text::kSentenceEnd) reseat_end(chain, level, customers);
  else reseat_word(chain, level, customers);
}

void OpenHPYLM::reseat_end(Chain& chain, uint32_t level, uint32_t customers) {
  for (uint32_t i = 0; i < customers; ++i) {
    remove(chain, level);
    fill_bases(chain, level, 1 - share_of_words());
    for (uint32_t k = level; levels()[k].add(chain.context[k], chain.entry[k], chain.base[k], random) && k > 0;) --k;
  }
}

// Whether a customer opens tables all the way down, so that its word is spelt, is drawn first (a proposal, accepted or
// not), its tables then; both exactly. Most often the first few symbols of a word show that it is not spelt.
void OpenHPYLM::reseat_word(Chain& chain, uint32_t level, uint32_t customers) {
  const uint32_t word = tree().levels[0].word[chain.entry[0]];
  double opened_below = 1;
  bool stale = true;
  for (uint32_t i = 0; i < customers; ++i) {
    const uint32_t below = level > 0 ? levels()[level].restaurant_tables(chain.context[level]) : 0;
    const bool had_string = remove(chain, level);
    if (level > 0 && levels()[level].restaurant_tables(chain.context[level]) != below) stale = true;
    out_.clear();
    const double removed = had_string ? spelling.remove(word, out_) : 0.0;
    if (stale) {
      fill_bases(chain, level, 0.0);
      opened_below = 1;
      for (uint32_t k = 0; k < level; ++k)
        opened_below *= levels()[k].new_table_weight(chain.context[k]) / levels()[k].total_weight(chain.context[k]);
      stale = false;
    }
    if (draw_string(word, weights(chain, level, opened_below), had_string, removed)) {
      open_all(chain, level);
      stale = true;
    } else {
      const uint32_t before = levels()[level].restaurant_tables(chain.context[level]);
      join(chain, level);
      if (levels()[level].restaurant_tables(chain.context[level]) != before) stale = true;
    }
  }
}

// The string that a customer had, if it had one, is out of the model, where it had the probability `removed`, symbol by
// symbol. Returns whether the customer has a string now, which is then seated.
bool OpenHPYLM::draw_string(uint32_t word, Weights weights, bool had_string, double removed) {
  const double spelt = weights.opened * share_of_words();
  double chance = 0;  // that the word is spelt, as proposed
  bool proposed = weights.joined == 0;
  if (!proposed) {
    const double u = random.uniform(), least = u * weights.joined / ((1 - u) * spelt);
    chance = spelling.product_above(word, least);
    proposed = chance > least;
  }
  in_.clear();
  if (proposed) {
    const double seated = spelling.seat(word, in_);
    const double against = had_string ? removed : chance;
    if (weights.joined == 0 && !had_string) return true;
    if (spelling.accept(seated / against)) return true;
    spelling.take_back_seating(in_);
  } else {
    if (!had_string) return false;
    if (spelling.accept(spelling.product(word) / removed)) return false;
  }
  if (had_string) spelling.take_back_removal(out_);
  return had_string;
}

double OpenHPYLM::resample_hyperparameters() {
  for (pitman_yor::Restaurants& level : levels()) resample(level.hyper, level.summary(), random);
  spelling.symbols.resample_hyperparameters();
  return log_likelihood();
}

double OpenHPYLM::log_likelihood() const {
  double sum = log_shares() + spelling.symbols.log_likelihood();
  for (const pitman_yor::Restaurants& level : levels()) sum += level.summary().log_likelihood(level.hyper);
  return sum;
}

void OpenHPYLM::check() const {
  HPYLM::check();
  spelling.symbols.check(spelling.direct(strings()));
}

std::vector<uint32_t> OpenHPYLM::strings() const {
  std::vector<uint32_t> strings(tree().vocabulary_size, 0);
  const Level& root = tree().levels[0];
  for (uint32_t e = 0; e < root.entries(); ++e)
    if (root.word[e] != text::kSentenceEnd) strings[root.word[e]] = levels()[0].tables(e);
  return strings;
}

std::vector<double> OpenHPYLM::bases() const {
  const double share = share_of_words();
  std::vector<double> bases(tree().vocabulary_size, 0.0);
  double known = 0;
  for (uint32_t w = text::kFirstWord; w < bases.size(); ++w) {
    const double p = spelling.product(w);
    known += p;
    bases[w] = share * p;
  }
  bases[text::kSentenceEnd] = 1 - share;
  bases[text::kUnknownWord] = share * (1 - known);
  return bases;
}

}  // namespace binyan::ngram
