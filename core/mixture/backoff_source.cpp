#include "mixture/backoff_source.hpp"

#include <algorithm>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "text/special_words.hpp"

namespace binyan::mixture {
namespace {

constexpr double kSmallestBackoff = 1e-6;  // as a feature: a context may leave nothing to shorter ones

}  // namespace

BackoffSource::BackoffSource(const ngram::BackoffModel& model, std::vector<uint32_t> ids, bool interpolated)
    : model_(model), ids_(std::move(ids)), own_words_(ids_.size()), interpolated_(interpolated) {
  if (!std::ranges::all_of(ids_, [&](uint32_t id) { return id < model.vocabulary_size(); }))
    throw InputError("a word of the mixture has an id that the n-gram model has not");
}

void BackoffSource::check(std::span<const uint32_t> state) const {
  if (state[0] >= model_.states()) throw InputError("no such state: it belongs to another model");
}

uint32_t BackoffSource::weigh(std::span<const uint32_t> state, uint32_t word, const PartRow& to,
                              std::span<uint32_t> next) {
  const uint32_t length = model_.weigh(state[0], ids_[word], text::kUnknownWord, at_);
  std::fill_n(to.share, parts(), 0.0);
  std::fill_n(to.mass, parts(), 0.0);
  std::fill_n(to.unknown, parts(), 0.0);
  for (uint32_t k = 0; k <= length; ++k) {
    const uint32_t part = interpolated_ ? k : 0;
    to.share[part] += at_.share[k];
    to.mass[part] += at_.mass[k];
    to.unknown[part] += at_.other[k];
  }
  if (interpolated_)  // rounding may take a share below 0
    for (uint32_t k = 0; k <= length; ++k)
      for (double* const row : {to.share, to.mass, to.unknown}) row[k] = std::max(row[k], 0.0);
  std::fill_n(to.features, features(), 0.0);
  if (length > 0) {
    to.features[length - 1] = 1.0;
    double* const left = to.features + longest() + length * (length - 1) / 2;
    for (uint32_t k = 0; k < length; ++k)  // words fewer than in the longest known context
      left[k] = elementary::log(std::max(at_.left[length - k], kSmallestBackoff));
  }
  const ngram::Scored scored = model_.score(state[0], ids_[word]);
  next[0] = scored.state;
  return scored.matched;
}

void BackoffSource::add_word(std::span<const float>) { ids_.push_back(text::kUnknownWord); }

}  // namespace binyan::mixture
