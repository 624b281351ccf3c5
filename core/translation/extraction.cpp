#include "translation/extraction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::translation {

RuleCounter::RuleCounter(ExtractionLimits limits, const PatternFilter* filter)
    : limits_(limits), filter_(filter), table_(1 << 12, kNoIndex) {
  if (limits.max_span < 1 || limits.max_span > 100)
    throw InputError("the span limit of phrases is between 1 and 100, not " + std::to_string(limits.max_span));
  if (limits.max_gaps > 2) throw InputError("rules have at most 2 gaps, not " + std::to_string(limits.max_gaps));
}

void RuleCounter::find_phrases(std::span<const uint32_t> source, std::span<const uint32_t> target,
                               std::span<const Link> links) {
  source_ = source;
  target_ = target;
  const size_t n = source.size(), m = target.size();
  if (n > INT16_MAX || m > INT16_MAX)
    throw InputError("a sentence of over " + std::to_string(INT16_MAX) + " words: is there one sentence on a line?");
  constexpr int kFar = std::numeric_limits<int>::max();
  low_.assign(n, kFar);
  high_.assign(n, -1);
  back_low_.assign(m, kFar);
  back_high_.assign(m, -1);
  aligned_.assign(n, 0);
  for (Link l : links) {
    if (l.source >= n || l.target >= m)
      throw InputError("link " + std::to_string(l.source) + "-" + std::to_string(l.target) +
                       " points outside a pair of " + std::to_string(n) + " and " + std::to_string(m) + " words");
    aligned_[l.source] = 1;
    low_[l.source] = std::min<int>(low_[l.source], l.target);
    high_[l.source] = std::max<int>(high_[l.source], l.target);
    back_low_[l.target] = std::min<int>(back_low_[l.target], l.source);
    back_high_[l.target] = std::max<int>(back_high_[l.target], l.source);
  }
  // Initial phrases, the smallest of those with the same links: both ends are aligned words.
  phrases_.assign(n * limits_.max_span, {});
  for (size_t i = 0; i < n; ++i) {
    if (!aligned_[i]) continue;
    int first = kFar, last = -1;
    for (size_t j = i; j < n && j - i < limits_.max_span; ++j) {
      first = std::min(first, low_[j]);
      last = std::max(last, high_[j]);
      if (!aligned_[j] || last - first >= static_cast<int>(limits_.max_span)) continue;
      bool closed = true;
      for (int t = first; closed && t <= last; ++t)
        closed = back_high_[t] < 0 || (back_low_[t] >= static_cast<int>(i) && back_high_[t] <= static_cast<int>(j));
      if (closed) phrases_[i * limits_.max_span + (j - i)] = {static_cast<int16_t>(first), static_cast<int16_t>(last)};
    }
  }
}

void RuleCounter::emit(uint32_t end) {
  ++per_end_[end - start_ - 1];
  if (filter_ && !totals_only_ && !filter_->contains(pattern_)) return;
  const Phrase whole = phrase(start_, end - 1);
  target_side_.clear();
  for (int t = whole.first; t <= whole.last; ++t) {
    uint32_t symbol = target_[t];
    for (uint32_t g = 0; g < gaps_.size(); ++g) {
      const Phrase hole = phrase(gaps_[g].first, gaps_[g].last);
      if (hole.first == t) {
        symbol = kFirstGap - g;
        t = hole.last;
        break;
      }
    }
    target_side_.push_back(symbol);
  }
  if (totals_only_) {
    if (const uint32_t id = targets_.find(target_side_); id != kNoIndex) found_.push_back({end, 0, id});
  } else {
    found_.push_back({end, sources_.intern(pattern_), targets_.intern(target_side_)});
  }
}

// All patterns that begin at start_ with pattern_ over [start_, position); `aligned` of its words have links.
void RuleCounter::extend(uint32_t position, uint32_t aligned) {
  if (aligned && phrase(start_, position - 1).first >= 0) emit(position);
  if (pattern_.size() == limits_.max_symbols || position == source_.size() || position - start_ == limits_.max_span)
    return;
  pattern_.push_back(source_[position]);
  extend(position + 1, aligned + aligned_[position]);
  pattern_.back() = kFirstGap;
  const bool after_gap = pattern_.size() > 1 && pattern_[pattern_.size() - 2] == kFirstGap;
  if (gaps_.size() < limits_.max_gaps && !after_gap)
    for (uint32_t last = position; last < source_.size() && last - start_ < limits_.max_span; ++last)
      if (phrase(position, last).first >= 0) {
        gaps_.push_back({position, last});
        extend(last + 1, aligned);
        gaps_.pop_back();
      }
  pattern_.pop_back();
}

void RuleCounter::extract(std::span<const uint32_t> source, std::span<const uint32_t> target,
                          std::span<const Link> links) {
  find_phrases(source, target, links);
  for (start_ = 0; start_ < source.size(); ++start_) {
    if (!aligned_[start_]) continue;
    found_.clear();
    per_end_.assign(limits_.max_span, 0);
    extend(start_, 0);
    if (!totals_only_) count_spans();
    // Each initial phrase has a count of one, shared by the rules obtained from it.
    for (const Instance& i : found_) count(i, 1.0 / per_end_[i.end - start_ - 1]);
  }
}

void RuleCounter::count_spans() {
  spans_.clear();
  for (const Instance& i : found_) spans_.push_back(uint64_t{i.source} << 32 | i.end);
  std::ranges::sort(spans_);
  spans_.erase(std::unique(spans_.begin(), spans_.end()), spans_.end());
  source_spans_.resize(sources_.size(), 0);
  for (uint64_t s : spans_) ++source_spans_[s >> 32];
}

void RuleCounter::count(const Instance& instance, double share) {
  if (instance.target >= target_total_.size()) target_total_.resize(targets_.size(), 0.0);
  if (totals_only_ || !filter_) target_total_[instance.target] += share;
  if (totals_only_) return;
  ++instances_;
  if (instance.source >= source_total_.size()) source_total_.resize(sources_.size(), 0.0);
  source_total_[instance.source] += share;
  source_seen_.resize(source_total_.size(), 0);
  ++source_seen_[instance.source];
  auto slot = [&](Rule r) {
    uint64_t h = (uint64_t{r.source} << 32 | r.target) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    uint64_t at = h & (table_.size() - 1);
    while (table_[at] != kNoIndex && (rules_[table_[at]].source != r.source || rules_[table_[at]].target != r.target))
      at = (at + 1) & (table_.size() - 1);
    return at;
  };
  const Rule rule{instance.source, instance.target};
  const uint64_t at = slot(rule);
  if (table_[at] != kNoIndex) {
    share_[table_[at]] += static_cast<float>(share);
    ++occurrences_[table_[at]];
    return;
  }
  table_[at] = static_cast<uint32_t>(rules_.size());
  rules_.push_back(rule);
  share_.push_back(static_cast<float>(share));
  occurrences_.push_back(1);
  if (rules_.size() * 2 > table_.size()) {
    table_.assign(table_.size() * 2, kNoIndex);
    for (uint32_t r = 0; r < rules_.size(); ++r) table_[slot(rules_[r])] = r;
  }
}

void RuleCounter::add(std::span<const uint32_t> source, std::span<const uint32_t> target, std::span<const Link> links) {
  totals_only_ = false;
  extract(source, target, links);
  lexicon_.add(source, target, links);
}

void RuleCounter::add_target_totals(std::span<const uint32_t> source, std::span<const uint32_t> target,
                                    std::span<const Link> links) {
  totals_only_ = true;
  extract(source, target, links);
}

Grammar RuleCounter::finish() const {
  std::vector<uint32_t> kept;
  for (uint32_t r = 0; r < rules_.size(); ++r) {
    const auto source = sources_[rules_[r].source];
    if (occurrences_[r] >= limits_.min_count || std::ranges::none_of(source, is_gap)) kept.push_back(r);
  }
  // Most frequent first; ties in the order of the target side's symbols, so that the text alone decides.
  std::ranges::sort(kept, [&](uint32_t a, uint32_t b) {
    if (rules_[a].source != rules_[b].source) return rules_[a].source < rules_[b].source;
    if (share_[a] != share_[b]) return share_[a] > share_[b];
    return std::ranges::lexicographical_compare(targets_[rules_[a].target], targets_[rules_[b].target]);
  });
  std::vector<Rule> rules;
  std::vector<float> features;
  uint32_t of_source = 0;
  for (size_t k = 0; k < kept.size(); ++k) {
    const uint32_t r = kept[k];
    of_source = k > 0 && rules_[kept[k - 1]].source == rules_[r].source ? of_source + 1 : 0;
    if (limits_.max_targets && of_source >= limits_.max_targets) continue;
    const auto source = sources_[rules_[r].source], target = targets_[rules_[r].target];
    rules.push_back(rules_[r]);
    features.push_back(
        std::min(0.0f, static_cast<float>(elementary::log(share_[r] / source_total_[rules_[r].source]))));
    features.push_back(
        std::min(0.0f, static_cast<float>(elementary::log(share_[r] / target_total_[rules_[r].target]))));
    features.push_back(lexicon_.target_given_source(source, target));
    features.push_back(lexicon_.source_given_target(source, target));
    features.push_back(static_cast<float>(elementary::log(static_cast<double>(occurrences_[r]))));
    features.push_back(occurrences_[r] == 1 ? 1.0f : 0.0f);
    const auto seen = source_seen_[rules_[r].source];
    features.push_back(elementary::log(static_cast<float>(seen)));
    features.push_back(seen == 1 ? 1.0f : 0.0f);
    features.push_back(elementary::log(static_cast<float>(source_spans_[rules_[r].source])));
  }
  return Grammar::pack(sources_, targets_, rules, features, kFeatures);
}

void LexicalTable::add(std::span<const uint32_t> source, std::span<const uint32_t> target,
                       std::span<const Link> links) {
  auto count = [&](uint32_t s, uint32_t t) {
    ++joint_[uint64_t{s} << 32 | t];
    if (s >= source_total_.size()) source_total_.resize(s + 1, 0);
    if (t >= target_total_.size()) target_total_.resize(t + 1, 0);
    ++source_total_[s];
    ++target_total_[t];
  };
  std::vector<uint8_t> source_aligned(source.size(), 0), target_aligned(target.size(), 0);
  for (Link l : links) {
    source_aligned[l.source] = target_aligned[l.target] = 1;
    count(source[l.source], target[l.target]);
  }
  for (size_t i = 0; i < source.size(); ++i)
    if (!source_aligned[i]) count(source[i], 0);
  for (size_t i = 0; i < target.size(); ++i)
    if (!target_aligned[i]) count(0, target[i]);
}

double LexicalTable::joint(uint32_t source, uint32_t target) const {
  const auto at = joint_.find(uint64_t{source} << 32 | target);
  return at == joint_.end() ? 0.0 : at->second;
}

namespace {
constexpr double kLeast = 1e-7;  // of a pair of words never linked
}

float LexicalTable::target_given_source(std::span<const uint32_t> source, std::span<const uint32_t> target) const {
  double sum = 0;
  for (uint32_t t : target) {
    if (is_gap(t)) continue;
    double best = !source_total_.empty() && source_total_[0] ? joint(0, t) / static_cast<double>(source_total_[0]) : 0;
    for (uint32_t s : source)
      if (!is_gap(s)) best = std::max(best, joint(s, t) / static_cast<double>(source_total_[s]));
    sum += elementary::log(std::max(best, kLeast));
  }
  return static_cast<float>(sum);
}

float LexicalTable::source_given_target(std::span<const uint32_t> source, std::span<const uint32_t> target) const {
  double sum = 0;
  for (uint32_t s : source) {
    if (is_gap(s)) continue;
    double best = !target_total_.empty() && target_total_[0] ? joint(s, 0) / static_cast<double>(target_total_[0]) : 0;
    for (uint32_t t : target)
      if (!is_gap(t)) best = std::max(best, joint(s, t) / static_cast<double>(target_total_[t]));
    sum += elementary::log(std::max(best, kLeast));
  }
  return static_cast<float>(sum);
}

uint64_t PatternFilter::hash(std::span<const uint32_t> pattern) {
  uint64_t h = 0x243F6A8885A308D3ull;
  for (uint32_t s : pattern) {
    h = (h ^ s) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 31;
  }
  return h ? h : 1;
}

bool PatternFilter::insert(uint64_t key) {
  if (size_ * 2 >= slots_.size()) {
    std::vector<uint64_t> old = std::move(slots_);
    slots_.assign(std::max<size_t>(1 << 12, old.size() * 2), 0);
    size_ = 0;
    for (uint64_t k : old)
      if (k) insert(k);
  }
  uint64_t at = key & (slots_.size() - 1);
  while (slots_[at] && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at]) return false;
  slots_[at] = key;
  ++size_;
  return true;
}

bool PatternFilter::contains(std::span<const uint32_t> pattern) const {
  const uint64_t key = hash(pattern);
  uint64_t at = key & (slots_.size() - 1);
  while (slots_[at] && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
  return slots_[at] != 0;
}

PatternFilter::PatternFilter(std::span<const uint32_t> words, std::span<const uint64_t> offsets,
                             const ExtractionLimits& limits)
    : slots_(1 << 12, 0) {
  struct Item {
    std::vector<uint32_t> pattern;
    uint32_t position, gaps;
  };
  std::vector<Item> stack;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto sentence = words.subspan(offsets[i], offsets[i + 1] - offsets[i]);
    for (uint32_t start = 0; start < sentence.size(); ++start) {
      const uint32_t end =
          static_cast<uint32_t>(std::min<uint64_t>(sentence.size(), uint64_t{start} + limits.max_span));
      stack.push_back({{}, start, 0});
      while (!stack.empty()) {
        Item item = std::move(stack.back());
        stack.pop_back();
        if (!item.pattern.empty()) insert(hash(item.pattern));
        if (item.pattern.size() == limits.max_symbols || item.position == end) continue;
        const bool after_gap = !item.pattern.empty() && is_gap(item.pattern.back());
        item.pattern.push_back(sentence[item.position]);
        stack.push_back({item.pattern, item.position + 1, item.gaps});
        if (after_gap || item.gaps == limits.max_gaps) continue;
        item.pattern.back() = kFirstGap;
        for (uint32_t p = item.position + 1; p <= end; ++p) stack.push_back({item.pattern, p, item.gaps + 1});
      }
    }
  }
}

}  // namespace binyan::translation
