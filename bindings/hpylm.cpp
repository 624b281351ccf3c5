#include "ngram/hpylm.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "chain.hpp"
#include "elementary/functions.hpp"
#include "errors.hpp"
#include "ngram/open_hpylm.hpp"
#include "text/special_words.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;
using namespace binyan::pitman_yor;

namespace {

using Columns = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// log of `values` into one column of an array with one row per value.
void write_column(Columns& to, size_t column, const std::vector<double>& values) {
  if (to.shape(0) != values.size() || column >= to.shape(1))
    throw InputError("the arrays of a sample have another shape than the model");
  float* at = to.data() + column;
  for (double v : values) {
    *at = static_cast<float>(elementary::log(v));
    at += to.shape(1);
  }
}

// The arrays of a collected sample: name and number of rows. Columns are samples.
void name_rows(const HPYLM& model, nb::dict& d, const std::string& prefix = "") {
  const ContextTree& tree = model.tree();
  d[(prefix + "unigrams").c_str()] = tree.vocabulary_size;
  for (uint32_t k = 1; k < tree.order(); ++k) {
    d[(prefix + "log_prob." + std::to_string(k)).c_str()] = tree.levels[k].entries();
    d[(prefix + "log_backoff." + std::to_string(k)).c_str()] = tree.levels[k].contexts();
  }
}

// `bases`: of every word, where the base is not uniform.
void collect(const HPYLM& model, nb::dict samples, size_t column, std::vector<double> bases = {},
             const std::string& prefix = "") {
  const ContextTree& tree = model.tree();
  Columns unigrams = nb::cast<Columns>(samples[(prefix + "unigrams").c_str()]);
  std::vector<Columns> log_prob(1), log_backoff(1);
  for (uint32_t k = 1; k < tree.order(); ++k) {
    log_prob.push_back(nb::cast<Columns>(samples[(prefix + "log_prob." + std::to_string(k)).c_str()]));
    log_backoff.push_back(nb::cast<Columns>(samples[(prefix + "log_backoff." + std::to_string(k)).c_str()]));
  }
  nb::gil_scoped_release unlocked;
  std::vector<double> shorter = bases, probability, backoff;
  if (bases.empty()) {
    bases.assign(tree.vocabulary_size, model.base());
    bases[text::kUnknownWord] = model.unknown_base();
  }
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    probability.resize(level.entries());
    backoff.resize(level.contexts());
    model.predict(k, shorter, probability, backoff);
    if (k == 0) {
      std::vector<double> all(tree.vocabulary_size);
      for (size_t w = 0; w < all.size(); ++w) all[w] = backoff[0] * bases[w];
      for (uint32_t e = 0; e < level.entries(); ++e) all[level.word[e]] = probability[e];
      all[text::kSentenceStart] = 0;
      write_column(unigrams, column, all);
    } else {
      write_column(log_prob[k], column, probability);
      write_column(log_backoff[k], column, backoff);
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
    pitman_yor::check({a, b});
    model.levels()[k].hyper = {a, b};
  }
}

void save_state(const HPYLM& model, nb::dict& d, const std::string& prefix = "") {
  const auto name = [&prefix](const std::string& what) { return prefix + what; };
  d[name("random").c_str()] = numpy(std::vector<uint64_t>(model.random.state.begin(), model.random.state.end()));
  std::vector<double> hyper;
  for (const auto& [a, b] : hyperparameters(model)) hyper.insert(hyper.end(), {a, b});
  d[name("hyperparameters").c_str()] = numpy(std::move(hyper));
  for (size_t k = 0; k < model.levels().size(); ++k) {
    std::vector<uint32_t> tables, sizes;
    model.levels()[k].save(tables, sizes);
    d[name("tables." + std::to_string(k)).c_str()] = numpy(std::move(tables));
    d[name("sizes." + std::to_string(k)).c_str()] = numpy(std::move(sizes));
  }
}

// `direct`: customers of the text, by level, where they are other than those of the tree.
void restore(HPYLM& model, nb::dict d, const std::string& prefix = "",
             const std::vector<std::vector<uint32_t>>& direct = {}) {
  const auto name = [&prefix](const std::string& what) { return prefix + what; };
  const auto random = nb::cast<Array<uint64_t>>(d[name("random").c_str()]);
  const auto hyper = nb::cast<Array<double>>(d[name("hyperparameters").c_str()]);
  if (random.size() != 4 || hyper.size() != 2 * model.levels().size())
    throw InputError("the saved state is damaged: wrong number of hyperparameters or random numbers");
  Hyper pairs;
  for (size_t i = 0; i + 1 < hyper.size(); i += 2) pairs.emplace_back(hyper.data()[i], hyper.data()[i + 1]);
  set_hyperparameters(model, pairs);
  std::copy_n(random.data(), 4, model.random.state.begin());
  Ids above;
  for (size_t k = model.levels().size(); k-- > 0;) {
    const Ids tables = nb::cast<Ids>(d[name("tables." + std::to_string(k)).c_str()]),
              sizes = nb::cast<Ids>(d[name("sizes." + std::to_string(k)).c_str()]);
    const std::span<const uint32_t> from_above = above.is_valid() ? view(above) : std::span<const uint32_t>();
    const std::span<const uint32_t> own = direct.empty() ? std::span<const uint32_t>() : direct[k];
    model.levels()[k].restore(model.customers_of(k, from_above, own), model.tree().levels[k].context, view(tables),
                              view(sizes));
    above = tables;
  }
}

const Restaurants& level_with(const HPYLM& model, uint32_t level, uint32_t entry) {
  if (level >= model.levels().size() || entry >= model.levels()[level].dishes())
    throw InputError("no such entry of the model");
  return model.levels()[level];
}

bool is_seated(const HPYLM& model) { return model.levels()[0].restaurant_customers(0) > 0; }

std::vector<std::pair<uint32_t, uint32_t>> table_sizes(const HPYLM& model, uint32_t level, uint32_t entry) {
  std::vector<std::pair<uint32_t, uint32_t>> bins;
  for (const auto& bin : level_with(model, level, entry).table_sizes(entry)) bins.emplace_back(bin.size, bin.tables);
  return bins;
}

void bind_open_hpylm(nb::module_& m) {
  const std::string prefix = "spelling.";
  nb::class_<Strings>(m, "Strings", "The words of a vocabulary as strings of symbols, each a sentence of `tree`.")
      .def(
          "__init__",
          [](Strings* self, std::shared_ptr<const ContextTree> tree, Ids symbols, Offsets offsets, uint64_t alphabet) {
            new (self) Strings{std::move(tree), copy(symbols), copy(offsets), alphabet};
          },
          nb::arg("tree"), nb::arg("symbols"), nb::arg("offsets"), nb::arg("alphabet"));
  nb::class_<OpenHPYLM> open(m, "OpenHPYLM", "Gibbs sampler of the HPYLM over a model of spelling: one chain.");
  open.def(nb::init<std::shared_ptr<const ContextTree>, const Strings&, uint64_t, uint64_t>(), nb::arg("tree"),
           nb::arg("strings"), nb::arg("seed"), nb::arg("chain") = 0);
  bind_chain(open, is_seated);
  open.def_prop_ro(
          "hyperparameters",
          [](const OpenHPYLM& model) {
            Hyper all = hyperparameters(model);
            for (const auto& pair : hyperparameters(model.spelling.symbols)) all.push_back(pair);
            return all;
          },
          "(discount, strength) by the length of the context: of words, then of symbols.")
      .def(
          "sample_rows",
          [prefix](const OpenHPYLM& model) {
            nb::dict d;
            name_rows(model, d);
            name_rows(model.spelling.symbols, d, prefix);
            return d;
          },
          "The arrays a sample is collected into: rows by name.")
      .def(
          "collect",
          [prefix](const OpenHPYLM& model, nb::dict samples, size_t column) {
            collect(model, samples, column, model.bases());
            collect(model.spelling.symbols, samples, column, {}, prefix);
          },
          nb::arg("samples"), nb::arg("column"))
      .def("state",
           [prefix](const OpenHPYLM& model) {
             nb::dict d;
             save_state(model, d);
             save_state(model.spelling.symbols, d, prefix);
             return d;
           })
      .def(
          "restore",
          [prefix](OpenHPYLM& model, nb::dict d) {
            restore(model, d);
            restore(model.spelling.symbols, d, prefix, model.spelling.direct(model.strings()));
          },
          nb::arg("state"))
      .def(
          "bases", [](const OpenHPYLM& model) { return numpy(model.bases()); },
          "Of every word, and of all strings outside the vocabulary (<unk>): its probability under the base.")
      .def(
          "table_sizes",
          [](const OpenHPYLM& model, uint32_t level, uint32_t entry) { return table_sizes(model, level, entry); },
          nb::arg("level"), nb::arg("entry"), "Pairs (size, tables), ordered by size.")
      .def(
          "symbol_table_sizes",
          [](const OpenHPYLM& model, uint32_t level, uint32_t entry) {
            return table_sizes(model.spelling.symbols, level, entry);
          },
          nb::arg("level"), nb::arg("entry"), "The same in the restaurants of symbols.");
}

}  // namespace

void bind_hpylm(nb::module_& m) {
  nb::class_<HPYLM> bound(m, "HPYLM", "Gibbs sampler of the hierarchical Pitman-Yor language model: one chain.");
  bound.def(nb::init<std::shared_ptr<const ContextTree>, uint64_t, uint64_t, uint64_t>(), nb::arg("tree"),
            nb::arg("seed"), nb::arg("chain") = 0, nb::arg("symbols") = 0,
            "`symbols`: how many the base is uniform over, where there are more than those of the tree.");
  bind_chain(bound, is_seated);
  bound.def_prop_rw("hyperparameters", &hyperparameters, &set_hyperparameters)
      .def(
          "sample_rows",
          [](const HPYLM& model) {
            nb::dict d;
            name_rows(model, d);
            return d;
          },
          "The arrays a sample is collected into: rows by name.")
      .def(
          "collect", [](const HPYLM& model, nb::dict samples, size_t column) { collect(model, samples, column); },
          nb::arg("samples"), nb::arg("column"),
          "Write the predictive distribution of this sample, an interpolated back-off model, into a column of float32 "
          "arrays.")
      .def(
          "state",
          [](const HPYLM& model) {
            nb::dict d;
            save_state(model, d);
            return d;
          },
          "All a run needs to go on, bit for bit: arrays by name.")
      .def(
          "restore", [](HPYLM& model, nb::dict d) { restore(model, d); }, nb::arg("state"),
          "The inverse of state(). Raises InputError where the arrays are inconsistent.")
      .def(
          "customers",
          [](const HPYLM& model, uint32_t level, uint32_t entry) {
            return level_with(model, level, entry).customers(entry);
          },
          nb::arg("level"), nb::arg("entry"))
      .def("table_sizes", &table_sizes, nb::arg("level"), nb::arg("entry"), "Pairs (size, tables), ordered by size.");
  bind_open_hpylm(m);
}
