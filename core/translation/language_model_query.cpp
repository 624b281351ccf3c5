#include "translation/language_model_query.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"
#include "text/special_words.hpp"

namespace binyan::translation {
namespace {

class BackoffQuery final : public LanguageModelQuery {
 public:
  BackoffQuery(const ngram::BackoffModel& model, const std::vector<uint32_t>& ids) : model_(model), ids_(ids) {}
  uint32_t begin() override { return model_.begin(); }
  uint32_t empty() override { return 0; }
  QueryResult score(uint32_t state, uint32_t word) override {
    const uint64_t key = (uint64_t{state} << 32 | word) + 1;
    Slot& slot = recent_[(key * 0x9E3779B97F4A7C15ull) >> (64 - kRecentBits)];
    if (slot.key != key) {
      const ngram::Scored s = model_.score(state, ids_[word]);
      slot = {key, {s.state, s.log_prob}};
    }
    return slot.answer;
  }
  float end(uint32_t state) override { return model_.score(state, text::kSentenceEnd).log_prob; }
  uint32_t length(uint32_t state) override { return model_.length(state); }

 private:
  // What was asked last, the newest answer in each place: the same words are asked about again and again within a
  // sentence, and this table stays in the processor's cache.
  static constexpr int kRecentBits = 14;
  struct Slot {
    uint64_t key = 0;  // 0: empty
    QueryResult answer{};
  };

  const ngram::BackoffModel& model_;
  const std::vector<uint32_t>& ids_;
  std::vector<Slot> recent_{size_t{1} << kRecentBits};
};

}  // namespace

BackoffFeature::BackoffFeature(const ngram::BackoffModel& model, std::vector<uint32_t> ids)
    : model_(model), ids_(std::move(ids)) {
  check(ids_);
}

void BackoffFeature::extend(std::span<const uint32_t> ids) {
  check(ids);
  const auto lock = growing();
  ids_.insert(ids_.end(), ids.begin(), ids.end());
}

void BackoffFeature::check(std::span<const uint32_t> ids) const {
  const auto outside = std::ranges::find_if(ids, [&](uint32_t id) { return id >= model_.vocabulary_size(); });
  if (outside != ids.end())
    throw InputError("word id " + std::to_string(*outside) + " in a language model of " +
                     std::to_string(model_.vocabulary_size()) + " words: its vocabulary does not match");
}

std::unique_ptr<LanguageModelQuery> BackoffFeature::query() const {
  return std::make_unique<BackoffQuery>(model_, ids_);
}

}  // namespace binyan::translation
