#include "ngram/arpa_reader.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "errors.hpp"
#include "no_index.hpp"
#include "text/parse_number.hpp"
#include "text/special_words.hpp"
#include "text/utf8.hpp"

namespace binyan::ngram {
namespace {

constexpr double kLog10 = 2.302585092994045684;
constexpr double kLargestBackoff = 100;                        // log10
constexpr float kMissing = static_cast<float>(-100 * kLog10);  // as KenLM scores an absent <unk>
constexpr size_t kLongestLine = 1 << 20;

// What an error shows of a line: its first characters, with '?' for bytes that are not UTF-8.
std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string out = "'";
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = at + text.size();
  while (at < end && out.size() <= kLongest) {
    const size_t length = text::utf8_length(at, end);
    if (length == 0) out += '?';
    else out.append(reinterpret_cast<const char*>(at), length);
    at += std::max<size_t>(length, 1);
  }
  return out.append(at < end ? "...'" : "'");
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

}  // namespace

ArpaReader::ArpaReader() {
  for (const char* special : {"<unk>", "<s>", "</s>"}) words_.add(special);
}

void ArpaReader::fail(const std::string& what) const { throw InputError(std::to_string(line_) + ": " + what); }

void ArpaReader::feed(std::string_view piece) {
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    if (end == std::string_view::npos || !rest_.empty()) {
      rest_.append(piece.substr(0, end));
      if (rest_.size() > kLongestLine) {
        ++line_;
        fail("a line of over a million bytes: this is not an ARPA file");
      }
      if (end == std::string_view::npos) return;
      read_line(rest_);
      rest_.clear();
    } else {
      read_line(piece.substr(0, end));
    }
    piece.remove_prefix(end + 1);
  }
}

void ArpaReader::read_line(std::string_view raw) {
  ++line_;
  if (part_ == Part::After) return;
  const std::string_view line = trimmed(raw);
  if (part_ == Part::Before) {
    if (line == "\\data\\") part_ = Part::Counts;
    else if (line_ > 1000) fail("no \\data\\ in the first 1000 lines: this is not an ARPA file");
    return;
  }
  if (line.empty()) {
    if (part_ == Part::Ngrams && count_ == declared_[section_ - 1]) end_section();
    return;
  }
  if (line.front() == '\\' && (line == "\\end\\" || line.ends_with("-grams:"))) {
    if (part_ == Part::Ngrams) end_section();
    if (line != "\\end\\") return begin_section(line);
    if (section_ != declared_.size())
      fail("\\end\\ before the " + std::to_string(section_ + 1) + "-grams, of which " +
           std::to_string(declared_[section_]) + " were announced");
    part_ = Part::After;
  } else if (part_ == Part::Counts) {
    read_count(line);
  } else if (part_ == Part::Ngrams) {
    read_ngram(line);
  } else {
    fail("expected the next section or \\end\\ after " + std::to_string(count_) + " " + std::to_string(section_) +
         "-grams, as many as announced, not " + quoted(line));
  }
}

void ArpaReader::read_count(std::string_view line) {
  const size_t equals = line.find('=');
  uint64_t n = 0, count = 0;
  const auto parse = [](std::string_view text, uint64_t& value) {
    text = trimmed(text);
    const auto end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    return parsed.ptr == end && parsed.ec == std::errc() && !text.empty();
  };
  if (!line.starts_with("ngram ") || equals == std::string_view::npos || !parse(line.substr(6, equals - 6), n) ||
      !parse(line.substr(equals + 1), count))
    fail("expected a line such as 'ngram 1=1000', not " + quoted(line));
  if (n != declared_.size() + 1)
    fail("expected the number of " + std::to_string(declared_.size() + 1) + "-grams, not " + quoted(line));
  if (count >= kNoIndex) fail("more than 4 billion n-grams of one length are announced: " + quoted(line));
  if (n > 100) fail("more than 100 orders: this is not an ARPA file");
  declared_.push_back(count);
  lists_.emplace_back(static_cast<uint32_t>(n));
}

void ArpaReader::begin_section(std::string_view line) {
  ++section_;
  const std::string title = std::string("\\").append(std::to_string(section_)).append("-grams:");
  if (line != title) fail("expected the section " + title + ", not " + quoted(line));
  if (section_ > declared_.size())
    fail("a section that the counts at the top of the file do not announce: " + quoted(line));
  part_ = Part::Ngrams;
  count_ = 0;
  ids_.resize(section_);
  if (section_ == 1)
    for (uint32_t w = 0; w <= text::kSentenceEnd; ++w) {
      lists_[0].add(&w, kMissing, 0.0f);
      seen_.push_back(false);
    }
}

void ArpaReader::end_section() {
  if (count_ != declared_[section_ - 1])
    fail(std::to_string(declared_[section_ - 1]) + " " + std::to_string(section_) +
         "-grams were announced, but the section ends after " + std::to_string(count_) + ": is the file cut short?");
  part_ = Part::Between;
}

float ArpaReader::number(std::string_view field, const char* what) const {
  double value = 0.0;
  const std::string_view digits = field.starts_with('+') ? field.substr(1) : field;
  if (!text::parse_number(digits, value) || std::isnan(value))
    fail(std::string(what) + " is not a number, or too large or too small for one: " + quoted(field));
  const double logarithm = value * kLog10;
  if (std::isfinite(value) && std::abs(logarithm) > std::numeric_limits<float>::max())
    fail(std::string(what) + " is too large: " + quoted(field));
  return static_cast<float>(logarithm);
}

void ArpaReader::read_ngram(std::string_view line) {
  if (++count_ > declared_[section_ - 1])
    fail("more " + std::to_string(section_) + "-grams than the " + std::to_string(declared_[section_ - 1]) +
         " announced");
  fields_.clear();
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    if (end > at) fields_.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  if (fields_.size() != section_ + 1 && fields_.size() != section_ + 2)
    fail("expected a probability, " + std::to_string(section_) + " words and perhaps a back-off weight, not " +
         quoted(line));
  const float log_prob = number(fields_[0], "the log10 probability");
  if (log_prob > 0.0f) fail("the log10 probability is above 0: " + quoted(fields_[0]));
  const float log_backoff = fields_.size() == section_ + 2 ? number(fields_.back(), "the back-off weight") : 0.0f;
  if (std::isinf(log_backoff)) fail("the back-off weight is not finite: " + quoted(fields_.back()));
  if (log_backoff > kLargestBackoff * kLog10)
    fail("the log10 of the back-off weight is above 100: " + quoted(fields_.back()));

  if (section_ == 1) {
    std::string_view word = fields_[1];
    if (word == "<UNK>") word = "<unk>";
    if (!text::is_utf8(word)) fail("a word that is not UTF-8: convert the file first: iconv -f ENCODING -t UTF-8");
    const uint32_t id = words_.add(word);
    if (id < seen_.size() && seen_[id]) fail("the word " + quoted(word) + " for the second time");
    if (id < seen_.size()) {
      lists_[0].log_prob[id] = log_prob;
      lists_[0].log_backoff[id] = log_backoff;
      seen_[id] = true;
    } else {
      lists_[0].add(&id, log_prob, log_backoff);
      seen_.push_back(true);
    }
    return;
  }
  for (size_t i = 0; i < section_; ++i) {
    const std::string_view word = fields_[i + 1];
    ids_[i] = words_.find(word == "<UNK>" ? "<unk>" : word, kNoIndex);
    if (ids_[i] == kNoIndex) fail("the word " + quoted(word) + " is not among the 1-grams");
  }
  NgramList& list = lists_[section_ - 1];
  if (list.find(ids_.data()) != kNoIndex) fail("an n-gram for the second time: " + quoted(line));
  list.add(ids_.data(), log_prob, section_ < declared_.size() ? log_backoff : 0.0f);
}

BackoffModel ArpaReader::finish() {
  if (!rest_.empty()) {
    const std::string last = std::move(rest_);
    rest_.clear();
    read_line(last);
  }
  if (part_ == Part::Before) fail("no \\data\\ line: this is not an ARPA file");
  if (part_ != Part::After) fail("the file ends without \\end\\: it is cut short");
  if (lists_.empty() || section_ == 0) fail("a model without 1-grams");
  for (const uint32_t w : {text::kUnknownWord, text::kSentenceEnd})
    if (!seen_[w]) missing.emplace_back(words_.word(w));
  return assemble(std::move(lists_), filled_in);
}

}  // namespace binyan::ngram
