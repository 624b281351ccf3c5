#include "translation/sentence_decoder.hpp"

#include <algorithm>

#include "no_index.hpp"

namespace binyan::translation {
namespace {

constexpr uint32_t kGlueFirstTarget[] = {kFirstGap}, kGlueJoinTarget[] = {kFirstGap, kSecondGap};

uint64_t hash(const uint32_t* state, uint32_t width) {
  uint64_t h = width;
  for (uint32_t i = 0; i < width; ++i) {
    h = (h ^ state[i]) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 30;
  }
  return h;
}

// Nodes of a cell by state.
class StateIndex {
 public:
  StateIndex() : slots_(256, Slot{0, kNoIndex}) {}
  // The node with this hash for which `equal` holds, or kNoIndex.
  template <class Equal>
  uint32_t find(uint64_t h, Equal equal) const {
    for (uint64_t i = h & mask(); slots_[i].node != kNoIndex; i = (i + 1) & mask())
      if (slots_[i].hash == h && equal(slots_[i].node)) return slots_[i].node;
    return kNoIndex;
  }
  void add(uint64_t h, uint32_t node) {
    if (++size_ * 2 > slots_.size()) {
      std::vector<Slot> old(slots_.size() * 2, Slot{0, kNoIndex});
      old.swap(slots_);
      for (const Slot& s : old)
        if (s.node != kNoIndex) place(s);
    }
    place({h, node});
  }

 private:
  struct Slot {
    uint64_t hash;
    uint32_t node;
  };
  uint64_t mask() const { return slots_.size() - 1; }
  void place(Slot slot) {
    uint64_t i = slot.hash & mask();
    while (slots_[i].node != kNoIndex) i = (i + 1) & mask();
    slots_[i] = slot;
  }
  std::vector<Slot> slots_;  // open addressing; a power of two
  size_t size_ = 0;
};

}  // namespace

SentenceDecoder::SentenceDecoder(const Decoder& decoder, const SourceSentence& sentence, DecoderWorkspace& workspace)
    : decoder_(decoder),
      grammar_(decoder.grammar_),
      sentence_(sentence),
      weights_(decoder.weights_.data() + decoder.rule_features_),
      size_(static_cast<uint32_t>(sentence.words.size())),
      span_(std::min(decoder.settings_.max_span, size_)),
      workspace_(workspace),
      models_(workspace.models) {
  graph_.model_width = models_.values();
  graph_.span_rules = sentence.span_rules;
  cells_.resize(uint64_t{size_} * (span_ + 1));
  prefixes_.resize(size_ + 1);
  estimates_.resize(decoder.models_.features().size());
  copies_.resize(size_);
  scratch_.resize(models_.width());
  scratch_values_.resize(models_.values());
  glue_first_.push_back({kGlueFirst, 0, kGlueFirstTarget, 0, 0});
  glue_join_.push_back({kGlueJoin, 0, kGlueJoinTarget, weights_[kGlueFeature], weights_[kGlueFeature]});
  if (sentence.span_rules) add_span_options();
}

Hypergraph SentenceDecoder::run() {
  for (uint32_t start = size_; start-- > 0;) fill_from(start);
  for (uint32_t end = 1; end <= size_; ++end) glue(end);
  finish();
  return std::move(graph_);
}

void SentenceDecoder::add_option(Options& list, uint32_t rule, uint32_t word, std::span<const uint32_t> target,
                                 float score) {
  // The words between gaps, each run on its own.
  Option option{rule, word, target, score, 0};
  for (size_t first = 0; first < target.size();) {
    size_t last = first;
    while (last < target.size() && !is_gap(target[last])) ++last;
    if (last > first) {
      option.score += weights_[kWordFeature] * static_cast<float>(last - first);
      models_.combine(target.subspan(first, last - first), nullptr, false, scratch_.data(), scratch_values_.data(),
                      estimates_.data());
      for (size_t m = 0; m < estimates_.size(); ++m) {
        option.estimate += weights_[kModels + 2 * m] * (scratch_values_[2 * m] + estimates_[m]);
        option.score += weights_[kModels + 2 * m + 1] * scratch_values_[2 * m + 1];
      }
    }
    first = last + 1;
  }
  option.estimate += option.score;
  list.push_back(option);
}

const Options& SentenceDecoder::options_of(uint32_t node) {
  const auto [at, fresh] = workspace_.options.try_emplace(node);
  Options& list = at->second;
  if (!fresh) return list;
  list.reserve(grammar_.end_rule(node) - grammar_.first_rule(node));
  for (uint32_t r = grammar_.first_rule(node); r < grammar_.end_rule(node); ++r) {
    float score = weights_[kRuleFeature];
    const auto features = grammar_.features(r);
    for (size_t f = 0; f < features.size(); ++f) score += decoder_.weights_[f] * features[f];
    add_option(list, r, 0, grammar_.target(r), score);
  }
  order(list);
  workspace_.kept_options += list.size();
  return list;
}

void SentenceDecoder::add_span_options() {
  const SpanRules& rules = *sentence_.span_rules;
  for (const RulePlace& place : rules.places(sentence_.number)) {
    if (place.last - place.first > span_) continue;
    float score = weights_[kRuleFeature];
    const auto features = rules.features(place.rule);
    for (size_t f = 0; f < features.size(); ++f) score += decoder_.weights_[f] * features[f];
    add_option(span_options_[cell_index(place.first, place.last)], grammar_.rules() + place.rule, 0,
               rules.target(place.rule), score);
  }
  for (auto& [cell, list] : span_options_) order(list);
}

void SentenceDecoder::order(Options& list) const {
  std::ranges::stable_sort(list, std::greater{}, &Option::estimate);
  if (const uint32_t limit = decoder_.settings_.rule_limit; limit && list.size() > limit) list.resize(limit);
}

void SentenceDecoder::fill_from(uint32_t start) {
  const uint32_t end = std::min(size_, start + span_);
  std::vector<std::vector<Item>> items(end - start + 1);
  items[0].push_back({0, 0, {0, 0}});
  std::vector<Bundle> bundles;
  for (uint32_t position = start; position <= end; ++position) {
    auto& here = items[position - start];
    if (position > start) {
      const uint32_t cell = cell_index(start, position);
      bundles.clear();
      bool translated = false;
      for (const Item& item : here) {
        if (grammar_.first_rule(item.node) == grammar_.end_rule(item.node)) continue;
        Bundle bundle{&options_of(item.node), {nullptr, nullptr}, item.gaps, false};
        for (int g = 0; g < item.gaps; ++g) bundle.gaps[g] = &cells_[item.cells[g]];
        bundles.push_back(bundle);
        translated = true;
      }
      if (const auto made = span_options_.find(cell); made != span_options_.end()) {
        bundles.push_back({&made->second, {nullptr, nullptr}, 0, false});
        translated = true;
      }
      if (!translated && position == start + 1) {
        add_option(copies_[start], kPassThrough, sentence_.copies[start], {&sentence_.copies[start], 1},
                   weights_[kPassThroughFeature]);
        bundles.push_back({&copies_[start], {nullptr, nullptr}, 0, false});
      }
      prune(bundles, start, position, cells_[cell]);
      if (const uint32_t next = grammar_.child(0, kFirstGap); next != kNoIndex && !cells_[cell].empty())
        here.push_back({next, 1, {cell, 0}});
    }
    if (position == end) break;
    for (size_t i = 0; i < here.size(); ++i) {
      const Item item = here[i];
      if (!grammar_.has_children(item.node)) continue;
      if (const uint32_t next = grammar_.child(item.node, sentence_.words[position]); next != kNoIndex)
        items[position + 1 - start].push_back({next, item.gaps, {item.cells[0], item.cells[1]}});
      if (position == start || item.gaps == 2) continue;
      const uint32_t next = grammar_.child(item.node, kFirstGap);
      if (next == kNoIndex) continue;
      for (uint32_t last = position + 1; last <= end; ++last) {
        const uint32_t cell = cell_index(position, last);
        if (cells_[cell].empty()) continue;
        Item longer{next, static_cast<uint8_t>(item.gaps + 1), {item.cells[0], item.cells[1]}};
        longer.cells[item.gaps] = cell;
        items[last - start].push_back(longer);
      }
    }
  }
}

void SentenceDecoder::glue(uint32_t end) {
  std::vector<Bundle> bundles;
  for (uint32_t middle = end > span_ ? end - span_ : 0; middle < end; ++middle) {
    const auto& right = cells_[cell_index(middle, end)];
    if (right.empty()) continue;
    if (middle == 0) bundles.push_back({&glue_first_, {&right, nullptr}, 1, true});
    else bundles.push_back({&glue_join_, {&prefixes_[middle], &right}, 2, false});
  }
  prune(bundles, 0, end, prefixes_[end]);
}

void SentenceDecoder::push(const std::vector<Bundle>& bundles, uint32_t which, const uint32_t* rank) {
  const Bundle& bundle = bundles[which];
  const Option& option = (*bundle.options)[rank[0]];
  Candidate candidate{0, option.score, option.score, which, {rank[0], rank[1], rank[2]}, pushed_++};
  const uint32_t* gaps[2] = {nullptr, nullptr};
  for (int g = 0; g < bundle.arity; ++g) {
    const uint32_t node = (*bundle.gaps[g])[rank[1 + g]];
    candidate.score += graph_.nodes[node].score;
    gaps[g] = state(node);
  }
  candidate_states_.resize(candidate_states_.size() + models_.width());
  candidate_values_.resize(candidate_values_.size() + models_.values());
  uint32_t* const own = candidate_states_.data() + uint64_t{candidate.id} * models_.width();
  float* const values = candidate_values_.data() + uint64_t{candidate.id} * models_.values();
  models_.combine(option.target, gaps, bundle.from_begin, own, values, estimates_.data());
  float of_models = 0, estimate = 0;
  for (size_t m = 0; m < estimates_.size(); ++m) {
    of_models += weights_[kModels + 2 * m] * values[2 * m];
    estimate += weights_[kModels + 2 * m] * estimates_[m];
  }
  candidate.edge_score += of_models;
  candidate.score += of_models;
  candidate.total = static_cast<float>(candidate.score) + estimate;
  heap_.push_back(candidate);
  std::ranges::push_heap(heap_, [](const Candidate& a, const Candidate& b) {
    return a.total != b.total ? a.total < b.total : a.id > b.id;
  });
}

uint32_t SentenceDecoder::add_edge(HyperEdge edge, const float* values) {
  graph_.edges.push_back(edge);
  graph_.model_values.insert(graph_.model_values.end(), values, values + models_.values());
  return static_cast<uint32_t>(graph_.edges.size()) - 1;
}

void SentenceDecoder::prune(const std::vector<Bundle>& bundles, uint32_t first, uint32_t last,
                            std::vector<uint32_t>& cell) {
  heap_.clear();
  pushed_ = 0;
  candidate_states_.clear();
  candidate_values_.clear();
  constexpr uint32_t start[3] = {0, 0, 0};
  for (uint32_t b = 0; b < bundles.size(); ++b) push(bundles, b, start);
  const uint32_t limit = decoder_.settings_.pop_limit, width = models_.width();
  StateIndex index;
  for (uint32_t popped = 0; popped < limit && !heap_.empty(); ++popped) {
    std::ranges::pop_heap(heap_, [](const Candidate& a, const Candidate& b) {
      return a.total != b.total ? a.total < b.total : a.id > b.id;
    });
    const Candidate best = heap_.back();
    heap_.pop_back();
    const Bundle& bundle = bundles[best.bundle];
    const Option& option = (*bundle.options)[best.rank[0]];
    const uint64_t at = uint64_t{best.id} * width;
    const uint64_t h = hash(candidate_states_.data() + at, width);
    uint32_t node = index.find(
        h, [&](uint32_t n) { return std::equal(state(n), state(n) + width, candidate_states_.data() + at); });
    if (node == kNoIndex) {
      index.add(h, static_cast<uint32_t>(graph_.nodes.size()));
      node = static_cast<uint32_t>(graph_.nodes.size());
      graph_.nodes.push_back({first, last, kNoIndex, best.score});
      states_.insert(states_.end(), candidate_states_.begin() + static_cast<int64_t>(at),
                     candidate_states_.begin() + static_cast<int64_t>(at + width));
      totals_.push_back(best.total);
      cell.push_back(node);
    }
    HyperEdge edge{node, option.rule, {0, 0}, bundle.arity, option.word, best.edge_score, kNoIndex};
    for (int g = 0; g < bundle.arity; ++g) edge.tails[g] = (*bundle.gaps[g])[best.rank[1 + g]];
    HyperNode& head = graph_.nodes[node];
    const uint32_t added = add_edge(edge, candidate_values_.data() + uint64_t{best.id} * models_.values());
    if (head.edge == kNoIndex || best.score > head.score) {
      graph_.edges[added].next = head.edge;
      head.edge = added;
      totals_[node] += static_cast<float>(best.score - head.score);
      head.score = best.score;
    } else {
      graph_.edges[added].next = graph_.edges[head.edge].next;
      graph_.edges[head.edge].next = added;
    }
    // Each rank vector has one parent: only ranks from the last one above zero on grow (Gesmundo and Henderson 2010).
    uint32_t from = 0;
    for (uint32_t d = 1; d <= bundle.arity; ++d)
      if (best.rank[d]) from = d;
    for (uint32_t d = from; d <= bundle.arity; ++d) {
      uint32_t rank[3] = {best.rank[0], best.rank[1], best.rank[2]};
      const size_t room = d == 0 ? bundle.options->size() : bundle.gaps[d - 1]->size();
      if (++rank[d] < room) push(bundles, best.bundle, rank);
    }
  }
  std::ranges::sort(cell,
                    [&](uint32_t a, uint32_t b) { return totals_[a] != totals_[b] ? totals_[a] > totals_[b] : a < b; });
}

void SentenceDecoder::finish() {
  HyperNode goal{0, size_, kNoIndex, 0};
  const uint32_t head = static_cast<uint32_t>(graph_.nodes.size());
  std::vector<float> values(models_.values());
  uint32_t best = kNoIndex;
  for (uint32_t node : prefixes_[size_]) {
    models_.finish(state(node), values.data());
    HyperEdge edge{head, kGoal, {node, 0}, 1, 0, 0, kNoIndex};
    for (size_t m = 0; m < estimates_.size(); ++m) edge.score += weights_[kModels + 2 * m] * values[2 * m];
    const double score = graph_.nodes[node].score + edge.score;
    const uint32_t added = add_edge(edge, values.data());
    if (best == kNoIndex || score > goal.score) {
      graph_.edges[added].next = goal.edge;
      goal.edge = best = added;
      goal.score = score;
    } else {
      graph_.edges[added].next = graph_.edges[best].next;
      graph_.edges[best].next = added;
    }
  }
  graph_.nodes.push_back(goal);
}

}  // namespace binyan::translation
