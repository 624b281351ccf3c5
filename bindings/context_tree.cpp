#include "ngram/context_tree.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;

namespace {

void check_context(const ContextTree& t, uint32_t level, uint32_t context) {
  if (context >= t.levels.at(level).contexts()) throw InputError("no such context of the tree");
}

}  // namespace

void bind_context_tree(nb::module_& m) {
  nb::class_<ContextTree>(m, "ContextTree", "All n-grams of a text, as a tree of contexts in flat arrays.")
      .def_static(
          "build",
          [](const Array<uint32_t>& words, const Array<uint64_t>& offsets, uint32_t order, uint32_t vocabulary_size,
             nb::object after_level) {
            const AfterLevel after = calling<uint32_t>(after_level);
            nb::gil_scoped_release unlocked;
            return std::make_shared<ContextTree>(
                ContextTree::build(view(words), view(offsets), order, vocabulary_size, after));
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("order"), nb::arg("vocabulary_size"),
          nb::arg("after_level") = nb::none(),
          "`after_level(k)` is called as each level is done, and may stop the work by raising.")
      .def_prop_ro("order", &ContextTree::order)
      .def_ro("vocabulary_size", &ContextTree::vocabulary_size)
      .def_ro("events", &ContextTree::events)
      .def(
          "entries", [](const ContextTree& t, uint32_t level) { return t.levels.at(level).entries(); },
          nb::arg("level"))
      .def(
          "contexts", [](const ContextTree& t, uint32_t level) { return t.levels.at(level).contexts(); },
          nb::arg("level"))
      .def(
          "find_entry",
          [](const ContextTree& t, uint32_t level, uint32_t context, uint32_t word) {
            check_context(t, level, context);
            return t.find_entry(level, context, word);
          },
          nb::arg("level"), nb::arg("context"), nb::arg("word"))
      .def(
          "find_child",
          [](const ContextTree& t, uint32_t level, uint32_t context, uint32_t left_word) {
            check_context(t, level, context);
            return t.find_child(level, context, left_word);
          },
          nb::arg("level"), nb::arg("context"), nb::arg("left_word"))
      .def(
          "direct",
          [](const ContextTree& t, uint32_t level, uint32_t entry) {
            if (entry >= t.levels.at(level).entries()) throw InputError("no such entry of the tree");
            return t.direct(level, entry);
          },
          nb::arg("level"), nb::arg("entry"))
      .def(
          "level",
          [](const ContextTree& t, uint32_t level) {
            const Level& l = t.levels.at(level);
            nb::dict d;
            d["word"] = numpy(l.word);
            d["context"] = numpy(l.context);
            d["parent"] = numpy(l.parent);
            d["count"] = numpy(l.count);
            d["first_entry"] = numpy(l.first_entry);
            d["first_child"] = numpy(l.first_child);
            d["left_word"] = numpy(l.left_word);
            d["context_parent"] = numpy(l.context_parent);
            return d;
          },
          nb::arg("level"), "Copies of a level's arrays, named as in core/ngram/context_tree.hpp.");
}
