#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "ngram/arpa_reader.hpp"
#include "ngram/arpa_writer.hpp"
#include "text/special_words.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;

namespace {

std::string_view view(const nb::bytes& b) { return {b.c_str(), b.size()}; }
nb::bytes bytes(const std::string& s) { return nb::bytes(s.data(), s.size()); }

}  // namespace

void bind_arpa(nb::module_& m) {
  nb::class_<ArpaReader>(m, "ArpaReader", "Reads an ARPA file fed in pieces; errors begin with the line.")
      .def(nb::init<>())
      .def(
          "feed",
          [](ArpaReader& r, const nb::bytes& piece) {
            const auto text = view(piece);
            nb::gil_scoped_release unlocked;
            r.feed(text);
          },
          nb::arg("piece"))
      .def("finish", &ArpaReader::finish, nb::call_guard<nb::gil_scoped_release>())
      .def_ro("missing", &ArpaReader::missing)
      .def_ro("filled_in", &ArpaReader::filled_in)
      .def(
          "words",
          [](const ArpaReader& r) {
            std::string all;
            for (uint32_t w = text::kSentenceEnd + 1; w < r.words().size(); ++w) {
              if (w > text::kSentenceEnd + 1) all += '\n';
              all += r.words().word(w);
            }
            return bytes(all);
          },
          "The words after <unk>, <s> and </s>, one per line.");
  m.def(
      "arpa_head", [](const BackoffModel& model) { return bytes(arpa_head(model)); }, nb::arg("model"));
  m.def(
      "arpa_lines",
      [](const BackoffModel& model, const text::WordIndex& words, uint32_t first, uint32_t last) {
        std::string lines;
        {
          nb::gil_scoped_release unlocked;
          lines = arpa_lines(model, words, first, last);
        }
        return bytes(lines);
      },
      nb::arg("model"), nb::arg("words"), nb::arg("first"), nb::arg("last"));
  m.def("one_column", &one_column, nb::arg("model"), nb::call_guard<nb::gil_scoped_release>());
}
