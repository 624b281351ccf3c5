"""ARPA files: what is read and written, and what is said about bad ones."""

from __future__ import annotations

import gzip
import lzma
import math
import warnings

import numpy as np
import pytest

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.language_model import load
from binyan.ngram.arpa import ArpaModel, ArpaWarning
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.ngram.kneser_ney import KneserNey
from binyan.text import Preparation, Vocabulary

# log10 probabilities chosen so that sums can be done in the head: 0.5, 0.25, ...
SMALL = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1\t<unk>
0\t<s>\t-0.5
-0.3\t</s>
-0.6\ta\t-0.2
-0.7\tb

\\2-grams:
-0.1\t<s> a
-0.4\ta b
-0.9\ta </s>

\\end\\
"""
# The trigram's end "b a" is missing, as in pruned files; so is the context "<s> b" of "<s> b a".
PRUNED = """\\data\\
ngram 1=5
ngram 2=1
ngram 3=2

\\1-grams:
-1 <unk>
-99 <s> -0.5
-0.3 </s>
-0.6 a -0.25
-0.7 b -0.125

\\2-grams:
-0.4 a b -0.3

\\3-grams:
-0.2 a b a
-0.05 <s> b a

\\end\\
"""


@pytest.fixture
def arpa(tmp_path):
    def write(text, name="model.arpa"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def log10(model, *words):
    """log10 P of the last word after the others, from the start of a sentence."""
    state = model.begin()
    for word in words[:-1]:
        state = model.score_word(state, word).state
    return model.score_word(state, words[-1]).log_prob / math.log(10)


@pytest.mark.parametrize(
    ("words", "expected", "matched"),
    [
        (["a"], -0.1, 2),
        (["b"], -0.5 - 0.7, 1),
        (["a", "b"], -0.4, 2),
        (["a", "a"], -0.2 - 0.6, 1),
        (["b", "a"], -0.6, 1),
        (["a", "</s>"], -0.9, 2),
        (["a", "zebra"], -0.2 - 1, 1),
        (["zebra", "b"], -0.7, 1),
    ],
)
def test_probabilities_of_a_small_file(arpa, words, expected, matched):
    model = ArpaModel.read(arpa(SMALL))
    assert log10(model, *words) == pytest.approx(expected, abs=1e-6)
    state = model.begin()
    for word in words[:-1]:
        state = model.score_word(state, word).state
    score = model.score_word(state, words[-1])
    assert (score.matched, score.unknown) == (matched, words[-1] == "zebra")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["a", "b", "a"], -0.2),
        (["a", "b", "b"], -0.3 - 0.125 - 0.7),
        (["a"], -0.5 - 0.6),
        (["b", "a"], -0.05),
        (["b", "b"], -0.125 - 0.7),
        (["b", "a", "b"], -0.4),
    ],
)
def test_parts_missing_from_pruned_files_are_backed_off(arpa, words, expected):
    assert log10(ArpaModel.read(arpa(PRUNED)), *words) == pytest.approx(expected, abs=1e-6)


def test_packed_files(arpa, tmp_path):
    plain = ArpaModel.read(arpa(SMALL))
    for path in (arpa(gzip.compress(SMALL.encode()), "m.gz"), arpa(lzma.compress(SMALL.encode()), "m.xz")):
        assert np.array_equal(ArpaModel.read(path).distribution(0), plain.distribution(0))
    for name in ("out.arpa.gz", "out.arpa.xz", "out.arpa.bz2"):
        plain.to_arpa(tmp_path / name)
        assert ArpaModel.read(tmp_path / name).native.states == plain.native.states
    assert sorted(p.name for p in tmp_path.glob(".*")) == []


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("\\data\\", "data"), 17, "no \\data\\ line"),
        (("ngram 2=3", "ngram 3=3"), 3, "expected the number of 2-grams"),
        (("ngram 1=5", "ngram one=5"), 2, "ngram 1=1000"),
        (("ngram 1=5", "ngram 1=6"), 12, "6 1-grams were announced, but the section ends after 5"),
        (("ngram 1=5", "ngram 1=4"), 10, "more 1-grams than the 4 announced"),
        (("\\2-grams:", "\\3-grams:"), 12, "expected the section \\2-grams:"),
        (("-0.7\tb", "-0.7"), 10, "expected a probability, 1 words"),
        (("-0.4\ta b", "-0.4\ta b c d"), 14, "expected a probability, 2 words"),
        (("-0.7\tb", "x0.7\tb"), 10, "not a number"),
        (("-0.7\tb", "nan\tb"), 10, "not a number"),
        (("-0.7\tb", "0.7\tb"), 10, "above 0"),
        (("-0.7\tb", "-1e999\tb"), 10, "too large or too small"),
        (("-0.7\tb", "-1e-999\tb"), 10, "too large or too small"),
        (("-0.7\tb", "-1e300\tb"), 10, "too large"),
        (("a\t-0.2", "a\t1e999"), 9, "too large or too small"),
        (("a\t-0.2", "a\t-1e39"), 9, "too large"),
        (("a\t-0.2", "a\t1e30"), 9, "above 100"),
        (("a\t-0.2", "a\tnan"), 9, "back-off weight is not a number"),
        (("ngram 2=3", "ngram 2=99999999999999999999"), 3, "ngram 2=99999999999999999999"),
        (("ngram 2=3", "ngram 2=5000000000"), 3, "4 billion"),
        (("ngram 2=3", "ngram 2=3x"), 3, "ngram 2=3x"),
        (("a\t-0.2", "a\tx"), 9, "back-off weight is not a number"),
        (("a\t-0.2", "a\t-inf"), 9, "not finite"),
        (("-0.7\tb", "-0.7\ta"), 10, "'a' for the second time"),
        (("-0.4\ta b", "-0.4\t<s> a"), 14, "for the second time"),
        (("-0.4\ta b", "-0.4\ta c"), 14, "'c' is not among the 1-grams"),
        (("\\end\\", ""), 17, "without \\end\\"),
        (("-0.9\ta </s>\n\n\\end\\\n", ""), 14, "without \\end\\"),
        (("\n\\2-grams:", "-0.1\tx\n\\2-grams:"), 11, "more 1-grams"),
    ],
)
def test_faults_are_named_with_their_line(arpa, change, line, message):
    path = arpa(SMALL.replace(*change))
    with pytest.raises(InputError, match="model.arpa:") as caught:
        ArpaModel.read(path)
    assert str(caught.value).startswith(f"{path}:{line}: "), caught.value
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\x12" * 1000,
        b"x" * 3_000_000,
        SMALL.replace("b", "ä").encode("latin-1"),
        gzip.compress(b"x" * 9999)[:40],
    ],
    ids=["empty", "binary", "one line", "latin-1", "truncated gz"],
)
def test_what_is_no_arpa_file_is_refused(arpa, content):
    with pytest.raises(InputError, match="junk"):
        ArpaModel.read(arpa(content, "junk"))


def test_missing_unknown_word_gets_a_warning(arpa):
    with pytest.warns(ArpaWarning, match="no <unk>"):
        model = ArpaModel.read(arpa(SMALL.replace("ngram 1=5", "ngram 1=4").replace("-1\t<unk>\n", "")))
    assert log10(model, "b", "zebra") == pytest.approx(-100, abs=1e-4)


def test_writing_then_reading_gives_the_same_model(tmp_path):
    text = ["der hund sah die katze", "die katze sah den hund und den mond", "der mond sah nichts"] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KneserNey(3).fit(text)
    model.to_arpa(tmp_path / "m.arpa")
    again = ArpaModel.read(tmp_path / "m.arpa", Preparation(lowercase=True))
    assert again.vocabulary == model.vocabulary
    assert again.preparation.lowercase
    for name, values in model.native.arrays.items():
        assert np.allclose(again.native.arrays[name], values, atol=1e-6), name
    again.save(tmp_path / "m.binyan")
    loaded = load(tmp_path / "m.binyan")
    sentences = [line.split() for line in text] + [["ein", "hund"]]
    assert np.array_equal(loaded.score_sentences(sentences).log_prob, again.score_sentences(sentences).log_prob)
    assert loaded.signature() == again.signature()


def averaged(columns):
    """A model of several columns: one Kneser-Ney model with different discounts a column."""
    words = np.array([3, 4, 5, 3, 4, 3, 5, 4, 4, 3], np.uint32)
    tree = _core.ContextTree.build(words, np.array([0, 5, 10], np.uint64), 3, 7)
    models = [_core.estimate_kneser_ney(tree, [], [0.3 + 0.1 * c, 0.7, 1.1], words)[0] for c in range(columns)]
    arrays = dict(models[0].arrays)
    for name in ("log_prob", "log_backoff"):
        arrays[name] = np.ascontiguousarray(np.stack([m.arrays[name] for m in models], axis=1).reshape(-1))
    return BackoffLanguageModel.__new__(ArpaModel), _core.BackoffModel(columns, **arrays)


def test_averages_of_samples_are_refused_or_approximated(tmp_path):
    model, native = averaged(3)
    model._learnt(native, Vocabulary("abcd"), Preparation(), {})
    with pytest.raises(SettingsError, match="averages 3 samples"):
        model.to_arpa(tmp_path / "m.arpa")
    assert not (tmp_path / "m.arpa").exists()
    model.to_arpa(tmp_path / "m.arpa", approximate=True)
    again = ArpaModel.read(tmp_path / "m.arpa")
    for state in range(native.states):
        assert again.distribution(state).sum() == pytest.approx(1, abs=1e-5)
        for e in range(native.arrays["first_entry"][state], native.arrays["first_entry"][state + 1]):
            word = int(native.arrays["word"][e])
            if word != 1:
                assert again.native.score(state, word)[1] == pytest.approx(native.score(state, word)[1], abs=1e-5)
