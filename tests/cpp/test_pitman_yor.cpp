// Restaurant arithmetic: seating, table sizes, likelihoods, hyperparameters, random streams.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "harness.hpp"
#include "pitman_yor/hyperparameters.hpp"
#include "pitman_yor/random.hpp"
#include "pitman_yor/restaurants.hpp"
#include "pitman_yor/rising_factorial.hpp"
#include "pitman_yor/stirling_numbers.hpp"
#include "pitman_yor/table_list.hpp"
#include "pitman_yor/wide_multiply.hpp"

using namespace binyan::pitman_yor;

namespace {

// Two restaurants of three dishes each, with a known history.
Restaurants seated(uint64_t seed, int customers) {
  Restaurants r(2, 6);
  Random random(seed);
  for (int i = 0; i < customers; ++i) {
    const uint32_t dish = static_cast<uint32_t>(random.below(6));
    r.add(dish / 3, dish, 1.0 / 3, random);
  }
  return r;
}

void check_sums(const Restaurants& r) {
  for (uint32_t restaurant = 0; restaurant < 2; ++restaurant) {
    uint64_t customers = 0, tables = 0;
    double probability = 0;
    for (uint32_t dish = restaurant * 3; dish < restaurant * 3 + 3; ++dish) {
      uint64_t seats = 0, own = 0;
      for (const auto& bin : r.table_sizes(dish)) {
        seats += uint64_t{bin.size} * bin.tables;
        own += bin.tables;
      }
      CHECK(seats == r.customers(dish) && own == r.tables(dish));
      customers += seats;
      tables += own;
      probability += r.probability(restaurant, dish, 1.0 / 3);
    }
    CHECK(customers == r.restaurant_customers(restaurant) && tables == r.restaurant_tables(restaurant));
    CHECK_NEAR(probability, 1.0, 1e-12);
  }
}

// Every way in which customers sit down one after the other: ordered table sizes and the sum of their weights.
using Seatings = std::map<std::vector<uint32_t>, double>;
void seat_all(uint32_t left, std::vector<uint32_t> sizes, double weight, double discount, Seatings& found) {
  if (left == 0) {
    std::sort(sizes.begin(), sizes.end());
    found[sizes] += weight;
    return;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto joined = sizes;
    ++joined[i];
    seat_all(left - 1, joined, weight * (sizes[i] - discount), discount, found);
  }
  sizes.push_back(1);
  seat_all(left - 1, sizes, weight, discount, found);
}

}  // namespace

TEST(stirling_numbers_are_sums_over_seatings) {
  for (double discount : {0.0, 0.3, 0.95}) {
    const StirlingNumbers stirling(8, 8, discount);
    for (uint32_t c = 1; c <= 8; ++c) {
      Seatings found;
      seat_all(c, {}, 1.0, discount, found);
      std::vector<double> sums(c + 1, 0.0);
      for (const auto& [sizes, weight] : found) sums[sizes.size()] += weight;
      for (uint32_t t = 1; t <= c; ++t)
        CHECK_NEAR(stirling.log_scaled(c, t), std::log(sums[t]) - std::lgamma(c), 1e-12);
    }
  }
  const StirlingNumbers largest(kMostSummedOut, kMostSummedOut, 0.999);
  for (uint32_t t = 1; t <= kMostSummedOut; ++t) CHECK(std::isfinite(largest.log_scaled(kMostSummedOut, t)));
}

TEST(table_sizes_are_drawn_by_their_weights) {
  const uint32_t customers = 7, draws = 40000;
  const double discount = 0.4;
  const StirlingNumbers stirling(customers, 3, discount);
  Seatings found;
  seat_all(customers, {}, 1.0, discount, found);
  double total = 0.0;
  for (const auto& [sizes, weight] : found) total += sizes.size() == 3 ? weight : 0.0;
  std::map<std::vector<uint32_t>, double> seen;
  Random random(5);
  for (uint32_t i = 0; i < draws; ++i) {
    std::vector<uint32_t> sizes(3);
    stirling.draw_sizes(customers, sizes, random);
    std::sort(sizes.begin(), sizes.end());
    seen[sizes] += 1.0 / draws;
  }
  for (const auto& [sizes, weight] : found)
    if (sizes.size() == 3) CHECK_NEAR(seen[sizes], weight / total, 0.011);
}

TEST(wide_products_agree) {
  Random random(1);
  constexpr std::array<uint64_t, 7> edges{0, 1, 2, 0xffffffffu, 0x100000000u, UINT64_MAX - 1, UINT64_MAX};
  for (uint64_t x : edges)
    for (uint64_t y : edges) CHECK(multiply_high(x, y) == multiply_high_portable(x, y));
  for (int i = 0; i < 100000; ++i) {
    const uint64_t x = random.next() >> random.below(64), y = random.next() >> random.below(64);
    CHECK(multiply_high(x, y) == multiply_high_portable(x, y));
  }
  static_assert(multiply_high_portable(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
}

TEST(random_streams_are_the_same_everywhere) {
  Random random(7, 2, 5);
  const std::array<uint64_t, 3> first{random.next(), random.next(), random.next()};
  Random again(7, 2, 5);
  for (uint64_t x : first) CHECK(again.next() == x);
  CHECK(Random(7, 2, 6).next() != first[0]);
  Random one(1);
  CHECK(one.next() == 0x3f8506cb87cd7d91ULL);  // of every machine and compiler
  for (int i = 0; i < 1000; ++i) {
    const double u = one.uniform();
    CHECK(u >= 0.0 && u < 1.0);
    CHECK(one.below(7) < 7);
  }
}

TEST(weights_of_a_restaurant_add_up) {
  const Hyperparameters h{0.3, 2.5};
  CHECK_NEAR(table_weight(4, h.discount) + table_weight(2, h.discount), old_tables_weight(6, 2, h.discount), 1e-15);
  CHECK_NEAR(old_tables_weight(6, 2, h.discount) + new_table_weight(2, h), total_weight(6, h), 1e-15);
}

TEST(rising_factorials) {
  for (double step : {0.0, 1e-14, 0.3, 1.0})
    for (uint64_t n : {0, 1, 15, 16, 17, 400}) {
      double sum = 0;
      for (uint64_t i = 0; i < n; ++i) sum += std::log(0.7 + static_cast<double>(i) * step);
      CHECK_NEAR(log_rising(0.7, step, n), sum, 1e-11);
    }
}

TEST(seating_keeps_its_sums) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Restaurants r = seated(seed, 300);
    check_sums(r);
    Random random(seed, 1);
    while (r.restaurant_customers(0) > 0) {
      uint32_t dish = static_cast<uint32_t>(random.below(3));
      while (r.customers(dish) == 0) dish = (dish + 1) % 3;
      r.remove(0, dish, random);
      check_sums(r);
    }
    CHECK(r.restaurant_tables(0) == 0 && r.restaurant_customers(1) > 0);
  }
}

TEST(likelihood_is_the_product_of_the_choices) {
  Random random(3);
  Restaurants r(1, 2);
  r.hyper = {0.4, 1.7};
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    const uint32_t dish = static_cast<uint32_t>(random.below(2));
    const double open = r.new_table_weight(0), total = r.total_weight(0);
    const double weight =
        r.draw_opening(0, dish, 0.5, random) ? (r.open(0, dish), open) : r.join(0, dish, random) - r.hyper.discount;
    sum += std::log(weight / total);
  }
  CHECK_NEAR(r.summary().log_likelihood(r.hyper), sum, 1e-11);
}

TEST(both_forms_of_the_likelihood_agree) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Restaurants r(1, 3);
    Random random(seed);
    for (int i = 0; i < 400; ++i) r.add(0, static_cast<uint32_t>(random.below(3)), 0.3, random);
    const SeatingSummary s = r.summary();
    for (const Hyperparameters& h :
         {Hyperparameters{0.5, 1.0}, Hyperparameters{0.01, 30.0}, Hyperparameters{0.95, 0.01}})
      CHECK_NEAR(log_seating(h, r.restaurant_customers(0), r.restaurant_tables(0), s.sizes), s.log_likelihood(h),
                 1e-11);
  }
  CHECK(log_seating({0.5, 1.0}, 0, 0, {}) == 0.0);
  CHECK(std::isfinite(log_seating({0.0, 1e-200}, 5, 3, {{1, 1}, {2, 2}})));
}

TEST(saved_seatings_are_restored) {
  const Restaurants r = seated(9, 400);
  std::vector<uint32_t> tables, sizes;
  r.save(tables, sizes);
  const std::vector<uint32_t> restaurant{0, 0, 0, 1, 1, 1};
  Restaurants other(2, 6);
  other.restore(r.all_customers(), restaurant, tables, sizes);
  check_sums(other);
  for (uint32_t d = 0; d < 6; ++d) CHECK(other.tables(d) == r.tables(d) && other.customers(d) == r.customers(d));
  tables[0] += 1;
  CHECK_THROWS(other.restore(r.all_customers(), restaurant, tables, sizes), std::runtime_error, "damaged");
}

TEST(tables_are_relabelled) {
  Restaurants r(1, 2);
  Random random(5);
  for (int i = 0; i < 60; ++i) r.add(0, 0, 0.9, random);
  const auto sizes = r.table_sizes(0);
  const uint32_t tables = r.tables(0);
  for (const auto& bin : sizes)
    for (uint32_t i = 0; i < bin.tables; ++i) r.relabel(0, 1, bin.size);
  CHECK(r.customers(0) == 0 && r.customers(1) == 60 && r.tables(1) == tables);
}

TEST(table_sizes_grow_and_shrink) {
  TableSizes sizes;
  Random random(2);
  const TableSizes::Bin bins[] = {{1, 1}, {3, 1}};
  uint32_t handle = sizes.create(bins), customers = 4;
  for (int i = 0; i < 5000; ++i) {
    if (customers < 5 || random.below(2) == 0) {
      if (random.below(3) == 0) sizes.open(handle);
      else if (random.below(2) == 0) sizes.join(handle, customers, 0.4, random);
      else sizes.join_any(handle, random);
      ++customers;
    } else {
      sizes.leave(handle, customers--, random);
    }
    uint64_t seats = 0, tables = 0;
    uint32_t last = 0;
    for (const auto& bin : sizes.bins(handle)) {
      CHECK(bin.size > last && bin.tables > 0);
      last = bin.size;
      seats += uint64_t{bin.size} * bin.tables;
      tables += bin.tables;
    }
    CHECK(seats == customers && tables == sizes.tables(handle));
  }
}

TEST(steps_on_a_table_list_are_undone) {
  Random random(4);
  TableList list;
  for (int round = 0; round < 500; ++round) {
    const TableList before = list;
    const bool opens = list.tables == 0 || random.below(3) == 0;
    const uint32_t table = opens ? list.tables : list.draw_to_join(0.3, random);
    opens ? list.open(table) : list.join(table);
    const TableList after = list;
    opens ? list.close(table) : list.leave(table);
    CHECK(list.customers == before.customers && list.tables == before.tables && list.sizes == before.sizes);
    list = after;
    double sum = 0;
    for (uint32_t t = 0; t < list.tables; ++t) sum += list.join_probability(t, 0.3);
    CHECK_NEAR(sum, 1.0, 1e-12);
    if (list.customers > 30) {
      const uint32_t leaves = list.draw_to_leave(random);
      list.size(leaves) == 1 ? list.close(leaves) : list.leave(leaves);
    }
  }
  CHECK(std::accumulate(list.sizes.begin(), list.sizes.end(), 0u) == list.customers);
}

TEST(hyperparameters_follow_their_posterior) {
  // The mean over slice-sampled values against the mean over a grid.
  const SeatingSummary summary{{{50, 1}}, {{8, 1}}, {{1, 3}, {5, 2}, {9, 1}, {14, 2}}};
  double weight = 0, discount = 0, log_strength = 0;
  for (double a = 0.005; a < 1.0; a += 0.01)
    for (double x = -150.0; x < 6.0; x += 0.1) {
      const double b = std::exp(x), p = std::exp(summary.log_likelihood({a, b}) + log_strength_prior(b) + x + 60.0);
      weight += p;
      discount += p * a;
      log_strength += p * x;
    }
  Hyperparameters h;
  Random random(11);
  double mean_discount = 0, mean_log_strength = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    resample(h, summary, random);
    mean_discount += h.discount / kDraws;
    mean_log_strength += std::log(h.strength) / kDraws;
  }
  CHECK_NEAR(mean_discount, discount / weight, 0.01);
  CHECK_NEAR(mean_log_strength, log_strength / weight, 0.1);
}

MAIN
