#include "text/word_index.hpp"

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::text {

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
