#include "ngram/generator_tree.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"
#include "no_index.hpp"

namespace binyan::ngram {

void Analyses::check() const {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != first.size() || first.size() != second.size())
    throw InputError("offsets do not cover the analyses");
  for (uint32_t w = 0; w < words(); ++w)
    if (offsets[w + 1] <= offsets[w]) throw InputError("word " + std::to_string(w) + " has no analysis");
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i] >= firsts || second[i] >= seconds)
      throw InputError("analysis " + std::to_string(i) + " has a token that is not one of those counted");
}

namespace {

uint64_t join(uint32_t left, uint32_t right) { return uint64_t{left} << 32 | right; }

// The distinct keys in order, and the number of each key among them.
std::vector<uint64_t> number(const std::vector<uint64_t>& keys, std::vector<uint32_t>& numbers) {
  std::vector<uint64_t> kinds = keys;
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  numbers.resize(keys.size());
  for (size_t i = 0; i < keys.size(); ++i)
    numbers[i] = static_cast<uint32_t>(std::lower_bound(kinds.begin(), kinds.end(), keys[i]) - kinds.begin());
  return kinds;
}

void unpack(const std::vector<uint64_t>& kinds, std::vector<uint32_t>& left, std::vector<uint32_t>& right) {
  left.reserve(kinds.size());
  right.reserve(kinds.size());
  for (uint64_t key : kinds) {
    left.push_back(static_cast<uint32_t>(key >> 32));
    right.push_back(static_cast<uint32_t>(key));
  }
}

void add_nodes(const Level& words, const std::vector<uint32_t>& tokens, const GeneratorLevel* shorter,
               GeneratorLevel& level) {
  if (shorter == nullptr) {
    level.node_of.assign(1, 0);
    level.node_parent.assign(1, kNoIndex);
    level.token.assign(1, kNoIndex);
    return;
  }
  std::vector<uint64_t> keys(words.contexts());
  for (uint32_t c = 0; c < words.contexts(); ++c)
    keys[c] = join(shorter->node_of[words.context_parent[c]], tokens[words.left_word[c]]);
  unpack(number(keys, level.node_of), level.node_parent, level.token);
}

// Calls visit(analysis, place, place of the same analysis of the shorter context's entry).
template <class Visit>
void for_each_analysis(const Level& words, const Analyses& analyses, const std::vector<uint32_t>& shorter_places,
                       Visit visit) {
  uint32_t place = 0;
  for (uint32_t e = 0; e < words.entries(); ++e) {
    const uint32_t w = words.word[e], first = analyses.offsets[w];
    for (uint32_t i = 0; i < analyses.count(w); ++i, ++place)
      visit(e, first + i, place, words.parent.empty() ? 0 : shorter_places[words.parent[e]] + i);
  }
}

std::vector<uint32_t> places(const Level& words, const Analyses& analyses) {
  std::vector<uint32_t> first(words.entries() + 1, 0);
  for (uint32_t e = 0; e < words.entries(); ++e) {
    if (uint64_t{first[e]} + analyses.count(words.word[e]) >= kNoIndex)
      throw InputError("more than 4 billion n-grams with their analyses: lower the order");
    first[e + 1] = first[e] + analyses.count(words.word[e]);
  }
  return first;
}

}  // namespace

GeneratorTree::GeneratorTree(const ContextTree& tree, Analyses of_words, std::vector<uint32_t> of_contexts,
                             uint32_t second)
    : analyses(std::move(of_words)), tokens(std::move(of_contexts)), second_context(second), levels(tree.order()) {
  analyses.check();
  if (analyses.words() != tree.vocabulary_size || tokens.size() != tree.vocabulary_size)
    throw InputError("analyses and a token are needed for every word of the vocabulary");
  std::vector<uint32_t> shorter_places;
  for (uint32_t k = 0; k < order(); ++k) {
    const Level& words = tree.levels[k];
    GeneratorLevel &level = levels[k], *const shorter = k > 0 ? &levels[k - 1] : nullptr;
    add_nodes(words, tokens, shorter, level);
    std::vector<uint32_t> own_places = places(words, analyses);
    std::vector<uint64_t> keys(own_places.back());
    for_each_analysis(words, analyses, shorter_places, [&](uint32_t e, uint32_t analysis, uint32_t place, uint32_t) {
      keys[place] = join(level.node_of[words.context[e]], analyses.first[analysis]);
    });
    unpack(number(keys, level.head_of), level.head_node, level.head_first);
    const bool has_pairs = k <= second_context;
    if (has_pairs) {
      for_each_analysis(words, analyses, shorter_places, [&](uint32_t, uint32_t analysis, uint32_t place, uint32_t) {
        keys[place] = join(level.head_of[place], analyses.second[analysis]);
      });
      unpack(number(keys, level.pair_of), level.pair_head, level.pair_second);
    }
    if (shorter != nullptr) {
      level.head_parent.resize(level.heads());
      level.pair_parent.resize(level.pairs());
      for_each_analysis(words, analyses, shorter_places, [&](uint32_t, uint32_t, uint32_t place, uint32_t below) {
        level.head_parent[level.head_of[place]] = shorter->head_of[below];
        if (has_pairs) level.pair_parent[level.pair_of[place]] = shorter->pair_of[below];
      });
    }
    shorter_places = std::move(own_places);
  }
}

GeneratorForest::GeneratorForest(std::shared_ptr<const ContextTree> tree,
                                 std::vector<std::shared_ptr<const GeneratorTree>> trees)
    : words(std::move(tree)), generators(std::move(trees)), first_place(words->order()) {
  if (generators.size() > kMaxGenerators)
    throw InputError("at most " + std::to_string(kMaxGenerators) + " generators, not " +
                     std::to_string(generators.size()));
  for (const auto& g : generators) {
    if (g->order() != words->order() || g->analyses.words() != words->vocabulary_size)
      throw InputError("a generator was made for another text");
    if (g->analyses.offsets != generators[0]->analyses.offsets)
      throw InputError("generators differ in the number of analyses of a word");
  }
  if (generators.empty() || generators[0]->analyses.first.size() == words->vocabulary_size) return;
  for (uint32_t k = 0; k < words->order(); ++k) first_place[k] = places(words->levels[k], generators[0]->analyses);
  list_entries();
}

void GeneratorForest::list_entries() {
  std::vector<std::vector<Place>> of(words->vocabulary_size);
  for (uint32_t k = 0; k < words->order(); ++k)
    for (uint32_t e = 0; e < words->levels[k].entries(); ++e)
      if (analyses(words->levels[k].word[e]) > 1) of[words->levels[k].word[e]].push_back({k, e});
  first_entry.assign(1, 0);
  for (uint32_t w = 0; w < of.size(); ++w) {
    if (analyses(w) == 1) continue;
    several.push_back(w);
    entries.insert(entries.end(), of[w].begin(), of[w].end());
    first_entry.push_back(static_cast<uint32_t>(entries.size()));
  }
}

}  // namespace binyan::ngram
