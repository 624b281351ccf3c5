"""A decoder lives on while its vocabulary grows: features extended by new words score as features built with all of them."""

import numpy as np
import pytest

from binyan import _core
from binyan.errors import InputError
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation import read_rules

GRAMMAR = """\
[X] ||| a ||| haus ||| f=0.1
[X] ||| a ||| das haus ||| f=0.2
[X] ||| b ||| die tür ||| f=0.3
[X] ||| b [X,1] ||| [X,1] neu ||| f=0.1
[X] ||| [X,1] a [X,2] ||| [X,2] das [X,1] ||| f=0.4
"""
TEXT = ["das haus", "die tür", "das haus das haus neu", "die tür hof"] * 3
FIRST, SECOND = ["a b x a", "b b a"], ["a x hof b", "y a y"]
ORDER, WIDTH = 3, 4


@pytest.fixture(scope="module")
def grammar(tmp_path_factory):
    path = tmp_path_factory.mktemp("grammar") / "g"
    path.write_text(GRAMMAR)
    return read_rules(path)


@pytest.fixture(scope="module")
def model():
    return KneserNey(order=ORDER).fit(TEXT)


def seeded(word: str) -> np.random.Generator:
    return np.random.default_rng(list(word.encode()))


class Backoff:
    def __init__(self, model):
        self.model = model

    def ids(self, words):
        return np.array([self.model.vocabulary.index.get(w, 0) for w in words], np.uint32)

    def feature(self, words):
        return _core.BackoffFeature(self.model.native, self.ids(words))

    def extend(self, feature, words):
        feature.extend(self.ids(words))


class LogBilinear:
    """Random vectors, a function of the word alone."""

    def __init__(self, model):
        self.index = model.vocabulary.index

    def context(self, words):
        return np.stack([[seeded(f"{w} {j}").normal(size=WIDTH) for w in words] for j in range(ORDER - 1)]).astype(
            np.float32
        )

    def rows(self, words):
        return np.array([self.index.get(w, 0) for w in words], np.uint32)

    def unknown(self, words):
        return np.array([w not in self.index for w in words], np.uint8)

    def feature(self, words):
        random, rows = np.random.default_rng(1), len(self.index)
        numbers = lambda *shape: random.normal(size=shape).astype(np.float32).reshape(-1)  # noqa: E731
        return _core.LogBilinearFeature(
            ORDER, WIDTH, True, self.context([*words, "<s>"]).reshape(-1), numbers(2, WIDTH), numbers(2),
            numbers(rows, WIDTH), numbers(rows), np.array([0, 3, rows], np.uint32), self.rows(words), 2, self.unknown(words),
        )  # fmt: skip

    def extend(self, feature, words):
        feature.extend(self.context(words).reshape(-1), self.rows(words), self.unknown(words))


class Callback:
    def __init__(self, model):
        self.model, self.vocabulary = model, []

    def unknown(self, words):
        return np.array([w not in self.model.vocabulary for w in words], np.uint8)

    def feature(self, words):
        vocabulary = self.vocabulary = list(words)

        def log_prob(context, word):
            state = self.model.begin()
            for w in context:
                state = self.model.score_word(state, vocabulary[w]).state
            return self.model.score_word(state, "</s>" if word < 0 else vocabulary[word]).log_prob

        return _core.CallbackFeature(ORDER, self.unknown(words), log_prob)

    def extend(self, feature, words):
        self.vocabulary.extend(words)
        feature.extend(self.unknown(words))


def encoded(grammar, vocabulary, sentences):
    """Source ids, copies and offsets of sentences; new words are appended to the vocabulary and returned."""
    known, new = {w: i for i, w in enumerate(vocabulary)}, []
    words, copies, offsets = [], [], [0]
    for sentence in sentences:
        for word in sentence.split():
            if word not in known:
                known[word] = len(known)
                new.append(word)
            words.append(grammar.source.index.get(word, 0))
            copies.append(known[word])
        offsets.append(len(words))
    vocabulary.extend(new)
    return np.array(words, np.uint32), np.array(copies, np.uint32), np.array(offsets, np.uint64), new


def decoder(grammar, feature):
    weights = np.array([0.5] * grammar.native.feature_count + [0.2, -1.0, 0.6, 0.1, 0.5, -1.0], np.float32)
    return _core.Decoder(grammar.native, _core.DecoderModels([feature]), weights, 10, 50, 0)


@pytest.mark.parametrize("kind", [Backoff, LogBilinear, Callback])
def test_extended_features_score_as_whole_ones(grammar, model, kind):
    vocabulary = list(grammar.target.words)
    *first, _ = encoded(grammar, vocabulary, FIRST)
    small = list(vocabulary)
    *second, new = encoded(grammar, vocabulary, SECOND)
    assert new
    growing, whole = kind(model), kind(model)
    feature = growing.feature(small)
    alive = decoder(grammar, feature)
    expected = decoder(grammar, whole.feature(vocabulary))
    for got, want in zip(alive.translate(*first, 8), expected.translate(*first, 8), strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(InputError, match="extend it first"):
        alive.translate(*second, 8)
    growing.extend(feature, new)
    assert feature.words == len(vocabulary)
    for sentences in (second, first):
        for got, want in zip(alive.translate(*sentences, 8), expected.translate(*sentences, 8), strict=True):
            np.testing.assert_array_equal(got, want)


def test_wrong_sizes_are_refused(model):
    feature = LogBilinear(model).feature(["haus", "das"])
    with pytest.raises(InputError, match="do not fit together"):
        feature.extend(np.zeros(3, np.float32), np.zeros(1, np.uint32), np.zeros(1, np.uint8))
    with pytest.raises(InputError, match="vocabulary does not match"):
        Backoff(model).feature(["haus"]).extend(np.array([99], np.uint32))
