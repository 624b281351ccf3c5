// What Python asks of every Gibbs sampler of language models in the same words.
#pragma once
#include <nanobind/nanobind.h>

#include <type_traits>

#include "errors.hpp"
#include "ngram/hpylm.hpp"

// `is_seated` says whether a model has its customers.
template <class Model, class... Bases, class IsSeated>
void bind_chain(nanobind::class_<Model, Bases...>& bound, IsSeated is_seated) {
  namespace nb = nanobind;
  auto check_seated = [is_seated](const Model& model) {
    if (!is_seated(model)) throw binyan::InputError("the chain has no customers yet: initialise it first");
  };
  bound
      .def(
          "initialise",
          [is_seated](Model& model, bool sequential) {
            using binyan::ngram::Initialisation;
            if (is_seated(model)) throw binyan::InputError("the chain has its customers");
            const auto how = sequential ? Initialisation::kSequential : Initialisation::kRandom;
            if constexpr (std::is_void_v<decltype(model.initialise(how))>) {
              model.initialise(how);
              return model.log_likelihood();
            } else {
              return model.initialise(how);
            }
          },
          nb::arg("sequential"), nb::call_guard<nb::gil_scoped_release>(),
          "Seat all customers; returns the log-probability of the seating.")
      .def(
          "sweep",
          [check_seated](Model& model) {
            check_seated(model);
            model.sweep();
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "resample_hyperparameters", [](Model& model) { return model.resample_hyperparameters(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "step",
          [check_seated](Model& model) {
            check_seated(model);
            model.sweep();
            return model.resample_hyperparameters();
          },
          nb::call_guard<nb::gil_scoped_release>(),
          "A sweep and an update of the hyperparameters; returns the log-likelihood.")
      .def(
          "log_likelihood", [](const Model& model) { return model.log_likelihood(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "check", [](const Model& model) { model.check(); }, nb::call_guard<nb::gil_scoped_release>());
}
