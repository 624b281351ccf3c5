// Work spread over threads; the calling thread is one of them.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace binyan {

// Runs work(0), ..., work(threads - 1) at once and waits for all. What one of them throws first is thrown again.
template <class Work>
void run_threads(unsigned threads, Work work) {
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  const auto guarded = [&](unsigned t) {
    try {
      work(t);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(guarded, t);
  guarded(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

// Runs body(0), ..., body(count - 1), each once, on whichever thread is free. Nothing new is begun after a failure.
template <class Body>
void parallel_for(size_t count, unsigned threads, Body body) {
  std::atomic<size_t> next{0};
  run_threads(threads, [&](unsigned) {
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace binyan
