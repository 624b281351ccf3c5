#include "ngram/spelling.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::ngram {

Spelling::Spelling(const Strings& strings, uint64_t seed, uint64_t chain)
    : symbols(strings.tree, seed, chain, strings.alphabet) {
  const auto& offsets = strings.offsets;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != strings.symbols.size())
    throw InputError("offsets do not cover the symbols of the words");
  first_.reserve(offsets.size());
  places_.reserve(strings.symbols.size() + strings.words());
  for (uint32_t w = 0; w < strings.words(); ++w) {
    if (offsets[w + 1] < offsets[w]) throw InputError("the symbols of a word end before they begin");
    first_.push_back(places_.size());
    if (w < text::kFirstWord) continue;
    const std::span<const uint32_t> word(strings.symbols.data() + offsets[w], strings.symbols.data() + offsets[w + 1]);
    for (size_t i = 0; i <= word.size(); ++i)
      places_.push_back(find(word.first(i), i < word.size() ? word[i] : text::kSentenceEnd));
  }
  first_.push_back(places_.size());
}

Spelling::Place Spelling::find(std::span<const uint32_t> before, uint32_t symbol) const {
  const ContextTree& tree = symbols.tree();
  Place place{0, 0, 0};
  while (place.level + 1 < tree.order() && place.level <= before.size()) {
    const uint32_t left =
        place.level < before.size() ? before[before.size() - 1 - place.level] : uint32_t{text::kSentenceStart};
    const uint32_t longer = tree.find_child(place.level, place.context, left);
    if (longer == kNoIndex) throw InputError("the tree of strings does not have those of the words");
    place.context = longer;
    ++place.level;
  }
  place.entry = tree.find_entry(place.level, place.context, symbol);
  if (place.entry == kNoIndex) throw InputError("the tree of strings does not have those of the words");
  return place;
}

double Spelling::product_above(uint32_t word, double least) const {
  HPYLM::Chain chain;
  double product = 1;
  for (const Place& place : places(word)) {
    symbols.follow(chain, place.level, place.context, place.entry);
    symbols.fill_bases(chain, place.level, symbols.base());
    product *= symbols.levels()[place.level].probability(place.context, place.entry, chain.base[place.level]);
    if (product <= least) return product;
  }
  return product;
}

double Spelling::seat(uint32_t word, Moves& moves) {
  HPYLM::Chain chain;
  double product = 1;
  for (const Place& place : places(word)) {
    symbols.follow(chain, place.level, place.context, place.entry);
    symbols.fill_bases(chain, place.level, symbols.base());
    product *= symbols.levels()[place.level].probability(place.context, place.entry, chain.base[place.level]);
    for (uint32_t k = place.level;; --k) {
      pitman_yor::Restaurants& r = symbols.levels()[k];
      const uint32_t c = chain.context[k], e = chain.entry[k];
      const bool opens = r.draw_opening(c, e, chain.base[k], symbols.random);
      if (opens) r.open(c, e);
      moves.push_back({k, c, e, opens ? 0 : r.join(c, e, symbols.random)});
      if (!opens || k == 0) break;
    }
  }
  return product;
}

double Spelling::remove(uint32_t word, Moves& moves) {
  HPYLM::Chain chain;
  double product = 1;
  const auto all = places(word);
  for (size_t i = all.size(); i-- > 0;) {
    const Place& place = all[i];
    symbols.follow(chain, place.level, place.context, place.entry);
    for (uint32_t k = place.level;; --k) {
      const uint32_t c = chain.context[k], e = chain.entry[k];
      moves.push_back({k, c, e, symbols.levels()[k].leave(c, e, symbols.random)});
      if (moves.back().size > 1 || k == 0) break;
    }
    symbols.fill_bases(chain, place.level, symbols.base());
    product *= symbols.levels()[place.level].probability(place.context, place.entry, chain.base[place.level]);
  }
  return product;
}

void Spelling::take_back_seating(const Moves& moves) {
  for (auto move = moves.rbegin(); move != moves.rend(); ++move)
    symbols.levels()[move->level].leave_table(move->context, move->entry, move->size + 1);
}

void Spelling::take_back_removal(const Moves& moves) {
  for (auto move = moves.rbegin(); move != moves.rend(); ++move)
    symbols.levels()[move->level].join_table(move->context, move->entry, move->size - 1);
}

void Spelling::reseat(uint32_t word) {
  out_.clear();
  in_.clear();
  const double before = remove(word, out_), after = seat(word, in_);
  if (accept(after / before)) return;
  take_back_seating(in_);
  take_back_removal(out_);
}

std::vector<std::vector<uint32_t>> Spelling::direct(std::span<const uint32_t> strings) const {
  std::vector<std::vector<uint32_t>> customers;
  for (const Level& level : symbols.tree().levels) customers.emplace_back(level.entries(), 0);
  for (uint32_t w = 0; w < strings.size(); ++w)
    if (strings[w] > 0)
      for (const Place& place : places(w)) customers[place.level][place.entry] += strings[w];
  return customers;
}

}  // namespace binyan::ngram
