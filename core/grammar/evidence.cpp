#include "grammar/evidence.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::grammar {
namespace {

// The product of a forest with what has to be remembered: from above, whether a node is below a part, and below a
// constituent of each spelling; from below, of which spellings it has a constituent.
class Cutter {
 public:
  Cutter(const LooseForest& whole, const Evidence& evidence, std::span<const uint32_t> word,
         std::span<const uint32_t> label_of)
      : whole_(whole), evidence_(evidence), word_(word), label_of_(label_of) {}

  LooseForest run() {
    result_.length = whole_.length;
    result_.tape = whole_.tape;
    if (whole_.root == kNoIndex) return std::move(result_);
    uint32_t required = 0;
    for (size_t k = 0; k < evidence_.spellings.size(); ++k)
      if (!evidence_.spellings[k].strings.empty()) required |= 1u << k;
    result_.root = visit(whole_.root, 0)[required];
    return std::move(result_);
  }

 private:
  static constexpr uint32_t kBelowPart = 1;
  // Nodes for each set of spellings that are below; kNoIndex where no derivation has just these.
  using Variants = std::array<uint32_t, 1u << kMostSpellings>;

  const Variants& visit(uint32_t i, uint32_t above) {
    const uint64_t key = (static_cast<uint64_t>(above) << 32) | i;
    if (const auto hit = memory_.find(key); hit != memory_.end()) return hit->second;
    Variants variants;
    variants.fill(kNoIndex);
    const LooseForest::Node& node = whole_.nodes[i];
    uint32_t below = above, here = 0;
    if (agrees(node.item, below, here)) {
      std::array<std::vector<Edge>, 1u << kMostSpellings> edges;
      for (const Edge& edge : whole_.edges_of(node)) follow(node.item, edge, below, here, edges);
      for (uint32_t set = 0; set < variants.size(); ++set) {
        if (edges[set].empty()) continue;
        bool all = edges[set].size() == node.edge_count;
        for (const Edge& e : edges[set])
          for (uint32_t child : {e.left, e.right})
            if (child != kNoIndex && child != LooseForest::kLexical) all &= !result_.nodes[child].cut;
        variants[set] = static_cast<uint32_t>(result_.nodes.size());
        result_.add(node.item, edges[set], !all);
      }
    }
    return memory_.emplace(key, variants).first->second;
  }

  void follow(const Item& item, const Edge& edge, uint32_t below, uint32_t here,
              std::array<std::vector<Edge>, 1u << kMostSpellings>& edges) {
    if (!(below & kBelowPart) && !may_have_no_part(item, edge)) return;
    if (edge.left == LooseForest::kLexical || edge.left == kNoIndex) {
      edges[here].push_back(edge);
      return;
    }
    const Variants left = visit(edge.left, below);
    Variants right;
    right.fill(kNoIndex);
    if (edge.right != kNoIndex) right = visit(edge.right, below);
    for (uint32_t l = 0; l < left.size(); ++l) {
      if (left[l] == kNoIndex) continue;
      if (edge.right == kNoIndex) edges[here | l].push_back({edge.rule, left[l], kNoIndex});
      for (uint32_t r = 0; r < right.size(); ++r)
        if (right[r] != kNoIndex) edges[here | l | r].push_back({edge.rule, left[l], right[r]});
    }
  }

  // Whether a node may stand where it does; then also what its children have above them, and what it is itself.
  bool agrees(const Item& item, uint32_t& below, uint32_t& here) const {
    const uint32_t label = item.symbol < label_of_.size() ? label_of_[item.symbol] : kNoIndex;
    if (label != kNoIndex && !(below & kBelowPart)) {
      if (!part_agrees(item, label)) return false;
      below |= kBelowPart;
    }
    for (size_t k = 0; k < evidence_.spellings.size(); ++k) {
      const Spelling& spelling = evidence_.spellings[k];
      const uint32_t bit = 2u << k;
      if ((below & bit) ||
          std::find(spelling.symbols.begin(), spelling.symbols.end(), item.symbol) == spelling.symbols.end())
        continue;
      const auto& strings = spelling.strings;
      if (std::find(strings.begin(), strings.end(), spelt(whole_, item, word_)) == strings.end()) return false;
      below |= bit;
      here |= 1u << k;
    }
    return true;
  }

  // Where the atoms of a constituent stand in the word; what the word does not show stands nowhere.
  std::vector<Range> shown(const Item& item) const {
    std::vector<Range> ranges;
    for (const Range& r : item.ranges) {
      if (r.begin < whole_.length) {
        if (std::find(ranges.begin(), ranges.end(), r) == ranges.end()) ranges.push_back(r);
        continue;
      }
      bool in_run = false;
      for (uint32_t p = r.begin; p < r.end; ++p) {
        const uint32_t e = whole_.entry(p);
        if (e & kGiven) in_run = false;
        else if (in_run && ranges.back().end == e) ++ranges.back().end;
        else {
          ranges.push_back({e, e + 1});
          in_run = true;
        }
      }
    }
    return ranges;
  }

  bool part_agrees(const Item& item, uint32_t label) const {
    const std::vector<Range> ranges = shown(item);
    if (!evidence_.labels.empty())
      for (const Range& r : ranges)
        for (uint32_t p = r.begin; p < r.end; ++p)
          if (!((evidence_.labels[p] >> label) & 1)) return false;
    if (evidence_.borders.empty()) return true;
    for (size_t k = 0; k < ranges.size(); ++k) {
      const Range& r = ranges[k];
      for (uint32_t p = r.begin + 1; p < r.end; ++p)
        if (border(p) == Evidence::kBorder) return false;
      const bool joined_before = k > 0 && ranges[k - 1].end == r.begin;
      const bool joined_after = k + 1 < ranges.size() && ranges[k + 1].begin == r.end;
      if (border(r.begin) == (joined_before ? Evidence::kBorder : Evidence::kInside)) return false;
      if (border(r.end) == (joined_after ? Evidence::kBorder : Evidence::kInside)) return false;
    }
    return true;
  }

  uint8_t border(uint32_t position) const {
    return position == 0 || position >= whole_.length ? uint8_t{Evidence::kBorder} : evidence_.borders[position - 1];
  }

  // The atoms that the edge's rule writes by itself are in no part.
  bool may_have_no_part(const Item& item, const Edge& edge) const {
    if (evidence_.labels.empty()) return true;
    std::vector<bool> covered(whole_.length, false);
    if (edge.left != LooseForest::kLexical)
      for (uint32_t child : {edge.left, edge.right})
        if (child != kNoIndex)
          for (const Range& r : shown(whole_.nodes[child].item))
            std::fill(covered.begin() + r.begin, covered.begin() + r.end, true);
    for (const Range& r : shown(item))
      for (uint32_t p = r.begin; p < r.end; ++p)
        if (!covered[p] && !((evidence_.labels[p] >> Evidence::kNoPart) & 1)) return false;
    return true;
  }

  const LooseForest& whole_;
  const Evidence& evidence_;
  std::span<const uint32_t> word_, label_of_;
  LooseForest result_;
  std::unordered_map<uint64_t, Variants> memory_;
};

}  // namespace

void check(const Evidence& evidence, size_t length, const CompiledGrammar& grammar) {
  if (length > kLongestKnown)
    throw InputError("a word of " + std::to_string(length) + " atoms is too long for something to be known of it");
  if ((!evidence.borders.empty() && evidence.borders.size() + 1 != length) ||
      (!evidence.labels.empty() && evidence.labels.size() != length))
    throw InputError("what is known of a word is of another length than the word");
  for (uint8_t border : evidence.borders)
    if (border > Evidence::kInside) throw InputError("a border is unknown, there, or not there");
  if (evidence.spellings.size() > kMostSpellings) throw InputError("too many spellings are known of a word");
  for (const Spelling& spelling : evidence.spellings)
    for (uint32_t s : spelling.symbols)
      if (s >= grammar.source_symbols) throw InputError("no such symbol");
}

LooseForest cut(const LooseForest& whole, const Evidence& evidence, std::span<const uint32_t> word,
                std::span<const uint32_t> label_of) {
  return Cutter(whole, evidence, word, label_of).run();
}

std::vector<uint32_t> spelt(const LooseForest& forest, const Item& item, std::span<const uint32_t> word) {
  std::vector<uint32_t> atoms;
  for (const Range& r : item.ranges)
    for (uint32_t p = r.begin; p < r.end; ++p) atoms.push_back(atom_at(word, forest.entry(p)));
  return atoms;
}

}  // namespace binyan::grammar
