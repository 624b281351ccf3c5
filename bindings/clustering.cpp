#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "clustering/brown.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::clustering;

namespace {
using Words = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
}  // namespace

void bind_clustering(nb::module_& m) {
  nb::class_<Bigrams>(m, "Bigrams", "Counts of adjacent words of sentences, with an end mark between them.")
      .def(
          "__init__",
          [](Bigrams* self, Words words, Offsets offsets, uint32_t types, uint32_t end) {
            nb::gil_scoped_release release;
            new (self) Bigrams({words.data(), words.size()}, {offsets.data(), offsets.size()}, types, end);
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("types"), nb::arg("end"))
      .def_ro("frequency", &Bigrams::frequency)
      .def(
          "average_mutual_information",
          [](const Bigrams& self, Words class_of, uint32_t classes) {
            nb::gil_scoped_release release;
            return average_mutual_information(self, {class_of.data(), class_of.size()}, classes);
          },
          nb::arg("class_of"), nb::arg("classes"));
  nb::class_<BrownClustering>(m, "BrownClustering", "The windowed agglomerative algorithm of Brown et al. (1992).")
      .def(nb::init<const Bigrams&, uint32_t>(), nb::arg("bigrams"), nb::arg("classes"), nb::keep_alive<1, 2>())
      .def("step", &BrownClustering::step, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>())
      .def("exchange", &BrownClustering::exchange, nb::call_guard<nb::gil_scoped_release>())
      .def("finish", &BrownClustering::finish, nb::call_guard<nb::gil_scoped_release>())
      .def("class_of", &BrownClustering::class_of)
      .def("tables_hold", &BrownClustering::tables_hold)
      .def_prop_ro("paths", &BrownClustering::paths)
      .def_prop_ro("entered", &BrownClustering::entered);
}
