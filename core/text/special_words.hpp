// The ids that every vocabulary begins with.
#pragma once
#include <cstdint>

namespace binyan::text {

constexpr uint32_t kUnknownWord = 0;    // <unk>
constexpr uint32_t kSentenceStart = 1;  // <s>: context only, never an event
constexpr uint32_t kSentenceEnd = 2;    // </s>
constexpr uint32_t kFirstWord = 3;      // the first word that is not special

}  // namespace binyan::text
