#include "translation/language_model_query.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace binyan::translation {
namespace {

class BackoffQuery final : public LanguageModelQuery {
 public:
  BackoffQuery(const BackoffModel& model, const std::vector<uint32_t>& ids) : model_(model), ids_(ids) {}
  uint32_t begin() override { return model_.begin(); }
  uint32_t empty() override { return 0; }
  QueryResult score(uint32_t state, uint32_t word) override {
    const Scored s = model_.score(state, ids_[word]);
    return {s.state, s.log_prob};
  }
  float end(uint32_t state) override { return model_.score(state, kEnd).log_prob; }
  uint32_t length(uint32_t state) override { return model_.length(state); }

 private:
  const BackoffModel& model_;
  const std::vector<uint32_t>& ids_;
};

}  // namespace

BackoffFeature::BackoffFeature(const BackoffModel& model, std::vector<uint32_t> ids) : model_(model), ids_(std::move(ids)) {
  const auto outside = std::ranges::find_if(ids_, [&](uint32_t id) { return id >= model.vocabulary_size(); });
  if (outside != ids_.end())
    throw InputError("word id " + std::to_string(*outside) + " in a language model of " + std::to_string(model.vocabulary_size()) + " words: its vocabulary does not match");
}

std::unique_ptr<LanguageModelQuery> BackoffFeature::query() const { return std::make_unique<BackoffQuery>(model_, ids_); }

}  // namespace binyan::translation
