// What a generator of words (word_generator.hpp) knows before training: the two tokens of every analysis of every word,
// and the n-grams of a text in its eyes. Its contexts are those of a context tree with every word replaced by a token,
// so that contexts may become one ("nodes"). On each level a head is a (node, first token), a pair a (head, second
// token).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ngram/context_tree.hpp"

namespace binyan::ngram {

// The analyses of word w are [offsets[w], offsets[w + 1]), at least one; analysis i is the tokens first[i], then
// second[i].
struct Analyses {
  std::vector<uint32_t> first, second, offsets;
  uint32_t firsts = 0, seconds = 0;  // how many tokens there are

  uint32_t words() const { return static_cast<uint32_t>(offsets.size()) - 1; }
  uint32_t count(uint32_t word) const { return offsets[word + 1] - offsets[word]; }
  // Throws InputError unless every word has an analysis, of tokens there are.
  void check() const;
};

struct GeneratorLevel {
  std::vector<uint32_t> node_of;                // of each context of the tree
  std::vector<uint32_t> node_parent, token;     // of each node: without its farthest token, which is `token`
  std::vector<uint32_t> head_first, head_node;  // of each head; ordered by node, then token
  std::vector<uint32_t> head_parent;            // on the level below; empty on level 0
  std::vector<uint32_t> pair_head, pair_second, pair_parent;  // the same; none on levels whose contexts are too long
  // Of each analysis of the word of each entry, entry after entry.
  std::vector<uint32_t> head_of, pair_of;

  uint32_t nodes() const { return static_cast<uint32_t>(node_parent.size()); }
  uint32_t heads() const { return static_cast<uint32_t>(head_first.size()); }
  uint32_t pairs() const { return static_cast<uint32_t>(pair_head.size()); }
};

class GeneratorTree {
 public:
  // `tokens`: what stands for each word in a context. Second tokens depend on contexts of up to `second_context` words.
  GeneratorTree(const ContextTree& tree, Analyses analyses, std::vector<uint32_t> tokens, uint32_t second_context);

  uint32_t order() const { return static_cast<uint32_t>(levels.size()); }
  // The longest context that the second token depends on, where the first depends on `length` words.
  uint32_t second_level(uint32_t length) const { return length < second_context ? length : second_context; }

  Analyses analyses;
  std::vector<uint32_t> tokens;  // of each word
  uint32_t second_context;
  std::vector<GeneratorLevel> levels;
};

// What all chains of a model over one text share.
struct GeneratorForest {
  static constexpr uint32_t kMaxGenerators = 7;
  // Throws InputError if the generators do not fit the words, or differ in how many analyses a word has.
  GeneratorForest(std::shared_ptr<const ContextTree> words, std::vector<std::shared_ptr<const GeneratorTree>> trees);

  uint32_t size() const { return static_cast<uint32_t>(generators.size()); }
  // Where the analyses of an entry's word begin in head_of and pair_of.
  uint32_t place(uint32_t level, uint32_t entry) const {
    return first_place[level].empty() ? entry : first_place[level][entry];
  }
  uint32_t analyses(uint32_t word) const { return generators.empty() ? 1 : generators[0]->analyses.count(word); }

  std::shared_ptr<const ContextTree> words;
  std::vector<std::shared_ptr<const GeneratorTree>> generators;
  std::vector<std::vector<uint32_t>> first_place;  // by level; empty where every word has one analysis
  struct Place {
    uint32_t level, entry;
  };
  // The entries of the words that have several analyses: of `several[i]`, [first_entry[i], first_entry[i + 1]).
  std::vector<uint32_t> several, first_entry;
  std::vector<Place> entries;

 private:
  void list_entries();
};

}  // namespace binyan::ngram
