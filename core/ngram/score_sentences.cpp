// Batched scoring. Several sentences advance in turn, each waiting for the one slot it has asked the memory for, so
// that the time a lookup takes is shared between them. Results do not depend on the number of sentences in flight or
// threads.

#include "errors.hpp"
#include "ngram/backoff_model.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

constexpr uint32_t kInFlight = 16;
constexpr uint64_t kSentencesPerThread = 64;

struct Flight {
  const uint32_t* words;
  uint64_t left;  // words still to come after `word`; the last is </s>
  uint64_t out;
  uint64_t slot;
  uint32_t state, context, word, length;
  float backoff;
};

}  // namespace

// Longer than a screen, since what it steps through is one state machine over local state.
void BackoffModel::score_range(const NgramIndex& index, std::span<const uint32_t> words,
                               std::span<const uint64_t> offsets, uint64_t first, uint64_t last, float* log_prob,
                               uint8_t* matched) const {
  const bool one_column = columns() == 1;
  uint64_t sentence = first;
  Flight flights[kInFlight];
  uint32_t flying = 0;

  const auto ask = [&](Flight& f) {
    if (f.context == 0) return;
    f.slot = index.slot_of(f.context, f.word);
    prefetch(index.slot(f.slot));
    if (one_column) prefetch(&index.link(f.context));
  };
  const auto begin_word = [&](Flight& f) {
    f.word = f.left == 0 ? text::kSentenceEnd : *f.words++;
    f.context = f.state;
    f.length = length(f.state);
    f.backoff = 0.0f;
    ask(f);
  };
  const auto begin_sentence = [&](Flight& f) {
    if (sentence == last) return false;
    f.words = words.data() + offsets[sentence];
    f.left = offsets[sentence + 1] - offsets[sentence];
    f.out = offsets[sentence] + sentence;
    f.state = begin_;
    ++sentence;
    begin_word(f);
    return true;
  };
  while (flying < kInFlight && begin_sentence(flights[flying])) ++flying;

  while (flying > 0) {
    for (uint32_t i = 0; i < flying;) {
      Flight& f = flights[i];
      const NgramIndex::Slot* s = f.context == 0 ? nullptr : index.probe(f.slot, f.context, f.word);
      if (s == nullptr && f.context != 0) {
        if (one_column) {
          f.backoff += index.link(f.context).log_backoff;
          f.context = index.link(f.context).suffix;
        } else {
          f.context = shorter(f.context);
        }
        --f.length;
        if (f.context != 0) {
          ask(f);
          ++i;
          continue;
        }
      }
      const uint64_t entry = s == nullptr ? f.word : (one_column ? 0 : s->entry);
      if (one_column) log_prob[f.out] = f.backoff + (s == nullptr ? arrays_.log_prob[f.word] : s->log_prob);
      else log_prob[f.out] = mean(f.state, f.context, entry);
      matched[f.out++] = static_cast<uint8_t>(f.length + 1);
      if (f.left-- == 0) {
        if (!begin_sentence(f)) {
          f = flights[--flying];
          continue;
        }
      } else {
        f.state = s == nullptr ? checked_state(arrays_.next[f.word]) : s->next;
        begin_word(f);
      }
      ++i;
    }
  }
}

void BackoffModel::search_range(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint64_t first,
                                uint64_t last, float* log_prob, uint8_t* matched) const {
  for (uint64_t s = first; s < last; ++s) {
    uint32_t state = begin_;
    for (uint64_t i = offsets[s]; i <= offsets[s + 1]; ++i) {
      const Scored scored = score(state, i < offsets[s + 1] ? words[i] : text::kSentenceEnd);
      log_prob[i + s] = scored.log_prob;
      matched[i + s] = static_cast<uint8_t>(scored.matched);
      state = scored.state;
    }
  }
}

void BackoffModel::score_sentences(std::span<const uint32_t> words, std::span<const uint64_t> offsets,
                                   std::span<float> log_prob, std::span<uint8_t> matched, unsigned threads) const {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != words.size())
    throw InputError("sentence offsets do not cover the words");
  const uint64_t sentences = offsets.size() - 1;
  for (uint64_t s = 0; s < sentences; ++s)
    if (offsets[s] > offsets[s + 1]) throw InputError("sentence offsets decrease");
  for (uint32_t w : words)
    if (w >= vocabulary_size())
      throw InputError("word id " + std::to_string(w) + " is not a word of a vocabulary of " +
                       std::to_string(vocabulary_size()));
  if (log_prob.size() != words.size() + sentences || matched.size() != log_prob.size())
    throw InputError("one result per event is needed: the words, and one </s> per sentence");

  if (!is_quantised() && words.size() >= arrays_.word.size() / kNgramsPerWord) build_index();
  const NgramIndex* const index = this->index();
  const uint64_t parts = std::max<uint64_t>(1, std::min<uint64_t>(threads, sentences / kSentencesPerThread));
  run_threads(static_cast<unsigned>(parts), [&](uint64_t t) {
    const uint64_t first_sentence = sentences * t / parts, last_sentence = sentences * (t + 1) / parts;
    if (index) score_range(*index, words, offsets, first_sentence, last_sentence, log_prob.data(), matched.data());
    else search_range(words, offsets, first_sentence, last_sentence, log_prob.data(), matched.data());
  });
  require_whole();
}

}  // namespace binyan::ngram
