#include "ngram/hpylm.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace binyan;

namespace {

using Columns = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// log of `values` into one column of an array with a row a value.
void write_column(Columns& to, size_t column, const std::vector<double>& values) {
  if (to.shape(0) != values.size() || column >= to.shape(1)) throw InputError("the arrays of a sample have another shape than the model");
  float* at = to.data() + column;
  for (double v : values) {
    *at = static_cast<float>(std::log(v));
    at += to.shape(1);
  }
}

void predict(const HPYLM& model, Columns unigrams, std::vector<Columns> log_prob, std::vector<Columns> log_backoff, size_t column) {
  const ContextTree& tree = model.tree();
  if (log_prob.size() + 1 != tree.order() || log_backoff.size() + 1 != tree.order()) throw InputError("the arrays of a sample have another order than the model");
  std::vector<double> shorter, probability, backoff;
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    probability.resize(level.entries());
    backoff.resize(level.contexts());
    model.predict(k, shorter, probability, backoff);
    if (k == 0) {
      std::vector<double> all(tree.vocabulary_size, backoff[0] * model.base());
      for (uint32_t e = 0; e < level.entries(); ++e) all[level.word[e]] = probability[e];
      all[kBegin] = 0;
      write_column(unigrams, column, all);
    } else {
      write_column(log_prob[k - 1], column, probability);
      write_column(log_backoff[k - 1], column, backoff);
    }
    shorter.swap(probability);
  }
}

using Hyper = std::vector<std::pair<double, double>>;

Hyper hyperparameters(const HPYLM& model) {
  Hyper all;
  for (const Restaurants& level : model.levels()) all.emplace_back(level.hyper.discount, level.hyper.strength);
  return all;
}

void set_hyperparameters(HPYLM& model, const Hyper& values) {
  if (values.size() != model.levels().size()) throw InputError("one (discount, strength) pair a level is needed");
  for (size_t k = 0; k < values.size(); ++k) {
    const auto [a, b] = values[k];
    if (!(a >= 0 && a < 1 && b > 0)) throw InputError("a discount lies in [0, 1) and a strength is above 0");
    model.levels()[k].hyper = {a, b};
  }
}

}  // namespace

void bind_hpylm(nb::module_& m) {
  nb::class_<HPYLM>(m, "HPYLM", "Gibbs sampler of the hierarchical Pitman-Yor language model: one chain.")
      .def(nb::init<std::shared_ptr<const ContextTree>, uint64_t, uint64_t>(), nb::arg("tree"), nb::arg("seed"), nb::arg("chain") = 0)
      .def(
          "initialise", [](HPYLM& model, bool sequential) { return model.initialise(sequential ? Initialisation::kSequential : Initialisation::kRandom); },
          nb::arg("sequential"), nb::call_guard<nb::gil_scoped_release>(), "Seat all customers; returns the log-probability of the seating, choice by choice.")
      .def("sweep", &HPYLM::sweep, nb::call_guard<nb::gil_scoped_release>())
      .def("resample_hyperparameters", &HPYLM::resample_hyperparameters, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "step",
          [](HPYLM& model) {
            model.sweep();
            return model.resample_hyperparameters();
          },
          nb::call_guard<nb::gil_scoped_release>(), "A sweep and an update of the hyperparameters; returns the log-likelihood.")
      .def("log_likelihood", &HPYLM::log_likelihood, nb::call_guard<nb::gil_scoped_release>())
      .def("check", &HPYLM::check, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_rw("hyperparameters", &hyperparameters, &set_hyperparameters)
      .def_prop_rw("random_state", [](const HPYLM& model) { return model.random.state; }, [](HPYLM& model, std::array<uint64_t, 4> s) { model.random.state = s; })
      .def("predict", &predict, nb::arg("unigrams"), nb::arg("log_prob"), nb::arg("log_backoff"), nb::arg("column"),
           nb::call_guard<nb::gil_scoped_release>(), "Write the predictive distribution of this sample into a column of float32 arrays.")
      .def(
          "seating",
          [](const HPYLM& model, uint32_t level) {
            std::vector<uint32_t> tables, sizes;
            model.levels().at(level).save(tables, sizes);
            return std::pair(numpy(std::move(tables)), numpy(std::move(sizes)));
          },
          nb::arg("level"), "Tables per entry, and (size, tables) pairs of entries with 1 < tables < customers.")
      .def(
          "restore",
          [](HPYLM& model, const std::vector<std::pair<Array<uint32_t>, Array<uint32_t>>>& seating) {
            if (seating.size() != model.levels().size()) throw InputError("the saved seating is damaged: wrong number of levels");
            for (size_t k = seating.size(); k-- > 0;) {
              const std::span<const uint32_t> above = k + 1 < seating.size() ? view(seating[k + 1].first) : std::span<const uint32_t>();
              model.levels()[k].restore(model.customers_of(k, above), model.tree().levels[k].context, view(seating[k].first), view(seating[k].second));
            }
          },
          nb::arg("seating"))
      .def("customers", [](const HPYLM& model, uint32_t level, uint32_t entry) { return model.levels().at(level).customers(entry); }, nb::arg("level"), nb::arg("entry"))
      .def(
          "table_sizes",
          [](const HPYLM& model, uint32_t level, uint32_t entry) {
            std::vector<std::pair<uint32_t, uint32_t>> bins;
            for (const auto& bin : model.levels().at(level).table_sizes(entry)) bins.emplace_back(bin.size, bin.tables);
            return bins;
          },
          nb::arg("level"), nb::arg("entry"), "Pairs (size, tables), ordered by size.");
}
