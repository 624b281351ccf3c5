// Restaurants of one level of a hierarchy: they share a discount a and a strength b. Dishes are numbered through all
// restaurants of the level, so that (restaurant, dish) pairs known beforehand become indices. Seating follows the
// Pitman-Yor Chinese restaurant process (thesis, equations 2.10 and 2.15, sections 2.3.1 and 2.3.2).
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pitman_yor/hyperparameters.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/seating.hpp"
#include "pitman_yor/table_sizes.hpp"
#include "prefetch.hpp"

namespace binyan::pitman_yor {

class Restaurants {
 public:
  Restaurants(uint32_t restaurants, uint32_t dishes) : totals_(restaurants), seats_(dishes) {}

  Hyperparameters hyper;

  uint32_t customers(uint32_t dish) const { return seats_[dish].customers; }
  uint32_t tables(uint32_t dish) const { return tables(seats_[dish]); }
  uint32_t restaurant_customers(uint32_t r) const { return totals_[r].customers; }
  uint32_t restaurant_tables(uint32_t r) const { return totals_[r].tables; }
  uint32_t restaurants() const { return static_cast<uint32_t>(totals_.size()); }
  uint32_t dishes() const { return static_cast<uint32_t>(seats_.size()); }

  // Weights of a new customer's choices (seating.hpp), all to be divided by total_weight(r): some table with this dish,
  // a new table.
  double old_table_weight(uint32_t dish) const {
    return old_tables_weight(seats_[dish].customers, tables(seats_[dish]), hyper.discount);
  }
  double new_table_weight(uint32_t r) const { return pitman_yor::new_table_weight(totals_[r].tables, hyper); }
  double total_weight(uint32_t r) const { return pitman_yor::total_weight(totals_[r].customers, hyper); }
  // Probability of the dish, `base` being its probability under the base distribution.
  double probability(uint32_t r, uint32_t dish, double base) const {
    const double scale =
        1.0 / total_weight(r);  // first, so that in a chain of levels no division waits for the level below
    return old_table_weight(dish) * scale + new_table_weight(r) * scale * base;
  }

  // Ask for the memory of a dish that is soon to be used.
  void prefetch(uint32_t r, uint32_t dish) const {
    binyan::prefetch(&totals_[r]);
    binyan::prefetch(&seats_[dish]);
  }

  // A customer sits down. Returns whether a table was opened, which sends a customer to the parent.
  bool add(uint32_t r, uint32_t dish, double base, Random& random) {
    const bool opens = draw_opening(r, dish, base, random);
    if (opens) open(r, dish);
    else join(r, dish, random);
    return opens;
  }
  // The first half of add(): does the customer open a table?
  bool draw_opening(uint32_t r, uint32_t dish, double base, Random& random) const {
    if (seats_[dish].customers == 0) return true;
    const double open_weight = new_table_weight(r) * base;
    return random.uniform() * (old_table_weight(dish) + open_weight) < open_weight;
  }
  // A customer, all of the dish being equally likely, leaves. Returns whether its table closed.
  bool remove(uint32_t r, uint32_t dish, Random& random) { return leave(r, dish, random) == 1; }
  // The same; returns the size that the table had, 1 where it closed.
  uint32_t leave(uint32_t r, uint32_t dish, Random& random) {
    Seat& seat = seats_[dish];
    Total& total = totals_[r];
    --total.customers;
    const uint32_t customers = seat.customers--;
    if (!(seat.tables & kHistogram)) {
      if (seat.tables != customers) return customers;
      --seat.tables;
      --total.tables;
      return 1;
    }
    uint32_t handle = seat.tables & ~kHistogram;
    const uint32_t size = sizes_.leave(handle, customers, random);
    total.tables -= size == 1;
    settle(seat, handle);
    return size;
  }
  // A new table with one customer.
  void open(uint32_t r, uint32_t dish) {
    ++totals_[r].customers;
    ++totals_[r].tables;
    Seat& seat = seats_[dish];
    if (seat.tables & kHistogram) {
      uint32_t handle = seat.tables & ~kHistogram;
      sizes_.open(handle);
      seat.tables = handle | kHistogram;
    } else if (seat.tables == 1 && seat.customers > 1) {
      const TableSizes::Bin bins[] = {{1, 1}, {seat.customers, 1}};
      seat.tables = sizes_.create(bins) | kHistogram;
    } else {
      ++seat.tables;
    }
    ++seat.customers;
  }
  // A customer joins one of the dish's tables, of which there is one at least, chosen by the model. Returns the size it
  // had.
  uint32_t join(uint32_t r, uint32_t dish, Random& random) {
    return seat_at(r, dish, [&](uint32_t& handle, uint32_t customers) {
      return sizes_.join(handle, customers, hyper.discount, random);
    });
  }
  // The same with all tables equally likely, whatever the model says.
  uint32_t join_any(uint32_t r, uint32_t dish, Random& random) {
    return seat_at(r, dish, [&](uint32_t& handle, uint32_t) { return sizes_.join_any(handle, random); });
  }

  // A table of `size` customers, which dish `from` has, goes over to another dish of the same restaurant.
  void relabel(uint32_t from, uint32_t to, uint32_t size) {
    if (seats_[from].customers == size && seats_[to].customers == 0) std::swap(seats_[from], seats_[to]);
    else relabel_among(from, to, size);
  }

  // The tables of a dish, whatever they were, become `bins`, ordered by size.
  void reset(uint32_t r, uint32_t dish, std::span<const TableSizes::Bin> bins) {
    totals_[r].customers -= customers(dish);
    totals_[r].tables -= tables(dish);
    set(dish, bins);
    totals_[r].customers += customers(dish);
    totals_[r].tables += tables(dish);
  }

  // A customer joins a table that has `size` customers, which there must be (0: a new table); one leaves a table of
  // `size`. What was drawn by the functions above is taken back by these.
  void join_table(uint32_t r, uint32_t dish, uint32_t size);
  void leave_table(uint32_t r, uint32_t dish, uint32_t size);

  // What the likelihood of this level depends on.
  SeatingSummary summary() const;
  // The same, added to what other restaurants of the level have.
  void count(SeatingCounts& counts) const;
  // Table sizes of one dish, ordered.
  std::vector<TableSizes::Bin> table_sizes(uint32_t dish) const {
    std::vector<TableSizes::Bin> sizes;
    append_table_sizes(dish, sizes);
    return sizes;
  }
  void append_table_sizes(uint32_t dish, std::vector<TableSizes::Bin>& sizes) const {
    const Seat& seat = seats_[dish];
    if (seat.customers == 0) return;
    if (seat.tables & kHistogram) {
      const auto bins = sizes_.bins(seat.tables & ~kHistogram);
      sizes.insert(sizes.end(), bins.begin(), bins.end());
    } else if (seat.tables == 1) {
      sizes.push_back({seat.customers, 1});
    } else {
      sizes.push_back({1, seat.tables});
    }
  }
  // The whole state: tables of each dish, and (size, tables) pairs, in dish order, of dishes with 1 < tables <
  // customers.
  void save(std::vector<uint32_t>& tables, std::vector<uint32_t>& sizes) const;
  std::vector<uint32_t> all_customers() const;
  // Back from save(); `customers` per dish and `restaurant` of each dish are the caller's. Throws InputError if they
  // disagree.
  void restore(std::span<const uint32_t> customers, std::span<const uint32_t> restaurant,
               std::span<const uint32_t> tables, std::span<const uint32_t> sizes);

  size_t bytes() const {
    return totals_.capacity() * sizeof(Total) + seats_.capacity() * sizeof(Seat) + sizes_.bytes();
  }

 private:
  // Sizes are implied if there is one table or if every customer has a table; otherwise `tables` is a histogram's
  // handle.
  static constexpr uint32_t kHistogram = 1u << 31;
  struct Seat {
    uint32_t customers = 0, tables = 0;
  };
  struct Total {
    uint32_t customers = 0, tables = 0;
  };

  uint32_t tables(const Seat& seat) const {
    return seat.tables & kHistogram ? sizes_.tables(seat.tables & ~kHistogram) : seat.tables;
  }
  template <class Choose>
  uint32_t seat_at(uint32_t r, uint32_t dish, Choose choose) {
    Seat& seat = seats_[dish];
    uint32_t size = 1;
    if (seat.tables & kHistogram) {
      uint32_t handle = seat.tables & ~kHistogram;
      size = choose(handle, seat.customers);
      seat.tables = handle | kHistogram;
    } else if (seat.tables == 1) {
      size = seat.customers;
    } else {
      const TableSizes::Bin bins[] = {{1, seat.tables - 1}, {2, 1}};
      seat.tables = sizes_.create(bins) | kHistogram;
    }
    ++seat.customers;
    ++totals_[r].customers;
    return size;
  }
  void relabel_among(uint32_t from, uint32_t to, uint32_t size);
  void set(uint32_t dish, std::span<const TableSizes::Bin> bins);
  // Drop the histogram if the sizes are implied again.
  void settle(Seat& seat, uint32_t handle) {
    const uint32_t tables = sizes_.tables(handle);
    if (tables == 1 || tables == seat.customers) {
      sizes_.destroy(handle);
      seat.tables = tables;
    } else {
      seat.tables = handle | kHistogram;
    }
  }

  std::vector<Total> totals_;
  std::vector<Seat> seats_;
  TableSizes sizes_;
};

}  // namespace binyan::pitman_yor
