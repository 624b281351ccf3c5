#include "translation/open_feature.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "elementary/functions.hpp"
#include "errors.hpp"

namespace binyan::translation {
namespace {

constexpr double kLeastLog = -600, kMostLog = -1e-12;  // of P(<unk>), so that odds stay finite

// log(1 + exp(x))
double log_one_plus_exp(double x) { return std::max(x, 0.0) + elementary::log1p(elementary::exp(-std::fabs(x))); }

}  // namespace

class OpenFeatureQuery final : public LanguageModelQuery {
 public:
  explicit OpenFeatureQuery(const OpenFeature& feature) : f_(feature), closed_(feature.closed_.query()) {}
  uint32_t begin() override { return closed_->begin(); }
  uint32_t empty() override { return closed_->empty(); }
  uint32_t length(uint32_t state) override { return closed_->length(state); }
  QueryResult score(uint32_t state, uint32_t word) override {
    QueryResult result = closed_->score(state, word + 1);
    const bool unknown = f_.unknown(word);
    if (!f_.offsets_.empty()) {
      const Chances chances = after(state);
      result.log_prob = unknown ? chances.unknown : result.log_prob + chances.others;
    }
    if (unknown) result.log_prob += f_.spelt_[word];
    return result;
  }
  float end(uint32_t state) override {
    return closed_->end(state) + (f_.offsets_.empty() ? 0.0f : after(state).others);
  }
  uint64_t remembered() const override { return closed_->remembered() + chances_.size() * 32; }

 private:
  // Log-probabilities after a state: of <unk>, and what is added to those of all other words.
  struct Chances {
    float unknown, others;
  };
  Chances after(uint32_t state) {
    const auto [place, is_new] = chances_.try_emplace(state);
    if (is_new) {
      const double log_prob = std::clamp<double>(closed_->score(state, 0).log_prob, kLeastLog, kMostLog);
      const double odds = log_prob - elementary::log1p(-elementary::exp(log_prob));
      const double now = odds + f_.offsets_[std::min<size_t>(closed_->length(state), f_.offsets_.size() - 1)];
      place->second = {static_cast<float>(-log_one_plus_exp(-now)),
                       static_cast<float>(log_one_plus_exp(odds) - log_one_plus_exp(now))};
    }
    return place->second;
  }

  const OpenFeature& f_;
  std::unique_ptr<LanguageModelQuery> closed_;
  std::unordered_map<uint32_t, Chances> chances_;
};

OpenFeature::OpenFeature(const LanguageModelFeature& closed, std::vector<float> spelt, std::vector<double> offsets)
    : closed_(closed), spelt_(std::move(spelt)), offsets_(std::move(offsets)) {
  check(spelt_.size());
  if (!std::ranges::all_of(offsets_, [](double x) { return std::isfinite(x); }))
    throw InputError("the calibration of unknown words is a list of finite numbers");
  if (!closed_.unknown(0)) throw InputError("the first word of a closed model behind an open one is <unk>");
}

void OpenFeature::check(size_t words) const {
  if (closed_.words() != words + 1)
    throw InputError("an open model and the closed one behind it differ in their words");
}

void OpenFeature::extend(std::span<const float> spelt, const std::function<void()>& extend_closed) {
  const auto lock = growing();
  extend_closed();
  check(spelt_.size() + spelt.size());
  spelt_.insert(spelt_.end(), spelt.begin(), spelt.end());
}

std::unique_ptr<LanguageModelQuery> OpenFeature::query() const { return std::make_unique<OpenFeatureQuery>(*this); }

}  // namespace binyan::translation
