// The tables of one dish as a list in a fixed order, for samplers that undo their steps: a step names its table, and
// the step back restores the list as it was. Where nothing is undone, TableSizes takes less memory.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "pitman_yor/random.hpp"
#include "pitman_yor/seating.hpp"

namespace binyan::pitman_yor {

struct TableList {
  uint32_t customers = 0, tables = 0;
  std::vector<uint32_t> sizes;  // customers of each table; empty where there is at most one

  uint32_t size(uint32_t table) const { return tables > 1 ? sizes[table] : customers; }
  double weight(double discount) const { return old_tables_weight(customers, tables, discount); }

  // The table a customer joins, drawn with weight size - discount; there is one at least.
  uint32_t draw_to_join(double discount, Random& random) const {
    uint32_t table = 0;
    if (tables > 1) {
      double left = random.uniform() * weight(discount);
      while (table + 1 < tables && (left -= table_weight(sizes[table], discount)) >= 0.0) ++table;
    }
    return table;
  }
  // The probability of that draw.
  double join_probability(uint32_t table, double discount) const {
    return tables > 1 ? table_weight(sizes[table], discount) / weight(discount) : 1.0;
  }
  // The table of the customer who leaves, all being equally likely.
  uint32_t draw_to_leave(Random& random) const {
    uint32_t table = 0;
    if (tables > 1) {
      uint64_t seat = random.below(customers);
      while (seat >= sizes[table]) seat -= sizes[table++];
    }
    return table;
  }

  // `join` and `leave` undo one another, as do `open` and `close`, which acts on a table of one customer.
  void join(uint32_t table) {
    if (tables > 1) ++sizes[table];
    ++customers;
  }
  void leave(uint32_t table) {
    if (tables > 1) --sizes[table];
    --customers;
  }
  void open(uint32_t table) {
    if (tables == 1) sizes.assign(1, customers);
    if (tables > 0) {
      sizes.push_back(1);
      std::swap(sizes.back(), sizes[table]);
    }
    ++customers;
    ++tables;
  }
  void close(uint32_t table) {
    if (tables > 1) {
      std::swap(sizes.back(), sizes[table]);
      sizes.pop_back();
    }
    --customers;
    --tables;
    if (tables == 1) sizes.clear();
  }
};

}  // namespace binyan::pitman_yor
