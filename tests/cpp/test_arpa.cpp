// ARPA files: reading, what is refused, and writing back.
#include <string>

#include "errors.hpp"
#include "harness.hpp"
#include "ngram/arpa_reader.hpp"
#include "ngram/arpa_writer.hpp"
#include "ngram/kneser_ney.hpp"
#include "small_text.hpp"

using namespace binyan;
using namespace binyan::ngram;

namespace {

const std::string kFile = R"(
\data\
ngram 1=5
ngram 2=3

\1-grams:
-2.0	<unk>
-99	<s>	-0.5
-1.0	</s>
-0.5	haus	-0.25
-0.7	tür

\2-grams:
-0.3	<s> haus
-0.2	haus </s>
-0.4	haus tür

\end\
)";

BackoffModel read(const std::string& file, size_t piece = 7) {
  ArpaReader reader;
  for (size_t at = 0; at < file.size(); at += piece) reader.feed(std::string_view(file).substr(at, piece));
  return reader.finish();
}

std::string replaced(std::string file, const std::string& from, const std::string& to) {
  return file.replace(file.find(from), from.size(), to);
}

constexpr double kLog10 = 2.302585092994045684;

}  // namespace

TEST(probabilities_back_off) {
  for (size_t piece : {1u, 5u, 1000u}) {
    const BackoffModel model = read(kFile, piece);
    CHECK(model.order() == 2 && model.vocabulary_size() == 5);
    const Scored haus = model.score(model.begin(), 3), tuer = model.score(model.begin(), 4);
    CHECK_NEAR(haus.log_prob, -0.3 * kLog10, 1e-6);
    CHECK_NEAR(tuer.log_prob, (-0.5 - 0.7) * kLog10, 1e-6);
    CHECK(haus.matched == 2 && tuer.matched == 1);
    CHECK_NEAR(model.score(haus.state, text::kUnknownWord).log_prob, (-0.25 - 2.0) * kLog10, 1e-6);
  }
}

TEST(faults_are_named_with_their_line) {
  CHECK_THROWS(read(replaced(kFile, "ngram 2=3", "ngram 2=4")), InputError, "cut short");
  CHECK_THROWS(read(replaced(kFile, "-0.5\thaus", "-0.5x\thaus")), InputError,
               "10: the log10 probability is not a number");
  CHECK_THROWS(read(replaced(kFile, "-0.5\thaus", "-1e999\thaus")), InputError, "too large or too small");
  CHECK_THROWS(read(replaced(kFile, "haus\t-0.25", "haus\t1e30")), InputError, "above 100");
  CHECK_THROWS(read(replaced(kFile, "ngram 2=3", "ngram 2=99999999999999999999")), InputError, "not 'ngram 2=");
  CHECK_THROWS(read(replaced(kFile, "haus tür", "haus hof")), InputError, "not among the 1-grams");
  CHECK_THROWS(read(replaced(kFile, "haus tür", "haus </s>")), InputError, "second time");
  CHECK_THROWS(read("no such thing\n"), InputError, "");
  CHECK_THROWS(read(kFile.substr(0, kFile.size() / 2)), InputError, "");
}

TEST(missing_specials_are_filled_in) {
  ArpaReader reader;
  reader.feed(replaced(replaced(kFile, "-2.0\t<unk>\n", ""), "ngram 1=5", "ngram 1=4"));
  const BackoffModel model = reader.finish();
  CHECK(reader.missing == std::vector<std::string>{"<unk>"});
  CHECK_NEAR(model.score(0, text::kUnknownWord).log_prob, -100 * kLog10, 1e-6);
}

TEST(what_is_written_is_read_back) {
  const BackoffModel model = estimate_kneser_ney(*SmallText(5).tree(3), {}, {}).model;
  text::WordIndex words;
  for (const char* special : {"<unk>", "<s>", "</s>"}) words.add(special);
  for (uint32_t w = text::kFirstWord; w < model.vocabulary_size(); ++w) words.add("w" + std::to_string(w));
  std::string file = arpa_head(model);
  for (uint32_t k = 0; k < model.order(); ++k) {
    const auto& base = model.arrays().context_base;
    file += "\n\\" + std::to_string(k + 1) + "-grams:\n" + arpa_lines(model, words, base[k], base[k + 1]);
  }
  file += "\n\\end\\\n";
  const BackoffModel again = read(file);
  CHECK(again.order() == model.order() && again.states() == model.states());
  for (uint32_t state = 0; state < model.states(); ++state)
    for (uint32_t w = 0; w < model.vocabulary_size(); ++w)
      if (w != text::kSentenceStart) CHECK_NEAR(again.score(state, w).log_prob, model.score(state, w).log_prob, 1e-5);
}

MAIN
