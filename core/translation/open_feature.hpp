// A model with an open vocabulary in the decoder: another feature, whose <unk> is shared out among the words it does
// not know by their spelling (docs/models.md, Open vocabularies).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "translation/language_model_query.hpp"

namespace binyan::translation {

class OpenFeature final : public LanguageModelFeature {
 public:
  // `closed`: the model over its vocabulary. Its word 0 is <unk>, and word w + 1 is the decoder's word w; it outlives
  // the feature, which alone asks it. `spelt`: of each word of the decoder that it does not know, the logarithm of its
  // share of <unk>; 0 of the others. `offsets`: what is added to the log odds of <unk> after a context of each length,
  // the last of them after longer ones; none: <unk> stays as it is. Throws InputError unless these fit together.
  OpenFeature(const LanguageModelFeature& closed, std::vector<float> spelt, std::vector<double> offsets);
  // Appends words; `extend_closed` appends them to `closed`, while nothing is decoded. Throws InputError, and adds
  // none, where it has appended another number of words.
  void extend(std::span<const float> spelt, const std::function<void()>& extend_closed);
  const LanguageModelFeature& closed() const { return closed_; }
  uint32_t words() const override { return static_cast<uint32_t>(spelt_.size()); }
  uint32_t order() const override { return closed_.order(); }
  bool unknown(uint32_t word) const override { return closed_.unknown(word + 1); }
  std::unique_ptr<LanguageModelQuery> query() const override;

 private:
  friend class OpenFeatureQuery;
  void check(size_t words) const;

  const LanguageModelFeature& closed_;
  std::vector<float> spelt_;
  std::vector<double> offsets_;
};

}  // namespace binyan::translation
