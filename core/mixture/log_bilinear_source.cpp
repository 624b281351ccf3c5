#include "mixture/log_bilinear_source.hpp"

#include <algorithm>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "log_bilinear/scores.hpp"
#include "text/special_words.hpp"

namespace binyan::mixture {
namespace {

constexpr uint32_t kKept = 512;                      // predictions
constexpr uint64_t kPartFloats = uint64_t{1} << 23;  // of what words add at positions

uint32_t slot_of(std::span<const uint32_t> context) {
  uint64_t h = 0x9E3779B97F4A7C15ull;
  for (const uint32_t word : context) {
    h = (h ^ word) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
  }
  return static_cast<uint32_t>(h % kKept);
}

}  // namespace

LogBilinearSource::LogBilinearSource(LogBilinearParameters parameters) : a_(std::move(parameters)) {
  const uint64_t rows = a_.target_bias.size(), classes = a_.class_bias.size(), width = a_.width;
  const uint64_t numbers = width > 0 ? a_.context_vectors.size() / width : 0;
  const auto below = [](const std::vector<uint32_t>& values, uint64_t end) {
    return std::ranges::all_of(values, [&](uint32_t v) { return v < end; });
  };
  const bool sound = a_.order >= 2 && width >= 1 && a_.context_vectors.size() == numbers * width &&
                     numbers > text::kSentenceEnd && a_.row.size() == a_.number.size() && below(a_.row, rows) &&
                     below(a_.number, numbers) && a_.number.size() > text::kSentenceEnd && classes >= 1 &&
                     a_.positions.size() == (a_.order - 1) * width * (a_.diagonal ? 1 : width) &&
                     a_.class_vectors.size() == classes * width && a_.target_vectors.size() == rows * width &&
                     a_.first.size() == classes + 1 && a_.first.front() == 0 && a_.first.back() == rows &&
                     std::ranges::is_sorted(a_.first);
  if (!sound) throw InputError("the arrays of the log-bilinear model do not fit together");
  own_words_ = a_.number.size();
  own_numbers_ = numbers;
  class_columns_ = log_bilinear::transposed(a_.class_vectors.data(), static_cast<uint32_t>(classes), a_.width);
  target_columns_.reserve(rows * width);
  for (uint32_t c = 0; c < classes; ++c) {
    const uint32_t first = a_.first[c], count = a_.first[c + 1] - first;
    const auto columns = log_bilinear::transposed(a_.target_vectors.data() + first * width, count, a_.width);
    target_columns_.insert(target_columns_.end(), columns.begin(), columns.end());
    class_of_.insert(class_of_.end(), count, c);
  }
  a_.target_vectors = {};
  slot_.assign(a_.order - 1, std::vector<uint32_t>(numbers, kNoIndex));
  zeros_.assign(a_.width, 0.0f);
  kept_.resize(kKept);
}

void LogBilinearSource::begin(std::span<uint32_t> state) const {
  std::ranges::fill(state, a_.number[text::kSentenceStart]);
}

void LogBilinearSource::check(std::span<const uint32_t> state) const {
  for (const uint32_t word : state)
    if (word >= slot_[0].size()) throw InputError("no such state: it belongs to another model");
}

uint32_t LogBilinearSource::weigh(std::span<const uint32_t> state, uint32_t word, const PartRow& to,
                                  std::span<uint32_t> next) {
  Prediction& at = predict(state);
  const uint32_t row = a_.row[word], unknown = a_.row[text::kUnknownWord];
  to.mass[0] = 1.0;
  to.unknown[0] = elementary::exp(log_prob(at, unknown));
  to.share[0] = row == unknown ? to.unknown[0] : elementary::exp(log_prob(at, row));
  std::copy(at.vector.begin(), at.vector.end(), to.features);
  std::copy(state.begin() + 1, state.end(), next.begin());
  next.back() = a_.number[word];
  return 0;
}

double LogBilinearSource::norm_within(Prediction& at, uint32_t c) {
  const auto hit = std::ranges::find(at.within, c, &std::pair<uint32_t, double>::first);
  if (hit != at.within.end()) return hit->second;
  const uint32_t first = a_.first[c], count = a_.first[c + 1] - first;
  scores_.resize(std::max<size_t>(scores_.size(), count));
  log_bilinear::scores_of(at.vector.data(), a_.width, target_columns_.data() + uint64_t{first} * a_.width,
                          a_.target_bias.data() + first, count, scores_.data());
  at.within.emplace_back(c, log_bilinear::log_sum_exp(scores_.data(), count));
  return at.within.back().second;
}

double LogBilinearSource::log_prob(Prediction& at, uint32_t row) {
  const uint32_t c = class_of_[row], first = a_.first[c], count = a_.first[c + 1] - first;
  const float* const target = target_columns_.data() + uint64_t{first} * a_.width + (row - first);
  float score = a_.target_bias[row];
  for (uint32_t i = 0; i < a_.width; ++i) score += at.vector[i] * target[uint64_t{i} * count];
  return (static_cast<double>(at.classes[c]) - at.norm) + (static_cast<double>(score) - norm_within(at, c));
}

LogBilinearSource::Prediction& LogBilinearSource::predict(std::span<const uint32_t> context) {
  Prediction& p = kept_[slot_of(context)];
  if (std::ranges::equal(p.context, context)) return p;
  p.context.assign(context.begin(), context.end());
  p.within.clear();
  p.vector.assign(a_.width, 0.0f);
  for (uint32_t j = 0; j < context.size(); ++j) {
    const float* const part = context_part(j, context[j]);
    for (uint32_t i = 0; i < a_.width; ++i) p.vector[i] += part[i];
  }
  if (a_.sigmoid)
    for (float& x : p.vector) x = 1.0f / (1.0f + elementary::exp(-x));
  const auto classes = static_cast<uint32_t>(a_.class_bias.size());
  p.classes.resize(classes);
  log_bilinear::scores_of(p.vector.data(), a_.width, class_columns_.data(), a_.class_bias.data(), classes,
                          p.classes.data());
  scores_.assign(p.classes.begin(), p.classes.end());
  p.norm = log_bilinear::log_sum_exp(scores_.data(), classes);
  return p;
}

const float* LogBilinearSource::context_part(uint32_t position, uint32_t number) {
  uint32_t& slot = slot_[position][number];
  if (slot == kNoIndex) {
    if (parts_.size() + a_.width > kPartFloats) {
      parts_.clear();
      for (auto& slots : slot_) std::ranges::fill(slots, kNoIndex);
    }
    const uint64_t width = a_.width, place = parts_.size();
    slot = static_cast<uint32_t>(place / width);
    parts_.resize(place + width);
    const float* const vector = a_.context_vectors.data() + number * width;
    if (a_.diagonal)
      for (uint64_t i = 0; i < width; ++i) parts_[place + i] = vector[i] * a_.positions[position * width + i];
    else
      log_bilinear::scores_of(vector, a_.width, a_.positions.data() + position * width * width, zeros_.data(), a_.width,
                              parts_.data() + place);
  }
  return parts_.data() + uint64_t{slot} * a_.width;
}

void LogBilinearSource::add_word(std::span<const float> vector) {
  if (!vector.empty() && vector.size() != a_.width)
    throw InputError("the vector of a word has not the width of the log-bilinear model");
  a_.row.push_back(a_.row[text::kUnknownWord]);
  a_.number.push_back(vector.empty() ? a_.number[text::kUnknownWord] : static_cast<uint32_t>(slot_[0].size()));
  if (vector.empty()) return;
  a_.context_vectors.insert(a_.context_vectors.end(), vector.begin(), vector.end());
  for (auto& slots : slot_) slots.push_back(kNoIndex);
}

void LogBilinearSource::forget_words() {
  a_.row.resize(own_words_);
  a_.number.resize(own_words_);
  a_.context_vectors.resize(own_numbers_ * a_.width);
  for (auto& slots : slot_) slots.resize(own_numbers_);
  for (Prediction& p : kept_) p.context.clear();
}

}  // namespace binyan::mixture
