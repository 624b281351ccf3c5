"""ARPA files as other tools and people write them: read as they stand, or refused with a clear error."""

from __future__ import annotations

import math
import warnings

import pytest

from binyan.errors import InputError
from binyan.ngram.arpa import ArpaModel, ArpaWarning

LINES = [
    "\\data\\",
    "ngram 1=5",
    "ngram 2=3",
    "",
    "\\1-grams:",
    "-1\t<unk>",
    "0\t<s>\t-0.5",
    "-0.3\t</s>",
    "-0.6\ta\t-0.2",
    "-0.7\tb",
    "",
    "\\2-grams:",
    "-0.1\t<s> a",
    "-0.4\ta b",
    "-0.9\ta </s>",
    "",
    "\\end\\",
    "",
]
SMALL = "\n".join(LINES)


@pytest.fixture
def read(tmp_path):
    def from_text(text):
        path = tmp_path / "model.arpa"
        path.write_bytes(text.encode())
        return ArpaModel.read(path)

    return from_text


def table(model):
    words = ["a", "b", "</s>", "<unk>"]
    return [model.score(" ".join(line)) for line in (["a", "b"], ["b", "a"], ["b", "b", "x"], [])] + [
        model.score_word(model.state_after([w]), other).log_prob for w in "ab" for other in words
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.replace("\t", " "),
        lambda s: s.replace("\t", " \t ").replace("a b", "a\tb"),
        lambda s: s.replace("\n", " \t\n"),
        lambda s: s.replace("\n", "\r\n"),
        lambda s: s.replace("-0.7\tb", "  -0.7   b  "),
        lambda s: "made by some tool\n\n" + s.replace("ngram 1=5", "ngram 1 = 5"),
        lambda s: s.replace("-0.4\ta b", "-0.4\ta b\t-0.25"),
        lambda s: s.replace("<unk>", "<UNK>"),
        lambda s: s.replace("-0.7\tb", "-0.7\tb\t0"),
        lambda s: s.replace("0\t<s>", "-99\t<s>"),
        lambda s: s + "what follows the end\n",
    ],
    ids=[
        *["spaces", "mixed", "trailing white space", "carriage returns", "indented", "spaced counts"],
        *["back-off in the longest", "upper case <unk>", "back-off of 0", "<s> of -99", "text after the end"],
    ],
)
def test_other_ways_to_write_the_same_file(read, change):
    assert table(read(change(SMALL))) == pytest.approx(table(read(SMALL)), abs=1e-6)


def test_contexts_without_a_backoff_weight_back_off_freely(read):
    model = read(SMALL.replace("a\t-0.2", "a").replace("<s>\t-0.5", "<s>"))
    assert model.score_word(model.begin(), "b").log_prob / math.log(10) == pytest.approx(-0.7)
    assert model.score_word(model.state_after(["a"]), "a").log_prob / math.log(10) == pytest.approx(-0.6)


@pytest.mark.parametrize("order", [1, 2, 6, 9])
def test_files_of_any_order(read, order):
    longer = [f"\\{n}-grams:\n-0.5\t{' '.join(['a'] * n)}\n" for n in range(2, order + 1)]
    counts = "".join(f"ngram {n}=1\n" for n in range(2, order + 1))
    unigrams = "\\1-grams:\n-1\t<unk>\n-1\t</s>\n-99\t<s>\n-0.75\ta\t-0.125\n"
    model = read("\\data\\\nngram 1=4\n" + counts + "\n" + "\n".join([unigrams, *longer]) + "\n\\end\\\n")
    assert model.order == order and model.ngrams == [4, *[1] * (order - 1)]
    assert model.score_word(model.state_after(["a"] * 9), "a").matched == order


def test_a_length_without_ngrams_is_read(read):
    model = read(SMALL.replace("ngram 2=3", "ngram 2=3\nngram 3=0").replace("\\end\\", "\\3-grams:\n\n\\end\\"))
    assert table(model) == pytest.approx(table(read(SMALL)), abs=1e-6)


@pytest.mark.parametrize("word", ["<unk>", "</s>"])
def test_what_is_missing_is_said(read, word):
    lines = [line for line in LINES if word not in line]
    missing_pairs = sum(word in line for line in LINES[11:])
    text = "\n".join(lines).replace("1=5", "1=4").replace("2=3", f"2={3 - missing_pairs}")
    with pytest.warns(ArpaWarning, match=f"has no {word}; it is given log10 probability -100"):
        model = read(text)
    assert model.score_word(model.state_after(["b"]), word).log_prob / math.log(10) == pytest.approx(-100, abs=1e-3)


def test_a_file_without_sentence_starts_is_read(read):
    text = "\n".join(line for line in LINES if "<s>" not in line).replace("1=5", "1=4").replace("2=3", "2=2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = read(text)
    assert model.begin() == model.nowhere()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("ngram 2=3\n", ""), "the counts at the top of the file do not announce"),
        (("ngram 2=3", "ngram 2=3\nngram 3=4"), "before the 3-grams, of which 4 were announced"),
        (("-0.4\ta b", "-0.4\ta b c"), "expected a probability, 2 words|back-off weight is not a number"),
        (("-0.4\ta b", "-0.4,a,b"), "expected a probability, 2 words"),
        (("-0.4\ta b", "0,4\ta b"), "not a number"),
        (("\\1-grams:", "\\1-gram:"), "expected a line such as 'ngram 1=1000'"),
        (("-0.4\ta b", ""), "3 2-grams were announced, but the section ends after"),
    ],
    ids=["section not announced", "order not there", "too long", "commas", "decimal comma", "misspelt", "one lost"],
)
def test_what_is_refused(read, change, message):
    with pytest.raises(InputError, match=message) as caught:
        read(SMALL.replace(*change))
    assert "model.arpa:" in str(caught.value)
