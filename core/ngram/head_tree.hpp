// The n-grams of a text with the predicted word replaced by its head component: entries (u, head) over the contexts of
// a context tree. Words that share a head share an entry.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ngram/context_tree.hpp"

namespace binyan::ngram {

struct HeadLevel {
  std::vector<uint32_t> head;         // component; the entries of a context are adjacent, ordered by head
  std::vector<uint32_t> context;      // as in the context tree
  std::vector<uint32_t> parent;       // entry of (pi(u), head) on the level below; empty on level 0
  std::vector<uint32_t> first_entry;  // entries of context c: [first_entry[c], first_entry[c + 1])
  std::vector<uint32_t> entry_of;     // the entry of (u, head of w) for each entry (u, w) of the context tree

  uint32_t entries() const { return static_cast<uint32_t>(head.size()); }
};

// `heads`: the head of each word of the vocabulary.
std::vector<HeadLevel> build_head_tree(const ContextTree& tree, std::span<const uint32_t> heads);

}  // namespace binyan::ngram
