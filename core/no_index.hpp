// The one mark for "there is none" where an index of 32 bits is expected: not found, not linked, not bounded.
#pragma once
#include <cstdint>

namespace binyan {

constexpr uint32_t kNoIndex = UINT32_MAX;

}  // namespace binyan
