#include "translation/span_rules.hpp"

#include <algorithm>
#include <utility>

#include "errors.hpp"
#include "translation/grammar.hpp"

namespace binyan::translation {
namespace {

bool divides(const std::vector<uint64_t>& offsets, size_t size) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == size && std::ranges::is_sorted(offsets);
}

}  // namespace

SpanRules::SpanRules(std::vector<uint32_t> target_words, std::vector<uint64_t> target_offsets,
                     std::vector<float> features, uint32_t feature_count, std::vector<RulePlace> places,
                     std::vector<uint64_t> place_offsets)
    : target_words_(std::move(target_words)),
      target_offsets_(std::move(target_offsets)),
      features_(std::move(features)),
      feature_count_(feature_count),
      places_(std::move(places)),
      place_offsets_(std::move(place_offsets)) {
  if (!divides(target_offsets_, target_words_.size()) || !divides(place_offsets_, places_.size()) ||
      target_offsets_.size() > kSecondGap || features_.size() != uint64_t{rules()} * feature_count_)
    throw InputError("target sides, features and places of rules for spans do not fit together");
  for (const RulePlace& place : places_)
    if (place.first >= place.last || place.rule >= rules())
      throw InputError("a rule for a span has no such place, or is not among the rules");
  for (const uint32_t word : target_words_) {
    if (is_gap(word)) throw InputError("a rule for a span has no gaps");
    word_limit_ = std::max(word_limit_, word + 1);
  }
}

}  // namespace binyan::translation
