// What a language model answered, by (state, word): open addressing, since the decoder asks again far more often than
// anew.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "translation/language_model_query.hpp"

namespace binyan::translation {

class ScoreCache {
 public:
  ScoreCache() : slots_(1 << 12) {}

  // The answer to (state, word); `ask` is called for it the first time. It may not come back to this table.
  template <class Ask>
  QueryResult get(uint32_t state, uint32_t word, Ask ask) {
    const uint64_t key = (uint64_t{state} << 32 | word) + 1;  // 0: an empty slot
    uint64_t at = place(key);
    if (slots_[at].key == key) return slots_[at].answer;
    slots_[at] = {key, ask()};
    const QueryResult answer = slots_[at].answer;
    if (++size_ * 2 > slots_.size()) grow();
    return answer;
  }
  uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t key = 0;
    QueryResult answer{};
  };
  uint64_t place(uint64_t key) const {
    const uint64_t mask = slots_.size() - 1;
    uint64_t h = key * 0x9E3779B97F4A7C15ull;
    uint64_t at = (h ^ h >> 32) & mask;
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.key) slots_[place(s.key)] = s;
  }
  std::vector<Slot> slots_;  // a power of two
  uint64_t size_ = 0;
};

}  // namespace binyan::translation
