// Arrays in and out: numpy arrays come in as spans without copying; vectors go out as numpy arrays that own them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Ids = Array<uint32_t>;
using Offsets = Array<uint64_t>;

template <class T>
std::span<const T> view(const Array<T>& a) { return {a.data(), a.size()}; }

template <class T>
std::vector<T> copy(const Array<T>& a) { return {a.data(), a.data() + a.size()}; }

// `values` as an array of rows of `columns` elements, or flat where columns is 0.
template <class T>
nanobind::object numpy(std::vector<T> values, size_t columns = 0) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 0) return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(owned->data(), {owned->size()}, owner));
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(owned->data(), {owned->size() / columns, columns}, owner));
}

// A read-only view of a vector that `owner` keeps alive.
template <class T>
nanobind::object view_of(const std::vector<T>& values, nanobind::handle owner) {
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, const T, nanobind::ndim<1>>(values.data(), {values.size()}, owner));
}
