// One word at a time, as KenLM's Python module is asked: states that the caller owns, words as strings, log10.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "errors.hpp"
#include "ngram/backoff_model.hpp"
#include "text/word_index.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;

namespace {

constexpr double kLog10OfE = 0.43429448190325182765;
constexpr uint32_t kUnknown = 0, kBegin = 1, kEnd = 2;  // as everywhere in the core
constexpr size_t kAtOnce = 16;                          // words of a sentence that are looked up together

// The context of a back-off model by its number, with its chain where that is known; of any other model, `value` is its
// own state.
struct ScorerState {
  uint32_t number = 0;
  ContextChain chain;
  nb::object value = nb::none();
};

struct FullScore {
  double log_prob;
  uint32_t ngram_length;
  bool oov;
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class WordScorer {
 public:
  WordScorer(const BackoffModel& model, const text::WordIndex& words)
      : model_(model), words_(words), has_chains_(model.has_chains()) {
    if (words.size() != model.vocabulary_size()) throw InputError("the words are not those of the model");
  }

  bool knows(std::string_view word) const { return words_.find(word, kUnknown) != kUnknown; }
  uint32_t begin() const { return model_.begin(); }

  // `out` may be `in`.
  FullScore score(const ScorerState& in, std::string_view word, ScorerState& out) const {
    const uint32_t id = words_.find(word, kUnknown);
    if (in.number >= model_.states()) throw InputError("the state belongs to another model");
    refuse_beginning(id);
    if (!has_chains_) {
      const Scored scored = model_.score(in.number, id);
      out.number = scored.state;
      return full(scored, id);
    }
    ContextChain chain = in.chain.state() == in.number ? in.chain : model_.chain_of(in.number);
    const Scored scored = model_.advance(chain, id);
    out.number = scored.state;
    out.chain = chain;
    return full(scored, id);
  }

  // Calls `each(FullScore)` for every word that white space separates, and for the end of the sentence if `eos`.
  template <class Each>
  void sentence(std::string_view text, bool bos, bool eos, Each each) const {
    uint32_t state = bos ? begin() : 0;
    ContextChain chain = has_chains_ ? model_.chain_of(state) : ContextChain{};
    const auto score_word = [&](uint32_t word) {
      refuse_beginning(word);
      const Scored scored = has_chains_ ? model_.advance(chain, word) : model_.score(state, word);
      state = scored.state;
      each(full(scored, word));
    };
    std::array<std::string_view, kAtOnce> words;
    std::array<uint32_t, kAtOnce> ids;
    for (size_t count = kAtOnce; count == kAtOnce;) {
      count = take_words(text, words);
      words_.find_all(std::span(words).first(count), kUnknown, ids);
      if (has_chains_) model_.expect(std::span(ids).first(count));
      for (size_t i = 0; i < count; ++i) score_word(ids[i]);
    }
    if (eos) score_word(kEnd);
  }

 private:
  static FullScore full(const Scored& scored, uint32_t word) {
    return {static_cast<double>(scored.log_prob) * kLog10OfE, scored.matched, word == kUnknown};
  }

  static void refuse_beginning(uint32_t word) {
    if (word == kBegin) throw InputError("<s> is never predicted: begin with BeginSentenceWrite, or bos=True");
  }

  // Moves the next words of `text` to `words`, as many as there is room for.
  static size_t take_words(std::string_view& text, std::array<std::string_view, kAtOnce>& words) {
    size_t at = 0, count = 0;
    while (count < words.size()) {
      while (at < text.size() && is_space(text[at])) ++at;
      if (at == text.size()) break;
      const size_t first = at;
      while (at < text.size() && !is_space(text[at])) ++at;
      words[count++] = text.substr(first, at - first);
    }
    text.remove_prefix(at);
    return count;
  }

  const BackoffModel& model_;
  const text::WordIndex& words_;
  const bool has_chains_;
};

}  // namespace

void bind_word_scorer(nb::module_& m) {
  nb::class_<ScorerState>(m, "ScorerState", "What was said so far, as a model remembers it.")
      .def(nb::init<>())
      .def_rw("number", &ScorerState::number)
      .def_rw("value", &ScorerState::value, nb::arg().none())
      .def("__copy__", [](const ScorerState& s) { return s; })
      .def("__deepcopy__", [](const ScorerState& s, nb::handle) { return s; })
      .def("__eq__",
           [](const ScorerState& a, nb::handle other) {
             if (!nb::isinstance<ScorerState>(other)) return false;
             const auto& b = nb::cast<const ScorerState&>(other);
             return a.number == b.number && a.value.equal(b.value);
           })
      .def("__hash__", [](const ScorerState& s) { return static_cast<int64_t>(s.number) * 31 + nb::hash(s.value); })
      .def("__repr__", [](const ScorerState& s) { return nb::str("<State {} {}>").format(s.number, s.value); });
  nb::class_<FullScore>(m, "FullScore",
                        "Of one word: its log10 probability, the n-gram it ends, whether it is unknown.")
      .def(nb::init<double, uint32_t, bool>(), nb::arg("log_prob"), nb::arg("ngram_length"), nb::arg("oov"))
      .def_ro("log_prob", &FullScore::log_prob)
      .def_ro("ngram_length", &FullScore::ngram_length)
      .def_ro("oov", &FullScore::oov)
      .def("__repr__", [](const FullScore& s) {
        return nb::str("FullScoreReturn(log_prob={}, ngram_length={}, oov={})")
            .format(s.log_prob, s.ngram_length, s.oov);
      });
  nb::class_<WordScorer>(m, "WordScorer", "A back-off model and its words.")
      .def(nb::init<const BackoffModel&, const text::WordIndex&>(), nb::arg("model"), nb::arg("words"),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("__contains__", &WordScorer::knows, nb::arg("word"))
      .def(
          "begin_sentence", [](const WordScorer& w, ScorerState& s) { s.number = w.begin(); }, nb::arg("state"))
      .def(
          "null_context", [](const WordScorer&, ScorerState& s) { s.number = 0; }, nb::arg("state"))
      .def(
          "base_score",
          [](const WordScorer& w, const ScorerState& in, std::string_view word, ScorerState& out) {
            return w.score(in, word, out).log_prob;
          },
          nb::arg("in_state"), nb::arg("word"), nb::arg("out_state"))
      .def(
          "base_full_score",
          [](const WordScorer& w, const ScorerState& in, std::string_view word, ScorerState& out) {
            return w.score(in, word, out);
          },
          nb::arg("in_state"), nb::arg("word"), nb::arg("out_state"))
      .def(
          "score",
          [](const WordScorer& w, std::string_view text, bool bos, bool eos) {
            double sum = 0.0;
            w.sentence(text, bos, eos, [&](const FullScore& s) { sum += s.log_prob; });
            return sum;
          },
          nb::arg("sentence"), nb::arg("bos") = true, nb::arg("eos") = true)
      .def(
          "full_scores",
          [](const WordScorer& w, std::string_view text, bool bos, bool eos) {
            std::vector<std::tuple<double, uint32_t, bool>> scores;
            w.sentence(text, bos, eos,
                       [&](const FullScore& s) { scores.emplace_back(s.log_prob, s.ngram_length, s.oov); });
            return scores;
          },
          nb::arg("sentence"), nb::arg("bos") = true, nb::arg("eos") = true);
}
