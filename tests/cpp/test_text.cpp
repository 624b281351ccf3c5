// Words, UTF-8, numbers, threads.
#include <atomic>
#include <string>

#include "errors.hpp"
#include "harness.hpp"
#include "no_index.hpp"
#include "parallel.hpp"
#include "text/parse_number.hpp"
#include "text/read_words.hpp"
#include "text/utf8.hpp"
#include "text/word_index.hpp"

using namespace binyan;
using namespace binyan::text;

TEST(words_are_numbered_in_order) {
  WordIndex index;
  std::string word;
  for (uint32_t i = 0; i < 5000; ++i) CHECK(index.add("word" + std::to_string(i)) == i);
  for (uint32_t i = 0; i < 5000; ++i) {
    CHECK(index.add("word" + std::to_string(i)) == i);
    CHECK(index.word(i) == "word" + std::to_string(i));
  }
  CHECK(index.size() == 5000 && index.find("other") == kNoIndex && index.find("other", 3) == 3);
  CHECK(index.add("") == 5000 && index.find("") == 5000);
}

TEST(sentences_are_lines) {
  WordIndex index;
  Sentences sentences;
  CHECK(read_words("das  haus\n\n\tdie tür\r\nende", index, 100, sentences));
  CHECK((sentences.offsets == std::vector<uint64_t>{0, 2, 4, 5}) && index.size() == 5);
  CHECK(!read_words(std::string_view("a\0b", 3), index, 100, sentences));
  Sentences other;
  CHECK(!read_words("\xff", index, 100, other) && !read_words("abcd", index, 3, other));
}

TEST(utf8_is_checked) {
  CHECK(is_utf8("plain text of more than eight bytes") && is_utf8("ש ü € 😀"));
  for (const char* wrong : {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    CHECK(!is_utf8(wrong));
}

TEST(numbers_are_read_whole) {
  double value = 0;
  CHECK(parse_number("-1.5e3", value) && value == -1500.0);
  CHECK(parse_number("-inf", value) && std::isinf(value));
  CHECK(!parse_number("", value) && !parse_number("1.5x", value) && !parse_number(" 1", value));
  CHECK(!parse_number("-1e999", value) && !parse_number("1e-999", value));
}

TEST(threads_share_the_work) {
  for (unsigned threads : {1u, 3u}) {
    std::vector<std::atomic<int>> done(200);
    parallel_for(200, threads, [&](size_t i) { ++done[i]; });
    for (const auto& d : done) CHECK(d == 1);
    CHECK_THROWS(parallel_for(50, threads,
                              [](size_t i) {
                                if (i == 20) throw InputError("at twenty");
                              }),
                 InputError, "at twenty");
  }
}

MAIN
