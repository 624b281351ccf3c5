// The translation, of many, that agrees best with the others (DeNero, Chiang and Knight 2009).
#pragma once
#include <cstdint>
#include <span>

namespace binyan::translation {

// The hypothesis whose BLEU is highest against the n-gram counts and the length expected under probabilities
// proportional to exp(score); the first of those with the highest. From bigrams on, matches and n-grams are one more
// than counted, since a sentence may have none. There is one hypothesis or more.
size_t consensus(std::span<const std::span<const uint32_t>> hypotheses, std::span<const double> scores);

}  // namespace binyan::translation
