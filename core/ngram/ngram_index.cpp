#include "ngram/ngram_index.hpp"

#include "errors.hpp"
#include "ngram/backoff_model.hpp"
#include "prefetch.hpp"

namespace binyan::ngram {

NgramIndex::NgramIndex(const BackoffView& a) {
  const uint32_t states = static_cast<uint32_t>(a.suffix.size());
  const uint64_t hashed = a.word.size() - a.first_entry[1];
  // A load of two thirds: probes stay within a cache line or two.
  const uint64_t size = hashed + hashed / 2 + 16;
  if (size > UINT32_MAX) throw InputError("more than 2.8 billion n-grams: lower the order or prune");
  slots_.assign(size, Slot{0, 0, 0, {0.0f}});
  constexpr uint32_t kAhead = 16;
  for (uint32_t c = 1; c < states; ++c) {
    for (uint32_t e = a.first_entry[c]; e < a.first_entry[c + 1]; ++e) {
      uint64_t i = slot_of(c, a.word[e]);
      while (slots_[i].context != 0)
        if (++i == size) i = 0;
      Slot& s = slots_[i];
      s = {c, a.word[e], a.next[e], {0.0f}};
      if (a.columns == 1) s.log_prob = a.log_prob[e];
      else s.entry = e;
    }
    if (c + kAhead < states)
      prefetch_to_write(&slots_[slot_of(
          c + kAhead, a.word[a.first_entry[c + kAhead] < a.word.size() ? a.first_entry[c + kAhead] : 0])]);
  }
  if (a.columns == 1) {
    links_.resize(states);
    for (uint32_t c = 0; c < states; ++c) links_[c] = {a.log_backoff[c], a.suffix[c]};
  }
}

}  // namespace binyan::ngram
