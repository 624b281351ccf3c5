// The exact line search of minimum error-rate training (Och 2003): along a line of weights the best hypothesis of each
// sentence changes at finitely many points, so BLEU is a step function that is read off whole.
#pragma once
#include <cstdint>
#include <span>

#include "translation/bleu.hpp"

namespace binyan::translation {

struct HypothesisLists {
  std::span<const double> features;     // `width` per hypothesis
  std::span<const int64_t> statistics;  // kBleuWidth a hypothesis
  std::span<const uint64_t> offsets;    // hypotheses of sentence i: [offsets[i], offsets[i + 1])
  size_t width;
};

struct LineOptimum {
  double step;  // the best weights are origin + step * direction
  double bleu;
};

// The middle of the best interval; where several are equal, the one nearest to step 0.
LineOptimum search_line(const HypothesisLists& lists, std::span<const double> origin,
                        std::span<const double> direction);

// BLEU of the hypotheses that `weights` prefer (the first of equals).
double bleu_at(const HypothesisLists& lists, std::span<const double> weights);

}  // namespace binyan::translation
