// A hash table of the n-grams of a back-off model: where an n-gram is found in one or two cache lines.
#pragma once
#include <cstdint>

#include "large_pages.hpp"

namespace binyan::ngram {

struct BackoffView;

class NgramIndex {
 public:
  struct Slot {
    uint32_t context, word, next;
    union {
      float log_prob;
      uint32_t entry;
    };  // entry where columns > 1
  };
  struct Link {
    float log_backoff;
    uint32_t suffix;
  };

  // The arrays were checked. Throws InputError where there are too many n-grams.
  explicit NgramIndex(const BackoffView& arrays);

  uint64_t slot_of(uint32_t context, uint32_t word) const {
    uint64_t h = (static_cast<uint64_t>(context) << 32 | word) * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ull;
    return (h >> 32) * slots_.size() >> 32;
  }
  // The slot of (context, word), which is `slot` or a later one, or nullptr.
  const Slot* probe(uint64_t slot, uint32_t context, uint32_t word) const {
    while (slots_[slot].context != 0) {
      if (slots_[slot].context == context && slots_[slot].word == word) return &slots_[slot];
      if (++slot == slots_.size()) slot = 0;
    }
    return nullptr;
  }
  const Slot* slot(uint64_t i) const { return &slots_[i]; }
  const Link& link(uint32_t context) const { return links_[context]; }

 private:
  LargeVector<Slot> slots_;  // open addressing on (context, word), linear probing, no entry of the empty context
  LargeVector<Link> links_;  // per context, where columns = 1
};

}  // namespace binyan::ngram
