// How many tables of a dish have how many customers: histograms of table occupancy (Blunsom et al. 2009; thesis,
// section 3.3.2), many of them in one array. A histogram is a list of (size, tables), ordered by size.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "no_index.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/seating.hpp"

namespace binyan::pitman_yor {

class TableSizes {
 public:
  struct Bin {
    uint32_t size, tables;
  };

  // A new histogram; `bins` ordered by size. Returns its handle, below 2^31.
  uint32_t create(std::span<const Bin> bins);
  void destroy(uint32_t handle) { release(handle); }

  uint32_t tables(uint32_t handle) const { return pool_[handle].size; }
  std::span<const Bin> bins(uint32_t handle) const { return {pool_.data() + handle + 1, length(handle)}; }

  // One more table of size 1.
  void open(uint32_t& handle) {
    ++pool_[handle].size;
    Bin* first = &pool_[handle + 1];
    if (first->size == 1) ++first->tables;
    else insert(handle, 0, {1, 1});
  }
  // A customer joins a table, chosen with weight size - discount. `customers`: at all tables, before. Returns the size
  // the table had.
  uint32_t join(uint32_t& handle, uint32_t customers, double discount, Random& random) {
    double left = random.uniform() * old_tables_weight(customers, tables(handle), discount);
    uint32_t i = length(handle) - 1;
    for (const Bin* bins = &pool_[handle + 1]; i > 0; --i) {
      left -= table_weight(bins[i].size, discount) * bins[i].tables;
      if (left < 0) break;
    }
    return grow(handle, i);
  }
  // A customer leaves, all being equally likely. Returns the size the table had; of one that had 1, it closes.
  uint32_t leave(uint32_t& handle, uint32_t customers, Random& random) {
    int64_t left = static_cast<int64_t>(random.below(customers));
    uint32_t i = length(handle) - 1;
    Bin* bins = &pool_[handle + 1];
    for (; i > 0; --i) {
      left -= static_cast<int64_t>(bins[i].size) * bins[i].tables;
      if (left < 0) break;
    }
    const uint32_t size = bins[i].size;
    if (size > 1) {
      move(handle, i, -1);
      return size;
    }
    --pool_[handle].size;
    if (--bins[0].tables == 0) erase(handle, 0);
    return 1;
  }
  // A customer joins one of the tables, all being equally likely.
  uint32_t join_any(uint32_t& handle, Random& random);

  size_t bytes() const { return pool_.capacity() * sizeof(Bin); }

 private:
  // A block of 4 << k bins; its first bin is a header: the tables of the histogram, and length << 8 | k.
  uint32_t length(uint32_t handle) const { return pool_[handle].tables >> 8; }
  uint32_t capacity(uint32_t handle) const { return (4u << (pool_[handle].tables & 255)) - 1; }
  uint32_t allocate(uint32_t size_class);
  void release(uint32_t handle);
  void insert(uint32_t& handle, uint32_t at, Bin bin);
  void erase(uint32_t handle, uint32_t at);
  uint32_t grow(uint32_t& handle, uint32_t i) {
    const uint32_t size = pool_[handle + 1 + i].size;
    move(handle, i, +1);
    return size;
  }
  // One table of bin i grows or shrinks by one customer.
  void move(uint32_t& handle, uint32_t i, int by);

  std::vector<Bin> pool_;
  std::array<uint32_t, 28> free_ = [] {
    std::array<uint32_t, 28> none{};
    none.fill(kNoIndex);
    return none;
  }();
};

}  // namespace binyan::pitman_yor
