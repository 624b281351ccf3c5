#include "ngram/hpylm_block.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "elementary/functions.hpp"
#include "errors.hpp"
#include "text/special_words.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;
using namespace binyan::pitman_yor;

namespace {

using Pair = std::pair<double, double>;
using Streams = std::tuple<uint64_t, uint64_t, uint64_t>;

SweepStreams streams_of(const Streams& s) { return {std::get<0>(s), std::get<1>(s), std::get<2>(s)}; }

std::vector<Hyperparameters> hyperparameters_of(const std::vector<Pair>& pairs) {
  std::vector<Hyperparameters> hyper;
  for (const auto& [a, b] : pairs) hyper.push_back({a, b});
  return hyper;
}

// What the likelihood of every level depends on, from level 0.
struct LevelCounts {
  explicit LevelCounts(uint32_t order) : levels(order) {}
  std::vector<SeatingCounts> levels;
};

std::vector<float> logarithms_of(const std::vector<double>& values) {
  std::vector<float> logs;
  logs.reserve(values.size());
  for (double v : values) logs.push_back(static_cast<float>(elementary::log(v)));
  return logs;
}

// By word; <s> has none.
std::vector<double> probabilities_of(const RootRestaurant& root) {
  std::vector<double> p(root.seats.dishes());
  for (uint32_t w = 0; w < p.size(); ++w) p[w] = w == text::kSentenceStart ? 0.0 : root.probability(w);
  return p;
}

nb::dict seating(const Restaurants& restaurants) {
  std::vector<uint32_t> tables, sizes;
  restaurants.save(tables, sizes);
  nb::dict d;
  d["tables"] = numpy(std::move(tables));
  d["sizes"] = numpy(std::move(sizes));
  return d;
}

std::vector<std::pair<uint32_t, uint32_t>> pairs_of(const Restaurants& restaurants, uint32_t dish) {
  if (dish >= restaurants.dishes()) throw InputError("no such entry of the model");
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const auto& bin : restaurants.table_sizes(dish)) pairs.emplace_back(bin.size, bin.tables);
  return pairs;
}

void restore_root(RootRestaurant& root, Ids customers, Ids tables, Ids sizes) {
  const std::vector<uint32_t> everywhere(customers.size(), 0);
  root.seats.restore(view(customers), everywhere, view(tables), view(sizes));
}

void restore_block(HPYLMBlock& block, const std::vector<std::pair<Ids, Ids>>& levels) {
  if (levels.size() + 1 != block.order()) throw InputError("the saved seating is damaged: wrong number of levels");
  nb::gil_scoped_release unlocked;
  std::span<const uint32_t> above;
  for (uint32_t k = block.order() - 1; k > 0; --k) {
    const auto& [tables, sizes] = levels[k - 1];
    block.restore(k, above, view(tables), view(sizes));
    above = view(tables);
  }
}

// By level from 1: logarithms of probabilities and of back-off weights.
nb::list predictions(const HPYLMBlock& block, Array<double> words) {
  nb::list levels;
  std::vector<double> shorter(words.data(), words.data() + words.size()), probability, backoff;
  for (uint32_t k = 1; k < block.order(); ++k) {
    const Level& level = block.block().levels()[k - 1];
    std::vector<float> log_prob, log_backoff;
    {
      nb::gil_scoped_release unlocked;
      probability.resize(level.entries());
      backoff.resize(level.contexts());
      for (uint32_t word : level.word)
        if (word >= words.size()) throw InputError("a block of n-grams has words of another vocabulary");
      block.predict(k, shorter, probability, backoff);
      log_prob = logarithms_of(probability);
      log_backoff = logarithms_of(backoff);
      shorter.swap(probability);
    }
    levels.append(nb::make_tuple(numpy(std::move(log_prob)), numpy(std::move(log_backoff))));
  }
  return levels;
}

void bind_root(nb::module_& m) {
  nb::class_<LevelCounts>(m, "LevelCounts", "What the likelihood of every level of an HPYLM depends on.")
      .def(nb::init<uint32_t>(), nb::arg("order"));
  nb::class_<RootRestaurant>(m, "RootRestaurant", "The restaurant of the empty context, which all blocks share.")
      .def(nb::init<uint32_t>(), nb::arg("vocabulary_size"))
      .def("count", [](const RootRestaurant& root, LevelCounts& counts) { root.seats.count(counts.levels.at(0)); })
      .def_prop_ro("base", &RootRestaurant::base)
      .def("set_hyperparameters",
           [](RootRestaurant& root, Pair pair) {
             check({pair.first, pair.second});
             root.seats.hyper = {pair.first, pair.second};
           })
      .def("probabilities", [](const RootRestaurant& root) { return numpy(probabilities_of(root)); })
      .def("log_probabilities", [](const RootRestaurant& root) { return numpy(logarithms_of(probabilities_of(root))); })
      .def("state",
           [](const RootRestaurant& root) {
             nb::dict d = seating(root.seats);
             d["customers"] = numpy(root.seats.all_customers());
             return d;
           })
      .def(
          "table_sizes", [](const RootRestaurant& root, uint32_t word) { return pairs_of(root.seats, word); },
          nb::arg("word"), "Pairs (size, tables), ordered by size.")
      .def("restore", &restore_root, nb::arg("customers"), nb::arg("tables"), nb::arg("sizes"));
  m.def(
      "resample_levels",
      [](const std::vector<Pair>& pairs, const LevelCounts& counts, const RootRestaurant& root, Streams streams) {
        std::vector<Hyperparameters> hyper = hyperparameters_of(pairs);
        const double log_likelihood = resample_levels(hyper, counts.levels, root, streams_of(streams));
        std::vector<Pair> updated;
        for (const Hyperparameters& h : hyper) updated.emplace_back(h.discount, h.strength);
        return nb::make_tuple(updated, log_likelihood);
      },
      nb::arg("hyperparameters"), nb::arg("counts"), nb::arg("root"), nb::arg("streams"),
      "Hyperparameters by level, drawn anew, and the log-likelihood.");
}

}  // namespace

void bind_hpylm_block(nb::module_& m) {
  bind_root(m);
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<HPYLMBlock>(m, "HPYLMBlock", "The restaurants of the contexts in a block, of one chain of an HPYLM.")
      .def(nb::init<std::shared_ptr<const SuffixBlock>>(), nb::arg("block"))
      .def("set_hyperparameters",
           [](HPYLMBlock& b, const std::vector<Pair>& pairs) { b.set_hyperparameters(hyperparameters_of(pairs)); })
      .def(
          "initialise",
          [](HPYLMBlock& b, bool sequential, Array<double> words, Streams streams) {
            b.initialise(sequential ? Initialisation::kSequential : Initialisation::kRandom, view(words),
                         streams_of(streams));
          },
          nb::arg("sequential"), nb::arg("word_probability"), nb::arg("streams"), free,
          "Seat all customers but those of the shared restaurant.")
      .def(
          "seat_root",
          [](const HPYLMBlock& b, RootRestaurant& root, Streams streams) { b.seat_root(root, streams_of(streams)); },
          nb::arg("root"), nb::arg("streams"), free)
      .def(
          "sweep_upper", [](HPYLMBlock& b, Streams streams) { b.sweep_upper(streams_of(streams)); }, nb::arg("streams"),
          free, "The first step of a sweep, which needs nothing of other blocks.")
      .def(
          "sweep_lowest",
          [](HPYLMBlock& b, RootRestaurant& root, Streams streams) { b.sweep_lowest(root, streams_of(streams)); },
          nb::arg("root"), nb::arg("streams"), free, "The second step, in which blocks take their turns in order.")
      .def(
          "count", [](const HPYLMBlock& b, LevelCounts& counts) { b.count(std::span(counts.levels).subspan(1)); },
          nb::arg("counts"), free)
      .def("predictions", &predictions, nb::arg("word_probability"),
           "By level from 1: logarithms of probabilities and of back-off weights.")
      .def("state",
           [](const HPYLMBlock& b) {
             nb::list levels;
             for (uint32_t k = 1; k < b.order(); ++k) levels.append(seating(b.restaurants(k)));
             return levels;
           })
      .def("restore", &restore_block, nb::arg("levels"))
      .def(
          "table_sizes",
          [](const HPYLMBlock& b, uint32_t level, uint32_t entry) {
            if (level == 0 || level >= b.order()) throw InputError("no such level of the block");
            return pairs_of(b.restaurants(level), entry);
          },
          nb::arg("level"), nb::arg("entry"), "Pairs (size, tables), ordered by size.");
}
