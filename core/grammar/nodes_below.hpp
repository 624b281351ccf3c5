// The nodes of a forest that a node is made of.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/forest.hpp"

namespace binyan::grammar {

class NodesBelow {
 public:
  // Those below `index`, which is no leaf, without itself and without leaves; children before parents. Valid until the
  // next call.
  std::span<const uint32_t> of(const Forest& f, uint32_t index) {
    const uint32_t base = f.node_base();
    marked_.assign(index - base + 1, 0);
    nodes_.clear();
    uint32_t lowest = index;
    marked_[index - base] = 1;
    for (uint32_t i = index + 1; i-- > lowest;) {
      if (!marked_[i - base]) continue;
      if (i != index) nodes_.push_back(i);
      const Forest::Node& node = f.nodes[i - base];
      for (uint32_t e = node.first_edge; e < (&node + 1)->first_edge; ++e)
        for (uint32_t child : {f.edges[e].left, f.edges[e].right})
          if (child >= base) {
            marked_[child - base] = 1;
            lowest = std::min(lowest, child);
          }
    }
    std::reverse(nodes_.begin(), nodes_.end());
    return nodes_;
  }

 private:
  std::vector<uint8_t> marked_;
  std::vector<uint32_t> nodes_;
};

}  // namespace binyan::grammar
