#include "ngram/text_scorer.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>

#include "errors.hpp"
#include "parallel.hpp"
#include "text/read_words.hpp"
#include "text/special_words.hpp"

namespace binyan::ngram {
namespace {

constexpr double kLogOf10 = 2.302585092994045684;
constexpr size_t kBytesPerThread = 1 << 15;
constexpr double kMostDigits = 9e12;  // a million times this is still a whole number of 64 bits

void append_number(std::string& out, uint64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Six digits after the point.
void append_decimal(std::string& out, double value) {
  if (!(std::fabs(value) < kMostDigits)) {
    out += std::isnan(value) ? "nan" : std::signbit(value) ? "-inf" : "inf";
    return;
  }
  if (std::signbit(value)) out += '-';
  const auto millionths = static_cast<uint64_t>(std::llround(std::fabs(value) * 1e6));
  append_number(out, millionths / 1000000);
  char digits[] = ".000000";
  uint64_t left = millionths % 1000000;
  for (int i = 6; i > 0; --i, left /= 10) digits[i] = static_cast<char>('0' + left % 10);
  out.append(digits, 7);
}

// The text in `parts` pieces that end at line ends.
std::vector<std::string_view> divided(std::string_view text, size_t parts) {
  std::vector<std::string_view> pieces;
  const size_t size = text.size() / parts + 1;
  while (!text.empty()) {
    const size_t end = text.size() <= size ? text.size() : std::min(text.find('\n', size), text.size() - 1) + 1;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

}  // namespace

struct TextScorer::Part {
  std::string_view text;
  std::vector<std::string_view> letters;  // one per word
  text::Sentences sentences;
  TextScores scores;
};

TextScorer::TextScorer(const BackoffModel& model, const text::WordIndex& words) : model_(model), words_(words) {
  if (words.size() != model.vocabulary_size()) throw InputError("the words are not those of the model");
}

bool TextScorer::score(std::string_view text, Rows rows, uint64_t first, size_t longest, unsigned threads,
                       TextScores& to) const {
  const size_t most = std::max<size_t>(1, std::min<size_t>(threads, text.size() / kBytesPerThread));
  std::vector<Part> parts;
  for (std::string_view piece : divided(text, most)) parts.push_back({piece, {}, {}, {}});
  std::atomic<bool> clean{true};
  const auto workers = static_cast<unsigned>(std::max<size_t>(1, parts.size()));
  run_threads(workers, [&](unsigned t) {
    if (t < parts.size() && !read(parts[t], longest)) clean = false;
  });
  if (!clean) return false;
  std::vector<uint64_t> number{first};
  for (const Part& part : parts) number.push_back(number.back() + part.sentences.offsets.size() - 1);
  run_threads(workers, [&](unsigned t) {
    if (t < parts.size()) write(parts[t], rows, number[t]);
  });
  for (const Part& part : parts) {
    const TextScores& s = part.scores;
    to.rows += s.rows;
    to.events += s.events;
    to.log_prob.insert(to.log_prob.end(), s.log_prob.begin(), s.log_prob.end());
    to.log_prob_known.insert(to.log_prob_known.end(), s.log_prob_known.begin(), s.log_prob_known.end());
    to.unknown += s.unknown;
    to.characters += s.characters;
  }
  return true;
}

bool TextScorer::read(Part& part, size_t longest) const {
  uint64_t characters = 0;
  if (!text::read_words(part.text, longest, part.letters, part.sentences.offsets, characters)) return false;
  part.scores.characters = characters + part.letters.size();
  part.sentences.words.resize(part.letters.size());
  words_.find_all(part.letters, text::kUnknownWord, part.sentences.words);
  return std::none_of(part.sentences.words.begin(), part.sentences.words.end(),
                      [](uint32_t w) { return w == text::kSentenceStart || w == text::kSentenceEnd; });
}

void TextScorer::write(Part& part, Rows rows, uint64_t number) const {
  const auto& [words, offsets] = part.sentences;
  const size_t sentences = offsets.size() - 1;
  std::vector<float> log_prob(words.size() + sentences);
  std::vector<uint8_t> matched(log_prob.size());
  model_.score_sentences(words, offsets, log_prob, matched);
  TextScores& to = part.scores;
  to.events.reserve(part.text.size() + 6 * sentences);
  for (size_t s = 0; s < sentences; ++s, ++number) {
    double sum = 0.0, known = 0.0;
    uint64_t unknown = 0;
    const size_t begin = to.events.size();
    for (size_t i = offsets[s]; i <= offsets[s + 1]; ++i) {
      const bool is_end = i == offsets[s + 1];
      const bool is_unknown = !is_end && words[i] == text::kUnknownWord;
      const std::string_view word = is_end ? std::string_view("</s>") : part.letters[i];
      const double p = log_prob[i + s];
      sum += p;
      if (!is_unknown) known += p;
      unknown += is_unknown;
      to.events.append(word).push_back('\n');
      if (rows != Rows::kWords) continue;
      append_number(to.rows, number);
      to.rows.append(1, '\t').append(word).push_back('\t');
      append_decimal(to.rows, p / kLogOf10);
      to.rows += '\t';
      append_number(to.rows, matched[i + s]);
      to.rows += is_unknown ? "\tTrue\n" : "\tFalse\n";
    }
    to.log_prob.push_back(sum);
    to.log_prob_known.push_back(known);
    to.unknown += unknown;
    if (rows != Rows::kSentences) continue;
    append_number(to.rows, number);
    to.rows += '\t';
    append_decimal(to.rows, sum / kLogOf10);
    to.rows += '\t';
    append_number(to.rows, unknown);
    to.rows += '\t';
    const size_t text_begin = to.rows.size();
    to.rows.append(to.events, begin, to.events.size() - begin - 6);  // without the last line end and </s>
    std::replace(to.rows.begin() + static_cast<std::ptrdiff_t>(text_begin), to.rows.end(), '\n', ' ');
    to.rows += '\n';
  }
}

}  // namespace binyan::ngram
