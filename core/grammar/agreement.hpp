// Whether derivations agree with what is known of a word: whether they are in its forest, which was cut to those that
// do.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grammar/adaptor.hpp"

namespace binyan::grammar {

// Whether the items derive the node `index` by one of its edges. Trees at nodes that are not restricted agree where
// their yields do.
bool agrees(const Adaptor& adaptor, const WordView& w, uint32_t index, std::span<const uint32_t> items);

// Whether the items derive the root.
bool derives(const Adaptor& adaptor, const WordView& w, std::span<const uint32_t> items);

// A tree at a restricted node.
struct TreeUse {
  uint32_t word, entry, node;
};

// The trees at restricted nodes of a derivation of the root that agrees, with their nodes.
std::vector<std::pair<uint32_t, uint32_t>> restricted_trees(const Adaptor& adaptor, const WordView& w,
                                                            std::span<const uint32_t> items);

}  // namespace binyan::grammar
