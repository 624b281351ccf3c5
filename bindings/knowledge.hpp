// What is known beforehand, as Python gives it: plain tuples and lists.
#pragma once
#include <map>
#include <tuple>
#include <vector>

#include "grammar/word_forests.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

using Numbers = std::vector<uint32_t>;
// (symbols, strings)
using SpellingTuple = std::tuple<Numbers, std::vector<Numbers>>;
// (borders, labels, spellings)
using EvidenceTuple = std::tuple<std::vector<uint8_t>, Numbers, std::vector<SpellingTuple>>;
// (symbol, strings, copies)
using MorphemeTuple = std::tuple<uint32_t, std::vector<Numbers>, uint32_t>;
// (words, symbols, stems)
using SharedStemTuple = std::tuple<Numbers, Numbers, std::vector<Numbers>>;

// Labels are numbers from 0, -1 for none.
inline std::vector<uint32_t> label_numbers(const std::vector<int32_t>& labels) {
  std::vector<uint32_t> result;
  for (int32_t label : labels) result.push_back(label < 0 ? kNoIndex : static_cast<uint32_t>(label));
  return result;
}

inline Evidence evidence_of(const EvidenceTuple& tuple) {
  const auto& [borders, labels, spellings] = tuple;
  Evidence evidence{borders, labels, {}};
  for (const auto& [symbols, strings] : spellings) evidence.spellings.push_back({symbols, strings});
  return evidence;
}

inline Knowledge knowledge_of(const std::vector<int32_t>& labels, const std::map<uint32_t, EvidenceTuple>& of_words,
                              const std::vector<MorphemeTuple>& morphemes,
                              const std::vector<SharedStemTuple>& shared_stems) {
  Knowledge known{label_numbers(labels), {}, {}, {}};
  for (const auto& [word, tuple] : of_words) known.of_words.emplace(word, evidence_of(tuple));
  for (const auto& [symbol, strings, copies] : morphemes) known.morphemes.push_back({symbol, strings, copies});
  for (const auto& [words, symbols, stems] : shared_stems) known.shared_stems.push_back({words, symbols, stems});
  return known;
}

}  // namespace binyan::grammar
