// BLEU of hypotheses, the translation that agrees best with others, and the line search of tuning.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "translation/bleu.hpp"
#include "translation/consensus.hpp"
#include "translation/line_search.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::translation;

namespace {

HypothesisLists lists_of(const Array<double>& features, const Array<int64_t>& statistics, const Offsets& offsets,
                         size_t width) {
  check_offsets(offsets, statistics.size() / kBleuWidth);
  const size_t hypotheses = offsets.data()[offsets.size() - 1];
  if (width == 0 || features.size() != hypotheses * width || statistics.size() != hypotheses * kBleuWidth)
    throw InputError("features, statistics and offsets of the hypotheses do not fit together");
  return {view(features), view(statistics), view(offsets), width};
}

void bind_bleu(nb::module_& m) {
  m.attr("BLEU_WIDTH") = kBleuWidth;
  m.def(
      "bleu_statistics",
      [](Ids words, Offsets offsets, Ids sentence, Ids reference_words, Offsets reference_offsets, Offsets references) {
        check_offsets(offsets, words.size());
        check_offsets(reference_offsets, reference_words.size());
        check_offsets(references, reference_offsets.size() - 1);
        if (sentence.size() + 1 != offsets.size()) throw InputError("hypotheses have a sentence each");
        std::vector<int64_t> out;
        {
          nb::gil_scoped_release unlocked;
          std::vector<std::span<const uint32_t>> own;
          for (size_t h = 0; h + 1 < offsets.size(); ++h) {
            own.clear();
            const uint64_t s = sentence.data()[h];
            if (s + 1 >= references.size()) throw InputError("a hypothesis of a sentence without references");
            for (uint64_t r = references.data()[s]; r < references.data()[s + 1]; ++r)
              own.push_back(view(reference_words)
                                .subspan(reference_offsets.data()[r],
                                         reference_offsets.data()[r + 1] - reference_offsets.data()[r]));
            const auto row =
                bleu_statistics(view(words).subspan(offsets.data()[h], offsets.data()[h + 1] - offsets.data()[h]), own);
            out.insert(out.end(), row.begin(), row.end());
          }
        }
        return numpy(std::move(out));
      },
      nb::arg("words"), nb::arg("offsets"), nb::arg("sentence"), nb::arg("reference_words"),
      nb::arg("reference_offsets"), nb::arg("references"),
      "BLEU_WIDTH numbers per hypothesis. References of sentence s: [references[s], references[s + 1]).");
  m.def(
      "consensus",
      [](Ids words, Offsets offsets, Ids sentence, Array<double> scores) {
        if (sentence.size() + 1 != offsets.size() || scores.size() != sentence.size())
          throw InputError("hypotheses have a sentence and a score each");
        check_offsets(offsets, words.size());
        std::vector<uint32_t> chosen;
        {
          nb::gil_scoped_release unlocked;
          std::vector<std::span<const uint32_t>> own;
          for (size_t first = 0; first < sentence.size(); first += own.size()) {
            own.clear();
            for (size_t h = first; h < sentence.size() && sentence.data()[h] == sentence.data()[first]; ++h)
              own.push_back(view(words).subspan(offsets.data()[h], offsets.data()[h + 1] - offsets.data()[h]));
            chosen.push_back(static_cast<uint32_t>(first + consensus(own, view(scores).subspan(first, own.size()))));
          }
        }
        return numpy(std::move(chosen));
      },
      nb::arg("words"), nb::arg("offsets"), nb::arg("sentence"), nb::arg("scores"),
      "The number of the hypothesis that agrees best with the others, for each sentence; those of a sentence are side "
      "by side.");
}

void bind_line_search(nb::module_& m) {
  m.def(
      "search_line",
      [](Array<double> features, Array<int64_t> statistics, Offsets offsets, Array<double> origin,
         Array<double> direction) {
        if (origin.size() != direction.size()) throw InputError("a line has as many weights as its direction");
        const auto lists = lists_of(features, statistics, offsets, origin.size());
        nb::gil_scoped_release unlocked;
        const LineOptimum best = search_line(lists, view(origin), view(direction));
        return std::pair(best.step, best.bleu);
      },
      nb::arg("features"), nb::arg("statistics"), nb::arg("offsets"), nb::arg("origin"), nb::arg("direction"),
      "(step, BLEU) of the best weights on a line.");
  m.def(
      "bleu_at",
      [](Array<double> features, Array<int64_t> statistics, Offsets offsets, Array<double> weights) {
        const auto lists = lists_of(features, statistics, offsets, weights.size());
        nb::gil_scoped_release unlocked;
        return bleu_at(lists, view(weights));
      },
      nb::arg("features"), nb::arg("statistics"), nb::arg("offsets"), nb::arg("weights"));
}

}  // namespace

void bind_tuning(nb::module_& m) {
  bind_bleu(m);
  bind_line_search(m);
}
