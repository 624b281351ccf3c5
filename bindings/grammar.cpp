// Grammars, parsing and adaptor grammar chains. Symbols, atoms and rules are numbers here; binyan.grammar.compiled
// names them.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "grammar/chain.hpp"
#include "grammar/evidence_queries.hpp"
#include "grammar/posterior_parser.hpp"
#include "grammar/samples.hpp"
#include "knowledge.hpp"
#include "no_index.hpp"
#include "pitman_yor/hyperparameters.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace binyan;
using namespace binyan::grammar;
using namespace binyan::pitman_yor;

namespace {

// (child, index), child -1 for an atom, -2 for a free variable
using ElementTuples = std::vector<std::pair<int32_t, uint32_t>>;
// (lhs, arguments, rhs, weight)
using RuleTuple = std::tuple<uint32_t, std::vector<ElementTuples>, Numbers, double>;
// (rule, child, index, parts)
using UnderlyingTuple = std::tuple<uint32_t, uint32_t, uint32_t, ElementTuples>;
// (a, b, sample a, sample b)
using AdaptorTuple = std::tuple<double, double, bool, bool>;

std::shared_ptr<CompiledGrammar> compile(uint32_t symbols, uint32_t atoms, uint32_t start,
                                         const std::vector<RuleTuple>& rules, const std::vector<bool>& adapted,
                                         const std::vector<UnderlyingTuple>& underlying) {
  std::vector<SourceRule> source;
  const auto elements = [](const ElementTuples& tuples) {
    std::vector<Element> result;
    for (const auto& [child, index] : tuples) result.push_back({child, index});
    return result;
  };
  for (const auto& [lhs, arguments, rhs, weight] : rules) {
    SourceRule rule{lhs, {}, rhs, weight};
    for (const auto& argument : arguments) rule.arguments.push_back(elements(argument));
    source.push_back(std::move(rule));
  }
  for (const auto& [rule, child, index, parts] : underlying) {
    if (rule >= source.size()) throw InputError("an underlying argument of an unknown rule");
    source[rule].underlying.push_back({child, index, elements(parts)});
  }
  return std::make_shared<CompiledGrammar>(symbols, atoms, start, std::move(source), adapted);
}

std::vector<SymbolRestaurant> adaptors_of(const std::vector<AdaptorTuple>& tuples) {
  std::vector<SymbolRestaurant> result;
  for (const auto& [a, b, sample_a, sample_b] : tuples) {
    pitman_yor::check({a, b}, sample_b);
    result.push_back({{a, b}, sample_a, sample_b});
  }
  return result;
}

nb::dict cached_trees(const Chain& chain) {
  Numbers rules, adapted, customers, tables, sizes;
  std::vector<uint64_t> ends;
  for (const CachedTree& t : chain.adaptor.trees) {
    if (t.adapted == kNoIndex || t.seats.customers == 0) continue;
    chain.adaptor.expand(t.body, rules);
    ends.push_back(rules.size());
    adapted.push_back(t.adapted);
    customers.push_back(t.seats.customers);
    tables.push_back(t.seats.tables);
    for (uint32_t i = 0; i < t.seats.tables; ++i) sizes.push_back(t.seats.size(i));
  }
  nb::dict result;
  result["rules"] = numpy(std::move(rules));
  result["ends"] = numpy(std::move(ends));
  result["adapted"] = numpy(std::move(adapted));
  result["customers"] = numpy(std::move(customers));
  result["tables"] = numpy(std::move(tables));
  result["sizes"] = numpy(std::move(sizes));
  return result;
}

std::vector<SavedTree> saved_trees(Ids rules, Offsets ends, Ids adapted, Ids customers, Ids tables) {
  std::vector<SavedTree> trees;
  uint64_t at = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends.data()[i] < at || ends.data()[i] > rules.size() || i >= adapted.size() || i >= customers.size() ||
        i >= tables.size())
      throw InputError("the arrays of the cached trees do not fit");
    trees.push_back(
        {adapted.data()[i], customers.data()[i], tables.data()[i], {rules.data() + at, rules.data() + ends.data()[i]}});
    at = ends.data()[i];
  }
  return trees;
}

std::vector<std::pair<Numbers, double>> pairs(std::vector<Derivation> derivations) {
  std::vector<std::pair<Numbers, double>> result;
  for (auto& d : derivations) result.emplace_back(std::move(d.rules), d.log_probability);
  return result;
}

void bind_forests(nb::module_& m) {
  nb::class_<CompiledGrammar>(m, "CompiledGrammar",
                              "A simple range concatenating grammar over numbered symbols and atoms.")
      .def(
          "__init__",
          [](CompiledGrammar* self, uint32_t symbols, uint32_t atoms, uint32_t start,
             const std::vector<RuleTuple>& rules, const std::vector<bool>& adapted,
             const std::vector<UnderlyingTuple>& underlying) {
            new (self) CompiledGrammar(std::move(*compile(symbols, atoms, start, rules, adapted, underlying)));
          },
          "symbols"_a, "atoms"_a, "start"_a, "rules"_a, "adapted"_a, "underlying"_a = std::vector<UnderlyingTuple>())
      .def_prop_ro("adapted_symbols", [](const CompiledGrammar& g) { return g.adapted_symbols; });

  nb::class_<WordForests>(m, "WordForests", "Words with their packed forests, shared by all chains.")
      .def(
          "__init__",
          [](WordForests* self, std::shared_ptr<CompiledGrammar> grammar, const std::vector<Numbers>& words,
             size_t max_bytes, const std::vector<int32_t>& labels, const std::map<uint32_t, EvidenceTuple>& evidence,
             const std::vector<MorphemeTuple>& morphemes, const std::vector<SharedStemTuple>& shared_stems) {
            nb::gil_scoped_release release;
            new (self) WordForests(std::move(grammar), words, max_bytes,
                                   knowledge_of(labels, evidence, morphemes, shared_stems));
          },
          "grammar"_a, "words"_a, "max_bytes"_a, "labels"_a = std::vector<int32_t>(),
          "evidence"_a = std::map<uint32_t, EvidenceTuple>(), "morphemes"_a = std::vector<MorphemeTuple>(),
          "shared_stems"_a = std::vector<SharedStemTuple>(),
          "`labels` of symbols (-1: none); `evidence` of words: borders (0 unknown, 1 there, 2 not there), label bits "
          "of "
          "atoms, spellings (symbols, strings); `morphemes` (symbol, strings, copies) and `shared_stems` (words, "
          "symbols, "
          "stems)")
      .def(
          "parses",
          [](const WordForests& f, uint32_t word) {
            if (word >= f.observed()) throw InputError("no such word");
            return f.parses(word);
          },
          "word"_a)
      .def_prop_ro("shapes", &WordForests::shapes)
      .def_prop_ro("yields", &WordForests::yields)
      .def_prop_ro("bytes", &WordForests::bytes)
      .def("__len__", &WordForests::observed);

  m.def(
      "agreeing_derivations",
      [](const CompiledGrammar& g, const Numbers& word, const std::vector<int32_t>& labels,
         const EvidenceTuple& evidence) {
        return agreeing_derivations(g, word, label_numbers(labels), evidence_of(evidence));
      },
      "grammar"_a, "word"_a, "labels"_a, "evidence"_a, "How many derivations of a word agree with what is known of it");
  m.def(
      "possible_strings",
      [](const CompiledGrammar& g, const Numbers& word, const std::vector<int32_t>& labels,
         const EvidenceTuple& evidence, const Numbers& symbols) {
        return possible_strings(g, word, label_numbers(labels), evidence_of(evidence), symbols);
      },
      "grammar"_a, "word"_a, "labels"_a, "evidence"_a, "symbols"_a,
      "What the topmost constituents of some symbols can spell in derivations that agree");
  m.def(
      "derives",
      [](const CompiledGrammar& g, uint32_t symbol, const std::vector<Numbers>& strings) {
        return derives_strings(g, symbol, strings);
      },
      "grammar"_a, "symbol"_a, "strings"_a, "Whether a symbol derives these strings, one for each argument");
}

void bind_chain(nb::module_& m) {
  nb::class_<SweepInfo>(m, "SweepInfo", "What one sweep did.")
      .def_ro("proposals", &SweepInfo::proposals)
      .def_ro("accepted", &SweepInfo::accepted)
      .def_ro("changed", &SweepInfo::changed)
      .def_ro("relabel_proposals", &SweepInfo::relabel_proposals)
      .def_ro("relabel_accepted", &SweepInfo::relabel_accepted)
      .def_ro("joint_proposals", &SweepInfo::joint_proposals)
      .def_ro("joint_changed", &SweepInfo::joint_changed)
      .def_ro("tree_proposals", &SweepInfo::tree_proposals)
      .def_ro("trees_changed", &SweepInfo::trees_changed);

  nb::class_<Chain>(m, "Chain", "One Markov chain over the trees of all words.")
      .def(
          "__init__",
          [](Chain* self, std::shared_ptr<WordForests> words, const std::vector<AdaptorTuple>& adaptors, uint64_t seed,
             uint64_t chain) { new (self) Chain(std::move(words), adaptors_of(adaptors), seed, chain); },
          "words"_a, "adaptors"_a, "seed"_a, "chain"_a)
      .def(
          "initialise",
          [](Chain& c, bool incremental, nb::object between) {
            const auto call = calling<>(between);
            nb::gil_scoped_release unlocked;
            c.initialise(incremental, call);
          },
          "incremental"_a, "between"_a = nb::none(),
          "`between()` is called every thousand words, and may stop the work by raising.")
      .def("initialise_from", &Chain::initialise_from, "derivations"_a, nb::call_guard<nb::gil_scoped_release>(),
           "First trees as another chain had them (rules in preorder, or none), where they agree with what is known "
           "of the word; returns of how many words.")
      .def("sweep", &Chain::sweep, "temperature"_a = 1.0, "relabel"_a = false, "hyperparameters"_a = true,
           "joint"_a = 0.0, "trees"_a = 0.0, "sum_out_seats"_a = false, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "derivation",
          [](const Chain& c, uint32_t word) {
            if (word >= c.words().observed()) throw InputError("no such word");
            return c.derivation(word);
          },
          "word"_a)
      .def("state", [](const Chain& c) { return numpy(c.state()); })
      .def(
          "restore", [](Chain& c, Offsets state) { c.restore(view(state)); }, "state"_a)
      .def_prop_ro("sweeps", [](const Chain& c) { return c.sweeps; })
      .def_prop_ro("log_joint", [](const Chain& c) { return c.adaptor.log_joint(); })
      .def_prop_ro("log_hyperprior", [](const Chain& c) { return c.adaptor.log_hyperprior(); })
      .def_prop_ro(
          "rule_counts", [](const Chain& c) { return numpy(c.adaptor.rule_counts()); }, nb::rv_policy::move)
      .def_prop_ro(
          "adaptors",
          [](const Chain& c) {
            std::vector<std::tuple<double, double, uint64_t, uint64_t>> result;
            for (const SymbolRestaurant& p : c.adaptor.adaptors)
              result.emplace_back(p.hyper.discount, p.hyper.strength, p.customers, p.tables);
            return result;
          },
          "(a, b, customers, tables) of each adapted symbol")
      .def("cached_trees", &cached_trees, "Rules in preorder, one tree after another, where each ends, and its counts")
      .def("check", &Chain::check, "Raise if the counts are not those of the trees");

  nb::class_<Samples>(m, "Samples", "Derivations of each word collected over kept sweeps.")
      .def(nb::init<>())
      .def("add", &Samples::add, "chain"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "of",
          [](const Samples& s, uint32_t word) {
            std::vector<std::pair<Numbers, uint32_t>> result;
            for (auto& c : s.of(word)) result.emplace_back(std::move(c.rules), c.count);
            return result;
          },
          "word"_a)
      .def("merge", &Samples::merge, "other"_a, "Add what another chain collected")
      .def_prop_ro("kept", &Samples::kept)
      .def("state", [](const Samples& s) { return numpy(s.state()); })
      .def(
          "restore", [](Samples& s, Ids state, const CompiledGrammar& grammar) { s.restore(view(state), grammar); },
          "state"_a, "grammar"_a)
      .def_prop_ro("words", &Samples::words, "How many words have derivations or may have");
}

void bind_parsers(nb::module_& m) {
  nb::class_<Parser>(m, "Parser", "A grammar, or one sample of an adaptor grammar, that parses any word.")
      .def(
          "__init__",
          [](Parser* self, std::shared_ptr<CompiledGrammar> grammar, const std::vector<uint64_t>& counts,
             const std::vector<AdaptorTuple>& adaptors, Ids rules, Offsets ends, Ids adapted, Ids customers,
             Ids tables) {
            new (self) Parser(std::move(grammar), counts, adaptors_of(adaptors),
                              saved_trees(rules, ends, adapted, customers, tables));
          },
          "grammar"_a, "rule_counts"_a, "adaptors"_a, "rules"_a, "ends"_a, "adapted"_a, "customers"_a, "tables"_a,
          "Cached trees as `Chain.cached_trees` gives them")
      .def(
          "log_inside", [](const Parser& g, const Numbers& word) { return g.log_inside(word); }, "word"_a)
      .def(
          "derivations", [](const Parser& g, const Numbers& word) { return g.derivations(word); }, "word"_a)
      .def(
          "sample", [](Parser& g, const Numbers& word, Random& random) { return g.sample(word, random); }, "word"_a,
          "random"_a)
      .def(
          "best", [](const Parser& g, const Numbers& word, uint32_t n) { return pairs(g.best(word, n)); }, "word"_a,
          "n"_a)
      .def(
          "log_probability", [](Parser& g, const Numbers& rules) { return g.log_probability(rules); }, "rules"_a);

  nb::class_<PosteriorParser>(
      m, "PosteriorParser",
      "Samples of one adaptor grammar that analyse words together; may be asked from several threads.")
      .def(
          "__init__",
          [](PosteriorParser* self, std::shared_ptr<CompiledGrammar> grammar, size_t max_bytes) {
            new (self) PosteriorParser(std::move(grammar), max_bytes);
          },
          "grammar"_a, "max_bytes"_a)
      .def(
          "add",
          [](PosteriorParser& s, const std::vector<uint64_t>& counts, const std::vector<AdaptorTuple>& adaptors,
             Ids rules, Offsets ends, Ids adapted, Ids customers, Ids tables) {
            s.add(counts, adaptors_of(adaptors), saved_trees(rules, ends, adapted, customers, tables));
          },
          "rule_counts"_a, "adaptors"_a, "rules"_a, "ends"_a, "adapted"_a, "customers"_a, "tables"_a,
          "Cached trees as `Chain.cached_trees` gives them")
      .def("__len__", &PosteriorParser::size)
      .def(
          "log_probability", [](const PosteriorParser& s, const Numbers& word) { return s.log_probability(word); },
          "word"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "best",
          [](const PosteriorParser& s, const Numbers& word, uint32_t n, uint32_t most, bool all) {
            std::vector<Derivation> derivations;
            {
              nb::gil_scoped_release unlocked;
              derivations = s.best(word, n, most, all);
            }
            return pairs(std::move(derivations));
          },
          "word"_a, "n"_a, "most"_a, "all"_a = false,
          "Derivations with their log posterior probability, best first: n, or all that were found");
}

}  // namespace

void bind_grammar(nb::module_& m) {
  bind_forests(m);
  bind_chain(m);
  bind_parsers(m);
}
