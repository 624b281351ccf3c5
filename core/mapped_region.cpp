#include "mapped_region.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "errors.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#endif

namespace binyan {
namespace {

// What the signal handler may look at: no locks, no memory that is ever freed.
struct Watched {
  std::atomic<uintptr_t> begin{0}, end{0};  // end = 0: free
  std::atomic<bool> whole{true};
};
constexpr size_t kMostRegions = 1024;
Watched watched[kMostRegions];
std::mutex changing;

#if defined(__unix__) || defined(__APPLE__)
struct sigaction earlier;
uintptr_t page_size = 4096;

// Puts zeros in the place of what the file no longer has, from the page of `address` to the end of its region.
bool replace_with_zeros(uintptr_t address) {
  for (Watched& w : watched) {
    const uintptr_t end = w.end.load();
    if (end == 0 || address < w.begin.load() || address >= end) continue;
    const uintptr_t from = address & ~(page_size - 1), to = (end + page_size - 1) & ~(page_size - 1);
    w.whole.store(false);
    return mmap(reinterpret_cast<void*>(from), to - from, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
  }
  return false;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const int before = errno;
  const bool mended = info->si_code > 0 && replace_with_zeros(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = before;
  if (mended) return;
  if (earlier.sa_flags & SA_SIGINFO) {
    earlier.sa_sigaction(number, info, context);
  } else if (earlier.sa_handler == SIG_DFL || earlier.sa_handler == SIG_IGN) {
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);  // else the access is tried again, and ends the process
  } else {
    earlier.sa_handler(number);
  }
}

void install_handler() {
  page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction current {};
  sigaction(SIGBUS, nullptr, &current);
  if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_bus_error) return;
  earlier = current;
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, nullptr);
}
#else
void install_handler() {}  // Windows does not let a mapped file be truncated
#endif

}  // namespace

MappedRegion::MappedRegion(const void* address, size_t size, std::string name) : slot_(0), name_(std::move(name)) {
  const std::lock_guard locked(changing);
  install_handler();
  while (slot_ < kMostRegions && watched[slot_].end.load() != 0) ++slot_;
  if (slot_ == kMostRegions) throw InputError(name_ + ": too many model files are open at once");
  const auto begin = reinterpret_cast<uintptr_t>(address);
  watched[slot_].whole.store(true);
  watched[slot_].begin.store(begin);
  watched[slot_].end.store(begin + size);
}

MappedRegion::~MappedRegion() {
  const std::lock_guard locked(changing);
  watched[slot_].end.store(0);
}

bool MappedRegion::is_whole() const { return watched[slot_].whole.load(std::memory_order_relaxed); }

void MappedRegion::fail() const {
  throw InputError(name_ +
                   ": was truncated while it was in use: its answers are lost; open a whole copy of the file, and "
                   "replace model files by moving new ones into their place instead of writing over them");
}

}  // namespace binyan
