#include "clustering/brown.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::clustering {

namespace {
constexpr double scale = 0x1.0p24;  // of fixed point: 2^32 log 2^32 * 2^24 is well within 63 bits
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr uint64_t table_size = uint64_t{1} << 18;
}  // namespace

BrownClustering::Fixed BrownClustering::n_log_n(uint64_t n) {
  return n < 2 ? 0 : std::llround(static_cast<double>(n) * elementary::log(static_cast<double>(n)) * scale);
}

BrownClustering::BrownClustering(const Bigrams& bigrams, uint32_t classes)
    : bigrams_(bigrams), classes_(classes), slot_of_(bigrams.types(), kNoIndex) {
  for (uint32_t v = 0; v < bigrams.types(); ++v) {
    if (bigrams.frequency[v] > 0) order_.push_back(v);
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](uint32_t a, uint32_t b) { return bigrams.frequency[a] > bigrams.frequency[b]; });
  if (classes_ < 1) throw InputError("at least one class is needed");
  if (classes_ > order_.size()) {
    throw InputError(std::to_string(classes_) + " classes for " + std::to_string(order_.size()) +
                     " word types; ask for no more classes than types");
  }
  slots_ = classes_ + 1;
  const size_t cells = size_t{slots_} * slots_;
  members_.resize(slots_);
  right_.assign(cells, 0);
  left_.assign(cells, 0);
  f_loss_.assign(cells, 0);
  log_sum_.assign(cells, 0);
  loss_.assign(cells, infinite);
  least_.assign(slots_, infinite);
  least_where_.assign(slots_, 0);
  frequency_.assign(slots_, 0);
  within_.assign(slots_, 0);
  log_frequency_.assign(slots_, 0);
  mark_.assign(slots_, 0);
  row_.resize(slots_);
  f_table_.resize(std::min<uint64_t>(2 * bigrams.total + 2, table_size));
  for (uint64_t n = 0; n < f_table_.size(); ++n) f_table_[n] = n_log_n(n);
}

// f-part of the loss of (v, w) from the four cells among v and w.
BrownClustering::Fixed BrownClustering::own(uint32_t v, uint32_t w) const {
  const uint64_t vv = right(v)[v], vw = right(v)[w], wv = right(w)[v], ww = right(w)[w];
  return f(vv) + f(vw) + f(wv) + f(ww) - f(vv + vw + wv + ww);
}

// row[w] += sign * (f-part of the loss of (v, w) from the cells of v and of w with x), for every w.
void BrownClustering::shared(uint32_t x, uint32_t v, Fixed sign, Fixed* row) const {
  const uint64_t vx = right(v)[x], xv = left(v)[x];
  if (vx) {
    const uint32_t* wx = left(x);
    const Fixed f_vx = f(vx);
    for (uint32_t w = 0; w < slots_; ++w) {
      if (wx[w]) row[w] += sign * (f_vx + f(wx[w]) - f(vx + wx[w]));
    }
  }
  if (xv) {
    const uint32_t* xw = right(x);
    const Fixed f_xv = f(xv);
    for (uint32_t w = 0; w < slots_; ++w) {
      if (xw[w]) row[w] += sign * (f_xv + f(xw[w]) - f(xv + xw[w]));
    }
  }
}

// row[w] += sign * (f-part of the loss of (v, w) through the classes `through`, and through v and w themselves), for
// every w. v itself may be in `through`; rows of free slots and of v are left meaningless.
void BrownClustering::pair_losses(uint32_t v, std::span<const uint32_t> through, Fixed sign, Fixed* row) const {
  for (const uint32_t x : through) {
    if (x == v) continue;
    const Fixed before = row[x];
    shared(x, v, sign, row);
    row[x] = before;  // x is not beside the pair (v, x), it is in it
  }
  for (uint32_t w = 0; w < slots_; ++w) {
    if (w != v && !members_[w].empty()) row[w] += sign * own(v, w);
  }
}

void BrownClustering::set_f_loss(uint32_t v, uint32_t w, Fixed value) {
  f_loss_[size_t{v} * slots_ + w] = f_loss_[size_t{w} * slots_ + v] = value;
}

std::vector<uint32_t> BrownClustering::neighbours(uint32_t s) const {
  std::vector<uint32_t> hit;
  for (uint32_t x = 0; x < slots_; ++x) {
    if (right(s)[x] | left(s)[x]) hit.push_back(x);
  }
  return hit;
}

void BrownClustering::refresh_logs(uint32_t v) {
  log_frequency_[v] = elementary::log(static_cast<double>(frequency_[v]));
  for (uint32_t w = 0; w < slots_; ++w) {
    log_sum_[size_t{v} * slots_ + w] = log_sum_[size_t{w} * slots_ + v] =
        elementary::log(static_cast<double>(frequency_[v] + frequency_[w]));
  }
}

void BrownClustering::rescan(uint32_t v) {
  const double* row = &loss_[size_t{v} * slots_];
  least_[v] = infinite;
  for (uint32_t w = 0; w < v; ++w) {
    if (row[w] < least_[v]) least_[v] = row[w], least_where_[v] = w;
  }
}

// Bring loss_ and the least of each row up to date where f_loss_, A or n of the `changed` slots is new.
void BrownClustering::refresh(std::span<const uint32_t> changed) {
  for (const uint32_t v : changed) mark_[v] = 1;
  for (const uint32_t v : changed) {
    double* row = &loss_[size_t{v} * slots_];
    const Fixed* f_row = &f_loss_[size_t{v} * slots_];
    const double* log_row = &log_sum_[size_t{v} * slots_];
    const double a = static_cast<double>(within_[v]), own_term = a * log_frequency_[v];
    const bool live = !members_[v].empty();
    for (uint32_t w = 0; w < slots_; ++w) {
      const double b = static_cast<double>(within_[w]);
      // Symmetric in v and w to the last bit.
      row[w] =
          static_cast<double>(f_row[w]) * (1 / scale) + ((a + b) * log_row[w] - (own_term + b * log_frequency_[w]));
    }
    for (uint32_t w = 0; w < slots_; ++w) {
      if (!live || w == v || members_[w].empty()) row[w] = infinite;
      loss_[size_t{w} * slots_ + v] = row[w];
      if (w > v && !mark_[w]) {
        if (row[w] < least_[w] || (row[w] == least_[w] && v < least_where_[w])) {
          least_[w] = row[w], least_where_[w] = v;
        } else if (least_where_[w] == v && row[w] > least_[w]) {
          mark_[w] = 2;
        }
      }
    }
  }
  for (uint32_t w = 0; w < slots_; ++w) {
    if (mark_[w]) rescan(w);
    mark_[w] = 0;
  }
}

void BrownClustering::enter(uint32_t word) {
  uint32_t s = 0;
  while (!members_[s].empty()) ++s;
  members_[s] = {word};
  slot_of_[word] = s;
  ++live_;
  frequency_[s] = bigrams_.frequency[word];
  within_[s] = 0;
  for (uint64_t i = bigrams_.right_first[word]; i < bigrams_.right_first[word + 1]; ++i) {
    if (const uint32_t x = slot_of_[bigrams_.right_word[i]]; x != kNoIndex) add(s, x, bigrams_.right_count[i]);
  }
  for (uint64_t i = bigrams_.left_first[word]; i < bigrams_.left_first[word + 1]; ++i) {
    const uint32_t x = slot_of_[bigrams_.left_word[i]];
    if (x != kNoIndex && x != s) add(x, s, bigrams_.left_count[i]);
  }
  std::vector<uint32_t> near = neighbours(s);
  for (const uint32_t x : near) {
    const uint64_t links = uint64_t{right(s)[x]} + left(s)[x];
    within_[s] += links;
    if (x != s) within_[x] += links;
  }
  for (const uint32_t v : near) {  // pairs that both touch the new class
    if (v == s) continue;
    Fixed* row = &f_loss_[size_t{v} * slots_];
    const Fixed self = row[v], with_new = row[s];
    shared(s, v, 1, row);
    row[v] = self, row[s] = with_new;
  }
  std::fill(row_.begin(), row_.end(), 0);
  pair_losses(s, near, 1, row_.data());
  for (uint32_t w = 0; w < slots_; ++w) {
    if (w != s) set_f_loss(s, w, row_[w]);
  }
  refresh_logs(s);
  if (std::find(near.begin(), near.end(), s) == near.end()) near.push_back(s);
  refresh(near);
}

void BrownClustering::merge_best() {
  const auto v = static_cast<uint32_t>(std::min_element(least_.begin(), least_.end()) - least_.begin());
  merge(v, least_where_[v]);
}

// Add, for pairs (v, w) of which one has cells with s, what the f-part through the union of s and t exceeds that
// through s and through t by; in one direction, where `with_s[v]` and `with_t[v]` are the cells of v.
void BrownClustering::through_union(const uint32_t* with_s, const uint32_t* with_t, std::span<const uint32_t> near,
                                    uint32_t s, uint32_t t) {
  beside_.clear();
  for (uint32_t w = 0; w < slots_; ++w) {
    if (w != s && w != t && (with_s[w] | with_t[w])) beside_.push_back(w);
  }
  for (const uint32_t v : near) {
    const uint64_t a = with_s[v], b = with_t[v];
    if (!a) continue;
    const Fixed f_a = f(a), f_b = f(b), f_ab = f(a + b);
    Fixed* row = &f_loss_[size_t{v} * slots_];
    for (const uint32_t w : beside_) {
      const uint64_t c = with_s[w], e = with_t[w];
      Fixed d;
      if (c == 0) {
        d = f_ab - f_b + f(b + e) - f(a + b + e);
      } else {
        if (w <= v) continue;  // both have cells with s: each such pair once
        d = f_ab - f_a - f_b + f(c + e) - f(c) - f(e) + f(a + c) + f(b + e) - f(a + b + c + e);
      }
      row[w] += d;
      f_loss_[size_t{w} * slots_ + v] = row[w];
    }
  }
}

void BrownClustering::merge(uint32_t s, uint32_t t) {
  std::vector<uint32_t> near = neighbours(s), near_t = neighbours(t);
  if (near.size() > near_t.size()) std::swap(s, t), std::swap(near, near_t);
  std::erase_if(near, [&](uint32_t x) { return x == s || x == t; });

  through_union(left(s), left(t), near, s, t);
  through_union(right(s), right(t), near, s, t);

  // The row of the union: that of t, with the terms through neighbours of s, through s, and of t's own cells replaced.
  std::copy_n(&f_loss_[size_t{t} * slots_], slots_, row_.begin());
  near.push_back(s);
  pair_losses(t, near, -1, row_.data());
  near.pop_back();
  for (uint32_t x = 0; x < slots_; ++x) {
    if (x == s || x == t) continue;
    add(t, x, right(s)[x]);
    add(x, t, left(s)[x]);
  }
  add(t, t, right(s)[s] + right(s)[t] + right(t)[s]);
  for (uint32_t x = 0; x < slots_; ++x) set(s, x, 0), set(x, s, 0);
  for (const uint32_t word : members_[s]) slot_of_[word] = t;
  members_[t].insert(members_[t].end(), members_[s].begin(), members_[s].end());
  members_[s].clear();
  --live_;
  frequency_[t] += frequency_[s];
  within_[t] += within_[s];
  frequency_[s] = within_[s] = 0;
  pair_losses(t, near, 1, row_.data());
  for (uint32_t w = 0; w < slots_; ++w) {
    set_f_loss(s, w, 0);
    if (w != t && w != s) set_f_loss(t, w, row_[w]);
  }
  refresh_logs(t);
  log_frequency_[s] = 0;
  near.push_back(s);
  near.push_back(t);
  refresh(near);
}

bool BrownClustering::step(uint32_t words) {
  for (uint32_t i = 0; i < words && next_ < order_.size(); ++i) {
    enter(order_[next_++]);
    if (live_ > classes_) merge_best();
  }
  return next_ < order_.size();
}

std::vector<BrownClustering::Fixed> BrownClustering::f_loss_by_definition() const {
  std::vector<Fixed> table(f_loss_.size());
  std::vector<uint32_t> all;
  for (uint32_t v = 0; v < slots_; ++v) {
    if (!members_[v].empty()) all.push_back(v);
  }
  std::vector<Fixed> row(slots_);
  for (const uint32_t v : all) {
    std::fill(row.begin(), row.end(), 0);
    pair_losses(v, all, 1, row.data());
    for (const uint32_t w : all) {
      if (w != v) table[size_t{v} * slots_ + w] = row[w];
    }
  }
  return table;
}

void BrownClustering::rebuild() {
  f_loss_ = f_loss_by_definition();
  std::vector<uint32_t> all;
  for (uint32_t v = 0; v < slots_; ++v) {
    within_[v] = 0;
    for (uint32_t x = 0; x < slots_; ++x) within_[v] += uint64_t{right(v)[x]} + left(v)[x];
    if (!members_[v].empty()) {
      refresh_logs(v);
      all.push_back(v);
    }
  }
  refresh(all);
}

bool BrownClustering::tables_hold() const {
  const std::vector<Fixed> table = f_loss_by_definition();
  for (uint32_t v = 0; v < slots_; ++v) {
    uint64_t within = 0;
    for (uint32_t x = 0; x < slots_; ++x) within += uint64_t{right(v)[x]} + left(v)[x];
    if (within != within_[v]) return false;
    double least = infinite;
    for (uint32_t w = 0; w < slots_; ++w) {
      if (w == v || members_[v].empty() || members_[w].empty()) continue;
      if (table[size_t{v} * slots_ + w] != f_loss_[size_t{v} * slots_ + w]) return false;
      if (loss_[size_t{v} * slots_ + w] != loss_[size_t{w} * slots_ + v]) return false;
      if (w < v) least = std::min(least, loss_[size_t{v} * slots_ + w]);
    }
    if (least != least_[v]) return false;
  }
  return true;
}

void BrownClustering::finish() {
  if (next_ < order_.size()) throw InternalError("BrownClustering::finish before the last step");
  node_of_.assign(slots_, kNoIndex);
  class_of_slot_.assign(slots_, kNoIndex);
  const std::vector<uint32_t> slot_of = slot_of_;
  uint32_t leaves = 0;
  std::vector<uint32_t> slot_of_leaf;
  for (uint32_t v = 0; v < slots_; ++v) {
    if (!members_[v].empty()) node_of_[v] = leaves++, slot_of_leaf.push_back(v);
  }
  while (live_ > 1) {
    const auto v = static_cast<uint32_t>(std::min_element(least_.begin(), least_.end()) - least_.begin());
    const uint32_t w = least_where_[v];
    tree_.emplace_back(node_of_[v], node_of_[w]);
    merge(v, w);
    node_of_[members_[v].empty() ? w : v] = leaves + static_cast<uint32_t>(tree_.size()) - 1;
  }
  slot_of_ = slot_of;
  std::vector<std::pair<uint32_t, std::string>> todo{{leaves + static_cast<uint32_t>(tree_.size()) - 1, ""}};
  while (!todo.empty()) {
    const auto [node, path] = todo.back();
    todo.pop_back();
    if (node < leaves) {
      class_of_slot_[slot_of_leaf[node]] = static_cast<uint32_t>(paths_.size());
      paths_.push_back(path);
    } else {
      const auto [zero, one] = tree_[node - leaves];
      todo.emplace_back(one, path + '1');
      todo.emplace_back(zero, path + '0');
    }
  }
}

std::vector<uint32_t> BrownClustering::class_of() const {
  if (paths_.empty()) throw InternalError("BrownClustering::class_of before finish");
  std::vector<uint32_t> classes(slot_of_.size(), kNoIndex);
  for (size_t w = 0; w < slot_of_.size(); ++w) {
    if (slot_of_[w] != kNoIndex) classes[w] = class_of_slot_[slot_of_[w]];
  }
  return classes;
}

}  // namespace binyan::clustering
