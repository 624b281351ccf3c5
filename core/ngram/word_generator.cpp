#include "ngram/word_generator.hpp"

#include <algorithm>
#include <string>

#include "elementary/functions.hpp"
#include "errors.hpp"

namespace binyan::ngram {

WordGenerator::WordGenerator(std::shared_ptr<const GeneratorTree> tree)
    : seconds(1, tree->analyses.seconds), tree_(std::move(tree)) {
  for (const GeneratorLevel& level : tree_->levels) heads.emplace_back(level.nodes(), level.heads());
  for (uint32_t k = 0; k <= tree_->second_level(tree_->order() - 1); ++k)
    pairs.emplace_back(tree_->levels[k].heads(), tree_->levels[k].pairs());
}

void WordGenerator::follow(Chain& chain, uint32_t level, const uint32_t* contexts, const uint32_t* places,
                           uint32_t second) const {
  chain.second = second;
  for (uint32_t k = 0; k <= level; ++k) {
    chain.node[k] = tree_->levels[k].node_of[contexts[k]];
    chain.head[k] = tree_->levels[k].head_of[places[k]];
  }
  for (uint32_t k = 0; k <= tree_->second_level(level); ++k) chain.pair[k] = tree_->levels[k].pair_of[places[k]];
}

void WordGenerator::prefetch(const Chain& chain, uint32_t level) const {
  for (uint32_t k = 0; k <= level; ++k) heads[k].prefetch(chain.node[k], chain.head[k]);
  for (uint32_t k = 0; k <= tree_->second_level(level); ++k) pairs[k].prefetch(chain.head[k], chain.pair[k]);
}

void WordGenerator::fill(Chain& chain, uint32_t level) const {
  double p = first_base(0);
  for (uint32_t k = 0; k <= level; ++k)
    chain.first_probability[k] = p = heads[k].probability(chain.node[k], chain.head[k], p);
  chain.second_alone = p = seconds.probability(0, chain.second, second_base(chain.second));
  for (uint32_t k = 0; k <= tree_->second_level(level); ++k)
    chain.second_probability[k] = p = pairs[k].probability(chain.head[k], chain.pair[k], p);
}

void WordGenerator::add(const Chain& chain, uint32_t level, pitman_yor::Random& random) {
  for (uint32_t k = level;; --k) {
    const double base = k > 0 ? chain.first_probability[k - 1] : first_base(0);
    if (!heads[k].add(chain.node[k], chain.head[k], base, random) || k == 0) break;
  }
  for (uint32_t k = tree_->second_level(level);; --k) {
    const double base = k > 0 ? chain.second_probability[k - 1] : chain.second_alone;
    if (!pairs[k].add(chain.head[k], chain.pair[k], base, random)) return;
    if (k == 0) break;
  }
  seconds.add(0, chain.second, second_base(chain.second), random);
}

void WordGenerator::add_at_random(const Chain& chain, uint32_t level, pitman_yor::Random& random) {
  const auto sit = [&random](pitman_yor::Restaurants& r, uint32_t c, uint32_t d) {
    const bool opens = random.below(r.tables(d) + 1) == 0;
    if (opens) r.open(c, d);
    else r.join_any(c, d, random);
    return opens;
  };
  for (uint32_t k = level; sit(heads[k], chain.node[k], chain.head[k]) && k > 0;) --k;
  for (uint32_t k = tree_->second_level(level);; --k) {
    if (!sit(pairs[k], chain.head[k], chain.pair[k])) return;
    if (k == 0) break;
  }
  sit(seconds, 0, chain.second);
}

void WordGenerator::remove(const Chain& chain, uint32_t level, pitman_yor::Random& random) {
  for (uint32_t k = level; heads[k].remove(chain.node[k], chain.head[k], random) && k > 0;) --k;
  for (uint32_t k = tree_->second_level(level);; --k) {
    if (!pairs[k].remove(chain.head[k], chain.pair[k], random)) return;
    if (k == 0) break;
  }
  seconds.remove(0, chain.second, random);
}

void WordGenerator::save(const Chain& chain, uint32_t level, std::vector<Saved>& saved) {
  const auto add = [&saved](pitman_yor::Restaurants& r, uint32_t restaurant, uint32_t dish) {
    saved.push_back({&r, restaurant, dish, r.table_sizes(dish)});
  };
  for (uint32_t k = 0; k <= level; ++k) add(heads[k], chain.node[k], chain.head[k]);
  for (uint32_t k = 0; k <= tree_->second_level(level); ++k) add(pairs[k], chain.head[k], chain.pair[k]);
  add(seconds, 0, chain.second);
}

double WordGenerator::log_base() const {
  return heads[0].restaurant_tables(0) * elementary::log(first_base(0)) +
         seconds.restaurant_tables(0) * elementary::log(second_base(0));
}

void check_seating(const pitman_yor::Restaurants& r, const std::vector<uint64_t>& customers,
                   const std::vector<uint32_t>& restaurant, const char* what) {
  std::vector<uint64_t> all(r.restaurants(), 0), tables(r.restaurants(), 0);
  for (uint32_t d = 0; d < r.dishes(); ++d) {
    uint64_t seated = 0, counted = 0;
    for (const auto& bin : r.table_sizes(d)) {
      counted += bin.tables;
      seated += static_cast<uint64_t>(bin.tables) * bin.size;
    }
    if (r.customers(d) != customers[d] || seated != customers[d] || counted != r.tables(d))
      throw InternalError(std::string("the seating of ") + what + " is inconsistent at dish " + std::to_string(d));
    all[restaurant[d]] += seated;
    tables[restaurant[d]] += counted;
  }
  for (uint32_t c = 0; c < r.restaurants(); ++c)
    if (r.restaurant_customers(c) != all[c] || r.restaurant_tables(c) != tables[c])
      throw InternalError(std::string("the totals of ") + what + " are inconsistent in restaurant " +
                          std::to_string(c));
}

void WordGenerator::check(std::vector<std::vector<uint64_t>> heads_sent,
                          std::vector<std::vector<uint64_t>> pairs_sent) const {
  for (uint32_t k = tree_->order(); k-- > 0;) {
    const GeneratorLevel& level = tree_->levels[k];
    check_seating(heads[k], heads_sent[k], level.head_node, "first tokens");
    for (uint32_t h = 0; k > 0 && h < level.heads(); ++h) heads_sent[k - 1][level.head_parent[h]] += heads[k].tables(h);
  }
  std::vector<uint64_t> alone(seconds.dishes(), 0);
  for (uint32_t k = static_cast<uint32_t>(pairs.size()); k-- > 0;) {
    const GeneratorLevel& level = tree_->levels[k];
    check_seating(pairs[k], pairs_sent[k], level.pair_head, "second tokens");
    for (uint32_t p = 0; p < level.pairs(); ++p)
      (k > 0 ? pairs_sent[k - 1][level.pair_parent[p]] : alone[level.pair_second[p]]) += pairs[k].tables(p);
  }
  check_seating(seconds, alone, std::vector<uint32_t>(alone.size(), 0), "second tokens alone");
}

}  // namespace binyan::ngram
