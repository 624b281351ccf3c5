// Memory for tables that are looked up at random: in large pages where the system has them, so that the processor knows
// where they are.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace binyan {

template <class T>
struct LargePageAllocator {
  using value_type = T;
  static constexpr size_t kPage = size_t{1} << 21;

  LargePageAllocator() = default;
  template <class Other>
  LargePageAllocator(const LargePageAllocator<Other>&) {}

  T* allocate(size_t count) {
    if (count > static_cast<size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    const size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new (bytes, std::align_val_t{kPage});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on it but speed
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < kPage) ::operator delete(memory);
    else ::operator delete (memory, std::align_val_t{kPage});
  }
  template <class Other>
  bool operator==(const LargePageAllocator<Other>&) const {
    return true;
  }
};

template <class T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace binyan
