#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "ngram/kneser_ney.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;

namespace {

void check_state(const BackoffModel& m, uint32_t state) {
  if (state >= m.states()) throw InputError("no such state: it belongs to another model");
}

// What `of` tells of each state, in rows of as many elements as the order of the model.
template <class Of>
Flat<double> rows(const BackoffModel& m, const Ids& states, Of of) {
  for (uint32_t state : view(states)) check_state(m, state);
  std::vector<double> out(states.size() * m.order(), 0.0);
  {
    nb::gil_scoped_release unlocked;
    for (size_t i = 0; i < states.size(); ++i) {
      const std::vector<double> row = of(i);
      std::copy(row.begin(), row.end(), out.begin() + i * m.order());
    }
  }
  return numpy(std::move(out));
}

// All arrays, or all but the values.
nb::dict arrays_of(nb::handle self, bool values) {
  const auto& a = nb::cast<const BackoffModel&>(self).arrays();
  nb::dict d;
  for (const auto& [name, array] : {std::pair("log_prob", &a.log_prob), std::pair("log_backoff", &a.log_backoff)}) {
    if (!values) break;
    if (array->is_coded()) d[name] = numpy(array->copy());
    else d[name] = view_of(array->floats(), self);
  }
  d["context_base"] = view_of(a.context_base, self);
  d["word"] = view_of(a.word, self);
  d["next"] = view_of(a.next, self);
  d["first_entry"] = view_of(a.first_entry, self);
  d["left_word"] = view_of(a.left_word, self);
  d["suffix"] = view_of(a.suffix, self);
  nb::cast<const BackoffModel&>(self).arrays();  // is the file whole still?
  return d;
}

void bind_region(nb::module_& m) {
  nb::class_<MappedRegion>(m, "MappedRegion",
                           "A file in memory; reading what is no longer in the file is noticed, and does no harm.")
      .def(
          "__init__",
          [](MappedRegion* self, const Array<uint8_t>& bytes, std::string name) {
            new (self) MappedRegion(bytes.data(), bytes.size(), std::move(name));
          },
          nb::arg("bytes"), nb::arg("name"), nb::keep_alive<1, 2>())
      .def("require_whole", &MappedRegion::require_whole, "Raises InputError where the file was truncated.");
}

// Numbers of values, the values of all tables, how many each table has, and where its numbers end.
template <class Number>
using Coded = std::tuple<Array<Number>, Array<float>, Ids, std::vector<uint64_t>>;

template <class Number>
ValueArray values_of(const Coded<Number>& coded) {
  const auto& [numbers, values, sizes, ends] = coded;
  ValueArray::Tables tables{ends, {}};
  uint64_t at = 0;
  for (uint32_t size : view(sizes)) {
    if (size > values.size() - at) throw InputError("the tables of quantised values end early");
    tables.values.emplace_back(values.data() + at, values.data() + at + size);
    at += size;
  }
  return {view(numbers), std::move(tables)};
}

template <class Number>
BackoffModel quantised(uint32_t columns, Ids context_base, Ids word, Ids next, Ids first_entry, Ids left_word,
                       Ids suffix, Coded<Number> log_prob, Coded<Number> log_backoff,
                       std::shared_ptr<MappedRegion> region) {
  BackoffView a{columns,         copy(context_base),  view(word),
                view(next),      values_of(log_prob), view(first_entry),
                view(left_word), view(suffix),        values_of(log_backoff)};
  auto owner = std::make_shared<const std::tuple<Ids, Ids, Ids, Ids, Ids, Array<Number>, Array<Number>>>(
      word, next, first_entry, left_word, suffix, std::get<0>(log_prob), std::get<0>(log_backoff));
  return BackoffModel(std::move(a), std::move(owner), std::move(region));
}

template <class Number>
void bind_quantised(nb::class_<BackoffModel>& model) {
  model.def_static("quantised", &quantised<Number>, nb::arg("columns"), nb::arg("context_base"), nb::arg("word"),
                   nb::arg("next"), nb::arg("first_entry"), nb::arg("left_word"), nb::arg("suffix"),
                   nb::arg("log_prob"), nb::arg("log_backoff"), nb::arg("region").none() = nb::none(),
                   "Values as (numbers, values of all tables, sizes of the tables, where the numbers of each end).");
}

void bind_model(nb::module_& m) {
  nb::class_<BackoffModel> model(m, "BackoffModel", "The query structure of every n-gram model.");
  bind_quantised<uint8_t>(model);
  bind_quantised<uint16_t>(model);
  model
      .def(
          "__init__",
          [](BackoffModel* self, uint32_t columns, Ids context_base, Ids word, Ids next, Array<float> log_prob,
             Ids first_entry, Ids left_word, Ids suffix, Array<float> log_backoff,
             std::shared_ptr<MappedRegion> region) {
            BackoffView a{columns,           copy(context_base), view(word),   view(next),       view(log_prob),
                          view(first_entry), view(left_word),    view(suffix), view(log_backoff)};
            auto owner = std::make_shared<const std::tuple<Ids, Ids, Array<float>, Ids, Ids, Ids, Array<float>>>(
                word, next, log_prob, first_entry, left_word, suffix, log_backoff);
            new (self) BackoffModel(std::move(a), std::move(owner), std::move(region));
          },
          nb::arg("columns"), nb::arg("context_base"), nb::arg("word"), nb::arg("next"), nb::arg("log_prob"),
          nb::arg("first_entry"), nb::arg("left_word"), nb::arg("suffix"), nb::arg("log_backoff"),
          nb::arg("region").none() = nb::none(),
          "The arrays are used where they are, and kept alive. `region`: the mapped file they are in; they are then "
          "not "
          "read through.")
      .def_static(
          "freeze",
          [](const ContextTree& tree, uint32_t columns, Array<float> unigrams, std::vector<Array<float>> log_prob,
             std::vector<Array<float>> log_backoff) {
            BackoffParameters p;
            p.columns = columns;
            p.unigrams = copy(unigrams);
            for (const auto& rows : log_prob) p.log_prob.push_back(copy(rows));
            for (const auto& rows : log_backoff) p.log_backoff.push_back(copy(rows));
            nb::gil_scoped_release unlocked;
            return BackoffModel::freeze(tree, std::move(p));
          },
          nb::arg("tree"), nb::arg("columns"), nb::arg("unigrams"), nb::arg("log_prob"), nb::arg("log_backoff"),
          "Natural logarithms, flat, row by row: of every word of the vocabulary, of the entries and of the contexts "
          "of each level from 1.")
      .def_prop_ro("order", &BackoffModel::order)
      .def_prop_ro("columns", &BackoffModel::columns)
      .def_prop_ro("vocabulary_size", &BackoffModel::vocabulary_size)
      .def_prop_ro("states", &BackoffModel::states)
      .def_prop_ro(
          "arrays", [](nb::handle self) { return arrays_of(self, true); },
          "What a model file holds, by name; views that stay valid with the model, but copies of quantised values.")
      .def_prop_ro(
          "structure", [](nb::handle self) { return arrays_of(self, false); },
          "The arrays without probabilities and back-off weights; views.")
      .def_prop_ro("is_quantised", &BackoffModel::is_quantised)
      .def("check", &BackoffModel::check, nb::call_guard<nb::gil_scoped_release>(),
           "Reads all arrays; raises InputError where they do not fit together.")
      .def("build_index", &BackoffModel::build_index, nb::call_guard<nb::gil_scoped_release>(),
           "Makes single queries several times as fast, at 24 bytes of memory per n-gram; once.")
      .def("begin", &BackoffModel::begin)
      .def(
          "context",
          [](const BackoffModel& b, uint32_t state) {
            check_state(b, state);
            return b.context(state);
          },
          nb::arg("state"))
      .def(
          "score",
          [](const BackoffModel& b, uint32_t state, uint32_t word) {
            check_state(b, state);
            if (word >= b.vocabulary_size()) throw InputError("no such word: its id belongs to another vocabulary");
            const Scored s = b.score(state, word);
            return std::tuple(s.state, s.log_prob, s.matched);
          },
          nb::arg("state"), nb::arg("word"), "(state after the word, natural log-probability, matched length)")
      .def(
          "score_sentences",
          [](const BackoffModel& b, Ids words, Offsets offsets, unsigned threads) {
            std::vector<float> log_prob(words.size() + offsets.size() - (offsets.size() > 0));
            std::vector<uint8_t> matched(log_prob.size());
            {
              nb::gil_scoped_release unlocked;
              b.score_sentences(view(words), view(offsets), log_prob, matched, threads);
            }
            return std::pair(numpy(std::move(log_prob)), numpy(std::move(matched)));
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("threads") = 1,
          "(log-probabilities, matched lengths) of every word and sentence end")
      .def(
          "shares",
          [](const BackoffModel& b, Ids states, Ids words) {
            if (states.size() != words.size()) throw InputError("as many words as states are asked for");
            for (uint32_t word : view(words))
              if (word >= b.vocabulary_size()) throw InputError("no such word: its id belongs to another vocabulary");
            return rows(b, states, [&](size_t i) { return b.shares(states.data()[i], words.data()[i]); });
          },
          nb::arg("states"), nb::arg("words"),
          "How much of P(word | state) contexts of 0, 1, ... words add, a row of `order` elements for each state and "
          "word.")
      .def(
          "masses",
          [](const BackoffModel& b, Ids states) {
            return rows(b, states, [&](size_t i) { return b.masses(states.data()[i]); });
          },
          nb::arg("states"), "The same of all words together, a row for each state.")
      .def(
          "distribution",
          [](const BackoffModel& b, uint32_t state) {
            check_state(b, state);
            std::vector<double> p(b.vocabulary_size());
            {
              nb::gil_scoped_release unlocked;
              b.distribution(state, p);
            }
            return numpy(std::move(p));
          },
          nb::arg("state"));
}

void bind_kneser_ney(nb::module_& m) {
  m.def(
      "estimate_kneser_ney",
      [](const ContextTree& tree, std::vector<uint32_t> prune, std::array<double, 3> fallback, Ids words,
         nb::object after_level, std::vector<std::array<double, 3>> given) {
        const AfterLevel after = calling<uint32_t>(after_level);
        std::unique_ptr<KneserNey> kn;
        {
          nb::gil_scoped_release unlocked;
          std::vector<uint32_t> rank;
          if (words.size() > 0) rank = ranks_of_first_occurrence(view(words), tree.vocabulary_size);
          kn = std::make_unique<KneserNey>(
              estimate_kneser_ney(tree, {std::move(prune), fallback, std::move(given)}, rank, after));
        }
        nb::list discounts;
        for (const Discounts& d : kn->discounts) {
          const char* origins[] = {"estimated", "missing counts", "out of range", "given"};
          discounts.append(
              nb::make_tuple(std::vector<double>(d.amount.begin() + 1, d.amount.end()),
                             std::vector<uint64_t>(d.counts_of_counts.begin() + 1, d.counts_of_counts.end()),
                             origins[static_cast<int>(d.origin)]));
        }
        return nb::make_tuple(nb::cast(std::move(kn->model)), discounts);
      },
      nb::arg("tree"), nb::arg("prune"), nb::arg("fallback"), nb::arg("words"), nb::arg("after_level") = nb::none(),
      nb::arg("given") = std::vector<std::array<double, 3>>{},
      "`words`: the training text, or nothing (see core/ngram/kneser_ney.hpp, rank). `given`: the discounts of each "
      "order, or nothing. The model, and for each order its three discounts, four counts of counts, and where the "
      "discounts come from.");
}

}  // namespace

void bind_backoff_model(nb::module_& m) {
  bind_region(m);
  bind_model(m);
  bind_kneser_ney(m);
}
