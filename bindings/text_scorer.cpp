#include "ngram/text_scorer.hpp"

#include <nanobind/stl/string.h>

#include <string_view>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;

namespace {

Rows rows_of(std::string_view name) {
  if (name == "none") return Rows::kNone;
  if (name == "sentences") return Rows::kSentences;
  if (name == "words") return Rows::kWords;
  throw InputError("rows are of sentences, words or none");
}

}  // namespace

void bind_text_scorer(nb::module_& m) {
  nb::class_<TextScorer>(m, "TextScorer", "A back-off model and its words, for whole texts.")
      .def(nb::init<const BackoffModel&, const text::WordIndex&>(), nb::arg("model"), nb::arg("words"),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(
          "score",
          [](const TextScorer& scorer, const nb::bytes& text, const std::string& rows, uint64_t first, size_t longest,
             unsigned threads) -> nb::object {
            TextScores scores;
            bool clean;
            const Rows form = rows_of(rows);
            {
              const std::string_view letters{text.c_str(), text.size()};
              nb::gil_scoped_release unlocked;
              clean = scorer.score(letters, form, first, longest, threads, scores);
            }
            if (!clean) return nb::none();
            return nb::make_tuple(nb::bytes(scores.rows.data(), scores.rows.size()),
                                  nb::bytes(scores.events.data(), scores.events.size()),
                                  numpy(std::move(scores.log_prob)), numpy(std::move(scores.log_prob_known)),
                                  scores.unknown, scores.characters);
          },
          nb::arg("text"), nb::arg("rows"), nb::arg("first"), nb::arg("longest"), nb::arg("threads"),
          nb::sig("def score(self, text: bytes, rows: str, first: int, longest: int, threads: int) -> tuple[bytes, "
                  "bytes, NDArray[numpy.float64], NDArray[numpy.float64], int, int] | None"),
          "Rows, events, log-probabilities of sentences with and without unknown words, unknown words, characters; "
          "None where the text is not clean (see core/ngram/text_scorer.hpp).");
}
