#include "grammar/samples.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {

void Samples::add_counted(uint32_t word, std::span<const uint32_t> rules, uint32_t count) {
  auto& records = words_[word];
  size_t at = 0;
  while (at < records.size() &&
         !(records[at + 1] == rules.size() && std::equal(rules.begin(), rules.end(), records.begin() + at + 2)))
    at += 2 + records[at + 1];
  if (at < records.size()) {
    records[at] += count;
    return;
  }
  records.push_back(count);
  records.push_back(static_cast<uint32_t>(rules.size()));
  records.insert(records.end(), rules.begin(), rules.end());
}

void Samples::add(const Chain& chain) {
  words_.resize(chain.words().observed());
  ++kept_;
  for (uint32_t i = 0; i < words_.size(); ++i) {
    const std::vector<uint32_t> rules = chain.derivation(i);
    if (!rules.empty()) add_counted(i, rules, 1);
  }
}

void Samples::merge(const Samples& other) {
  words_.resize(std::max(words_.size(), other.words_.size()));
  kept_ += other.kept_;
  for (uint32_t i = 0; i < other.words_.size(); ++i)
    for (size_t at = 0; at < other.words_[i].size(); at += 2 + other.words_[i][at + 1])
      add_counted(i, std::span(other.words_[i]).subspan(at + 2, other.words_[i][at + 1]), other.words_[i][at]);
}

std::vector<Samples::Counted> Samples::of(uint32_t word) const {
  std::vector<Counted> result;
  if (word >= words_.size()) return result;
  const auto& records = words_[word];
  for (size_t at = 0; at < records.size(); at += 2 + records[at + 1])
    result.push_back({{records.begin() + at + 2, records.begin() + at + 2 + records[at + 1]}, records[at]});
  std::stable_sort(result.begin(), result.end(), [](const Counted& x, const Counted& y) { return x.count > y.count; });
  return result;
}

std::vector<uint32_t> Samples::state() const {
  std::vector<uint32_t> out{kept_, static_cast<uint32_t>(words_.size())};
  for (const auto& records : words_) {
    out.push_back(static_cast<uint32_t>(records.size()));
    out.insert(out.end(), records.begin(), records.end());
  }
  return out;
}

void Samples::restore(std::span<const uint32_t> state, const CompiledGrammar& grammar) {
  const auto refuse = [](const char* what) { throw InputError(std::string("the collected samples ") + what); };
  if (state.size() < 2 || state[1] > state.size() - 2) refuse("end too soon");
  kept_ = state[0];
  words_.assign(state[1], {});
  size_t at = 2;
  for (auto& records : words_) {
    if (at >= state.size() || state[at] > state.size() - at - 1) refuse("end too soon");
    records.assign(state.begin() + at + 1, state.begin() + at + 1 + state[at]);
    at += 1 + state[at];
    for (size_t first = 0; first < records.size(); first += 2 + records[first + 1]) {
      if (first + 2 > records.size() || records[first + 1] > records.size() - first - 2) refuse("end too soon");
      if (records[first] == 0) refuse("hold a derivation that occurred 0 times");
      grammar.check_derivation(grammar.start, std::span(records).subspan(first + 2, records[first + 1]),
                               [](uint32_t) { return kNoIndex; });
    }
  }
  if (at != state.size()) refuse("go on after their end");
}

}  // namespace binyan::grammar
