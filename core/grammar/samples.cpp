#include "grammar/samples.hpp"

#include <algorithm>

#include "errors.hpp"

namespace binyan {

void Samples::add(const Chain& chain) {
  words_.resize(chain.words().size());
  ++kept_;
  for (uint32_t i = 0; i < words_.size(); ++i) {
    const std::vector<uint32_t> rules = chain.derivation(i);
    if (rules.empty()) continue;
    auto& records = words_[i];
    size_t at = 0;
    while (at < records.size() && !(records[at + 1] == rules.size() && std::equal(rules.begin(), rules.end(), records.begin() + at + 2))) at += 2 + records[at + 1];
    if (at < records.size()) {
      ++records[at];
      continue;
    }
    records.push_back(1);
    records.push_back(static_cast<uint32_t>(rules.size()));
    records.insert(records.end(), rules.begin(), rules.end());
  }
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

void Samples::restore(std::span<const uint32_t> state) {
  if (state.size() < 2) throw InputError("the collected samples end too soon");
  kept_ = state[0];
  words_.assign(state[1], {});
  size_t at = 2;
  for (auto& records : words_) {
    if (at >= state.size() || state[at] > state.size() - at - 1) throw InputError("the collected samples end too soon");
    records.assign(state.begin() + at + 1, state.begin() + at + 1 + state[at]);
    at += 1 + state[at];
  }
}

}  // namespace binyan
