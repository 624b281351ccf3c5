"""Evaluation of the real n-gram models: hit lengths, frequencies and comparisons against counting by hand."""

from __future__ import annotations

import random
import warnings
from collections import Counter

import numpy as np
import pytest

from binyan.errors import InputError
from binyan.evaluation import breakdown, change, compare, evaluate, grouping, largest_differences, summary
from binyan.language_model import LanguageModel
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey
from binyan.sampling import Schedule
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.text import Corpus, VocabularyPolicy

ORDER = 3


def sentences(seed: int, number: int) -> list[list[str]]:
    draw = random.Random(seed)
    words = [a + b for a in ("haus", "hof", "tor", "weg") for b in ("", "tür", "bau", "wart")]
    return [draw.choices(words, [2.0 ** -(i / 2) for i in range(16)], k=draw.randint(1, 7)) for _ in range(number)]


TRAIN, TEST = sentences(1, 60), sentences(2, 40)


@pytest.fixture(scope="module")
def models() -> list[LanguageModel]:
    corpus = Corpus.read(TRAIN, policy=VocabularyPolicy(min_count=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mkn = KneserNey(ORDER).fit(corpus)
    return [mkn, HPYLM(ORDER, schedule=Schedule(sweeps=20, samples=5)).fit(corpus, progress=False)]


def hit_length(ngrams: Counter, words: list[str], place: int) -> int:
    """Of the longest training n-gram that ends at `place` of a sentence with <s> before and </s> after it."""
    return max(
        n
        for n in range(1, ORDER + 1)
        if n == 1 or (place - n + 1 >= 0 and tuple(words[place - n + 1 : place + 1]) in ngrams)
    )


def test_hit_lengths_and_frequencies_by_counting(models):
    known = set(models[0].vocabulary.words)
    closed = [["<s>", *(w if w in known else "<unk>" for w in s), "</s>"] for s in TRAIN]
    ngrams = Counter(tuple(s[i : i + n]) for s in closed for n in range(1, ORDER + 1) for i in range(len(s) - n + 1))
    expected = Counter()
    frequencies = Counter()
    for sentence in TEST:
        words = ["<s>", *(w if w in known else "<unk>" for w in sentence), "</s>"]
        for place in range(1, len(words)):
            expected[str(hit_length(ngrams, words, place))] += 1
            count = ngrams[(words[place],)]
            frequencies["unknown" if words[place] == "<unk>" else "1–9" if count < 10 else "10–99"] += 1
    for model in models:
        e = evaluate(model, TEST)
        for name, right in (("hit-length", expected), ("frequency", frequencies)):
            table = breakdown([e], grouping(name, e, model))
            assert {row[0]: row[1] for row in table.rows} == right


def test_models_compare_on_the_same_events(models):
    one, other = (evaluate(m, TEST, n) for m, n in zip(models, ("MKN", "HPYLM"), strict=True))
    assert summary([one, other]).column("perplexity") == [one.perplexity, other.perplexity]
    table = change([one, other], grouping("hit-length", one))
    assert {c.name for c in table.columns} >= {"MKN bits", "HPYLM bits", "change %"}
    worst = largest_differences(one, other, 5)
    delta = np.exp(one.scores.log_prob) - np.exp(other.scores.log_prob)
    assert worst.column("Δ")[0] == pytest.approx(delta.max())
    assert max(row[2] for row in worst.rows if row[0] == "HPYLM") == pytest.approx(-delta.min())


def test_one_sample_of_several(models):
    hpylm = models[1]
    one = hpylm.one_sample()
    assert one.native.columns == 1 and "samples:1|" in str(one.signature())
    state = one.begin()
    assert one.distribution(state).sum() == pytest.approx(1, abs=1e-5)
    assert evaluate(one, TEST).perplexity != evaluate(hpylm, TEST).perplexity


def test_closed_vocabulary_of_a_model_that_spells():
    words = ["haus", "hof", "tor", "hoftor", "haustor"]
    table = SegmentationTable([Segmentation.parse("hoftor", "hof tor"), Segmentation.parse("torhof", "tor hof")])
    model = CompoundHPYLM(2, schedule=Schedule(sweeps=5), segmentation=table, both_ways=False).fit(
        [words], progress=False
    )
    text = [["haus", "torhof"]]
    opened, closed = evaluate(model, text), evaluate(model, text, closed=True)
    assert opened.scores.unknown.tolist() == closed.scores.unknown.tolist() == [False, True, False]
    assert opened.text.words == closed.text.words  # the text keeps its words
    after = model.score_word(model.begin(), "haus").state
    assert closed.scores.log_prob[1] == pytest.approx(model.score_word(after, "<unk>").log_prob)
    assert opened.scores.log_prob[1] == pytest.approx(model.score_word(after, "torhof").log_prob)
    assert "unknown:1-as-<unk>" in str(closed.signature)


def test_only_the_same_events_are_compared():
    """An open compound model scores an unseen compound as that very word, the others as <unk>: 20.25 stood beside 7.02."""
    text = ["der alte schulhof", "der alte gasthof", "der neue hof", "die schul am hof", "der gast im hof"] * 3
    table = {"schulhof": "schul hof", "gasthof": "gast hof", "hofgast": "hof gast"}
    plain = HPYLM(2, sweeps=20).fit(text, progress=False)
    opened = CompoundHPYLM(2, sweeps=20, segmentation=table).fit(text, progress=False)
    held_out = ["der alte hofgast", "der neue hof"]
    assert opened.is_open and opened.events != plain.events == opened.closed().events
    with pytest.raises(InputError, match="not the same events"):
        summary([evaluate(plain, held_out), evaluate(opened, held_out)])
    report = compare([plain, opened], held_out, names=["hpylm", "hpylm+g"])
    assert [row[0] for row in report["perplexity"].rows] == ["hpylm", "hpylm+g (closed)"]
    assert report["perplexity"].rows[1][2] == pytest.approx(evaluate(opened.closed(), held_out).perplexity)
    both = compare([opened, opened], held_out, names=["one", "two"])  # the same open events: nothing is closed
    assert both["perplexity"].rows[0][2] == pytest.approx(evaluate(opened, held_out).perplexity)
