// Writes the ARPA format. A model of one column is an ARPA model exactly.
#pragma once
#include <cstdint>
#include <string>

#include "ngram/backoff_model.hpp"
#include "text/word_index.hpp"

namespace binyan::ngram {

// The head of the file: \data\ and the counts.
std::string arpa_head(const BackoffModel& model);
// The lines of the n-grams that begin with the contexts [first, last) of one level (see BackoffModel::length), without
// the section's title. One column only.
std::string arpa_lines(const BackoffModel& model, const text::WordIndex& words, uint32_t first, uint32_t last);

// The back-off model nearest to the mean of several: P(w | u) of every stored n-gram is the mean's, and back-off
// weights are such that every context sums to one. What the mean gives to n-grams that are not stored is approximated.
BackoffModel one_column(const BackoffModel& model);

}  // namespace binyan::ngram
