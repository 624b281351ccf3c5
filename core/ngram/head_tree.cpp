#include "ngram/head_tree.hpp"

#include <algorithm>

namespace binyan::ngram {

std::vector<HeadLevel> build_head_tree(const ContextTree& tree, std::span<const uint32_t> heads) {
  std::vector<HeadLevel> levels(tree.order());
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& words = tree.levels[k];
    HeadLevel& level = levels[k];
    level.entry_of.resize(words.entries());
    level.first_entry.assign(1, 0);
    level.first_entry.reserve(words.contexts() + 1);
    for (uint32_t c = 0; c < words.contexts(); ++c) {
      order.clear();
      for (uint32_t e = words.first_entry[c]; e < words.first_entry[c + 1]; ++e) order.push_back(e);
      const auto head = [&](uint32_t e) { return heads[words.word[e]]; };
      std::sort(order.begin(), order.end(),
                [&](uint32_t x, uint32_t y) { return head(x) != head(y) ? head(x) < head(y) : x < y; });
      for (size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || head(order[i]) != level.head.back()) {
          level.head.push_back(head(order[i]));
          level.context.push_back(c);
          if (k > 0) level.parent.push_back(levels[k - 1].entry_of[words.parent[order[i]]]);
        }
        level.entry_of[order[i]] = level.entries() - 1;
      }
      level.first_entry.push_back(level.entries());
    }
    for (auto* v : {&level.head, &level.context, &level.parent}) v->shrink_to_fit();
  }
  return levels;
}

}  // namespace binyan::ngram
