// Moves of several words, or of several cached trees, at once: what no step of one of them can cross, because the
// others hold the present analysis in the caches.
//
// All of them are removed in the reverse of a random order, and drawn again in that order, each given those before it.
// While they are removed, the probability that the same procedure would draw what they had is noted; so the move is
// an exact Metropolis-Hastings step (compare the sequentially allocated proposals of Dahl 2005).
#include <algorithm>

#include "grammar/chain.hpp"
#include "grammar/word_families.hpp"

namespace binyan::grammar {
namespace {

void shuffle(std::vector<uint32_t>& list, pitman_yor::Random& random) {
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

}  // namespace

void Chain::redraw_together(std::vector<uint32_t> family, double temperature, pitman_yor::Random& random,
                            SweepInfo& info) {
  shuffle(family, random);
  Change removed, added;
  ScaledDouble old(1.0), proposed(1.0);
  for (size_t i = family.size(); i-- > 0;) {
    const uint32_t word = family[i];
    adaptor.remove(items_[word], random, removed);
    old *= adaptor.proposal(items_[word]) / proposer_.sum(words_->view(word), words_->forest(word).root);
  }
  std::vector<std::vector<uint32_t>> drawn(family.size());
  bool changed = false;
  for (size_t i = 0; i < family.size(); ++i) {
    const uint32_t word = family[i];
    if (i == 0) proposer_.draw_summed(words_->view(word), word, words_->forest(word).root, random);
    else proposer_.draw(words_->view(word), word, words_->forest(word).root, random);
    proposed *= adaptor.proposal(stack_) / proposer_.total;
    drawn[i] = stack_;
    changed |= drawn[i] != items_[word];
    adaptor.add(drawn[i], random, added);
  }
  info.joint_proposals += family.size();
  if (accept(added, removed, proposed, old, temperature, random)) {
    if (changed) info.joint_changed += family.size();
    for (size_t i = 0; i < family.size(); ++i) items_[family[i]] = std::move(drawn[i]);
  } else {
    adaptor.rollback();
  }
  adaptor.commit();
}

// Families are drawn until they have as many words as `share` of all.
void Chain::redraw_families(double share, double temperature, pitman_yor::Random& random, SweepInfo& info) {
  const WordFamilies& families = words_->families();
  if (families.size() == 0) return;
  std::vector<uint32_t> family;
  for (double left = share * static_cast<double>(words_->observed()); left > 0.0;) {
    const auto members = families[static_cast<uint32_t>(random.below(families.size()))];
    family.clear();
    for (uint32_t word : members)
      if (!items_[word].empty()) family.push_back(word);
    left -= static_cast<double>(members.size());
    if (family.size() > 1) redraw_together(family, temperature, random, info);
  }
}

}  // namespace binyan::grammar
