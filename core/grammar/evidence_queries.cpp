#include "grammar/evidence_queries.hpp"

#include <algorithm>
#include <set>

#include "errors.hpp"
#include "grammar/parser.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

constexpr size_t kMaxBytes = size_t{2} << 30;

LooseForest all_derivations(const CompiledGrammar& grammar, std::span<const uint32_t> word) {
  const Item whole{grammar.start, {{0, static_cast<uint32_t>(word.size())}}};
  return derive(grammar, classes_of(grammar, word), whole, kMaxBytes);
}

}  // namespace

double agreeing_derivations(const CompiledGrammar& grammar, std::span<const uint32_t> word,
                            std::span<const uint32_t> label_of, const Evidence& evidence) {
  if (word.empty()) return 0.0;
  check(evidence, word.size(), grammar);
  const LooseForest forest = cut(all_derivations(grammar, word), evidence, word, label_of);
  if (forest.root == kNoIndex) return 0.0;
  std::vector<double> count(forest.nodes.size(), 0.0);
  const auto of = [&](uint32_t child) {
    return child == kNoIndex || child == LooseForest::kLexical ? 1.0 : count[child];
  };
  for (size_t i = 0; i < forest.nodes.size(); ++i)
    for (const Edge& e : forest.edges_of(forest.nodes[i])) count[i] += of(e.left) * of(e.right);
  return count[forest.root];
}

std::vector<std::vector<uint32_t>> possible_strings(const CompiledGrammar& grammar, std::span<const uint32_t> word,
                                                    std::span<const uint32_t> label_of, const Evidence& evidence,
                                                    const std::vector<uint32_t>& symbols) {
  if (word.empty()) return {};
  check(evidence, word.size(), grammar);
  const LooseForest all = all_derivations(grammar, word);
  std::set<std::vector<uint32_t>> candidates;
  for (const LooseForest::Node& node : all.nodes)
    if (std::find(symbols.begin(), symbols.end(), node.item.symbol) != symbols.end())
      candidates.insert(spelt(all, node.item, word));
  std::vector<std::vector<uint32_t>> possible;
  for (const auto& string : candidates) {
    Evidence with = evidence;
    with.spellings.push_back({symbols, {string}});
    check(with, word.size(), grammar);
    if (cut(all, with, word, label_of).root != kNoIndex) possible.push_back(string);
  }
  return possible;
}

bool derives_strings(const CompiledGrammar& grammar, uint32_t symbol,
                     const std::vector<std::vector<uint32_t>>& strings) {
  if (symbol >= grammar.source_symbols || strings.size() != grammar.arity[symbol])
    throw InputError("a symbol has a string for each of its arguments");
  Item top{symbol, {}};
  std::vector<uint32_t> atoms;
  for (const auto& string : strings) {
    if (string.empty()) return false;
    const auto begin = static_cast<uint32_t>(atoms.size());
    atoms.insert(atoms.end(), string.begin(), string.end());
    top.ranges.push_back({begin, static_cast<uint32_t>(atoms.size())});
  }
  return derive(grammar, classes_of(grammar, atoms), top, kMaxBytes).root != kNoIndex;
}

}  // namespace binyan::grammar
