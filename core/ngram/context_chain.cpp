// Scoring word by word with every lookup of a word asked of the memory at once: what a sentence waits for is one lookup
// per word, where following the back-off links would wait for one after another.

#include "ngram/backoff_model.hpp"
#include "prefetch.hpp"

namespace binyan::ngram {

ContextChain BackoffModel::chain_of(uint32_t state) const {
  ContextChain chain;
  chain.length = length(state);
  for (uint32_t k = chain.length; k > 0; --k, state = k > 0 ? shorter(state) : 0) chain.context[k - 1] = state;
  return chain;
}

void BackoffModel::expect(std::span<const uint32_t> words) const {
  for (uint32_t word : words) {
    arrays_.log_prob.expect(word);
    prefetch(&arrays_.next[word]);
  }
  const NgramIndex* const index = this->index();
  if (index == nullptr) return;
  // Which contexts of one word there are is known already, and so where their bigrams would be.
  for (size_t i = 1; i < words.size(); ++i) {
    const uint32_t context = checked_state(arrays_.next[words[i - 1]]);
    if (context == 0) continue;
    prefetch(index->slot(index->slot_of(context, words[i])));
    prefetch(&index->link(context));
  }
}

Scored BackoffModel::advance(ContextChain& chain, uint32_t word) const {
  const NgramIndex* const index = this->index();
  if (index == nullptr) {
    const Scored scored = score(chain.state(), word);
    chain = chain_of(scored.state);
    return scored;
  }
  uint64_t slot[ContextChain::kLongest];
  for (uint32_t k = 0; k < chain.length; ++k) {
    slot[k] = index->slot_of(chain.context[k], word);
    prefetch(index->slot(slot[k]));
  }
  const NgramIndex::Slot* hit = nullptr;
  float backoff = 0.0f;
  uint32_t matched = chain.length;
  for (; matched > 0; --matched) {
    const uint32_t context = chain.context[matched - 1];
    hit = index->probe(slot[matched - 1], context, word);
    if (hit != nullptr) break;
    backoff += index->link(context).log_backoff;
  }
  const uint32_t unigram_next = arrays_.next[word], next = checked_state(hit == nullptr ? unigram_next : hit->next);
  const Scored scored{next, backoff + (hit == nullptr ? arrays_.log_prob[word] : hit->log_prob), matched + 1};
  require_whole();

  // The shorter contexts of the next state are where the same word leads to from the shorter contexts of this one.
  ContextChain after;
  after.length = length(next);
  for (uint32_t k = 0; k < after.length; ++k) {
    uint32_t context = 0;
    if (k == matched) context = next;
    else if (k == 0) context = unigram_next;
    else if (k < matched)
      if (const NgramIndex::Slot* s = index->probe(slot[k - 1], chain.context[k - 1], word)) context = s->next;
    if (context < arrays_.context_base[k + 1] || context >= arrays_.context_base[k + 2]) {  // not stored: pruned
      chain = chain_of(next);
      return scored;
    }
    after.context[k] = context;
    prefetch(&index->link(context));
  }
  chain = after;
  return scored;
}

}  // namespace binyan::ngram
