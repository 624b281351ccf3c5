#include <nanobind/stl/array.h>

#include "bindings.hpp"
#include "errors.hpp"
#include "pitman_yor/random.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::pitman_yor;

void bind_pitman_yor(nb::module_& m) {
  nb::module_ errors = nb::module_::import_("binyan.errors");
  nb::register_exception_translator(
      [](const std::exception_ptr& p, void* payload) {
        try {
          std::rethrow_exception(p);
        } catch (const InputError& e) {
          PyErr_SetString(static_cast<PyObject*>(payload), e.what());
        }
      },
      errors.attr("InputError").ptr());
  nb::class_<Random>(m, "Random", "A seeded random stream: a function of (seed, chain, item).")
      .def(nb::init<uint64_t, uint64_t, uint64_t>(), nb::arg("seed"), nb::arg("chain") = 0, nb::arg("item") = 0)
      .def("next", &Random::next)
      .def("uniform", &Random::uniform)
      .def("below", &Random::below, nb::arg("n"))
      .def_rw("state", &Random::state);
}
