#include "pitman_yor/table_sizes.hpp"

#include <algorithm>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::pitman_yor {

uint32_t TableSizes::allocate(uint32_t size_class) {
  uint32_t handle = free_[size_class];
  if (handle != kNoIndex) {
    free_[size_class] = pool_[handle].size;
  } else {
    if (pool_.size() + (4u << size_class) >= (1u << 31)) throw InternalError("more than 2^31 table sizes");
    handle = static_cast<uint32_t>(pool_.size());
    pool_.resize(pool_.size() + (4u << size_class));
  }
  pool_[handle] = {0, size_class};
  return handle;
}

void TableSizes::release(uint32_t handle) {
  const uint32_t size_class = pool_[handle].tables & 255;
  pool_[handle].size = free_[size_class];
  free_[size_class] = handle;
}

uint32_t TableSizes::create(std::span<const Bin> bins) {
  uint32_t size_class = 0;
  while (bins.size() > (4u << size_class) - 1) ++size_class;
  const uint32_t handle = allocate(size_class);
  uint32_t tables = 0;
  for (const Bin& bin : bins) tables += bin.tables;
  pool_[handle] = {tables, static_cast<uint32_t>(bins.size()) << 8 | size_class};
  std::copy(bins.begin(), bins.end(), pool_.begin() + handle + 1);
  return handle;
}

void TableSizes::insert(uint32_t& handle, uint32_t at, Bin bin) {
  const uint32_t n = length(handle);
  if (n == capacity(handle)) {
    const uint32_t larger = allocate((pool_[handle].tables & 255) + 1);
    pool_[larger].size = pool_[handle].size;
    std::copy_n(pool_.begin() + handle + 1, n, pool_.begin() + larger + 1);
    release(handle);
    handle = larger;
  }
  Bin* bins = &pool_[handle + 1];
  std::copy_backward(bins + at, bins + n, bins + n + 1);
  bins[at] = bin;
  pool_[handle].tables = (n + 1) << 8 | (pool_[handle].tables & 255);
}

void TableSizes::erase(uint32_t handle, uint32_t at) {
  const uint32_t n = length(handle);
  Bin* bins = &pool_[handle + 1];
  std::copy(bins + at + 1, bins + n, bins + at);
  pool_[handle].tables = (n - 1) << 8 | (pool_[handle].tables & 255);
}

void TableSizes::move(uint32_t& handle, uint32_t i, int by) {
  Bin* bins = &pool_[handle + 1];
  const uint32_t n = length(handle), size = bins[i].size + by;
  const uint32_t neighbour = i + by;  // wraps to a large number below 0
  const bool exists = neighbour < n && bins[neighbour].size == size;
  if (bins[i].tables == 1) {
    if (exists) {
      ++bins[neighbour].tables;
      erase(handle, i);
    } else {
      bins[i].size = size;
    }
  } else {
    --bins[i].tables;
    if (exists) ++bins[neighbour].tables;
    else insert(handle, by > 0 ? i + 1 : i, {size, 1});
  }
}

uint32_t TableSizes::join_any(uint32_t& handle, Random& random) {
  uint64_t left = random.below(tables(handle));
  uint32_t i = 0;
  for (const Bin* bins = &pool_[handle + 1]; left >= bins[i].tables; ++i) left -= bins[i].tables;
  return grow(handle, i);
}

}  // namespace binyan::pitman_yor
