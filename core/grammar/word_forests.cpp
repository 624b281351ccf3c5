#include "grammar/word_forests.hpp"

#include <map>
#include <string>

#include "errors.hpp"
#include "grammar/constituent_strings.hpp"

namespace binyan::grammar {

WordForests::WordForests(std::shared_ptr<const CompiledGrammar> grammar,
                         const std::vector<std::vector<uint32_t>>& words, size_t max_bytes)
    : grammar_(std::move(grammar)) {
  const CompiledGrammar& g = *grammar_;
  std::map<std::vector<uint32_t>, uint32_t> shapes;
  std::vector<uint32_t> classes;
  first_atom_.push_back(0);
  first_yield_.push_back(0);
  for (const auto& word : words) {
    classes.clear();
    for (uint32_t a : word) {
      if (a >= g.atoms) throw InputError("atom " + std::to_string(a) + " is not a terminal of the grammar");
      classes.push_back(g.atom_class[a]);
    }
    const auto [hit, fresh] = shapes.emplace(classes, static_cast<uint32_t>(forests_.size()));
    if (fresh) {
      forests_.push_back(build_forest(g, classes, max_bytes - std::min(bytes_, max_bytes)));
      bytes_ += forests_.back().bytes();
    }
    forest_of_.push_back(hit->second);
    atoms_.insert(atoms_.end(), word.begin(), word.end());
    first_atom_.push_back(atoms_.size());
    first_yield_.push_back(first_yield_.back() + forests_[hit->second].adapted.size());
  }
  bytes_ += atoms_.size() * 4 + words.size() * 20;
  // Per adapted node: its number, and while numbering at most 40 bytes of tables.
  const size_t needed = bytes_ + first_yield_.back() * 44;
  if (needed > max_bytes)
    throw InputError("learning from these " + std::to_string(words.size()) + " words needs about " +
                     std::to_string((needed >> 20) + 1) + " MB, more than the limit of " +
                     std::to_string(max_bytes >> 20) + " MB: raise the memory limit, or take fewer or shorter words");

  ConstituentStrings table(g);
  yields_.reserve(first_yield_.back());
  std::vector<uint32_t> numbers, occurrences;
  for (uint32_t i = 0; i < size(); ++i) {
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

}  // namespace binyan::grammar
