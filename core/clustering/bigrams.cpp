#include <algorithm>
#include <numeric>

#include "clustering/brown.hpp"
#include "elementary/functions.hpp"
#include "errors.hpp"

namespace binyan::clustering {

namespace {

// Sort each row's entries and add up equal ones, in place; rows keep their order.
void compress(std::vector<uint64_t>& first, std::vector<uint32_t>& word, std::vector<uint32_t>& count) {
  count.clear();
  size_t kept = 0;
  for (size_t v = 0; v + 1 < first.size(); ++v) {
    const size_t begin = first[v], end = first[v + 1];
    std::sort(word.begin() + begin, word.begin() + end);
    first[v] = kept;
    for (size_t i = begin; i < end; ++i) {
      if (i > begin && word[i] == word[kept - 1]) {
        ++count.back();
      } else {
        word[kept++] = word[i];
        count.push_back(1);
      }
    }
  }
  first.back() = kept;
  word.resize(kept);
}

}  // namespace

Bigrams::Bigrams(std::span<const uint32_t> words, std::span<const uint64_t> offsets, uint32_t types, uint32_t end)
    : right_first(size_t{types} + 1), left_first(size_t{types} + 1), frequency(types) {
  if (offsets.empty() || end >= types) throw InputError("no sentences, or an end mark outside the vocabulary");
  if (offsets.back() > words.size() || !std::ranges::is_sorted(offsets))
    throw InputError("sentence offsets do not fit the words");
  std::vector<uint32_t> stream{end};
  stream.reserve(words.size() + offsets.size());
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      if (words[k] >= types) throw InputError("a word id outside the vocabulary");
      stream.push_back(words[k]);
    }
    stream.push_back(end);
  }
  total = stream.size() - 1;
  if (total >= UINT32_MAX) throw InputError("texts of over 4 billion words cannot be clustered; take a part");
  for (size_t k = 1; k < stream.size(); ++k) ++frequency[stream[k]];
  for (uint32_t v = 0; v < types; ++v) right_first[v + 1] = left_first[v + 1] = right_first[v] + frequency[v];
  right_word.resize(total);
  left_word.resize(total);
  std::vector<uint64_t> right_next(right_first.begin(), right_first.end() - 1), left_next = right_next;
  for (size_t k = 1; k < stream.size(); ++k) {
    right_word[right_next[stream[k - 1]]++] = stream[k];
    left_word[left_next[stream[k]]++] = stream[k - 1];
  }
  compress(right_first, right_word, right_count);
  compress(left_first, left_word, left_count);
}

double average_mutual_information(const Bigrams& bigrams, std::span<const uint32_t> class_of, uint32_t classes) {
  if (class_of.size() != bigrams.types()) throw InputError("one class for each word is needed");
  for (uint32_t v = 0; v < bigrams.types(); ++v)
    if (bigrams.frequency[v] > 0 && class_of[v] >= classes) throw InputError("a word of the text has no class");
  std::vector<uint64_t> joint(size_t{classes} * classes), margin(classes);
  for (uint32_t v = 0; v < bigrams.types(); ++v) {
    if (bigrams.frequency[v] == 0) continue;
    margin[class_of[v]] += bigrams.frequency[v];
    for (uint64_t i = bigrams.right_first[v]; i < bigrams.right_first[v + 1]; ++i) {
      joint[size_t{class_of[v]} * classes + class_of[bigrams.right_word[i]]] += bigrams.right_count[i];
    }
  }
  const double n = static_cast<double>(bigrams.total);
  double information = 0;
  for (uint32_t a = 0; a < classes; ++a) {
    for (uint32_t b = 0; b < classes; ++b) {
      const double ab = static_cast<double>(joint[size_t{a} * classes + b]);
      if (ab > 0) {
        information +=
            ab / n * elementary::log(ab * n / (static_cast<double>(margin[a]) * static_cast<double>(margin[b])));
      }
    }
  }
  return information;
}

}  // namespace binyan::clustering
