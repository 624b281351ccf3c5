#include "grammar/parser.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "no_index.hpp"
#include "stack_space.hpp"

namespace binyan::grammar {
namespace {

constexpr uint64_t kMostUses = uint64_t{1} << 40;
constexpr size_t kDeepest = 12'000;  // as deep as forests may be
constexpr size_t kMaxBytes = size_t{2} << 30;

}  // namespace

Parser::Parser(std::shared_ptr<const CompiledGrammar> grammar, std::vector<uint64_t> rule_counts,
               std::vector<SymbolRestaurant> adaptors, const std::vector<SavedTree>& trees,
               std::shared_ptr<ConstituentStrings> yields)
    : grammar_(std::move(grammar)),
      yields_(yields ? std::move(yields) : std::make_shared<ConstituentStrings>(*grammar_)),
      adaptor_(*grammar_, std::move(adaptors), 1),
      proposer_(adaptor_) {
  std::vector<uint64_t> seated(grammar_->adapted_symbols.size(), 0);
  for (uint64_t n : rule_counts)
    if (n > kMostUses) throw InputError("a rule was used " + std::to_string(n) + " times, which is too often");
  for (const SavedTree& tree : trees) {
    size_t at = 0;
    const Subtree top = read(tree.rules, at);
    if (at != tree.rules.size() || top.items.size() != 1 || !is_tree(top.items[0]))
      throw InputError("a cached tree is not a whole derivation of an adapted symbol");
    CachedTree& t = adaptor_.trees[tree_of(top.items[0])];
    if (t.adapted != tree.adapted) throw InputError("a cached tree is of another symbol than it says");
    if (tree.tables > tree.customers || (tree.tables == 0) != (tree.customers == 0) ||
        (seated[t.adapted] += tree.customers) > INT32_MAX)
      throw InputError("the customers and tables of a cached tree disagree");
    t.seats.customers = tree.customers;
    t.seats.tables = tree.tables;
  }
  fit();
  adaptor_.restore(std::move(rule_counts));
  search_ = std::make_unique<const SearchWeights>(adaptor_);
}

void Parser::fit() {
  if (adaptor_.first_tree.size() >= yields_->size()) return;
  adaptor_.first_tree.resize(yields_->size(), kNoIndex);
  adaptor_.weights.resize_yields(yields_->size());
}

template <class Node>
Parser::Subtree Parser::walk(std::span<const uint32_t> rules, size_t& at, size_t depth, Node node) const {
  require_stack();
  if (depth > kDeepest) throw InputError("a derivation is nested too deeply");
  if (at >= rules.size() || rules[at] >= grammar_->rules.size())
    throw InputError("a derivation ends too soon or holds an unknown rule");
  const SourceRule& rule = grammar_->rules[rules[at]];
  Subtree result;
  result.items = {rules[at++]};
  std::vector<Subtree> children;
  for (uint32_t symbol : rule.rhs) {
    if (at >= rules.size() || rules[at] >= grammar_->rules.size() || grammar_->rules[rules[at]].lhs != symbol)
      throw InputError("a derivation does not fit its rules");
    children.push_back(walk(rules, at, depth + 1, node));
    result.items.insert(result.items.end(), children.back().items.begin(), children.back().items.end());
    result.probability *= children.back().probability;
  }
  std::vector<Strings> yields;
  for (Subtree& child : children) yields.push_back(std::move(child.yield));
  result.yield = surface_strings(rule, yields);
  node(rule.lhs, result);
  return result;
}

Parser::Subtree Parser::read(std::span<const uint32_t> rules, size_t& at) {
  return walk(rules, at, 0, [this](uint32_t symbol, Subtree& subtree) {
    const uint32_t adapted = grammar_->adapted_index[symbol];
    if (adapted == kNoIndex) return;
    const uint32_t yield = yields_->add(adapted, subtree.yield);
    fit();
    subtree.items = {kTreeItem | adaptor_.intern(adapted, yield, subtree.items, kNoIndex, 0)};
  });
}

double Parser::log_joint(std::span<const uint32_t> rules) const {
  constexpr uint32_t kNewTree = ~0u;  // part of no cached tree
  size_t at = 0;
  const Subtree top = walk(rules, at, 0, [this](uint32_t symbol, Subtree& subtree) {
    subtree.probability *= ScaledDouble(adaptor_.rule_probability(subtree.items[0]));
    const uint32_t adapted = grammar_->adapted_index[symbol];
    if (adapted == kNoIndex) return;
    const uint32_t yield = yields_->find(adapted, subtree.yield);
    uint32_t tree = yield == kNoIndex ? kNoIndex : adaptor_.first_tree[yield];
    while (tree != kNoIndex && adaptor_.trees[tree].body != subtree.items) tree = adaptor_.trees[tree].next;
    subtree.items = {tree == kNoIndex ? kNewTree : kTreeItem | tree};
    if (tree != kNoIndex) subtree.probability = search_->tree[tree];
    else subtree.probability *= ScaledDouble(adaptor_.adaptors[adapted].new_table_probability());
  });
  return top.probability.log();
}

std::vector<uint32_t> classes_of(const CompiledGrammar& grammar, std::span<const uint32_t> word) {
  std::vector<uint32_t> classes;
  for (uint32_t a : word) {
    if (a >= grammar.atoms) throw InputError("an atom of the word is not a terminal of the grammar");
    classes.push_back(grammar.atom_class[a]);
  }
  return classes;
}

std::vector<uint32_t> yields_of(const ConstituentStrings& table, const Forest& forest, std::span<const uint32_t> word) {
  std::vector<uint32_t> yields;
  table.find(forest, word, yields);
  for (uint32_t& y : yields)
    if (y == kNoIndex) y = 0;
  return yields;
}

double Parser::log_inside(std::span<const uint32_t> word) const {
  const Forest f = build_forest(*grammar_, classes_of(*grammar_, word), kMaxBytes);
  const std::vector<uint32_t> yields = yields_of(*yields_, f, word);
  return log_inside(WordView{f, word, yields.data()});
}

double Parser::log_inside(const WordView& w) const {
  const uint32_t root = w.forest.root;
  if (root == kNoIndex) return -INFINITY;
  std::vector<double> values;
  inside(*grammar_, adaptor_.weights, w, root, values);
  if (values[root] > kUnderflow) return elementary::log(values[root]);
  std::vector<ScaledDouble> extended;
  inside(*grammar_, adaptor_.weights, w, root, extended);
  return extended[root].log();
}

double Parser::derivations(std::span<const uint32_t> word) const {
  const Forest f = build_forest(*grammar_, classes_of(*grammar_, word), kMaxBytes);
  if (f.root == kNoIndex) return 0.0;
  std::vector<double> count(f.size(), 1.0);
  for (uint32_t i = f.node_base(); i <= f.root; ++i) {
    const Forest::Node& node = f.nodes[i - f.node_base()];
    count[i] = 0.0;
    for (uint32_t e = node.first_edge; e < (&node + 1)->first_edge; ++e)
      count[i] += count[f.edges[e].left] * count[f.edges[e].right];
  }
  return count[f.root];
}

std::vector<uint32_t> Parser::sample(std::span<const uint32_t> word, pitman_yor::Random& random) {
  std::vector<uint32_t> rules;
  const Forest f = build_forest(*grammar_, classes_of(*grammar_, word), kMaxBytes);
  if (f.root == kNoIndex) return rules;
  const std::vector<uint32_t> yields = yields_of(*yields_, f, word);
  proposer_.draw({f, word, yields.data()}, kNoIndex, f.root, random);
  adaptor_.expand(proposer_.items, rules);
  adaptor_.commit();
  return rules;
}

double Parser::log_probability(std::span<const uint32_t> rules) {
  size_t at = 0;
  const Subtree top = read(rules, at);
  if (at != rules.size()) throw InputError("a derivation goes on after its end");
  const double result = adaptor_.proposal(top.items).log();
  adaptor_.commit();
  return result;
}

std::vector<Derivation> Parser::best(std::span<const uint32_t> word, uint32_t n) const {
  const Forest f = build_forest(*grammar_, classes_of(*grammar_, word), kMaxBytes);
  const std::vector<uint32_t> yields = yields_of(*yields_, f, word);
  // Several ways may lead to one derivation, and one with many ways may come late.
  auto derivations = best(WordView{f, word, yields.data()}, {n, adaptor_.adaptors.empty() ? n : 4 * n + 8});
  if (derivations.size() > n) derivations.resize(n);
  return derivations;
}

std::vector<Derivation> Parser::best(const WordView& w, const SearchLimit& limit) const {
  return w.forest.root == kNoIndex ? std::vector<Derivation>() : n_best(adaptor_, *search_, w, w.forest.root, limit);
}

}  // namespace binyan::grammar
