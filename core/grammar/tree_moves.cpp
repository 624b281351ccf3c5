// Moves of several cached trees of one symbol at once, and so of all words that use them: where many sequences of
// affixes hold w and l apart, no change of one of them brings wl about, though all of them together might.
//
// The trees of a family are those below which the same constituent can stand. Their bodies are taken out in the reverse
// of a random order, and drawn again in that order, each given those before it; the trees themselves, and who sits at
// their tables, stay as they are. Of half the families, the first body is drawn with all derivations being equally
// probable: the others follow it, and where it is drawn from the caches it nearly always repeats what they were.
#include <algorithm>
#include <utility>

#include "grammar/chain.hpp"
#include "grammar/nodes_below.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

constexpr size_t kMostTrees = 2000;  // among which families are looked for
constexpr size_t kLargestFamily = 100;

void shuffle(std::vector<uint32_t>& list, pitman_yor::Random& random) {
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

}  // namespace

std::vector<uint32_t> symbols_above_others(const CompiledGrammar& g) {
  std::vector<uint32_t> result;
  for (uint32_t k = 0; k < g.adapted_symbols.size(); ++k) {
    std::vector<uint32_t> pending{g.adapted_symbols[k]};
    std::vector<bool> reached(g.symbols(), false);
    bool above = false;
    while (!pending.empty() && !above) {
      const uint32_t symbol = pending.back();
      pending.pop_back();
      for (uint32_t p : g.productions_of[symbol])
        for (uint32_t child : g.productions[p].children) {
          above |= g.adapted_index[child] != kNoIndex;
          if (!reached[child]) pending.push_back(child);
          reached[child] = true;
        }
    }
    if (above) result.push_back(k);
  }
  return result;
}

// Which trees there are of a symbol does not change in these moves, so that a family is chosen with the same
// probability before and after.
std::vector<std::vector<uint32_t>> Chain::tree_families(const std::vector<uint32_t>& trees) const {
  NodesBelow below;
  std::vector<std::pair<uint32_t, uint32_t>> uses;  // yield, tree
  for (uint32_t tree : trees) {
    const CachedTree& t = adaptor.trees[tree];
    const WordView w = words_->view(t.word);
    for (uint32_t i : below.of(w.forest, t.node)) {
      const Forest::Node& node = w.forest.nodes[i - w.forest.node_base()];
      if (node.adapted != kNoIndex && w.yields[node.adapted] != 0) uses.emplace_back(w.yields[node.adapted], tree);
    }
  }
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  std::vector<std::vector<uint32_t>> families;
  for (size_t first = 0, last = 0; first < uses.size(); first = last) {
    while (last < uses.size() && uses[last].first == uses[first].first) ++last;
    if (last - first < 2 || last - first > kLargestFamily) continue;
    families.emplace_back();
    for (size_t i = first; i < last; ++i) families.back().push_back(uses[i].second);
  }
  return families;
}

void Chain::redraw_tree_families(uint32_t adapted, double share, double temperature, pitman_yor::Random& random,
                                 SweepInfo& info) {
  std::vector<uint32_t> trees;
  for (uint32_t i = 0; i < adaptor.trees.size(); ++i)
    if (adaptor.trees[i].adapted == adapted) trees.push_back(i);
  if (trees.size() > kMostTrees) {
    shuffle(trees, random);
    trees.resize(kMostTrees);
    std::sort(trees.begin(), trees.end());
  }
  const auto families = tree_families(trees);
  if (families.empty()) return;
  constexpr double kMostRounds = 10.0;  // over all trees
  const double budget = share * static_cast<double>(words_->observed()) / static_cast<double>(upper_symbols_.size());
  for (double left = std::min(budget, kMostRounds * static_cast<double>(trees.size())); left > 0.0;) {
    const auto& family = families[random.below(families.size())];
    left -= static_cast<double>(family.size());
    redraw_trees(family, temperature, random, info);
  }
}

// Whether another tree of the cache has this body already. Of the family, those in `drawn` have new bodies, and
// those after it have none.
bool Chain::is_taken(uint32_t tree, std::span<const uint32_t> body, const std::vector<uint32_t>& family,
                     const std::vector<std::vector<uint32_t>>& drawn) const {
  const uint32_t yield = adaptor.trees[tree].yield;
  if (yield == 0) return false;
  for (uint32_t i = adaptor.first_tree[yield]; i != kNoIndex; i = adaptor.trees[i].next) {
    if (i == tree || adaptor.trees[i].seats.customers == 0) continue;
    const auto place = static_cast<size_t>(std::find(family.begin(), family.end(), i) - family.begin());
    if (place < family.size() && place >= drawn.size()) continue;
    const std::vector<uint32_t>& other = place < family.size() ? drawn[place] : adaptor.trees[i].body;
    if (std::equal(body.begin(), body.end(), other.begin(), other.end())) return true;
  }
  return false;
}

void Chain::redraw_trees(std::vector<uint32_t> family, double temperature, pitman_yor::Random& random,
                         SweepInfo& info) {
  shuffle(family, random);
  const bool any_first = random.uniform() < 0.5;
  Change removed, added;
  ScaledDouble old(1.0), proposed(1.0);
  for (size_t i = family.size(); i-- > 0;) {
    const CachedTree& t = adaptor.trees[family[i]];
    for (uint32_t k = 0; k < t.seats.tables; ++k) adaptor.remove(t.body, random, removed);
    if (i > 0 || !any_first) old *= adaptor.proposal(t.body) / proposer_.sum_new(words_->view(t.word), t.node);
  }
  std::vector<std::vector<uint32_t>> drawn;
  bool possible = true, changed = false;
  for (size_t i = 0; i < family.size() && possible; ++i) {
    const uint32_t tree = family[i], word = adaptor.trees[tree].word, node = adaptor.trees[tree].node;
    if (i == 0 && any_first) {
      proposer_.draw_any(words_->view(word), word, node, random);
    } else {
      proposer_.draw_new(words_->view(word), word, node, random);
      proposed *= adaptor.proposal(stack_) / proposer_.total;
    }
    possible = may_become(tree, stack_) && !is_taken(tree, stack_, family, drawn);
    changed |= stack_ != adaptor.trees[tree].body;
    drawn.push_back(stack_);
    for (uint32_t k = 0; k < adaptor.trees[tree].seats.tables; ++k) adaptor.add(drawn[i], random, added);
  }
  info.tree_proposals += family.size();
  if (possible && accept(added, removed, proposed, old, temperature, random)) {
    for (size_t i = 0; i < family.size(); ++i) adaptor.relabel(family[i], std::move(drawn[i]));
    if (changed) {
      info.trees_changed += family.size();
      for (uint32_t tree : family) renew_restricted_uses(tree);
    }
  } else {
    adaptor.rollback();
  }
  adaptor.commit();
}

}  // namespace binyan::grammar
