// Words and their numbers: the strings of a vocabulary behind one hash table.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "large_pages.hpp"
#include "no_index.hpp"

namespace binyan::text {

class WordIndex {
 public:
  WordIndex() : slots_(64) {}

  uint32_t size() const { return static_cast<uint32_t>(begin_.size()) - 1; }
  // Valid until the next add.
  std::string_view word(uint32_t id) const {
    return std::string_view(letters_).substr(begin_[id], begin_[id + 1] - begin_[id]);
  }
  // The number of `word`, or `missing`.
  uint32_t find(std::string_view word, uint32_t missing = kNoIndex) const { return find(word, hash(word), missing); }
  // The same of many words, as many as `to` has elements. Words wait for memory together, which takes less time.
  void find_all(std::span<const std::string_view> words, uint32_t missing, std::span<uint32_t> to) const;
  // The number of `word`, which becomes the next free one where the word is new.
  uint32_t add(std::string_view word);

 private:
  struct Slot {
    uint32_t tag = 0, next_id = 0;
  };  // next_id: number + 1, 0 where the slot is empty

  uint64_t mask() const { return slots_.size() - 1; }
  uint32_t find(std::string_view word, uint64_t h, uint32_t missing) const {
    for (uint64_t i = h & mask();; i = (i + 1) & mask()) {
      const Slot& s = slots_[i];
      if (s.next_id == 0) return missing;
      if (s.tag == static_cast<uint32_t>(h >> 32) && this->word(s.next_id - 1) == word) return s.next_id - 1;
    }
  }
  static uint64_t hash(std::string_view word) {
    uint64_t h = 0x9E3779B97F4A7C15ull ^ word.size();
    const char* at = word.data();
    size_t left = word.size();
    for (; left >= 8; at += 8, left -= 8) {
      uint64_t part;
      std::memcpy(&part, at, 8);
      h = (h ^ part) * 0xD6E8FEB86659FD93ull;
      h ^= h >> 32;
    }
    uint64_t part = 0;
    std::memcpy(&part, at, left);
    h = (h ^ part) * 0xD6E8FEB86659FD93ull;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ull;
    return h ^ h >> 32;
  }

  std::string letters_;
  std::vector<uint64_t> begin_{0};
  LargeVector<Slot> slots_;  // open addressing, a power of two, at most half full
};

}  // namespace binyan::text
