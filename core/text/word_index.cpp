#include "text/word_index.hpp"

#include <algorithm>

#include "errors.hpp"
#include "no_index.hpp"
#include "prefetch.hpp"

namespace binyan::text {

void WordIndex::find_all(std::span<const std::string_view> words, uint32_t missing, std::span<uint32_t> to) const {
  constexpr size_t kAtOnce = 16;
  uint64_t hashes[kAtOnce];
  for (size_t first = 0; first < words.size(); first += kAtOnce) {
    const size_t count = std::min(kAtOnce, words.size() - first);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash(words[first + i]);
      prefetch(&slots_[hashes[i] & mask()]);
    }
    for (size_t i = 0; i < count; ++i) prefetch(&begin_[slots_[hashes[i] & mask()].next_id]);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t next_id = slots_[hashes[i] & mask()].next_id;
      prefetch(letters_.data() + begin_[next_id == 0 ? 0 : next_id - 1]);
    }
    for (size_t i = 0; i < count; ++i) to[first + i] = find(words[first + i], hashes[i], missing);
  }
}

uint32_t WordIndex::add(std::string_view word) {
  const uint32_t known = find(word);
  if (known != kNoIndex) return known;
  if (size() >= kNoIndex - 2) throw InputError("more than 4 billion different words");
  letters_.append(word);
  begin_.push_back(letters_.size());
  const auto insert = [this](uint32_t id) {
    const uint64_t h = hash(this->word(id));
    uint64_t i = h & mask();
    while (slots_[i].next_id != 0) i = (i + 1) & mask();
    slots_[i] = {static_cast<uint32_t>(h >> 32), id + 1};
  };
  if (2 * static_cast<uint64_t>(size()) <= slots_.size()) {
    insert(size() - 1);
  } else {
    slots_.assign(slots_.size() * 2, Slot{});
    for (uint32_t id = 0; id < size(); ++id) insert(id);
  }
  return size() - 1;
}

}  // namespace binyan::text
