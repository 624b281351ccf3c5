#include "translation/inflection_feature.hpp"

#include <algorithm>
#include <iterator>

#include "errors.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"
#include "translation/score_cache.hpp"
#include "translation/sequence_table.hpp"

namespace binyan::translation {

using ngram::InflectionQuery;

// States are histories of up to order - 1 words of the model.
class InflectionFeatureQuery final : public LanguageModelQuery {
 public:
  explicit InflectionFeatureQuery(const InflectionFeature& feature) : f_(feature) {
    histories_.intern({});
    const std::vector<uint32_t> start(f_.order() > 1 ? 1 : 0, text::kSentenceStart);
    begin_ = histories_.intern(start);
  }
  uint32_t begin() override { return begin_; }
  uint32_t empty() override { return 0; }
  // Nothing stands before the beginning of a sentence that a score could depend on.
  uint32_t length(uint32_t state) override {
    const auto history = histories_[state];
    const bool whole = !history.empty() && history.front() == text::kSentenceStart;
    return whole ? f_.order() - 1 : static_cast<uint32_t>(history.size());
  }
  QueryResult score(uint32_t state, uint32_t word) override {
    return known_.get(state, word, [&]() -> QueryResult {
      const auto history = histories_[state];
      next_.assign(history.begin(), history.end());
      const float log_p = ask(next_, f_.words_[word]);
      const uint32_t id = f_.words_[word].id;
      next_.push_back(id == kNoIndex ? text::kUnknownWord : id);
      if (next_.size() >= f_.order()) next_.erase(next_.begin());
      return {histories_.intern(next_), log_p};
    });
  }
  float end(uint32_t state) override {
    const auto history = histories_[state];
    next_.assign(history.begin(), history.end());
    return ask(next_, f_.end_);
  }
  uint64_t remembered() const override { return known_.bytes() + histories_.size() * 64; }

 private:
  float ask(std::span<const uint32_t> history, const InflectionQuery::Word& word) const {
    return static_cast<float>(f_.model_.score(history, word, f_.renormalise_).log_prob);
  }
  const InflectionFeature& f_;
  SequenceTable histories_;
  ScoreCache known_;
  std::vector<uint32_t> next_;
  uint32_t begin_;
};

InflectionFeature::InflectionFeature(const InflectionQuery& model, std::vector<InflectionQuery::Word> words,
                                     std::vector<uint8_t> unknown, bool renormalise)
    : model_(model),
      words_(std::move(words)),
      end_(model.word(text::kSentenceEnd)),
      unknown_(std::move(unknown)),
      renormalise_(renormalise) {
  check(words_, unknown_.size());
}

void InflectionFeature::check(std::span<const InflectionQuery::Word> words, size_t unknown) const {
  if (words.size() != unknown) throw InputError("each word of an inflection feature is marked as known or unknown");
  for (const InflectionQuery::Word& word : words)
    if (word.id == kNoIndex ? word.tokens.size() != model_.forest().size()
                            : word.id >= model_.forest().words->vocabulary_size)
      throw InputError("the word belongs to another model");
}

void InflectionFeature::extend(std::vector<InflectionQuery::Word> words, std::span<const uint8_t> unknown) {
  check(words, unknown.size());
  const auto lock = growing();
  std::ranges::move(words, std::back_inserter(words_));
  unknown_.insert(unknown_.end(), unknown.begin(), unknown.end());
}

std::unique_ptr<LanguageModelQuery> InflectionFeature::query() const {
  return std::make_unique<InflectionFeatureQuery>(*this);
}

}  // namespace binyan::translation
