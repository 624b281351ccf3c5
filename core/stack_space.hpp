// Walks over derivations call themselves once per level. Each level asks first whether the thread's stack has room for
// it: threads have from 128 kB (musl) over 512 kB (macOS) to 8 MB (Linux).
#pragma once
#include <cstdint>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace binyan {

constexpr uintptr_t kUnknownStack = UINTPTR_MAX;
// Below this address nothing more is begun on the stack of this thread; kUnknownStack: not asked yet.
constinit inline thread_local uintptr_t stack_floor = kUnknownStack;

inline uintptr_t stack_address() {
#if defined(_MSC_VER) && !defined(__clang__)
  return reinterpret_cast<uintptr_t>(_AddressOfReturnAddress());
#else
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
}

// Finds the floor where it is not known yet; throws InputError where `address` is below it.
void check_stack(uintptr_t address);

// Throws InputError where the stack of this thread is nearly full.
inline void require_stack() {
  const uintptr_t address = stack_address();
  if (address < stack_floor) check_stack(address);
}

}  // namespace binyan
