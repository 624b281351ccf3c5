// The refinement at the end of section 3 of Brown et al. (1992): single words move to better classes.
#include <algorithm>
#include <limits>

#include "clustering/brown.hpp"

namespace binyan::clustering {
namespace {

// The slots a word stands beside, and how often.
struct Neighbours {
  std::vector<uint32_t> out, in;  // by slot: how often the word stands before, after its words
  std::vector<uint32_t> near;     // slots with either
  uint64_t loop = 0;              // the word beside itself

  explicit Neighbours(uint32_t slots) : out(slots), in(slots) {}
  void gather(const Bigrams& bigrams, const std::vector<uint32_t>& slot_of, uint32_t word) {
    for (const uint32_t x : near) out[x] = in[x] = 0;
    near.clear();
    loop = 0;
    const auto count = [&](uint32_t other, uint32_t n, std::vector<uint32_t>& counts) {
      if (other == word) return;
      const uint32_t x = slot_of[other];
      if (!(out[x] | in[x])) near.push_back(x);
      counts[x] += n;
    };
    for (uint64_t i = bigrams.right_first[word]; i < bigrams.right_first[word + 1]; ++i) {
      count(bigrams.right_word[i], bigrams.right_count[i], out);
      if (bigrams.right_word[i] == word) loop = bigrams.right_count[i];
    }
    for (uint64_t i = bigrams.left_first[word]; i < bigrams.left_first[word + 1]; ++i)
      count(bigrams.left_word[i], bigrams.left_count[i], in);
  }
};

}  // namespace

uint32_t BrownClustering::exchange() {
  uint32_t moved = 0;
  Neighbours beside(slots_);
  const auto apply = [&](uint32_t c, int sign) {
    const auto signed_add = [&](uint32_t v, uint32_t w, uint64_t n) {
      set(v, w, static_cast<uint32_t>(static_cast<int64_t>(right(v)[w]) + sign * static_cast<int64_t>(n)));
    };
    for (const uint32_t x : beside.near) signed_add(c, x, beside.out[x]), signed_add(x, c, beside.in[x]);
    signed_add(c, c, beside.loop);
  };
  for (const uint32_t word : order_) {
    const uint32_t home = slot_of_[word];
    if (members_[home].size() == 1) continue;
    beside.gather(bigrams_, slot_of_, word);
    apply(home, -1);
    const uint64_t n = bigrams_.frequency[word];
    frequency_[home] -= n;
    std::fill(row_.begin(), row_.end(), 0);
    for (const uint32_t x : beside.near) {
      const uint32_t *wx = left(x), *xw = right(x);
      const uint64_t o = beside.out[x], i = beside.in[x];
      const Fixed keep = row_[x];
      for (uint32_t c = 0; c < slots_; ++c) row_[c] += f(wx[c] + o) - f(wx[c]) + f(xw[c] + i) - f(xw[c]);
      row_[x] = keep;
    }
    uint32_t best = home;
    Fixed best_gain = std::numeric_limits<Fixed>::min();
    for (uint32_t c = 0; c < slots_; ++c) {
      if (members_[c].empty()) continue;
      const uint64_t cc = right(c)[c];
      const Fixed gain = row_[c] + f(cc + beside.out[c] + beside.in[c] + beside.loop) - f(cc) -
                         2 * (f(frequency_[c] + n) - f(frequency_[c]));
      if (gain > best_gain || (gain == best_gain && c == home)) best = c, best_gain = gain;
    }
    apply(best, 1);
    frequency_[best] += n;
    if (best != home) {
      std::erase(members_[home], word);
      members_[best].push_back(word);
      slot_of_[word] = best;
      ++moved;
    }
  }
  rebuild();
  return moved;
}

}  // namespace binyan::clustering
