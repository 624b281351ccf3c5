#include "stack_space.hpp"

#include <algorithm>
#include <cstddef>

#include "errors.hpp"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#elif defined(__APPLE__)
#include <pthread.h>
#elif defined(__linux__)
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace binyan {
namespace {

constexpr uintptr_t kReserve = uintptr_t{64} << 10;  // for calls that do not ask, and for throwing

struct Stack {
  uintptr_t low = 0, high = 0;  // equal: not known
};

#if defined(_WIN32)
Stack stack_of_thread() {
  ULONG_PTR low = 0, high = 0;
  GetCurrentThreadStackLimits(&low, &high);
  return {low, high};
}
#elif defined(__APPLE__)
Stack stack_of_thread() {
  const uintptr_t high = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
  return {high - pthread_get_stacksize_np(pthread_self()), high};
}
#elif defined(__linux__)
// The stack of the first thread grows up to a limit that may be none.
constexpr uintptr_t kMostOfFirst = uintptr_t{64} << 20;

Stack stack_of_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* address = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &address, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const uintptr_t low = reinterpret_cast<uintptr_t>(address), high = low + size;
  rlimit limit{};
  if (syscall(SYS_gettid) != getpid() || getrlimit(RLIMIT_STACK, &limit) != 0) return {low, high};
  const uintptr_t most = limit.rlim_cur == RLIM_INFINITY ? kMostOfFirst : static_cast<uintptr_t>(limit.rlim_cur);
  return {high - std::min(std::min(most, kMostOfFirst), high), high};
}
#else
Stack stack_of_thread() { return {}; }
#endif

}  // namespace

void check_stack(uintptr_t address) {
  if (stack_floor == kUnknownStack) {
    const Stack stack = stack_of_thread();
    // On a stack that is not the thread's own, as of a coroutine, nothing is known.
    stack_floor = stack.low <= address && address < stack.high ? stack.low + kReserve : 0;
  }
  if (address < stack_floor)
    throw InputError(
        "derivations are nested too deeply for the stack of this thread: leave out the longest words, use a grammar "
        "with shorter chains of rules, or give the thread a larger stack");
}

}  // namespace binyan
