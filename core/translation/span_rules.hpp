// Rules that are made for some sentences when these come, beside those of a grammar. Each translates a span of source
// words whole, and has no gaps.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace binyan::translation {

struct RulePlace {
  uint32_t first, last, rule;  // source words [first, last) of a sentence
};

class SpanRules {
 public:
  // Target side r: target_words[target_offsets[r] ... target_offsets[r + 1]). `features`: `feature_count` per rule.
  // Places of sentence s: places[place_offsets[s] ... place_offsets[s + 1]). Throws InputError where these do not fit
  // together.
  SpanRules(std::vector<uint32_t> target_words, std::vector<uint64_t> target_offsets, std::vector<float> features,
            uint32_t feature_count, std::vector<RulePlace> places, std::vector<uint64_t> place_offsets);

  uint32_t rules() const { return static_cast<uint32_t>(target_offsets_.size()) - 1; }
  uint32_t feature_count() const { return feature_count_; }
  size_t sentences() const { return place_offsets_.size() - 1; }
  uint32_t word_limit() const { return word_limit_; }  // words are below this
  std::span<const uint32_t> target(uint32_t rule) const {
    return std::span(target_words_).subspan(target_offsets_[rule], target_offsets_[rule + 1] - target_offsets_[rule]);
  }
  std::span<const float> features(uint32_t rule) const {
    return std::span(features_).subspan(uint64_t{rule} * feature_count_, feature_count_);
  }
  std::span<const RulePlace> places(size_t sentence) const {
    return std::span(places_).subspan(place_offsets_[sentence],
                                      place_offsets_[sentence + 1] - place_offsets_[sentence]);
  }

 private:
  std::vector<uint32_t> target_words_;
  std::vector<uint64_t> target_offsets_;
  std::vector<float> features_;
  uint32_t feature_count_;
  std::vector<RulePlace> places_;
  std::vector<uint64_t> place_offsets_;
  uint32_t word_limit_ = 0;
};

}  // namespace binyan::translation
