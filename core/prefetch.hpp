// Ask for memory that is soon to be used; nothing depends on it but speed.
#pragma once

namespace binyan {

#if defined(__GNUC__) || defined(__clang__)
inline void prefetch(const void* address) { __builtin_prefetch(address); }
inline void prefetch_to_write(const void* address) { __builtin_prefetch(address, 1); }
#else
inline void prefetch(const void*) {}
inline void prefetch_to_write(const void*) {}
#endif

}  // namespace binyan
