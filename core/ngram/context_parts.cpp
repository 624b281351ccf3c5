// What each length of context adds to the probabilities of two words, in one walk through the contexts.
#include <algorithm>

#include "elementary/functions.hpp"
#include "ngram/backoff_model.hpp"

namespace binyan::ngram {

uint32_t BackoffModel::weigh(uint32_t state, uint32_t word, uint32_t other, LengthParts& to) const {
  const BackoffView& a = arrays_;
  const uint32_t length = this->length(state), columns = a.columns;
  to.resize(length + 1);
  uint32_t context = state;
  for (uint32_t k = length; k > 0; --k, context = shorter(context)) to.contexts[k] = context;
  to.contexts[0] = 0;
  for (uint32_t k = 0; k <= length; ++k) {
    to.word_entry[k] = search(to.contexts[k], word);
    to.other_entry[k] = search(to.contexts[k], other);
  }
  const auto stored = [&](uint32_t entry, uint32_t column) {
    return elementary::exp(static_cast<double>(a.log_prob[uint64_t{entry} * columns + column]));
  };
  for (uint32_t column = 0; column < columns; ++column) {
    double word_below = 0.0, other_below = 0.0;
    for (uint32_t k = 0; k <= length; ++k) {
      const double left = to.weight[k] = backoff(to.contexts[k], column);
      const auto own = [&](uint32_t entry, double& below) {
        const double rest = left * below;
        below = entry != kNoIndex ? stored(entry, column) : rest;
        return below - rest;
      };
      to.word_own[k] = own(to.word_entry[k], word_below);
      to.other_own[k] = own(to.other_entry[k], other_below);
    }
    double weight = 1.0 / columns;
    for (uint32_t k = length + 1; k-- > 0;) {
      to.share[k] += weight * to.word_own[k];
      to.other[k] += weight * to.other_own[k];
      to.mass[k] += weight * (1.0 - to.weight[k]);
      to.left[k] += to.weight[k] / columns;
      weight *= to.weight[k];
    }
  }
  require_whole();
  return length;
}

void LengthParts::resize(uint32_t lengths) {
  for (auto* const ids : {&contexts, &word_entry, &other_entry}) ids->resize(lengths);
  for (auto* const values : {&share, &other, &mass, &left, &word_own, &other_own, &weight})
    values->assign(lengths, 0.0);
}

}  // namespace binyan::ngram
