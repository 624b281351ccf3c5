// Arrays in and out: numpy arrays come in as spans without copying; vectors go out as numpy arrays that own them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "errors.hpp"

template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Ids = Array<uint32_t>;
using Offsets = Array<uint64_t>;

// A Python function that native loops call with the interpreter lock; Ctrl-C is raised there.
template <class... Arguments>
std::function<void(Arguments...)> calling(nanobind::object function) {
  if (function.is_none()) return {};
  return [function](Arguments... arguments) {
    nanobind::gil_scoped_acquire locked;
    function(arguments...);
  };
}

template <class T>
std::span<const T> view(const Array<T>& a) {
  return {a.data(), a.size()};
}

// Throws InputError unless the offsets ascend and end within an array of this size.
inline void check_offsets(const Offsets& offsets, size_t size) {
  const auto o = view(offsets);
  if (o.empty() || o.back() > size || !std::ranges::is_sorted(o))
    throw binyan::InputError("offsets do not fit their array");
}

template <class T>
std::vector<T> copy(const Array<T>& a) {
  return {a.data(), a.data() + a.size()};
}

template <class T>
using Flat = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

template <class T>
Flat<T> numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  return Flat<T>(owned->data(), {owned->size()},
                 nanobind::capsule(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); }));
}

// A read-only view of a vector that `owner` keeps alive.
template <class T>
Flat<const T> view_of(const std::vector<T>& values, nanobind::handle owner) {
  return Flat<const T>(values.data(), {values.size()}, owner);
}
template <class T>
Flat<const T> view_of(std::span<const T> values, nanobind::handle owner) {
  return Flat<const T>(values.data(), {values.size()}, owner);
}
