// Which of its analyses each word has (InflectionHPYLM::resample_analyses).
//
// Given the seating of H, a word is in the generators once for every table of H that they made. These customers are
// removed, and seated again with another analysis, each by the model given those before. The probability of the tokens
// of each customer given the customers before it is multiplied on both ways; the product of one is to that of the other
// as the odds of the two analyses with their seatings, divided by those of proposing them.

#include <utility>

#include "elementary/functions.hpp"
#include "ngram/inflection_hpylm.hpp"

namespace binyan::ngram {

void InflectionHPYLM::resample_analyses() {
  for (uint32_t i = 0; i < forest_->several.size(); ++i) resample_analysis(i);
}

void InflectionHPYLM::list_made(uint32_t i) {
  made_.clear();
  for (uint32_t j = forest_->first_entry[i]; j < forest_->first_entry[i + 1]; ++j) {
    const auto [level, entry] = forest_->entries[j];
    for (uint32_t g = 0; g < generators.size(); ++g)
      for (uint32_t t = words[level].tables(dish(entry, g + 1)); t > 0; --t) made_.push_back({level, entry, g});
  }
}

double InflectionHPYLM::remove_made() {
  Chain chain;
  double sum = 0;
  for (size_t i = made_.size(); i-- > 0;) {
    const auto [level, entry, g] = made_[i];
    follow(chain, level, forest_->words->levels[level].context[entry], entry);
    generators[g].remove(chain.of[g], level, random);
    generators[g].fill(chain.of[g], level);
    sum += elementary::log(generators[g].joint(chain.of[g], level));
  }
  return sum;
}

double InflectionHPYLM::add_made() {
  Chain chain;
  double sum = 0;
  for (const auto& [level, entry, g] : made_) {
    follow(chain, level, forest_->words->levels[level].context[entry], entry);
    generators[g].fill(chain.of[g], level);
    sum += elementary::log(generators[g].joint(chain.of[g], level));
    generators[g].add(chain.of[g], level, random);
  }
  return sum;
}

void InflectionHPYLM::resample_analysis(uint32_t i) {
  const uint32_t word = forest_->several[i], count = forest_->analyses(word), own = analysis[word];
  uint32_t other = static_cast<uint32_t>(random.below(count - 1));
  if (other >= own) ++other;
  list_made(i);
  saved_.clear();
  Chain chain;
  for (uint32_t a : {other, own}) {
    analysis[word] = a;
    for (const auto& [level, entry, g] : made_) {
      follow(chain, level, forest_->words->levels[level].context[entry], entry);
      generators[g].save(chain.of[g], level, saved_);
    }
  }
  const double before = remove_made();
  analysis[word] = other;
  const double after = add_made();
  if (elementary::log(1.0 - random.uniform()) < after - before) return;
  analysis[word] = own;
  for (const auto& [restaurants, restaurant, dish, sizes] : saved_) restaurants->reset(restaurant, dish, sizes);
}

}  // namespace binyan::ngram
