#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "text/read_words.hpp"
#include "text/word_index.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::text;

namespace {

std::string_view text_of(const nb::bytes& b) { return {b.c_str(), b.size()}; }

nb::object result(bool read, Sentences s) {
  if (!read) return nb::none();
  return nb::make_tuple(numpy(std::move(s.words)), numpy(std::move(s.offsets)));
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<WordIndex>(m, "WordIndex", "Words and their numbers, from 0 in the order they were added.")
      .def(
          "__init__",
          [](WordIndex* self, const nb::bytes& words) {
            new (self) WordIndex();
            std::string_view left = text_of(words);
            for (uint32_t n = 0; !left.empty(); ++n) {
              const size_t end = std::min(left.find('\n'), left.size());
              if (self->add(left.substr(0, end)) != n) throw InputError("a word twice");
              left.remove_prefix(std::min(end + 1, left.size()));
            }
          },
          nb::arg("words") = nb::bytes("", 0), "`words`: one per line.")
      .def("__len__", &WordIndex::size)
      .def(
          "words",
          [](const WordIndex& index) {
            std::string all;
            for (uint32_t w = 0; w < index.size(); ++w) {
              if (w > 0) all += '\n';
              all += index.word(w);
            }
            return nb::bytes(all.data(), all.size());
          },
          "All words, one per line.")
      .def(
          "encode",
          [](const WordIndex& index, const nb::bytes& text, uint32_t missing, size_t longest) {
            Sentences s;
            bool read;
            {
              const auto letters = text_of(text);
              nb::gil_scoped_release unlocked;
              read = read_words(letters, index, missing, longest, s);
            }
            return result(read, std::move(s));
          },
          nb::arg("text"), nb::arg("missing"), nb::arg("longest"),
          nb::sig("def encode(self, text: bytes, missing: int, longest: int) -> tuple[NDArray[numpy.uint32], "
                  "NDArray[numpy.uint64]] | None"),
          "Word numbers and sentence offsets of a text; None where it is not clean text (see "
          "core/text/read_words.hpp).")
      .def(
          "add_text",
          [](WordIndex& index, const nb::bytes& text, size_t longest) {
            Sentences s;
            bool read;
            {
              const auto letters = text_of(text);
              nb::gil_scoped_release unlocked;
              read = read_words(letters, index, longest, s);
            }
            return result(read, std::move(s));
          },
          nb::arg("text"), nb::arg("longest"),
          nb::sig("def add_text(self, text: bytes, longest: int) -> tuple[NDArray[numpy.uint32], "
                  "NDArray[numpy.uint64]] | None"),
          "The same, with new words added.");
}
