// The part of a chain that deals with what is known beforehand: words that share a stem, and trees in the caches that
// words with evidence use.
#include <algorithm>

#include "errors.hpp"
#include "grammar/chain.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

void Chain::draw_first(uint32_t word, pitman_yor::Random& random) {
  adaptor.begin_word();
  proposer_.draw(words_->view(word), word, words_->forest(word).root, random);
  items_[word] = stack_;
}

// A stem in proportion to the product of what the words are worth with it, then each word given the stem. Together the
// trees are drawn in proportion to the product of their proposals: that the stem was drawn first cancels.
void Chain::draw_group(const WordGroup& group, pitman_yor::Random& random) {
  drawn_.resize(group.words.size());
  std::vector<ScaledDouble> sums;
  ScaledDouble total(0.0);
  for (uint32_t stem = 0; stem < group.stems; ++stem) {
    ScaledDouble product(1.0);
    for (uint32_t i = 0; i < group.words.size(); ++i) {
      const uint32_t entry = group.entry(i, stem);
      product *= proposer_.sum(words_->view(entry), words_->forest(entry).root);
    }
    sums.push_back(product);
    total += product;
  }
  const ScaledDouble threshold = total * ScaledDouble(random.uniform());
  ScaledDouble passed(0.0);
  uint32_t chosen = 0;
  for (uint32_t stem = 0; stem < group.stems; ++stem) {
    if (!(ScaledDouble(0.0) < sums[stem])) continue;
    chosen = stem;
    passed += sums[stem];
    if (threshold < passed) break;
  }
  for (uint32_t i = 0; i < group.words.size(); ++i) {
    const uint32_t entry = group.entry(i, chosen);
    proposer_.draw(words_->view(entry), entry, words_->forest(entry).root, random);
    drawn_[i] = stack_;
  }
}

void Chain::step_group(const WordGroup& group, double temperature, pitman_yor::Random& random, SweepInfo& info) {
  Change removed, added;
  for (size_t i = group.words.size(); i-- > 0;) adaptor.remove(items_[group.words[i]], random, removed);
  draw_group(group, random);
  ScaledDouble old(1.0), proposed(1.0);
  for (size_t i = 0; i < group.words.size(); ++i) {
    old *= adaptor.proposal(items_[group.words[i]]);
    proposed *= adaptor.proposal(drawn_[i]);
  }
  for (const auto& items : drawn_) adaptor.add(items, random, added);
  ++info.proposals;
  if (accept(added, removed, proposed, old, temperature, random)) {
    ++info.accepted;
    bool changed = false;
    for (size_t i = 0; i < group.words.size(); ++i) {
      changed |= items_[group.words[i]] != drawn_[i];
      items_[group.words[i]] = drawn_[i];
    }
    info.changed += changed;
  } else {
    adaptor.rollback();
  }
  adaptor.commit();
}

// The entry whose forest has the present derivation of a word; kNoIndex where none has.
uint32_t Chain::entry_in_use(uint32_t word) const {
  const auto fits = [&](uint32_t entry) {
    const WordView w = words_->view(entry);
    return items_[word].empty() || derives(adaptor, w, items_[word]);
  };
  const WordGroup* group = words_->group_of(word);
  if (group == nullptr) return fits(word) ? word : kNoIndex;
  const auto place = std::find(group->words.begin(), group->words.end(), word) - group->words.begin();
  for (uint32_t stem = 0; stem < group->stems; ++stem)
    if (const uint32_t entry = group->entry(static_cast<uint32_t>(place), stem); fits(entry)) return entry;
  return kNoIndex;
}

void Chain::note_restricted_uses(uint32_t word) {
  const uint32_t entry = entry_in_use(word);
  if (entry == kNoIndex) throw InternalError("a derivation disagrees with what is known of its word");
  for (const auto& [tree, node] : restricted_trees(adaptor, words_->view(entry), items_[word]))
    restricted_uses_[tree].push_back({word, entry, node});
}

void Chain::find_restricted_uses() {
  restricted_uses_.clear();
  for (uint32_t word : words_->constrained())
    if (!items_[word].empty()) note_restricted_uses(word);
}

// After a tree has a new body, other trees stand in the words that use it.
void Chain::renew_restricted_uses(uint32_t tree) {
  const auto uses = restricted_uses_.find(tree);
  if (uses == restricted_uses_.end()) return;
  std::vector<uint32_t> words;
  for (const TreeUse& use : uses->second) words.push_back(use.word);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (auto& [other, list] : restricted_uses_)
    std::erase_if(list, [&](const TreeUse& u) { return std::binary_search(words.begin(), words.end(), u.word); });
  for (uint32_t word : words) note_restricted_uses(word);
}

bool Chain::may_become(uint32_t tree, std::span<const uint32_t> body) const {
  const auto uses = restricted_uses_.find(tree);
  return uses == restricted_uses_.end() || std::all_of(uses->second.begin(), uses->second.end(), [&](const TreeUse& u) {
           return agrees(adaptor, words_->view(u.entry), u.node, body);
         });
}

}  // namespace binyan::grammar
