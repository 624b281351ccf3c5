#include "ngram/inflection_hpylm.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "chain.hpp"
#include "errors.hpp"
#include "ngram/inflection_query.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;
using namespace binyan::pitman_yor;

namespace {

using Hyper = std::vector<std::pair<double, double>>;
using Weights = std::vector<std::vector<double>>;
using Columns = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// All levels of restaurants by name; the restaurant of each dish beside them.
template <class Visit>
void for_each_level(InflectionHPYLM& model, Visit visit) {
  for (uint32_t k = 0; k < model.words.size(); ++k) {
    const std::vector<uint32_t>& context = model.forest().words->levels[k].context;
    std::vector<uint32_t> restaurant(model.words[k].dishes());
    for (size_t d = 0; d < restaurant.size(); ++d) restaurant[d] = context[d / model.floors()];
    visit("words." + std::to_string(k), model.words[k], restaurant);
  }
  for (uint32_t g = 0; g < model.generators.size(); ++g) {
    uint32_t i = 0;
    const uint32_t heads = static_cast<uint32_t>(model.generators[g].heads.size()),
                   pairs = static_cast<uint32_t>(model.generators[g].pairs.size());
    model.generators[g].for_each_level([&](Restaurants& r, const std::vector<uint32_t>& restaurant) {
      const std::string name = i < heads           ? "heads." + std::to_string(i)
                               : i < heads + pairs ? "pairs." + std::to_string(i - heads)
                                                   : "seconds";
      ++i;
      visit("generator." + std::to_string(g) + "." + name, r, restaurant);
    });
  }
}

Hyper hyperparameters(const InflectionHPYLM& model) {
  Hyper all;
  for_each_level(const_cast<InflectionHPYLM&>(model),
                 [&](const std::string&, const Restaurants& r, const std::vector<uint32_t>&) {
                   all.emplace_back(r.hyper.discount, r.hyper.strength);
                 });
  return all;
}

void set_hyperparameters(InflectionHPYLM& model, const Hyper& values) {
  if (values.size() != hyperparameters(model).size())
    throw InputError("one (discount, strength) pair for each level of restaurants is needed");
  for (const auto& [a, b] : values) pitman_yor::check({a, b});
  size_t i = 0;
  for_each_level(model, [&](const std::string&, Restaurants& r, const std::vector<uint32_t>&) {
    r.hyper = {values[i].first, values[i].second};
    ++i;
  });
}

void set_weights(InflectionHPYLM& model, const Weights& weights) {
  if (weights.size() != model.order()) throw InputError("weights are needed for every context length");
  for (const auto& row : weights) {
    double sum = 0;
    for (double w : row) {
      if (!(w >= 0 && w <= 1)) throw InputError("a weight lies in [0, 1]");
      sum += w;
    }
    if (row.size() != model.floors() || !(sum > 0.999 && sum < 1.001))
      throw InputError("one weight per way to back off is needed, one in sum");
  }
  model.weights = weights;
}

bool is_seated(const InflectionHPYLM& model) {
  for (const Restaurants& r : model.words)
    for (uint32_t c = 0; c < r.restaurants(); ++c)
      if (r.restaurant_customers(c) > 0) return true;
  return false;
}

nb::dict state(const InflectionHPYLM& model) {
  nb::dict d;
  d["random"] = numpy(std::vector<uint64_t>(model.random.state.begin(), model.random.state.end()));
  std::vector<double> hyper, weights;
  for (const auto& [a, b] : hyperparameters(model)) hyper.insert(hyper.end(), {a, b});
  for (const auto& row : model.weights) weights.insert(weights.end(), row.begin(), row.end());
  d["hyperparameters"] = numpy(std::move(hyper));
  d["weights"] = numpy(std::move(weights));
  d["analysis"] = numpy(std::vector<uint32_t>(model.analysis));
  for_each_level(const_cast<InflectionHPYLM&>(model),
                 [&](const std::string& name, const Restaurants& r, const std::vector<uint32_t>&) {
                   std::vector<uint32_t> tables, sizes;
                   r.save(tables, sizes);
                   d[(name + ".customers").c_str()] = numpy(r.all_customers());
                   d[(name + ".tables").c_str()] = numpy(std::move(tables));
                   d[(name + ".sizes").c_str()] = numpy(std::move(sizes));
                 });
  return d;
}

void set_analysis(InflectionHPYLM& model, const std::vector<uint32_t>& analysis) {
  if (analysis.size() != model.analysis.size()) throw InputError("an analysis is needed for every word");
  for (uint32_t w = 0; w < analysis.size(); ++w)
    if (analysis[w] >= model.forest().analyses(w)) throw InputError("a word has no such analysis");
  model.analysis = analysis;
}

void restore(InflectionHPYLM& model, nb::dict d) {
  const auto random = nb::cast<Array<uint64_t>>(d["random"]);
  const auto hyper = nb::cast<Array<double>>(d["hyperparameters"]), weights = nb::cast<Array<double>>(d["weights"]);
  if (random.size() != 4 || hyper.size() % 2 != 0 || weights.size() != size_t{model.order()} * model.floors())
    throw InputError("the saved state is damaged: wrong number of hyperparameters, weights or random numbers");
  Hyper pairs;
  for (size_t i = 0; i < hyper.size(); i += 2) pairs.emplace_back(hyper.data()[i], hyper.data()[i + 1]);
  set_hyperparameters(model, pairs);
  Weights rows;
  for (size_t k = 0; k < model.order(); ++k)
    rows.emplace_back(weights.data() + k * model.floors(), weights.data() + (k + 1) * model.floors());
  set_weights(model, rows);
  set_analysis(model, copy(nb::cast<Ids>(d["analysis"])));
  std::copy_n(random.data(), 4, model.random.state.begin());
  for_each_level(model, [&](const std::string& name, Restaurants& r, const std::vector<uint32_t>& restaurant) {
    const Ids customers = nb::cast<Ids>(d[(name + ".customers").c_str()]),
              tables = nb::cast<Ids>(d[(name + ".tables").c_str()]),
              sizes = nb::cast<Ids>(d[(name + ".sizes").c_str()]);
    r.restore(view(customers), restaurant, view(tables), view(sizes));
  });
  try {
    model.check();
  } catch (const InternalError& e) {
    throw InputError(std::string("the saved state is damaged: ") + e.what());
  }
}

nb::dict rows_by_name(const InflectionHPYLM& model) {
  nb::dict d;
  InflectionSamples names;
  names.generators.resize(model.generators.size());
  const auto rows = sample_rows(model.forest());
  const auto arrays = names.arrays();
  for (size_t i = 0; i < rows.size(); ++i) d[arrays[i].first.c_str()] = rows[i];
  return d;
}

void collect_into(const InflectionHPYLM& model, nb::dict samples, size_t column) {
  InflectionSamples own = collect(model);
  for (const auto& [name, array] : own.arrays()) {
    Columns to = nb::cast<Columns>(samples[name.c_str()]);
    if (to.shape(0) != array->size() || column >= to.shape(1))
      throw InputError("the arrays of a sample have another shape than the model");
    for (size_t row = 0; row < array->size(); ++row) to.data()[row * to.shape(1) + column] = (*array)[row];
  }
}

std::shared_ptr<InflectionQuery> query_of(std::shared_ptr<const GeneratorForest> forest, nb::dict samples) {
  InflectionSamples all;
  all.generators.resize(forest->size());
  bool first = true;
  for (const auto& [name, array] : all.arrays()) {
    const Columns from = nb::cast<Columns>(samples[name.c_str()]);
    if (!first && from.shape(1) != all.columns) throw InputError("the arrays of a sample differ in columns");
    first = false;
    all.columns = static_cast<uint32_t>(from.shape(1));
    array->assign(from.data(), from.data() + from.size());
  }
  nb::gil_scoped_release unlocked;
  return std::make_shared<InflectionQuery>(std::move(forest), std::move(all));
}

using History = std::vector<uint32_t>;

void bind_query(nb::module_& m) {
  nb::class_<InflectionQuery::Word>(m, "InflectionWord", "A word as hpylm+i sees it.");
  nb::class_<InflectionQuery>(m, "InflectionQuery", "Queries to samples of hpylm+i. A history is ids of words.")
      .def_static("of", &query_of, nb::arg("forest"), nb::arg("samples"))
      .def_prop_ro("columns", &InflectionQuery::columns)
      .def(
          "word", [](const InflectionQuery& q, uint32_t id) { return q.word(id); }, nb::arg("id"))
      .def(
          "compose", [](const InflectionQuery& q, const std::vector<uint32_t>& tokens) { return q.word(tokens); },
          nb::arg("tokens"),
          "A word outside the vocabulary: two tokens for every generator, 2**32 - 1 for one that is not known.")
      .def(
          "score",
          [](const InflectionQuery& q, const History& history, const InflectionQuery::Word& word, bool renormalise) {
            if (word.id == kNoIndex && word.tokens.size() != q.forest().size())
              throw InputError("the word belongs to another model");
            const auto s = q.score(history, word, renormalise);
            return std::pair(s.log_prob, s.matched);
          },
          nb::arg("history"), nb::arg("word"), nb::arg("renormalise"), "(natural log-probability, matched length)")
      .def(
          "score_sentences",
          [](const InflectionQuery& q, Ids words, Offsets offsets, const std::vector<std::vector<uint32_t>>& others,
             bool renormalise, unsigned threads) {
            std::vector<double> log_prob(words.size() + offsets.size() - (offsets.size() > 0));
            std::vector<uint8_t> matched(log_prob.size());
            {
              nb::gil_scoped_release unlocked;
              std::vector<InflectionQuery::Word> extra;
              for (const auto& tokens : others) extra.push_back(q.word(tokens));
              q.score_sentences(view(words), view(offsets), extra, renormalise, log_prob, matched, threads);
            }
            return std::pair(numpy(std::move(log_prob)), numpy(std::move(matched)));
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("others"), nb::arg("renormalise"), nb::arg("threads") = 1,
          "(log-probabilities, matched lengths); ids beyond the vocabulary are words of `others`, given as tokens.")
      .def(
          "distribution",
          [](const InflectionQuery& q, const History& history, bool renormalise) {
            std::vector<double> p(q.forest().words->vocabulary_size);
            {
              nb::gil_scoped_release unlocked;
              q.distribution(history, renormalise, p);
            }
            return numpy(std::move(p));
          },
          nb::arg("history"), nb::arg("renormalise"))
      .def(
          "vocabulary_mass",
          [](const InflectionQuery& q, const History& history) { return q.vocabulary_mass(history); },
          nb::arg("history"))
      .def(
          "explain",
          [](const InflectionQuery& q, const History& history, const InflectionQuery::Word& word) {
            return q.explain(history, word);
          },
          nb::arg("history"), nb::arg("word"),
          "By context length: what came from the word as seen there, then from each generator.");
}

void bind_forest(nb::module_& m) {
  nb::class_<GeneratorTree>(m, "GeneratorTree", "The n-grams of a text as a generator of words sees them.")
      .def(
          "__init__",
          [](GeneratorTree* self, std::shared_ptr<const ContextTree> tree, Ids first, Ids second, Ids offsets,
             Ids tokens, uint32_t second_context) {
            Analyses all{copy(first), copy(second), copy(offsets), 0, 0};
            for (uint32_t t : all.first) all.firsts = std::max(all.firsts, t + 1);
            for (uint32_t t : all.second) all.seconds = std::max(all.seconds, t + 1);
            new (self) GeneratorTree(*tree, std::move(all), copy(tokens), second_context);
          },
          nb::arg("tree"), nb::arg("first"), nb::arg("second"), nb::arg("offsets"), nb::arg("tokens"),
          nb::arg("second_context"))
      .def(
          "level",
          [](const GeneratorTree& t, uint32_t level) {
            const GeneratorLevel& l = t.levels.at(level);
            nb::dict d;
            d["node_of"] = numpy(l.node_of);
            d["node_parent"] = numpy(l.node_parent);
            d["token"] = numpy(l.token);
            d["head_first"] = numpy(l.head_first);
            d["head_node"] = numpy(l.head_node);
            d["pair_head"] = numpy(l.pair_head);
            d["pair_second"] = numpy(l.pair_second);
            return d;
          },
          nb::arg("level"), "Copies of a level's arrays, named as in core/ngram/generator_tree.hpp.");
  nb::class_<GeneratorForest>(m, "GeneratorForest", "The n-grams of a text and the generators of its words.")
      .def(nb::init<std::shared_ptr<const ContextTree>, std::vector<std::shared_ptr<const GeneratorTree>>>(),
           nb::arg("words"), nb::arg("generators"));
}

}  // namespace

void bind_inflection_hpylm(nb::module_& m) {
  bind_forest(m);
  nb::class_<InflectionHPYLM> chain(m, "InflectionHPYLM", "Gibbs sampler of hpylm+i: one chain.");
  chain.def(nb::init<std::shared_ptr<const GeneratorForest>, uint64_t, uint64_t>(), nb::arg("forest"), nb::arg("seed"),
            nb::arg("chain") = 0);
  bind_chain(chain, is_seated);
  chain
      .def_prop_rw("hyperparameters", &hyperparameters, &set_hyperparameters,
                   "(discount, strength) of H by context length; then, for every generator, of first tokens by context "
                   "length, of second tokens by context length, and of second tokens alone.")
      .def_prop_rw(
          "weights", [](const InflectionHPYLM& model) { return model.weights; }, &set_weights,
          "By context length: of shortening, then of every generator.")
      .def_prop_ro(
          "analysis", [](const InflectionHPYLM& model) { return model.analysis; },
          "Which of its analyses each word has.")
      .def("state", &state)
      .def("restore", &restore, nb::arg("state"))
      .def("sample_rows", &rows_by_name)
      .def("collect", &collect_into, nb::arg("samples"), nb::arg("column"));
  bind_query(m);
}
