// Brown clustering: the classes that made a text are found, and moving single words never loses information.
#include <numeric>

#include "clustering/brown.hpp"
#include "harness.hpp"
#include "no_index.hpp"
#include "pitman_yor/random.hpp"
#include "text/special_words.hpp"

using namespace binyan;
using namespace binyan::clustering;

namespace {

constexpr uint32_t kTypes = text::kFirstWord + 9;

// Words 3 to 5 are followed by 6 to 8, those by 9 to 11, those by the first again.
Bigrams cyclic_text(double noise) {
  std::vector<uint32_t> words;
  std::vector<uint64_t> offsets{0};
  pitman_yor::Random random(3);
  for (int s = 0; s < 150; ++s) {
    for (uint32_t i = 0; i < 9; ++i) {
      const uint32_t group = random.uniform() < noise ? static_cast<uint32_t>(random.below(3)) : i % 3;
      words.push_back(text::kFirstWord + group * 3 + static_cast<uint32_t>(random.below(3)));
    }
    offsets.push_back(words.size());
  }
  return Bigrams(words, offsets, kTypes, text::kSentenceEnd);
}

}  // namespace

TEST(classes_that_made_the_text_are_found) {
  const Bigrams bigrams = cyclic_text(0.0);
  BrownClustering clustering(bigrams, 4);
  while (clustering.step(2)) CHECK(clustering.tables_hold());
  clustering.finish();
  const std::vector<uint32_t> classes = clustering.class_of();
  CHECK(classes[text::kUnknownWord] == kNoIndex && clustering.paths().size() == 4);
  for (uint32_t group = 0; group < 3; ++group)
    for (uint32_t i = 1; i < 3; ++i)
      CHECK(classes[text::kFirstWord + group * 3] == classes[text::kFirstWord + group * 3 + i]);
  CHECK(classes[3] != classes[6] && classes[6] != classes[9] && classes[3] != classes[9]);
}

TEST(exchange_never_loses_information) {
  const Bigrams bigrams = cyclic_text(0.6);
  const auto information = [&](int passes) {
    BrownClustering clustering(bigrams, 3);
    while (clustering.step(1000)) {
    }
    for (int i = 0; i < passes; ++i) {
      clustering.exchange();
      CHECK(clustering.tables_hold());
    }
    clustering.finish();
    std::vector<uint32_t> classes = clustering.class_of();
    for (uint32_t& c : classes)
      if (c == kNoIndex) c = 0;
    return average_mutual_information(bigrams, classes, 3);
  };
  double last = information(0);
  for (int passes = 1; passes < 5; ++passes) {
    const double now = information(passes);
    CHECK(now >= last - 1e-9);
    last = now;
  }
}

MAIN
