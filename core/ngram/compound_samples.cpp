#include "ngram/compound_samples.hpp"

namespace binyan::ngram {
namespace {

// The weight of the base distribution in restaurant r.
float base_weight(const pitman_yor::Restaurants& restaurants, uint32_t r) {
  return static_cast<float>(restaurants.new_table_weight(r) / restaurants.total_weight(r));
}

double pair_probability(const ModifierModel& f, uint32_t pair) {
  return f.bigrams.probability(f.pair_context()[pair], pair, f.unigrams.probability(0, f.pair_next()[pair], f.base()));
}

void collect_modifiers(const ModifierModel& f, CompoundSamples& samples) {
  for (uint32_t c = 0; c <= f.end(); ++c) samples.next[c] = static_cast<float>(f.unigrams.probability(0, c, f.base()));
  for (uint32_t c = 0; c < f.end(); ++c) samples.pair_fresh[c] = base_weight(f.bigrams, c);
  for (uint32_t p = 0; p < f.bigrams.dishes(); ++p) samples.pair[p] = static_cast<float>(pair_probability(f, p));
}

// M(w) of each word of the vocabulary.
std::vector<double> modifier_products(const CompoundHPYLM& model) {
  std::vector<double> products(model.tree().components.words(), 1.0);
  for (uint32_t w = 0; w < products.size(); ++w)
    for (uint32_t p : model.modifiers.entries_of(w)) products[w] *= pair_probability(model.modifiers, p);
  return products;
}

}  // namespace

std::array<size_t, 8> sample_rows(const CompoundTree& tree) {
  size_t entries = 0, contexts = 0, heads = 0;
  for (uint32_t k = 0; k < tree.words->order(); ++k) {
    entries += tree.words->levels[k].entries();
    contexts += tree.words->levels[k].contexts();
    heads += tree.heads[k].entries();
  }
  const size_t components = tree.components.component_count;
  const size_t pairs = ModifierModel(tree.components).bigrams.dishes();
  return {entries, contexts, heads, contexts, pairs, components, components + 1, tree.words->order()};
}

std::array<std::vector<float>*, 8> CompoundSamples::arrays() {
  return {&word, &word_fresh, &head, &head_fresh, &pair, &pair_fresh, &next, &shortening};
}

CompoundSamples collect(const CompoundHPYLM& model) {
  const CompoundTree& tree = model.tree();
  const auto rows = sample_rows(tree);
  CompoundSamples samples;
  for (size_t i = 0; i < rows.size(); ++i) samples.arrays()[i]->resize(rows[i]);
  collect_modifiers(model.modifiers, samples);
  const std::vector<double> modifiers = modifier_products(model);
  std::vector<double> shorter_words, shorter_heads, words, heads;
  size_t entry_row = 0, head_row = 0, context_row = 0;
  for (uint32_t k = 0; k < tree.words->order(); ++k) {
    const Level& level = tree.words->levels[k];
    const HeadLevel& head = tree.heads[k];
    const pitman_yor::Restaurants &g = model.heads[k], &h = model.words[k];
    const double w = model.shortening[k];
    samples.shortening[k] = static_cast<float>(w);
    heads.resize(head.entries());
    words.resize(level.entries());
    for (uint32_t a = 0; a < head.entries(); ++a)
      heads[a] = g.probability(head.context[a], a, k > 0 ? shorter_heads[head.parent[a]] : model.head_base());
    for (uint32_t e = 0; e < level.entries(); ++e) {
      const double base = (1 - w) * heads[head.entry_of[e]] * modifiers[level.word[e]] +
                          (k > 0 ? w * shorter_words[level.parent[e]] : 0.0);
      const uint32_t d = model.dish(e, CompoundHPYLM::kDecomposed), c = level.context[e];
      words[e] = (h.old_table_weight(d) + (model.both_ways() ? h.old_table_weight(d + 1) : 0.0) +
                  h.new_table_weight(c) * base) /
                 h.total_weight(c);
    }
    for (double p : heads) samples.head[head_row++] = static_cast<float>(p);
    for (double p : words) samples.word[entry_row++] = static_cast<float>(p);
    for (uint32_t c = 0; c < level.contexts(); ++c, ++context_row) {
      samples.head_fresh[context_row] = base_weight(g, c);
      samples.word_fresh[context_row] = base_weight(h, c);
    }
    shorter_words.swap(words);
    shorter_heads.swap(heads);
  }
  return samples;
}

}  // namespace binyan::ngram
