// The n best derivations in a forest, counting each way through cached trees by itself.
#pragma once
#include <cstdint>
#include <vector>

#include "grammar/adaptor.hpp"

namespace binyan {

// Rules in preorder, best first; the same derivation may occur more than once. `adaptor.weights` must be fresh.
std::vector<std::vector<uint32_t>> n_best(const Adaptor& adaptor, const WordView& w, uint32_t index, uint32_t n);

}  // namespace binyan
