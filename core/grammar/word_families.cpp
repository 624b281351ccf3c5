#include "grammar/word_families.hpp"

#include <algorithm>

#include "grammar/word_forests.hpp"
#include "no_index.hpp"
#include "pitman_yor/random.hpp"

namespace binyan::grammar {
namespace {

// Calls use(yield, word) once for each yield of each word that has derivations and is drawn by itself.
template <class Use>
void each_yield(const WordForests& words, Use use) {
  std::vector<uint32_t> last(words.yields(), kNoIndex);
  for (uint32_t i = 0; i < words.observed(); ++i) {
    if (!words.parses(i) || words.group_of(i) != nullptr) continue;
    const uint32_t* yields = words.view(i).yields;
    for (size_t k = 0; k < words.forest(i).adapted.size(); ++k)
      if (const uint32_t y = yields[k]; y != 0 && last[y] != i) {
        last[y] = i;
        use(y, i);
      }
  }
}

}  // namespace

WordFamilies::WordFamilies(const WordForests& words, uint32_t most) {
  struct Yield {
    uint32_t words = 0;
    uint64_t digest = 0;
  };
  std::vector<Yield> yields(words.yields());
  each_yield(words, [&](uint32_t y, uint32_t word) {
    uint64_t x = word;
    yields[y].digest += pitman_yor::mix(x);
    ++yields[y].words;
  });
  std::vector<uint32_t> kept;
  for (uint32_t y = 1; y < yields.size(); ++y)
    if (yields[y].words >= 2 && yields[y].words <= most) kept.push_back(y);
  const auto same = [&](uint32_t x, uint32_t y) {
    return yields[x].digest == yields[y].digest && yields[x].words == yields[y].words;
  };
  std::stable_sort(kept.begin(), kept.end(), [&](uint32_t x, uint32_t y) {
    return same(x, y) ? false
                      : std::pair(yields[x].digest, yields[x].words) < std::pair(yields[y].digest, yields[y].words);
  });
  kept.erase(std::unique(kept.begin(), kept.end(), same), kept.end());
  std::sort(kept.begin(), kept.end());
  std::vector<uint32_t> family(yields.size(), kNoIndex);
  for (uint32_t y : kept) {
    family[y] = size();
    first_.push_back(first_.back() + yields[y].words);
  }
  words_.resize(first_.back());
  std::vector<size_t> at(first_.begin(), first_.end() - 1);
  each_yield(words, [&](uint32_t y, uint32_t word) {
    if (family[y] != kNoIndex) words_[at[family[y]]++] = word;
  });
}

}  // namespace binyan::grammar
