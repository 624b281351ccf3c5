#include "ngram/generator_query.hpp"

#include <algorithm>

#include "errors.hpp"
#include "no_index.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

uint32_t next_base(uint32_t base, uint32_t size) {
  if (uint64_t{base} + size >= kNoIndex) throw InputError("more than 4 billion n-grams: lower the order");
  return base + size;
}

}  // namespace

GeneratorQuery::GeneratorQuery(std::shared_ptr<const GeneratorTree> tree, const InflectionSamples::Generator& samples,
                               std::span<const float> analyses, uint32_t columns)
    : tree_(std::move(tree)), samples_(samples), analyses_(analyses), columns_(columns) {
  node_base_ = head_base_ = pair_base_ = {0};
  for (const GeneratorLevel& level : tree_->levels) {
    node_base_.push_back(next_base(node_base_.back(), level.nodes()));
    head_base_.push_back(next_base(head_base_.back(), level.heads()));
    pair_base_.push_back(next_base(pair_base_.back(), level.pairs()));
  }
  children_ = PairTable(node_base_.back());
  heads_ = PairTable(head_base_.back());
  pairs_ = PairTable(pair_base_.back());
  for (uint32_t k = 0; k < tree_->order(); ++k) {
    const GeneratorLevel& level = tree_->levels[k];
    for (uint32_t n = 0; k > 0 && n < level.nodes(); ++n)
      children_.insert(node_row(k - 1, level.node_parent[n]), level.token[n], node_row(k, n));
    for (uint32_t h = 0; h < level.heads(); ++h)
      heads_.insert(node_row(k, level.head_node[h]), level.head_first[h], head_base_[k] + h);
    for (uint32_t p = 0; p < level.pairs(); ++p)
      pairs_.insert(head_base_[k] + level.pair_head[p], level.pair_second[p], pair_base_[k] + p);
  }
  mass_.assign(static_cast<size_t>(node_base_.back()) * columns_, 0.0);
  for (uint32_t column = 0; column < columns_; ++column) fill_masses(column);
}

GeneratorQuery::Tokens GeneratorQuery::tokens(uint32_t word, uint32_t analysis) const {
  const uint32_t i = tree_->analyses.offsets[word] + analysis;
  return {tree_->analyses.first[i], tree_->analyses.second[i]};
}

// S of the empty context, and A(t) of its heads: over the words of the vocabulary, also those never seen.
double GeneratorQuery::root_mass(uint32_t column, std::vector<double>& shares) const {
  constexpr uint32_t root = 0;
  shares.assign(head_base_[1], 0.0);
  double mass = 0;
  for (uint32_t w = 0; w < tree_->analyses.words(); ++w) {
    if (w == text::kSentenceStart) continue;
    const Tokens t = tokens(w, static_cast<uint32_t>(analyses_[static_cast<size_t>(w) * columns_ + column]));
    const uint32_t head = heads_.find(root, t.first);
    double second = at(samples_.second, t.second, column);
    if (head == kNoIndex) {
      mass += at(samples_.head_fresh, root, column) * first_base() * second;
      continue;
    }
    const uint32_t pair = pairs_.find(head, t.second);
    second = pair != kNoIndex ? at(samples_.pair, pair, column) : at(samples_.pair_fresh, head, column) * second;
    shares[head] += second;
    mass += at(samples_.head, head, column) * second;
  }
  return mass;
}

// A(t, u) of the heads of a level, given that of the level below.
std::vector<double> GeneratorQuery::longer_shares(uint32_t k, uint32_t column,
                                                  const std::vector<double>& shorter) const {
  const GeneratorLevel& level = tree_->levels[k];
  std::vector<double> shares(level.heads());
  for (uint32_t h = 0; h < level.heads(); ++h)
    shares[h] = shorter[level.head_parent[h]] *
                (k <= tree_->second_context ? at(samples_.pair_fresh, head_base_[k] + h, column) : 1.0);
  for (uint32_t p = 0; p < level.pairs(); ++p)
    shares[level.pair_head[p]] += at(samples_.pair, pair_base_[k] + p, column) -
                                  at(samples_.pair_fresh, head_base_[k] + level.pair_head[p], column) *
                                      at(samples_.pair, pair_base_[k - 1] + level.pair_parent[p], column);
  return shares;
}

void GeneratorQuery::fill_masses(uint32_t column) {
  std::vector<double> shorter;
  mass_[column] = root_mass(column, shorter);
  for (uint32_t k = 1; k < tree_->order(); ++k) {
    const GeneratorLevel& level = tree_->levels[k];
    std::vector<double> shares = longer_shares(k, column, shorter);
    for (uint32_t n = 0; n < level.nodes(); ++n)
      mass_[static_cast<size_t>(node_row(k, n)) * columns_ + column] =
          at(samples_.head_fresh, node_row(k, n), column) * mass(node_row(k - 1, level.node_parent[n]), column);
    for (uint32_t h = 0; h < level.heads(); ++h) {
      const size_t node = node_row(k, level.head_node[h]), below = level.head_parent[h];
      mass_[node * columns_ + column] +=
          at(samples_.head, head_base_[k] + h, column) * shares[h] -
          at(samples_.head_fresh, node, column) * at(samples_.head, head_base_[k - 1] + below, column) * shorter[below];
    }
    shorter = std::move(shares);
  }
}

GeneratorQuery::Nodes GeneratorQuery::nodes(std::span<const uint32_t> history) const {
  Nodes found;
  const uint32_t longest = std::min(static_cast<uint32_t>(history.size()), tree_->order() - 1);
  for (uint32_t k = 1; k <= longest; ++k) {
    const uint32_t row = children_.find(found.row[k - 1], tree_->tokens[history[history.size() - k]]);
    if (row == kNoIndex) break;
    found.row[k] = row;
    found.level = k;
  }
  return found;
}

GeneratorQuery::Match GeneratorQuery::match(const Nodes& nodes, Tokens tokens) const {
  Match m;
  m.tokens = tokens;
  m.level = nodes.level;
  for (uint32_t k = 0; k <= nodes.level; ++k) {
    m.head[k] = heads_.find(nodes.row[k], tokens.first);
    m.pair[k] = m.head[k] != kNoIndex && k <= tree_->second_context ? pairs_.find(m.head[k], tokens.second) : kNoIndex;
  }
  return m;
}

void GeneratorQuery::probabilities(const Nodes& nodes, const Match& m, uint32_t length, uint32_t column,
                                   double* result) const {
  if (m.tokens.first == kNoIndex || m.tokens.second == kNoIndex) {
    std::fill(result, result + length + 1, 0.0);
    return;
  }
  double first = first_base(), second = at(samples_.second, m.tokens.second, column);
  for (uint32_t k = 0; k <= length; ++k) {
    if (k <= m.level) {
      first = m.head[k] != kNoIndex ? at(samples_.head, m.head[k], column)
                                    : at(samples_.head_fresh, nodes.row[k], column) * first;
      if (m.head[k] != kNoIndex && k <= tree_->second_context)
        second = m.pair[k] != kNoIndex ? at(samples_.pair, m.pair[k], column)
                                       : at(samples_.pair_fresh, m.head[k], column) * second;
    }
    result[k] = first * second;
  }
}

}  // namespace binyan::ngram
