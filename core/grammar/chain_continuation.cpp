// A chain that begins with trees of another one: where learning goes on after more became known of some words, so that
// their forests are others.
#include <string>
#include <unordered_map>

#include "errors.hpp"
#include "grammar/chain.hpp"
#include "no_index.hpp"
#include "stack_space.hpp"

namespace binyan::grammar {
namespace {

// Follows a derivation, written out as rules in preorder, through the forest of a word.
class Retracer {
 public:
  Retracer(Adaptor& adaptor, const WordView& w, uint32_t word, std::span<const uint32_t> rules)
      : adaptor_(adaptor), w_(w), word_(word), rules_(rules) {}

  // The items of the derivation, its adapted constituents interned; empty where it is not in the forest.
  std::vector<uint32_t> items() {
    if (end(w_.forest.root, 0) != rules_.size()) return {};
    std::vector<uint32_t> items;
    add(w_.forest.root, 0, items);
    return items;
  }

 private:
  // Where the rules of a node end that begin at `at`; kNoIndex where they do not derive it.
  uint32_t end(uint32_t index, uint32_t at) {
    if (at >= rules_.size()) return kNoIndex;
    const Forest& f = w_.forest;
    if (index < f.node_base()) return rules_[at] == leaf_rule(adaptor_.grammar, w_, index) ? at + 1 : kNoIndex;
    require_stack();
    const uint64_t key = (static_cast<uint64_t>(index) << 32) | at;
    if (const auto hit = ends_.find(key); hit != ends_.end()) return hit->second;
    const Forest::Node& n = f.nodes[index - f.node_base()];
    uint32_t last = kNoIndex;
    for (uint32_t e = n.first_edge; e < (&n + 1)->first_edge && last == kNoIndex; ++e) last = edge_end(f.edges[e], at);
    ends_.emplace(key, last);
    return last;
  }

  uint32_t edge_end(const Edge& edge, uint32_t at) {
    if (edge.rule != adaptor_.grammar.unit()) {
      if (at >= rules_.size() || rules_[at] != edge.rule) return kNoIndex;
      ++at;
    }
    if (edge.left != 0) at = end(edge.left, at);
    if (at != kNoIndex && edge.right != 0) at = end(edge.right, at);
    return at;
  }

  void add(uint32_t index, uint32_t at, std::vector<uint32_t>& items) {
    require_stack();
    const Forest& f = w_.forest;
    if (index < f.node_base()) {
      items.push_back(rules_[at]);
      return;
    }
    const Forest::Node& n = f.nodes[index - f.node_base()];
    const size_t first = items.size();
    uint32_t e = n.first_edge;
    while (edge_end(f.edges[e], at) == kNoIndex) ++e;
    const Edge& edge = f.edges[e];
    if (edge.rule != adaptor_.grammar.unit()) items.push_back(rules_[at++]);
    if (edge.left != 0) add(edge.left, at, items);
    if (edge.right != 0) add(edge.right, edge.left != 0 ? end(edge.left, at) : at, items);
    if (n.adapted == kNoIndex) return;
    const uint32_t tree = adaptor_.intern(adaptor_.grammar.adapted_index[n.symbol], w_.yields[n.adapted],
                                          std::span(items).subspan(first), word_, index);
    items.resize(first);
    items.push_back(kTreeItem | tree);
  }

  Adaptor& adaptor_;
  const WordView& w_;
  uint32_t word_;
  std::span<const uint32_t> rules_;
  std::unordered_map<uint64_t, uint32_t> ends_;
};

}  // namespace

uint32_t Chain::initialise_from(const std::vector<std::vector<uint32_t>>& derivations) {
  if (derivations.size() != words_->observed()) throw InputError("there must be a derivation, or none, for every word");
  pitman_yor::Random random(seed_, chain_, 0);
  Change change;
  const auto seat = [&](uint32_t word) {
    adaptor.add(items_[word], random, change);
    adaptor.commit();
  };
  uint32_t kept = 0;
  std::vector<uint32_t> others;
  try {
    for (uint32_t i = words_->observed(); i < items_.size(); ++i) {
      draw_first(i, random);
      seat(i);
    }
    for (uint32_t i = 0; i < words_->observed(); ++i) {
      if (!words_->parses(i)) continue;
      const WordView w = words_->view(i);
      adaptor.begin_word();
      if (words_->group_of(i) == nullptr) items_[i] = Retracer(adaptor, w, i, derivations[i]).items();
      if (items_[i].empty()) {
        others.push_back(i);
      } else {
        seat(i);
        ++kept;
      }
    }
    for (uint32_t i : others) {
      const WordGroup* group = words_->group_of(i);
      if (group == nullptr) {
        draw_first(i, random);
        seat(i);
      } else if (group->words[0] == i) {
        adaptor.begin_word();
        draw_group(*group, random);
        for (size_t k = 0; k < group->words.size(); ++k) items_[group->words[k]] = drawn_[k];
        for (uint32_t word : group->words) adaptor.add(items_[word], random, change);
        adaptor.commit();
      }
    }
  } catch (...) {
    clear();
    throw;
  }
  return kept;
}

}  // namespace binyan::grammar
