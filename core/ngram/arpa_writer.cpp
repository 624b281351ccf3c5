#include "ngram/arpa_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "elementary/functions.hpp"
#include "errors.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

// The shortest digits that give the same float32 again; -99 stands for zero probability, as in every ARPA writer.
void append_log10(std::string& out, float natural) {
  if (std::isinf(natural)) {
    out += "-99";
    return;
  }
  const float value = static_cast<float>(natural / 2.302585092994045684);
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value == 0.0f ? 0.0f : value).ptr;
  out.append(digits, end);
}

}  // namespace

std::string arpa_head(const BackoffModel& model) {
  const BackoffView& a = model.arrays();
  std::string out = "\\data\\\n";
  for (uint32_t k = 0; k < model.order(); ++k)
    out += "ngram " + std::to_string(k + 1) + "=" +
           std::to_string(a.first_entry[a.context_base[k + 1]] - a.first_entry[a.context_base[k]]) + "\n";
  return out;
}

std::string arpa_lines(const BackoffModel& model, const text::WordIndex& words, uint32_t first, uint32_t last) {
  const BackoffView& a = model.arrays();
  if (a.columns != 1) throw InputError("the mean of several samples is not an ARPA model");
  if (words.size() != model.vocabulary_size()) throw InputError("the words are not those of the model");
  if (first >= last || last > model.states() || model.length(first) != model.length(last - 1))
    throw InputError("contexts of one level are written at a time");
  const uint32_t n = model.length(first) + 1;
  const bool top = n == model.order();
  std::string out;
  for (uint32_t c = first; c < last; ++c) {
    std::string context;
    for (uint32_t at = c; at != 0; at = a.suffix[at]) {
      context += words.word(a.left_word[at]);
      context += ' ';
    }
    for (uint32_t e = a.first_entry[c]; e < a.first_entry[c + 1]; ++e) {
      if (n == 1 && a.word[e] == text::kSentenceStart) out += '0';  // no event; what lmplz writes
      else append_log10(out, std::min(0.0f, a.log_prob[e]));
      out += '\t';
      out += context;
      out += words.word(a.word[e]);
      if (!top) {
        const uint32_t next = a.next[e];
        out += '\t';
        append_log10(out, next >= a.context_base[n] && next < a.context_base[n + 1] ? a.log_backoff[next] : 0.0f);
      }
      out += '\n';
    }
  }
  return out;
}

BackoffModel one_column(const BackoffModel& model) {
  if (model.columns() == 1) return model;
  BackoffArrays a = model.arrays().copy();
  const uint32_t columns = a.columns;
  const auto mean = [columns](const std::vector<float>& rows, uint64_t row) {
    double sum = 0.0;
    for (uint32_t column = 0; column < columns; ++column)
      sum += elementary::exp(static_cast<double>(rows[row * columns + column]));
    return sum / columns;
  };
  std::vector<double> p(a.word.size());
  for (uint64_t e = 0; e < p.size(); ++e) p[e] = mean(a.log_prob, e);
  std::vector<float> log_backoff(a.suffix.size(), 0.0f);
  // The entry of the word in the shorter context; a context's entries are ordered by word.
  const auto shorter = [&](uint32_t c, uint32_t word) {
    const auto begin = a.word.begin() + a.first_entry[a.suffix[c]],
               end = a.word.begin() + a.first_entry[a.suffix[c] + 1];
    const auto hit = std::lower_bound(begin, end, word);
    return hit != end && *hit == word ? p[hit - a.word.begin()] : 0.0;
  };
  for (uint32_t c = 1; c < a.suffix.size(); ++c) {
    double kept = 1.0, left = 1.0;
    for (uint32_t e = a.first_entry[c]; e < a.first_entry[c + 1]; ++e) {
      kept -= p[e];
      left -= shorter(c, a.word[e]);
    }
    const double weight = kept > 0.0 && left > 0.0 ? kept / left : mean(a.log_backoff, c);
    log_backoff[c] = static_cast<float>(elementary::log(weight));
  }
  a.columns = 1;
  a.log_backoff = std::move(log_backoff);
  a.log_prob.resize(p.size());
  for (size_t e = 0; e < p.size(); ++e) a.log_prob[e] = static_cast<float>(elementary::log(p[e]));
  return BackoffModel(std::move(a));
}

}  // namespace binyan::ngram
