// Arrays across the border: numpy in without a copy, vectors out as numpy arrays that own them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <vector>

template <class T>
using In = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> out(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}
