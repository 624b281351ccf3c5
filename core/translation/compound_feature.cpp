#include "translation/compound_feature.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "errors.hpp"
#include "text/special_words.hpp"
#include "translation/score_cache.hpp"

namespace binyan::translation {

// Numbers the model's states as they are met. A score is kept: it costs a product over the components of each word.
class CompoundFeatureQuery final : public LanguageModelQuery {
 public:
  explicit CompoundFeatureQuery(const CompoundFeature& feature) : f_(feature) {
    number(0, 0);  // nothing known before: the empty context after no words
    begin_ = number(f_.model_.begin(), f_.order() - 1);
  }
  uint32_t begin() override { return begin_; }
  uint32_t empty() override { return 0; }
  uint32_t length(uint32_t state) override { return states_[state].words; }
  QueryResult score(uint32_t state, uint32_t word) override {
    return known_.get(state, word, [&]() -> QueryResult {
      const auto scored = f_.model_.score(states_[state].of_model, f_.words_[word], f_.renormalise_);
      return {number(scored.state, std::min(states_[state].words + 1, f_.order() - 1)),
              static_cast<float>(scored.log_prob)};
    });
  }
  float end(uint32_t state) override {
    return static_cast<float>(f_.model_.score(states_[state].of_model, f_.end_, f_.renormalise_).log_prob);
  }
  uint64_t remembered() const override { return known_.bytes() + states_.size() * 64; }

 private:
  // The model's state remembers how many words of history there are, so no state is independent of what stands before
  // it until it has order - 1 words.
  struct State {
    ngram::CompoundQuery::State of_model;
    uint32_t words;
  };
  uint32_t number(ngram::CompoundQuery::State state, uint32_t words) {
    const auto [at, fresh] = numbers_.try_emplace(state * 64 + words, static_cast<uint32_t>(states_.size()));
    if (fresh) states_.push_back({state, words});
    return at->second;
  }
  const CompoundFeature& f_;
  std::vector<State> states_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  ScoreCache known_;
  uint32_t begin_;
};

namespace {

void check_sizes(size_t words, size_t unknown) {
  if (words != unknown) throw InputError("each word of a compound feature is marked as known or unknown");
}

}  // namespace

CompoundFeature::CompoundFeature(const ngram::CompoundQuery& model, std::vector<ngram::CompoundQuery::Word> words,
                                 std::vector<uint8_t> unknown, bool renormalise)
    : model_(model),
      words_(std::move(words)),
      end_(model.word(text::kSentenceEnd)),
      unknown_(std::move(unknown)),
      renormalise_(renormalise) {
  check_sizes(words_.size(), unknown_.size());
  for (const ngram::CompoundQuery::Word& word : words_) model.check(word);
}

void CompoundFeature::extend(std::vector<ngram::CompoundQuery::Word> words, std::span<const uint8_t> unknown) {
  check_sizes(words.size(), unknown.size());
  for (const ngram::CompoundQuery::Word& word : words) model_.check(word);
  const auto lock = growing();
  std::ranges::move(words, std::back_inserter(words_));
  unknown_.insert(unknown_.end(), unknown.begin(), unknown.end());
}

std::unique_ptr<LanguageModelQuery> CompoundFeature::query() const {
  return std::make_unique<CompoundFeatureQuery>(*this);
}

}  // namespace binyan::translation
