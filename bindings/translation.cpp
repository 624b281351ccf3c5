// Alignment, rule extraction and grammars.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "translation/extraction.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::translation;

namespace {

using Links = nb::ndarray<const uint16_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

std::span<const Link> links_of(const Links& links, const Offsets& offsets, size_t i) {
  static_assert(sizeof(Link) == 2 * sizeof(uint16_t));
  const auto* all = reinterpret_cast<const Link*>(links.data());
  return {all + offsets.data()[i], static_cast<size_t>(offsets.data()[i + 1] - offsets.data()[i])};
}

std::span<const uint32_t> sentence(const Ids& words, const Offsets& offsets, size_t i) {
  return view(words).subspan(offsets.data()[i], offsets.data()[i + 1] - offsets.data()[i]);
}

nb::dict arrays_of(nb::handle self) {
  const auto& a = nb::cast<const translation::Grammar&>(self).arrays();
  nb::dict d;
  d["symbol"] = view_of(a.symbol, self);
  d["first_child"] = view_of(a.first_child, self);
  d["first_rule"] = view_of(a.first_rule, self);
  d["target"] = view_of(a.target, self);
  d["features"] = view_of(a.features, self);
  d["target_offset"] = view_of(a.target_offset, self);
  d["target_symbols"] = view_of(a.target_symbols, self);
  return d;
}

void bind_symmetrisation(nb::module_& m) {
  m.attr("FIRST_GAP") = kFirstGap;
  m.attr("SECOND_GAP") = kSecondGap;
  m.def(
      "symmetrise",
      [](Links forward, Offsets forward_offsets, Links backward, Offsets backward_offsets, const std::string& method) {
        check_offsets(forward_offsets, forward.shape(0));
        check_offsets(backward_offsets, backward.shape(0));
        if (forward_offsets.size() != backward_offsets.size())
          throw InputError("the two directions align " + std::to_string(forward_offsets.size() - 1) + " and " +
                           std::to_string(backward_offsets.size() - 1) + " sentences");
        const Symmetrisation how = symmetrisation_named(method);
        std::vector<uint16_t> flat;
        std::vector<uint64_t> offsets{0};
        {
          nb::gil_scoped_release unlocked;
          for (size_t i = 0; i + 1 < forward_offsets.size(); ++i) {
            for (Link l :
                 symmetrise(links_of(forward, forward_offsets, i), links_of(backward, backward_offsets, i), how)) {
              flat.push_back(l.source);
              flat.push_back(l.target);
            }
            offsets.push_back(flat.size() / 2);
          }
        }
        return std::pair(numpy(std::move(flat)), numpy(std::move(offsets)));
      },
      nb::arg("forward"), nb::arg("forward_offsets"), nb::arg("backward"), nb::arg("backward_offsets"),
      nb::arg("method"), "(links, flat; offsets)");
}

void bind_extraction(nb::module_& m) {
  nb::class_<PatternFilter>(m, "PatternFilter", "Source sides that match somewhere in given sentences.")
      .def(
          "__init__",
          [](PatternFilter* self, Ids words, Offsets offsets, uint32_t max_span, uint32_t max_symbols,
             uint32_t max_gaps) {
            check_offsets(offsets, words.size());
            nb::gil_scoped_release unlocked;
            new (self) PatternFilter(view(words), view(offsets), {max_span, max_symbols, max_gaps});
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("max_span"), nb::arg("max_symbols"), nb::arg("max_gaps"));

  nb::class_<RuleCounter>(m, "RuleCounter", "Counts the hierarchical rules of an aligned bitext.")
      .def(
          "__init__",
          [](RuleCounter* self, uint32_t max_span, uint32_t max_symbols, uint32_t max_gaps, uint32_t min_count,
             uint32_t max_targets, const PatternFilter* filter) {
            new (self) RuleCounter({max_span, max_symbols, max_gaps, min_count, max_targets}, filter);
          },
          nb::arg("max_span"), nb::arg("max_symbols"), nb::arg("max_gaps"), nb::arg("min_count"),
          nb::arg("max_targets"), nb::arg("filter").none(), nb::keep_alive<1, 7>())
      .def(
          "add",
          [](RuleCounter& self, Ids source, Offsets source_offsets, Ids target, Offsets target_offsets, Links links,
             Offsets link_offsets, size_t first, size_t last, bool totals) {
            check_offsets(source_offsets, source.size());
            check_offsets(target_offsets, target.size());
            check_offsets(link_offsets, links.shape(0));
            if (first > last || last >= source_offsets.size() || last >= target_offsets.size() ||
                last >= link_offsets.size())
              throw InputError("fewer sentence pairs than asked for");
            nb::gil_scoped_release unlocked;
            for (size_t i = first; i < last; ++i) {
              try {
                const auto s = sentence(source, source_offsets, i), t = sentence(target, target_offsets, i);
                const auto l = links_of(links, link_offsets, i);
                totals ? self.add_target_totals(s, t, l) : self.add(s, t, l);
              } catch (const InputError& e) {
                throw InputError("sentence pair " + std::to_string(i + 1) + ": " + e.what());
              }
            }
          },
          nb::arg("source"), nb::arg("source_offsets"), nb::arg("target"), nb::arg("target_offsets"), nb::arg("links"),
          nb::arg("link_offsets"), nb::arg("first"), nb::arg("last"), nb::arg("totals") = false)
      .def("finish", &RuleCounter::finish, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("instances", &RuleCounter::instances)
      .def_prop_ro("rules", &RuleCounter::rules);
}

void bind_translation_grammar(nb::module_& m) {
  nb::class_<Grammar>(m, "TranslationGrammar", "Hierarchical rules, packed.")
      .def(
          "__init__",
          [](Grammar* self, uint32_t feature_count, Ids symbol, Ids first_child, Ids first_rule, Ids target,
             Array<float> features, Ids target_offset, Ids target_symbols, uint32_t source_words,
             uint32_t target_words) {
            new (self) Grammar(GrammarArrays{copy(symbol), copy(first_child), copy(first_rule), copy(target),
                                             copy(features), copy(target_offset), copy(target_symbols), feature_count},
                               source_words, target_words);
          },
          nb::arg("feature_count"), nb::arg("symbol"), nb::arg("first_child"), nb::arg("first_rule"), nb::arg("target"),
          nb::arg("features"), nb::arg("target_offset"), nb::arg("target_symbols"),
          nb::arg("source_words") = kSecondGap, nb::arg("target_words") = kSecondGap)
      .def_static(
          "pack",
          [](Ids sources, Offsets source_offsets, Ids targets, Offsets target_offsets, Array<float> features,
             uint32_t feature_count) {
            check_offsets(source_offsets, sources.size());
            check_offsets(target_offsets, targets.size());
            if (source_offsets.size() != target_offsets.size() ||
                features.size() != (source_offsets.size() - 1) * feature_count)
              throw InputError("as many source sides, target sides and rows of features as rules");
            SequenceTable source_sides, target_sides;
            std::vector<Rule> rules;
            for (size_t i = 0; i + 1 < source_offsets.size(); ++i)
              rules.push_back({source_sides.intern(sentence(sources, source_offsets, i)),
                               target_sides.intern(sentence(targets, target_offsets, i))});
            return Grammar::pack(source_sides, target_sides, rules, view(features), feature_count);
          },
          nb::arg("sources"), nb::arg("source_offsets"), nb::arg("targets"), nb::arg("target_offsets"),
          nb::arg("features"), nb::arg("feature_count"))
      .def_prop_ro("nodes", &Grammar::nodes)
      .def_prop_ro("rules", &Grammar::rules)
      .def_prop_ro("feature_count", &Grammar::feature_count)
      .def_prop_ro("arrays", &arrays_of, "What a grammar file holds, by name; views that stay valid with the grammar.")
      .def(
          "sources",
          [](const Grammar& self) {
            std::vector<uint64_t> offsets;
            std::vector<uint32_t> symbols;
            self.sources(offsets, symbols);
            return std::pair(numpy(std::move(symbols)), numpy(std::move(offsets)));
          },
          "The source side of every node: (symbols, offsets).")
      .def(
          "restricted",
          [](const Grammar& self, Ids words, Offsets offsets, uint32_t max_span) {
            check_offsets(offsets, words.size());
            nb::gil_scoped_release unlocked;
            std::vector<uint8_t> used(self.rules(), 0);
            for (size_t i = 0; i + 1 < offsets.size(); ++i)
              self.mark_usable(sentence(words, offsets, i), max_span, used);
            return self.restricted(used);
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("max_span"),
          "The rules that can match somewhere in the sentences.")
      .def(
          "count_matches",
          [](const Grammar& self, Ids words, Offsets offsets, size_t first, size_t last, uint32_t max_span) {
            check_offsets(offsets, words.size());
            if (first > last || last >= offsets.size()) throw InputError("fewer sentences than asked for");
            std::vector<uint32_t> counts(self.nodes(), 0);
            {
              nb::gil_scoped_release unlocked;
              for (size_t i = first; i < last; ++i) self.count_matches(sentence(words, offsets, i), max_span, counts);
            }
            return numpy(std::move(counts));
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("first"), nb::arg("last"), nb::arg("max_span"),
          "For each node, the spans of the sentences first to last - 1 that its source side matches.")
      .def(
          "divide", [](Grammar& self, uint32_t feature, Ids counts) { self.divide(feature, view(counts)); },
          nb::arg("feature"), nb::arg("counts"),
          "Divide a feature that is a logarithm by a count of each node with rules.");
}

}  // namespace

void bind_translation(nb::module_& m) {
  bind_symmetrisation(m);
  bind_extraction(m);
  bind_translation_grammar(m);
}
