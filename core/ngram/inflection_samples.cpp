#include "ngram/inflection_samples.hpp"

namespace binyan::ngram {
namespace {

// The weight of the base distribution in restaurant r.
float base_weight(const pitman_yor::Restaurants& restaurants, uint32_t r) {
  return static_cast<float>(restaurants.new_table_weight(r) / restaurants.total_weight(r));
}

void append(const std::vector<double>& values, std::vector<float>& to) {
  for (double v : values) to.push_back(static_cast<float>(v));
}

void append_base_weights(const pitman_yor::Restaurants& restaurants, std::vector<float>& to) {
  for (uint32_t r = 0; r < restaurants.restaurants(); ++r) to.push_back(base_weight(restaurants, r));
}

using Levels = std::vector<std::vector<double>>;

// The probabilities of the heads of a generator on every level.
Levels head_probabilities(const WordGenerator& generator) {
  Levels all;
  for (uint32_t k = 0; k < generator.heads.size(); ++k) {
    const GeneratorLevel& level = generator.tree().levels[k];
    std::vector<double> own(level.heads());
    for (uint32_t h = 0; h < level.heads(); ++h)
      own[h] = generator.heads[k].probability(
          level.head_node[h], h, k > 0 ? all[k - 1][level.head_parent[h]] : generator.first_base(level.head_first[h]));
    all.push_back(std::move(own));
  }
  return all;
}

Levels pair_probabilities(const WordGenerator& generator) {
  Levels all;
  for (uint32_t k = 0; k < generator.pairs.size(); ++k) {
    const GeneratorLevel& level = generator.tree().levels[k];
    std::vector<double> own(level.pairs());
    for (uint32_t p = 0; p < level.pairs(); ++p) {
      const uint32_t second = level.pair_second[p];
      const double base = k > 0 ? all[k - 1][level.pair_parent[p]]
                                : generator.seconds.probability(0, second, generator.second_base(second));
      own[p] = generator.pairs[k].probability(level.pair_head[p], p, base);
    }
    all.push_back(std::move(own));
  }
  return all;
}

// H on every level, from what the generators say.
void collect_words(const InflectionHPYLM& model, const std::vector<Levels>& heads, const std::vector<Levels>& pairs,
                   InflectionSamples& samples) {
  const GeneratorForest& forest = model.forest();
  const ContextTree& tree = *forest.words;
  std::vector<double> shorter, own;
  std::vector<std::vector<double>> seconds(forest.size()), shorter_seconds(forest.size());
  for (uint32_t k = 0; k < tree.order(); ++k) {
    const Level& level = tree.levels[k];
    const pitman_yor::Restaurants& h = model.words[k];
    own.resize(level.entries());
    for (uint32_t g = 0; g < forest.size(); ++g) seconds[g].resize(level.entries());
    for (uint32_t e = 0; e < level.entries(); ++e) {
      const uint32_t place = forest.place(k, e) + model.analysis[level.word[e]];
      double base =
          model.weights[k][InflectionHPYLM::kShortened] * (k > 0 ? shorter[level.parent[e]] : model.word_base());
      for (uint32_t g = 0; g < forest.size(); ++g) {
        const GeneratorLevel& l = forest.generators[g]->levels[k];
        seconds[g][e] = k < pairs[g].size() ? pairs[g][k][l.pair_of[place]] : shorter_seconds[g][level.parent[e]];
        base += model.weights[k][g + 1] * heads[g][k][l.head_of[place]] * seconds[g][e];
      }
      const uint32_t c = level.context[e];
      own[e] = (model.old_table_weight(k, e) + h.new_table_weight(c) * base) / h.total_weight(c);
    }
    append(own, samples.word);
    append_base_weights(h, samples.word_fresh);
    shorter.swap(own);
    shorter_seconds.swap(seconds);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::vector<float>*>> InflectionSamples::arrays() {
  std::vector<std::pair<std::string, std::vector<float>*>> all = {
      {"word", &word}, {"word_fresh", &word_fresh}, {"weight", &weight}, {"analysis", &analysis}};
  for (size_t g = 0; g < generators.size(); ++g) {
    const std::string prefix = "generator." + std::to_string(g) + ".";
    Generator& own = generators[g];
    all.insert(all.end(), {{prefix + "head", &own.head},
                           {prefix + "head_fresh", &own.head_fresh},
                           {prefix + "pair", &own.pair},
                           {prefix + "pair_fresh", &own.pair_fresh},
                           {prefix + "second", &own.second}});
  }
  return all;
}

std::vector<size_t> sample_rows(const GeneratorForest& forest) {
  size_t entries = 0, contexts = 0;
  for (const Level& level : forest.words->levels) {
    entries += level.entries();
    contexts += level.contexts();
  }
  std::vector<size_t> rows = {entries, contexts, forest.words->order() * (forest.size() + size_t{1}),
                              forest.words->vocabulary_size};
  for (const auto& g : forest.generators) {
    size_t heads = 0, nodes = 0, pairs = 0, restaurants = 0;
    for (uint32_t k = 0; k < g->order(); ++k) {
      heads += g->levels[k].heads();
      nodes += g->levels[k].nodes();
      if (k > g->second_context) continue;
      pairs += g->levels[k].pairs();
      restaurants += g->levels[k].heads();
    }
    rows.insert(rows.end(), {heads, nodes, pairs, restaurants, size_t{g->analyses.seconds}});
  }
  return rows;
}

InflectionSamples collect(const InflectionHPYLM& model) {
  InflectionSamples samples;
  samples.generators.resize(model.generators.size());
  std::vector<Levels> heads, pairs;
  for (uint32_t g = 0; g < model.generators.size(); ++g) {
    const WordGenerator& own = model.generators[g];
    InflectionSamples::Generator& to = samples.generators[g];
    heads.push_back(head_probabilities(own));
    pairs.push_back(pair_probabilities(own));
    for (const auto& level : heads.back()) append(level, to.head);
    for (const auto& level : pairs.back()) append(level, to.pair);
    for (const auto& r : own.heads) append_base_weights(r, to.head_fresh);
    for (const auto& r : own.pairs) append_base_weights(r, to.pair_fresh);
    for (uint32_t s = 0; s < own.seconds.dishes(); ++s)
      to.second.push_back(static_cast<float>(own.seconds.probability(0, s, own.second_base(s))));
  }
  collect_words(model, heads, pairs, samples);
  for (const auto& by_floor : model.weights) append(by_floor, samples.weight);
  for (uint32_t a : model.analysis) samples.analysis.push_back(static_cast<float>(a));
  return samples;
}

}  // namespace binyan::ngram
