#include "mixture/query.hpp"

#include <algorithm>
#include <utility>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "text/special_words.hpp"

namespace binyan::mixture {
namespace {

void require(bool holds) {
  if (!holds) throw InputError("the models of a mixture do not fit its weights and words");
}

}  // namespace

MixtureQuery::MixtureQuery(std::vector<std::shared_ptr<MixtureSource>> sources, std::vector<Widening> widenings,
                           std::vector<double> weights, std::optional<Gate> gate)
    : sources_(std::move(sources)),
      widenings_(std::move(widenings)),
      fixed_(std::move(weights)),
      gate_(std::move(gate)),
      event_(0, 0),
      weights_(sources_.size()),
      shares_(sources_.size()) {
  require(!sources_.empty() && widenings_.size() == sources_.size() && fixed_.size() == sources_.size());
  words_ = sources_[0]->words();
  uint32_t parts = 0, features = 0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    require(sources_[i]->words() == words_ && (widenings_[i].own.empty() || widenings_[i].own.size() == words_));
    parts += sources_[i]->parts();
    features += sources_[i]->features();
    state_size_ += sources_[i]->state_size();
  }
  require(!gate_ || (gate_->parts() == parts && gate_->features() == features && gate_->models() == sources_.size()));
  event_ = EventParts(parts, features);
}

void MixtureQuery::begin(std::span<uint32_t> state) const {
  for (const auto& source : sources_) {
    source->begin(state.first(source->state_size()));
    state = state.subspan(source->state_size());
  }
}

MixedWord MixtureQuery::score(std::span<const uint32_t> state, uint32_t word, std::span<uint32_t> next) {
  if (word == text::kSentenceStart)
    throw InputError("<s> is never predicted: a sentence begins with the state of `begin`");
  const bool is_unknown = word == text::kUnknownWord || word >= words_;
  uint32_t matched = 0;
  PartRow to{event_.share.data(), event_.mass.data(), event_.unknown.data(), event_.features.data()};
  double mixed = 0.0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    MixtureSource& source = *sources_[i];
    const Widening& widening = widenings_[i];
    const uint32_t size = source.state_size(), parts = source.parts();
    matched = std::max(matched, source.weigh(state.first(size), word, to, next.first(size)));
    if (!widening.own.empty()) {
      const bool is_own = !is_unknown && widening.own[word];
      for (uint32_t j = 0; j < parts; ++j) {
        if (!is_own) to.share[j] = to.unknown[j] * (is_unknown ? widening.rest : widening.each);
        to.unknown[j] *= widening.rest;
      }
    }
    if (!gate_)
      for (uint32_t j = 0; j < parts; ++j) mixed += fixed_[i] * to.share[j];
    state = state.subspan(size);
    next = next.subspan(size);
    to = {to.share + parts, to.mass + parts, to.unknown + parts, to.features + source.features()};
  }
  if (gate_) {
    gate_->mix(event_, is_unknown, weights_, shares_);
    for (const double share : shares_) mixed += share;
  }
  return {elementary::log(mixed), matched};
}

void MixtureQuery::score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets,
                                   std::span<double> log_prob, std::span<uint8_t> matched) {
  std::vector<uint32_t> state(state_size_), next(state_size_);
  uint64_t event = 0;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    begin(state);
    for (uint64_t i = offsets[s]; i <= offsets[s + 1]; ++i, ++event) {
      const uint32_t word = i < offsets[s + 1] ? words[i] : text::kSentenceEnd;
      const MixedWord mixed = score(state, word, next);
      log_prob[event] = mixed.log_prob;
      matched[event] = static_cast<uint8_t>(mixed.matched);
      std::swap(state, next);
    }
  }
}

}  // namespace binyan::mixture
