#include "ngram/compound_hpylm.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "chain.hpp"
#include "errors.hpp"
#include "ngram/compound_query.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;
using namespace binyan::pitman_yor;

namespace {

using Hyper = std::vector<std::pair<double, double>>;
using Columns = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// All levels of restaurants by name; the restaurant of each dish beside them.
template <class Model, class Visit>
void for_each_level(Model& model, Visit visit) {
  const CompoundTree& tree = model.tree();
  for (uint32_t k = 0; k < model.words.size(); ++k) {
    const std::vector<uint32_t>& context = tree.words->levels[k].context;
    std::vector<uint32_t> restaurant(model.words[k].dishes());
    for (size_t d = 0; d < restaurant.size(); ++d) restaurant[d] = context[d / model.floors()];
    visit("words." + std::to_string(k), model.words[k], restaurant);
  }
  for (uint32_t k = 0; k < model.heads.size(); ++k)
    visit("heads." + std::to_string(k), model.heads[k], tree.heads[k].context);
  visit("pairs", model.modifiers.bigrams, model.modifiers.pair_context());
  visit("nexts", model.modifiers.unigrams, std::vector<uint32_t>(model.modifiers.unigrams.dishes(), 0));
}

Hyper hyperparameters(const CompoundHPYLM& model) {
  Hyper all;
  for (const auto* levels : {&model.words, &model.heads})
    for (const Restaurants& r : *levels) all.emplace_back(r.hyper.discount, r.hyper.strength);
  for (const Restaurants* r : {&model.modifiers.bigrams, &model.modifiers.unigrams})
    all.emplace_back(r->hyper.discount, r->hyper.strength);
  return all;
}

void set_hyperparameters(CompoundHPYLM& model, const Hyper& values) {
  if (values.size() != 2 * model.words.size() + 2)
    throw InputError("one (discount, strength) pair a level of words, of heads and of modifiers is needed");
  for (const auto& [a, b] : values) pitman_yor::check({a, b});
  size_t i = 0;
  const auto set = [&](Restaurants& r) {
    r.hyper = {values[i].first, values[i].second};
    ++i;
  };
  for (auto* levels : {&model.words, &model.heads})
    for (Restaurants& r : *levels) set(r);
  set(model.modifiers.bigrams);
  set(model.modifiers.unigrams);
}

// Whether one of the longest n-grams, which the text itself seats, has customers.
bool is_seated(const CompoundHPYLM& model) {
  size_t k = model.words.size() - 1;
  while (k > 0 && model.words[k].dishes() == 0) --k;
  uint32_t customers = 0;
  for (uint32_t floor = 0; floor < model.floors() && model.words[k].dishes() > 0; ++floor)
    customers += model.words[k].customers(floor);
  return customers > 0;
}

void set_shortening(CompoundHPYLM& model, const std::vector<double>& weights) {
  if (weights.size() != model.shortening.size() || weights[0] != 0)
    throw InputError("one weight per context length is needed, 0 for the empty context");
  for (size_t k = 1; k < weights.size(); ++k)
    if (!(weights[k] >= 0 && weights[k] <= 1) || (!model.both_ways() && weights[k] != 0))
      throw InputError("a weight of shortening lies in [0, 1], and is 0 in HPYLM+c");
  model.shortening = weights;
}

nb::dict state(const CompoundHPYLM& model) {
  nb::dict d;
  d["random"] = numpy(std::vector<uint64_t>(model.random.state.begin(), model.random.state.end()));
  std::vector<double> hyper;
  for (const auto& [a, b] : hyperparameters(model)) hyper.insert(hyper.end(), {a, b});
  d["hyperparameters"] = numpy(std::move(hyper));
  d["shortening"] = numpy(std::vector<double>(model.shortening));
  for_each_level(model, [&](const std::string& name, const Restaurants& r, const std::vector<uint32_t>&) {
    std::vector<uint32_t> tables, sizes;
    r.save(tables, sizes);
    d[(name + ".customers").c_str()] = numpy(r.all_customers());
    d[(name + ".tables").c_str()] = numpy(std::move(tables));
    d[(name + ".sizes").c_str()] = numpy(std::move(sizes));
  });
  return d;
}

void restore(CompoundHPYLM& model, nb::dict d) {
  const auto random = nb::cast<Array<uint64_t>>(d["random"]);
  const auto hyper = nb::cast<Array<double>>(d["hyperparameters"]),
             shortening = nb::cast<Array<double>>(d["shortening"]);
  if (random.size() != 4 || hyper.size() % 2 != 0)
    throw InputError("the saved state is damaged: wrong number of hyperparameters or random numbers");
  Hyper pairs;
  for (size_t i = 0; i < hyper.size(); i += 2) pairs.emplace_back(hyper.data()[i], hyper.data()[i + 1]);
  set_hyperparameters(model, pairs);
  set_shortening(model, copy(shortening));
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

constexpr const char* kSampleNames[] = {"word", "word_fresh", "head", "head_fresh",
                                        "pair", "pair_fresh", "next", "shortening"};

nb::dict rows_by_name(const CompoundHPYLM& model) {
  nb::dict d;
  const auto rows = sample_rows(model.tree());
  for (size_t i = 0; i < rows.size(); ++i) d[kSampleNames[i]] = rows[i];
  return d;
}

void collect_into(const CompoundHPYLM& model, nb::dict samples, size_t column) {
  CompoundSamples own = collect(model);
  const auto arrays = own.arrays();
  for (size_t i = 0; i < arrays.size(); ++i) {
    Columns to = nb::cast<Columns>(samples[kSampleNames[i]]);
    if (to.shape(0) != arrays[i]->size() || column >= to.shape(1))
      throw InputError("the arrays of a sample have another shape than the model");
    for (size_t row = 0; row < arrays[i]->size(); ++row) to.data()[row * to.shape(1) + column] = (*arrays[i])[row];
  }
}

CompoundQuery query_of(std::shared_ptr<const CompoundTree> tree, nb::dict samples) {
  CompoundSamples all;
  const auto arrays = all.arrays();
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Columns from = nb::cast<Columns>(samples[kSampleNames[i]]);
    if (i > 0 && from.shape(1) != all.columns) throw InputError("the arrays of a sample differ in columns");
    all.columns = static_cast<uint32_t>(from.shape(1));
    arrays[i]->assign(from.data(), from.data() + from.size());
  }
  nb::gil_scoped_release unlocked;
  return CompoundQuery(std::move(tree), std::move(all));
}

void check_state(const CompoundQuery& q, CompoundQuery::State state) {
  if (state >= q.states()) throw InputError("no such state: it belongs to another model");
}

void bind_query(nb::module_& m) {
  nb::class_<CompoundQuery::Word>(
      m, "CompoundWord", "A word as the compound models see it: its head and the probability of its modifiers.")
      .def_ro("head", &CompoundQuery::Word::head)
      .def_ro("modifiers", &CompoundQuery::Word::modifiers);
  nb::class_<CompoundQuery>(m, "CompoundQuery", "Queries to samples of the compound models.")
      .def_static("of", &query_of, nb::arg("tree"), nb::arg("samples"))
      .def_prop_ro("columns", &CompoundQuery::columns)
      .def("begin", &CompoundQuery::begin)
      .def(
          "context",
          [](const CompoundQuery& q, uint64_t state) {
            check_state(q, state);
            return q.context(state);
          },
          nb::arg("state"))
      .def(
          "word", [](const CompoundQuery& q, uint32_t id) { return q.word(id); }, nb::arg("id"))
      .def(
          "compound",
          [](const CompoundQuery& q, const std::vector<uint32_t>& components) { return q.word(components); },
          nb::arg("components"),
          "A word outside the vocabulary, as known components in the order of generation, head first.")
      .def(
          "score",
          [](const CompoundQuery& q, uint64_t state, const CompoundQuery::Word& word, bool renormalise) {
            check_state(q, state);
            q.check(word);
            const auto s = q.score(state, word, renormalise);
            return std::tuple(s.state, s.log_prob, s.matched);
          },
          nb::arg("state"), nb::arg("word"), nb::arg("renormalise"),
          "(state after the word, natural log-probability, matched length)")
      .def(
          "score_sentences",
          [](const CompoundQuery& q, Ids words, Offsets offsets, const std::vector<std::vector<uint32_t>>& others,
             bool renormalise, unsigned threads) {
            std::vector<double> log_prob(words.size() + offsets.size() - (offsets.size() > 0));
            std::vector<uint8_t> matched(log_prob.size());
            {
              nb::gil_scoped_release unlocked;
              std::vector<CompoundQuery::Word> extra;
              for (const auto& components : others) extra.push_back(q.word(components));
              q.score_sentences(view(words), view(offsets), extra, renormalise, log_prob, matched, threads);
            }
            return std::pair(numpy(std::move(log_prob)), numpy(std::move(matched)));
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("others"), nb::arg("renormalise"), nb::arg("threads") = 1,
          "(log-probabilities, matched lengths); ids beyond the vocabulary are words of `others`, given as components.")
      .def(
          "distribution",
          [](const CompoundQuery& q, uint64_t state, bool renormalise) {
            check_state(q, state);
            std::vector<double> p(q.tree().components.words());
            {
              nb::gil_scoped_release unlocked;
              q.distribution(state, renormalise, p);
            }
            return numpy(std::move(p));
          },
          nb::arg("state"), nb::arg("renormalise"))
      .def(
          "vocabulary_mass",
          [](const CompoundQuery& q, uint64_t state) {
            check_state(q, state);
            return q.vocabulary_mass(state);
          },
          nb::arg("state"))
      .def("modifier_probability", &CompoundQuery::modifier_probability, nb::arg("component"), nb::arg("next"))
      .def(
          "explain",
          [](const CompoundQuery& q, uint64_t state, const CompoundQuery::Word& word) {
            check_state(q, state);
            q.check(word);
            std::vector<std::tuple<uint32_t, double, double, double>> parts;
            for (const auto& p : q.explain(state, word))
              parts.emplace_back(p.length, p.seen, p.decomposed, p.head_probability);
            return parts;
          },
          nb::arg("state"), nb::arg("word"),
          "By context length: (length, what came from the word as seen there, from its components, P(head | "
          "context)).");
}

}  // namespace

void bind_compound_hpylm(nb::module_& m) {
  nb::class_<CompoundTree>(m, "CompoundTree", "The n-grams of a text and the components of its words.")
      .def(
          "__init__",
          [](CompoundTree* self, std::shared_ptr<const ContextTree> tree, Ids components, Ids offsets,
             uint32_t component_count) {
            new (self) CompoundTree(std::move(tree), Components{copy(components), copy(offsets), component_count});
          },
          nb::arg("tree"), nb::arg("components"), nb::arg("offsets"), nb::arg("component_count"))
      .def(
          "head_entries", [](const CompoundTree& t, uint32_t level) { return t.heads.at(level).entries(); },
          nb::arg("level"))
      .def(
          "head_level",
          [](const CompoundTree& t, uint32_t level) {
            const HeadLevel& l = t.heads.at(level);
            nb::dict d;
            d["head"] = numpy(l.head);
            d["context"] = numpy(l.context);
            d["parent"] = numpy(l.parent);
            d["entry_of"] = numpy(l.entry_of);
            return d;
          },
          nb::arg("level"), "Copies of a level's arrays, named as in core/ngram/head_tree.hpp.");
  nb::class_<CompoundHPYLM> chain(m, "CompoundHPYLM", "Gibbs sampler of HPYLM+c or, both ways, hpylm+g: one chain.");
  chain.def(nb::init<std::shared_ptr<const CompoundTree>, bool, uint64_t, uint64_t>(), nb::arg("tree"),
            nb::arg("both_ways"), nb::arg("seed"), nb::arg("chain") = 0);
  bind_chain(chain, is_seated);
  chain
      .def_prop_rw("hyperparameters", &hyperparameters, &set_hyperparameters,
                   "(discount, strength) of H and of G by context length, then of F_c and of F.")
      .def_prop_rw(
          "shortening", [](const CompoundHPYLM& model) { return model.shortening; }, &set_shortening)
      .def("state", &state)
      .def("restore", &restore, nb::arg("state"))
      .def("sample_rows", &rows_by_name)
      .def("collect", &collect_into, nb::arg("samples"), nb::arg("column"));
  bind_query(m);
}
