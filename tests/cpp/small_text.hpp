// A small text, drawn by a fixed stream, for the n-gram tests.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ngram/compound_hpylm.hpp"
#include "ngram/context_tree.hpp"
#include "pitman_yor/random.hpp"
#include "text/special_words.hpp"

struct SmallText {
  static constexpr uint32_t kVocabulary = 12;
  std::vector<uint32_t> words;
  std::vector<uint64_t> offsets{0};

  explicit SmallText(uint64_t seed, int sentences = 60) {
    binyan::pitman_yor::Random random(seed);
    for (int s = 0; s < sentences; ++s) {
      for (uint64_t n = random.below(9); n > 0; --n) {
        const uint64_t spread = 1 + random.below(kVocabulary - binyan::text::kFirstWord);
        words.push_back(binyan::text::kFirstWord + static_cast<uint32_t>(random.below(spread)));
      }
      offsets.push_back(words.size());
    }
  }
  std::shared_ptr<const binyan::ngram::ContextTree> tree(uint32_t order) const {
    return std::make_shared<const binyan::ngram::ContextTree>(
        binyan::ngram::ContextTree::build(words, offsets, order, kVocabulary));
  }
  // Every word has one component or two, out of four.
  std::shared_ptr<const binyan::ngram::CompoundTree> compound_tree(uint32_t order) const {
    binyan::ngram::Components c;
    c.component_count = 4;
    c.offsets = {0};
    for (uint32_t w = 0; w < kVocabulary; ++w) {
      c.components.push_back(w % 4);
      if (w % 3 == 0) c.components.push_back(w % 2);
      c.offsets.push_back(static_cast<uint32_t>(c.components.size()));
    }
    return std::make_shared<const binyan::ngram::CompoundTree>(tree(order), std::move(c));
  }
};
