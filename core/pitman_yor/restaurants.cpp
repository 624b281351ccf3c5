#include "pitman_yor/restaurants.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace binyan::pitman_yor {

SeatingSummary Restaurants::summary() const {
  SeatingCounts counts;
  count(counts);
  return counts.summary();
}

void Restaurants::count(SeatingCounts& counts) const {
  auto& [customers, tables, sizes] = counts;
  uint64_t single_restaurants = 0, single_dishes = 0;  // most have one customer; counted apart, which is faster
  for (const Total& total : totals_) {
    if (total.customers == 1) {
      ++single_restaurants;
      continue;
    }
    customers.add(total.customers);
    tables.add(total.tables);
  }
  for (const Seat& seat : seats_) {
    if (seat.customers <= 1) {
      single_dishes += seat.customers;
    } else if (seat.tables & kHistogram) {
      for (const auto& bin : sizes_.bins(seat.tables & ~kHistogram)) sizes.add(bin.size, bin.tables);
    } else if (seat.tables == 1) {
      sizes.add(seat.customers);
    } else {
      sizes.add(1, seat.tables);
    }
  }
  customers.add(1, single_restaurants);
  tables.add(1, single_restaurants);
  sizes.add(1, single_dishes);
}

void Restaurants::set(uint32_t dish, std::span<const TableSizes::Bin> bins) {
  Seat& seat = seats_[dish];
  if (seat.tables & kHistogram) sizes_.destroy(seat.tables & ~kHistogram);
  seat = {};
  for (const auto& bin : bins) {
    seat.customers += bin.size * bin.tables;
    seat.tables += bin.tables;
  }
  if (seat.tables > 1 && seat.tables < seat.customers) seat.tables = sizes_.create(bins) | kHistogram;
}

namespace {

using Bins = std::vector<TableSizes::Bin>;

Bins::iterator bin_of(Bins& bins, uint32_t size) {
  return std::lower_bound(bins.begin(), bins.end(), size,
                          [](const TableSizes::Bin& bin, uint32_t s) { return bin.size < s; });
}

void take_table(Bins& bins, uint32_t size) {
  const auto bin = bin_of(bins, size);
  if (bin == bins.end() || bin->size != size)
    throw InternalError("no table of " + std::to_string(size) + " customers to leave");
  if (--bin->tables == 0) bins.erase(bin);
}

void put_table(Bins& bins, uint32_t size) {
  const auto bin = bin_of(bins, size);
  if (bin != bins.end() && bin->size == size) ++bin->tables;
  else bins.insert(bin, {size, 1});
}

}  // namespace

void Restaurants::relabel_among(uint32_t from, uint32_t to, uint32_t size) {
  Bins bins = table_sizes(from);
  take_table(bins, size);
  set(from, bins);
  bins = table_sizes(to);
  put_table(bins, size);
  set(to, bins);
}

void Restaurants::join_table(uint32_t r, uint32_t dish, uint32_t size) {
  if (size == 0) return open(r, dish);
  Bins bins = table_sizes(dish);
  take_table(bins, size);
  put_table(bins, size + 1);
  set(dish, bins);
  ++totals_[r].customers;
}

void Restaurants::leave_table(uint32_t r, uint32_t dish, uint32_t size) {
  Bins bins = table_sizes(dish);
  take_table(bins, size);
  if (size > 1) put_table(bins, size - 1);
  set(dish, bins);
  --totals_[r].customers;
  totals_[r].tables -= size == 1;
}

void Restaurants::save(std::vector<uint32_t>& tables, std::vector<uint32_t>& sizes) const {
  tables.clear();
  sizes.clear();
  tables.reserve(seats_.size());
  for (const Seat& seat : seats_) {
    tables.push_back(this->tables(seat));
    if (seat.tables & kHistogram)
      for (const auto& bin : sizes_.bins(seat.tables & ~kHistogram)) {
        sizes.push_back(bin.size);
        sizes.push_back(bin.tables);
      }
  }
}

std::vector<uint32_t> Restaurants::all_customers() const {
  std::vector<uint32_t> customers;
  customers.reserve(seats_.size());
  for (const Seat& seat : seats_) customers.push_back(seat.customers);
  return customers;
}

void Restaurants::restore(std::span<const uint32_t> customers, std::span<const uint32_t> restaurant,
                          std::span<const uint32_t> tables, std::span<const uint32_t> sizes) {
  const auto refuse = [](const std::string& what) { throw InputError("the saved seating is damaged: " + what); };
  if (customers.size() != seats_.size() || restaurant.size() != seats_.size() || tables.size() != seats_.size())
    refuse("wrong number of dishes");
  std::fill(totals_.begin(), totals_.end(), Total{});
  sizes_ = TableSizes();
  size_t at = 0;
  std::vector<TableSizes::Bin> bins;
  for (size_t d = 0; d < seats_.size(); ++d) {
    if (tables[d] > customers[d] || (tables[d] == 0) != (customers[d] == 0)) refuse("tables and customers disagree");
    if (tables[d] >> 31) refuse("too many tables");
    Seat seat{customers[d], tables[d]};
    if (tables[d] > 1 && tables[d] < customers[d]) {
      bins.clear();
      uint64_t seated = 0, counted = 0;
      while (counted < tables[d]) {
        if (at + 2 > sizes.size()) refuse("table sizes end early");
        const TableSizes::Bin bin{sizes[at], sizes[at + 1]};
        at += 2;
        if (bin.size == 0 || bin.tables == 0 || (!bins.empty() && bin.size <= bins.back().size))
          refuse("table sizes out of order");
        counted += bin.tables;
        seated += static_cast<uint64_t>(bin.size) * bin.tables;
        bins.push_back(bin);
      }
      if (counted != tables[d] || seated != customers[d]) refuse("table sizes do not add up");
      seat.tables = sizes_.create(bins) | kHistogram;
    }
    seats_[d] = seat;
    totals_[restaurant[d]].customers += customers[d];
    totals_[restaurant[d]].tables += tables[d];
  }
  if (at != sizes.size()) refuse("more table sizes than tables");
}

}  // namespace binyan::pitman_yor
