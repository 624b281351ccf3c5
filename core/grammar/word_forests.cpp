#include "grammar/word_forests.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "errors.hpp"
#include "grammar/constituent_strings.hpp"

namespace binyan::grammar {

WordForests::WordForests(std::shared_ptr<const CompiledGrammar> grammar,
                         const std::vector<std::vector<uint32_t>>& words, size_t max_bytes, const Knowledge& known)
    : grammar_(std::move(grammar)), max_bytes_(max_bytes), observed_(static_cast<uint32_t>(words.size())) {
  check(known, words);
  std::map<std::vector<uint32_t>, uint32_t> shapes;
  first_atom_.push_back(0);
  first_yield_.push_back(0);
  for (uint32_t i = 0; i < observed_; ++i) {
    if (const auto evidence = known.of_words.find(i); evidence != known.of_words.end()) {
      add_known(words[i], evidence->second, known);
      constrained_.push_back(i);
      continue;
    }
    const std::vector<uint32_t> shape = classes(words[i]);
    const auto [hit, fresh] = shapes.emplace(shape, static_cast<uint32_t>(forests_.size()));
    if (fresh) keep(build_forest(*grammar_, shape, max_bytes - std::min(bytes_, max_bytes)));
    add_entry(words[i], hit->second);
  }
  for (const KnownMorpheme& morpheme : known.morphemes) add_morpheme(morpheme);
  size_ = entries();
  for (const SharedStem& shared : known.shared_stems) add_group(shared, words, known);
  number_yields();
}

void WordForests::check(const Knowledge& known, const std::vector<std::vector<uint32_t>>& words) const {
  std::vector<bool> grouped(words.size(), false);
  for (const auto& [word, evidence] : known.of_words) {
    if (word >= words.size()) throw InputError("no such word");
    grammar::check(evidence, words[word].size(), *grammar_);
  }
  for (uint32_t label : known.label_of)
    if (label != kNoIndex && label >= Evidence::kNoPart) throw InputError("too many labels");
  for (const SharedStem& shared : known.shared_stems)
    for (uint32_t word : shared.words) {
      if (word >= words.size() || grouped[word])
        throw InputError("a word that shares a stem is none, or is in two groups");
      grouped[word] = true;
    }
}

std::vector<uint32_t> WordForests::classes(std::span<const uint32_t> word) const {
  std::vector<uint32_t> result;
  for (uint32_t a : word) {
    if (a >= grammar_->atoms) throw InputError("atom " + std::to_string(a) + " is not a terminal of the grammar");
    result.push_back(grammar_->atom_class[a]);
  }
  return result;
}

uint32_t WordForests::keep(Forest forest) {
  forests_.push_back(std::move(forest));
  bytes_ += forests_.back().bytes();
  return static_cast<uint32_t>(forests_.size()) - 1;
}

void WordForests::add_entry(std::span<const uint32_t> atoms, uint32_t forest) {
  forest_of_.push_back(forest);
  atoms_.insert(atoms_.end(), atoms.begin(), atoms.end());
  first_atom_.push_back(atoms_.size());
  first_yield_.push_back(first_yield_.back() + forests_[forest].adapted.size());
}

void WordForests::add_known(std::span<const uint32_t> word, const Evidence& evidence, const Knowledge& known) {
  const Item whole{grammar_->start, {{0, static_cast<uint32_t>(word.size())}}};
  const LooseForest all = derive(*grammar_, classes(word), whole, max_bytes_ - std::min(bytes_, max_bytes_));
  add_entry(word, keep(pack(*grammar_, cut(all, evidence, word, known.label_of))));
}

void WordForests::add_morpheme(const KnownMorpheme& morpheme) {
  if (morpheme.symbol >= grammar_->source_symbols || morpheme.strings.size() != grammar_->arity[morpheme.symbol])
    throw InputError("a known morpheme has a string for each argument of its symbol");
  Item top{morpheme.symbol, {}};
  std::vector<uint32_t> atoms;
  for (const auto& string : morpheme.strings) {
    if (string.empty()) throw InputError("a string of a known morpheme is empty");
    const auto begin = static_cast<uint32_t>(atoms.size());
    atoms.insert(atoms.end(), string.begin(), string.end());
    top.ranges.push_back({begin, static_cast<uint32_t>(atoms.size())});
  }
  const uint32_t forest =
      keep(pack(*grammar_, derive(*grammar_, classes(atoms), top, max_bytes_ - std::min(bytes_, max_bytes_))));
  if (forests_[forest].root == kNoIndex) throw InputError("the grammar cannot derive a known morpheme");
  for (uint32_t i = 0; i < morpheme.copies; ++i) {
    add_entry(atoms, forest);
    morpheme_symbol_.push_back(morpheme.symbol);
    morpheme_copies_.push_back(morpheme.copies);
  }
}

void WordForests::add_group(const SharedStem& shared, const std::vector<std::vector<uint32_t>>& words,
                            const Knowledge& known) {
  groups_.push_back({shared.words, static_cast<uint32_t>(shared.stems.size()), entries()});
  group_of_.resize(observed_, kNoIndex);
  for (uint32_t word : shared.words) {
    group_of_[word] = static_cast<uint32_t>(groups_.size()) - 1;
    if (!known.of_words.contains(word)) constrained_.push_back(word);
    const auto own = known.of_words.find(word);
    for (const auto& stem : shared.stems) {
      Evidence evidence = own == known.of_words.end() ? Evidence{} : own->second;
      evidence.spellings.push_back({shared.symbols, {stem}});
      grammar::check(evidence, words[word].size(), *grammar_);
      add_known(words[word], evidence, known);
      if (!parses(entries() - 1)) throw InputError("a word cannot have the stem that it shares");
    }
  }
}

void WordForests::number_yields() {
  bytes_ += atoms_.size() * 4 + forest_of_.size() * 20;
  // Per adapted node: its number, and while numbering at most 40 bytes of tables.
  const size_t needed = bytes_ + first_yield_.back() * 44;
  if (needed > max_bytes_)
    throw InputError("learning from these " + std::to_string(observed_) + " words needs about " +
                     std::to_string((needed >> 20) + 1) + " MB, more than the limit of " +
                     std::to_string(max_bytes_ >> 20) + " MB: raise the memory limit, or take fewer or shorter words");

  ConstituentStrings table(*grammar_);
  yields_.reserve(first_yield_.back());
  std::vector<uint32_t> numbers, occurrences;
  for (uint32_t i = 0; i < entries(); ++i) {
    table.add(forest(i), view(i).atoms, numbers);
    yields_.insert(yields_.end(), numbers.begin(), numbers.end());
    occurrences.resize(table.size(), 0);
    for (uint32_t y : numbers) ++occurrences[y];
  }
  // A yield that occurs once can never be taken from the cache: its one place is being resampled.
  std::vector<uint32_t> dense(table.size(), 0);
  for (uint32_t& y : yields_) {
    if (occurrences[y] < 2) {
      y = 0;
      continue;
    }
    if (dense[y] == 0) dense[y] = yield_count_++;
    y = dense[y];
  }
  bytes_ += yields_.size() * 4 + static_cast<size_t>(yield_count_) * (sizeof(YieldCounts) + 4);
}

const WordFamilies& WordForests::families() const {
  constexpr uint32_t kMost = 100;
  std::call_once(families_once_, [&] { families_ = std::make_unique<const WordFamilies>(*this, kMost); });
  return *families_;
}

}  // namespace binyan::grammar
