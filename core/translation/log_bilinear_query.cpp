#include "translation/log_bilinear_query.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "log_bilinear/scores.hpp"
#include "no_index.hpp"
#include "translation/score_cache.hpp"
#include "translation/sequence_table.hpp"

namespace binyan::translation {
namespace {

using log_bilinear::scores_of;
using log_bilinear::transposed;

float log_sum_exp(const float* scores, uint32_t count) {
  const float top = *std::max_element(scores, scores + count);
  float sum = 0;
  for (uint32_t j = 0; j < count; ++j) sum += elementary::exp(scores[j] - top);
  return top + elementary::log(sum);
}

}  // namespace

class LogBilinearQuery final : public LanguageModelQuery {
 public:
  explicit LogBilinearQuery(const LogBilinearFeature& feature) : f_(feature), a_(feature.arrays_) {
    contexts_.intern({});
    const std::vector<uint32_t> start(a_.order - 1, kNoIndex);
    begin_ = contexts_.intern(start);
  }
  uint32_t begin() override { return begin_; }
  uint32_t empty() override { return 0; }
  uint32_t length(uint32_t state) override { return static_cast<uint32_t>(contexts_[state].size()); }
  QueryResult score(uint32_t state, uint32_t word) override {
    return known_.get(state, word, [&]() -> QueryResult {
      const auto context = contexts_[state];
      next_.assign(context.begin(), context.end());
      next_.push_back(word);
      if (next_.size() >= a_.order) next_.erase(next_.begin());
      const float log_p = log_prob(state, a_.row[word]) + log_share(state, a_.place[word]);
      return {contexts_.intern(next_), log_p};
    });
  }
  float end(uint32_t state) override { return log_prob(state, a_.end_row); }
  uint64_t remembered() const override {
    const uint64_t floats = a_.width + a_.class_bias.size();
    return known_.bytes() + predicted_ * (sizeof(Prediction) + 4 * floats + 64) + predictions_.size() * 24;
  }

 private:
  struct Prediction {
    std::vector<float> vector, classes;              // p; log-probabilities of classes
    std::vector<std::pair<uint32_t, float>> within;  // classes asked for, with the log of their normaliser
    float extension_norm = 0;                        // log of the normaliser of the extension, once `extended`
    bool extended = false;
  };

  // Log of the share of a word in the probability of <unk>.
  float log_share(uint32_t state, uint32_t place) {
    if (place == kNoIndex) return 0;
    if (contexts_[state].size() + 1 < a_.order) return a_.extension_bias[place] - f_.extension_norm_;
    Prediction& at = predict(state);
    if (!at.extended) {
      const auto rows = static_cast<uint32_t>(a_.extension_bias.size());
      scores_.resize(rows);
      scores_of(at.vector.data(), a_.width, f_.extension_columns_.data(), a_.extension_bias.data(), rows,
                scores_.data());
      at.extension_norm = log_sum_exp(scores_.data(), rows);
      at.extended = true;
    }
    float score = a_.extension_bias[place];
    const float* const vector = a_.extension_vectors.data() + uint64_t{place} * a_.width;
    for (uint32_t i = 0; i < a_.width; ++i) score += at.vector[i] * vector[i];
    return score - at.extension_norm;
  }

  float log_prob(uint32_t state, uint32_t row) {
    if (contexts_[state].size() + 1 < a_.order) return f_.unigram_[row];
    Prediction& at = predict(state);
    const uint32_t c = f_.class_of_[row];
    const uint32_t first = a_.first[c], count = a_.first[c + 1] - first;
    auto hit = std::ranges::find(at.within, c, &std::pair<uint32_t, float>::first);
    if (hit == at.within.end()) {
      scores_.resize(count);
      scores_of(at.vector.data(), a_.width, f_.target_columns_.data() + uint64_t{first} * a_.width,
                a_.target_bias.data() + first, count, scores_.data());
      at.within.emplace_back(c, log_sum_exp(scores_.data(), count));
      hit = at.within.end() - 1;
    }
    float score = a_.target_bias[row];
    const float* const target = a_.target_vectors.data() + uint64_t{row} * a_.width;
    for (uint32_t i = 0; i < a_.width; ++i) score += at.vector[i] * target[i];
    return at.classes[c] + score - hit->second;
  }

  Prediction& predict(uint32_t state) {
    if (state >= predictions_.size()) predictions_.resize(contexts_.size());
    if (predictions_[state]) return *predictions_[state];
    predictions_[state] = std::make_unique<Prediction>();
    Prediction& p = *predictions_[state];
    ++predicted_;
    p.vector.assign(a_.width, 0.0f);
    const auto context = contexts_[state];
    for (uint32_t j = 0; j < context.size(); ++j) {
      const float* const part = f_.context_part(j, context[j]);
      for (uint32_t i = 0; i < a_.width; ++i) p.vector[i] += part[i];
    }
    if (a_.sigmoid)
      for (float& x : p.vector) x = 1.0f / (1.0f + elementary::exp(-x));
    const auto classes = static_cast<uint32_t>(a_.class_bias.size());
    p.classes.resize(classes);
    scores_of(p.vector.data(), a_.width, f_.class_columns_.data(), a_.class_bias.data(), classes, p.classes.data());
    const float norm = log_sum_exp(p.classes.data(), classes);
    for (float& x : p.classes) x -= norm;
    return p;
  }

  const LogBilinearFeature& f_;
  const LogBilinearArrays& a_;
  SequenceTable contexts_;
  uint32_t begin_;
  ScoreCache known_;
  std::vector<std::unique_ptr<Prediction>> predictions_;  // by state; none for those never asked
  uint64_t predicted_ = 0;
  std::vector<float> scores_;
  std::vector<uint32_t> next_;
};

LogBilinearFeature::LogBilinearFeature(LogBilinearArrays arrays, std::vector<uint8_t> unknown)
    : arrays_(std::move(arrays)),
      first_words_(static_cast<uint32_t>(arrays_.row.size())),
      unknown_(std::move(unknown)) {
  if (arrays_.extension_bias.empty()) arrays_.place.assign(arrays_.row.size(), kNoIndex);
  const auto& a = arrays_;
  const uint64_t rows = a.target_bias.size(), classes = a.class_bias.size(), words = a.row.size();
  const bool sound = a.order >= 2 && a.width >= 1 && unknown_.size() == words &&
                     a.context.size() == (a.order - 1) * (words + 1) * a.width &&
                     a.class_vectors.size() == classes * a.width && a.target_vectors.size() == rows * a.width &&
                     a.first.size() == classes + 1 && a.first.front() == 0 && a.first.back() == rows &&
                     std::ranges::is_sorted(a.first) && a.end_row < rows &&
                     a.extension_vectors.size() == a.extension_bias.size() * a.width && are_places(a.place, words) &&
                     std::ranges::all_of(a.row, [&](uint32_t r) { return r < rows; });
  if (!sound) throw InputError("the arrays of the log-bilinear model do not fit together");
  if (const auto shared = static_cast<uint32_t>(a.extension_bias.size()); shared > 0) {
    extension_columns_ = transposed(a.extension_vectors.data(), shared, a.width);
    extension_norm_ = log_sum_exp(a.extension_bias.data(), shared);
  }
  class_columns_ = transposed(a.class_vectors.data(), static_cast<uint32_t>(classes), a.width);
  const float class_norm = log_sum_exp(a.class_bias.data(), static_cast<uint32_t>(classes));
  for (uint32_t c = 0; c < classes; ++c) {
    const uint32_t first = a.first[c], count = a.first[c + 1] - first;
    if (count == 0) continue;
    const auto columns = transposed(a.target_vectors.data() + uint64_t{first} * a.width, count, a.width);
    target_columns_.insert(target_columns_.end(), columns.begin(), columns.end());
    class_of_.insert(class_of_.end(), count, c);
    const float norm = log_sum_exp(a.target_bias.data() + first, count);
    for (uint32_t r = 0; r < count; ++r)
      unigram_.push_back(a.class_bias[c] - class_norm + a.target_bias[first + r] - norm);
  }
}

bool LogBilinearFeature::are_places(std::span<const uint32_t> place, uint64_t words) const {
  return place.size() == words &&
         std::ranges::all_of(place, [&](uint32_t p) { return p == kNoIndex || p < arrays_.extension_bias.size(); });
}

void LogBilinearFeature::extend(std::span<const float> context, std::span<const uint32_t> row,
                                std::span<const uint8_t> unknown, std::span<const uint32_t> place) {
  const uint64_t positions = arrays_.order - 1, count = row.size(), width = arrays_.width;
  const bool extended = !arrays_.extension_bias.empty();
  if (unknown.size() != count || context.size() != positions * count * width ||
      !are_places(place, extended ? count : 0) ||
      !std::ranges::all_of(row, [&](uint32_t r) { return r < arrays_.target_bias.size(); }))
    throw InputError("the arrays of the words added to a log-bilinear model do not fit together");
  const auto lock = growing();
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t j = 0; j < positions; ++j) {
      const auto part = context.subspan((j * count + i) * width, width);
      appended_.insert(appended_.end(), part.begin(), part.end());
    }
  arrays_.row.insert(arrays_.row.end(), row.begin(), row.end());
  arrays_.place.insert(arrays_.place.end(), place.begin(), place.end());
  arrays_.place.resize(arrays_.row.size(), kNoIndex);
  unknown_.insert(unknown_.end(), unknown.begin(), unknown.end());
}

const float* LogBilinearFeature::context_part(uint32_t position, uint32_t word) const {
  const uint64_t width = arrays_.width, positions = arrays_.order - 1;
  if (word != kNoIndex && word >= first_words_)
    return appended_.data() + ((word - first_words_) * positions + position) * width;
  return arrays_.context.data() + (position * (uint64_t{first_words_} + 1) + std::min(word, first_words_)) * width;
}

std::unique_ptr<LanguageModelQuery> LogBilinearFeature::query() const {
  return std::make_unique<LogBilinearQuery>(*this);
}

}  // namespace binyan::translation
