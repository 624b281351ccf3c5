#include "ngram/suffix_block.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ngram/level_builder.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::ngram;

namespace {

using Counters = nb::ndarray<uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Amounts = std::array<double, 3>;

std::span<uint32_t> writable(Counters& a) { return {a.data(), a.size()}; }

Discounts with_amounts(const Amounts& amounts) {
  Discounts d;
  std::copy(amounts.begin(), amounts.end(), d.amount.begin() + 1);
  return d;
}

nb::dict stored_level(const Level& level, nb::handle owner) {
  nb::dict d;
  d["word"] = view_of(level.word, owner);
  d["parent"] = view_of(level.parent, owner);
  d["count"] = view_of(level.count, owner);
  d["first_entry"] = view_of(level.first_entry, owner);
  d["left_word"] = view_of(level.left_word, owner);
  d["context_parent"] = view_of(level.context_parent, owner);
  return d;
}

Level level_from(const nb::dict& d) {
  Level level;
  const auto take = [&](const char* name) { return copy(nb::cast<Ids>(d[name])); };
  level.word = take("word");
  level.parent = take("parent");
  level.count = take("count");
  level.first_entry = take("first_entry");
  level.left_word = take("left_word");
  level.context_parent = take("context_parent");
  return level;
}

nb::dict model_arrays(BlockArrays a) {
  nb::dict d;
  d["word"] = numpy(std::move(a.word));
  d["next"] = numpy(std::move(a.next));
  d["log_prob"] = numpy(std::move(a.log_prob));
  d["first_entry"] = numpy(std::move(a.entry_end));
  d["left_word"] = numpy(std::move(a.left_word));
  d["suffix"] = numpy(std::move(a.suffix));
  d["log_backoff"] = numpy(std::move(a.log_backoff));
  return d;
}

void bind_block(nb::module_& m) {
  nb::class_<SuffixBlock>(m, "SuffixBlock", "The n-grams whose context ends in one of a range of words.")
      .def(
          "__init__",
          [](SuffixBlock* self, Ids words, Offsets offsets, uint32_t order, uint32_t vocabulary_size,
             uint32_t first_word, uint32_t last_word) {
            nb::gil_scoped_release unlocked;
            new (self) SuffixBlock(view(words), view(offsets), order, vocabulary_size, first_word, last_word);
          },
          nb::arg("words"), nb::arg("offsets"), nb::arg("order"), nb::arg("vocabulary_size"), nb::arg("first_word"),
          nb::arg("last_word"))
      .def_static(
          "from_levels",
          [](const std::vector<nb::dict>& levels, uint32_t first_word, uint32_t last_word) {
            std::vector<Level> own;
            for (const nb::dict& d : levels) own.push_back(level_from(d));
            return SuffixBlock(std::move(own), first_word, last_word);
          },
          nb::arg("levels"), nb::arg("first_word"), nb::arg("last_word"))
      .def(
          "levels",
          [](nb::handle self) {
            nb::list levels;
            for (const Level& level : nb::cast<const SuffixBlock&>(self).levels())
              levels.append(stored_level(level, self));
            return levels;
          },
          "What has to be stored of each level, from 1; views.")
      .def(
          "counts",
          [](const SuffixBlock& b, std::vector<uint32_t> thresholds, Ids rank, uint32_t last_word) {
            BlockCounts c;
            {
              nb::gil_scoped_release unlocked;
              c = b.counts(thresholds, view(rank), last_word);
            }
            return nb::make_tuple(c.counts_of_counts, c.entries, c.contexts, c.last_rank, c.last);
          },
          nb::arg("thresholds"), nb::arg("rank"), nb::arg("last_word"),
          "By level from 1: counts of counts, entries and contexts that are kept; then the candidate for lmplz's last "
          "n-gram.")
      .def(
          "contexts_by_word", [](const SuffixBlock& b, uint32_t k) { return numpy(b.contexts_by_word(k)); },
          nb::arg("level"))
      .def(
          "kept_contexts",
          [](const SuffixBlock& b, uint32_t k, uint32_t threshold) { return numpy(b.kept_contexts(k, threshold)); },
          nb::arg("level"), nb::arg("threshold"))
      .def(
          "link",
          [](SuffixBlock& b, uint32_t k, Counters context_of_word, Array<uint8_t> kept, Counters number_of_word) {
            nb::gil_scoped_release unlocked;
            b.link(k, writable(context_of_word), view(kept), writable(number_of_word));
          },
          nb::arg("level"), nb::arg("context_of_word"), nb::arg("kept"), nb::arg("number_of_word"))
      .def(
          "estimate",
          [](SuffixBlock& b, uint32_t k, const UnigramEstimates& unigrams, Ids unigram_next, Amounts discounts,
             uint32_t threshold, std::vector<uint32_t> first_context, std::vector<uint32_t> first_entry) {
            BlockArrays arrays;
            {
              nb::gil_scoped_release unlocked;
              arrays = b.estimate(k, unigrams, view(unigram_next), with_amounts(discounts), threshold,
                                  {std::move(first_context), std::move(first_entry)});
            }
            return model_arrays(std::move(arrays));
          },
          nb::arg("level"), nb::arg("unigrams"), nb::arg("unigram_next"), nb::arg("discounts"), nb::arg("threshold"),
          nb::arg("first_context"), nb::arg("first_entry"),
          "The arrays of one level of the back-off model, as far as they are of this block.")
      .def(
          "arrays",
          [](SuffixBlock& b, uint32_t k, Ids unigram_next, std::vector<uint32_t> first_context,
             std::vector<uint32_t> first_entry) {
            BlockArrays arrays;
            {
              nb::gil_scoped_release unlocked;
              arrays = b.arrays(k, view(unigram_next), {std::move(first_context), std::move(first_entry)});
            }
            return model_arrays(std::move(arrays));
          },
          nb::arg("level"), nb::arg("unigram_next"), nb::arg("first_context"), nb::arg("first_entry"),
          "The same without pruning, with empty probabilities and back-off weights.");
}

}  // namespace

void bind_suffix_block(nb::module_& m) {
  bind_block(m);
  nb::class_<UnigramEstimates>(m, "UnigramEstimates", "The distribution of single words.")
      .def(
          "__init__",
          [](UnigramEstimates* self, Ids adjusted, Amounts discounts) {
            new (self) UnigramEstimates(estimate_unigrams(view(adjusted), with_amounts(discounts)));
          },
          nb::arg("adjusted"), nb::arg("discounts"))
      .def_prop_ro("log_prob",
                   [](nb::handle self) { return view_of(nb::cast<const UnigramEstimates&>(self).log_prob, self); });
  m.def(
      "kneser_ney_discounts",
      [](std::array<uint64_t, 4> counts, Amounts fallback, uint32_t order) {
        KneserNeySettings settings;
        settings.fallback = fallback;
        const Discounts d = discounts_of({0, counts[0], counts[1], counts[2], counts[3]}, settings, order);
        const char* origins[] = {"estimated", "missing counts", "out of range", "given"};
        return nb::make_tuple(std::vector<double>(d.amount.begin() + 1, d.amount.end()),
                              std::vector<uint64_t>(counts.begin(), counts.end()), origins[static_cast<int>(d.origin)]);
      },
      nb::arg("counts_of_counts"), nb::arg("fallback"), nb::arg("order"),
      "The discounts of an order with these n1 ... n4, those counts, and where the discounts come from.");
  m.def(
      "check_text",
      [](Ids words, Offsets offsets, uint32_t order, uint32_t vocabulary_size) {
        nb::gil_scoped_release unlocked;
        check_text(view(words), view(offsets), order, vocabulary_size);
      },
      nb::arg("words"), nb::arg("offsets"), nb::arg("order"), nb::arg("vocabulary_size"),
      "Raises InputError unless these are sentences of a vocabulary.");
  m.def(
      "ranks_of_first_occurrence",
      [](Ids words, uint32_t vocabulary_size) {
        return numpy(ranks_of_first_occurrence(view(words), vocabulary_size));
      },
      nb::arg("words"), nb::arg("vocabulary_size"));
}
