"""Kneser-Ney estimates equal those of KenLM's lmplz, n-gram by n-gram (golden files: see lmplz/make_texts.py)."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest

from binyan.ngram.kneser_ney import DiscountWarning, KneserNey

FOLDER = Path(__file__).parent / "lmplz"
LOG10 = math.log(10)


def read_arpa(path):
    """{n-gram: (log10 probability, log10 back-off)}, read with as little code as possible."""
    rows = [line.split("\t") for line in path.read_text().splitlines() if "\t" in line]
    return {tuple(row[1].split()): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}


def ngrams_of(model):
    """The same of a model: every stored n-gram."""
    a, words = model.native.arrays, model.vocabulary.words
    levels = a["context_base"]
    found = {}
    for state in range(model.native.states):
        context = [words[w] for w in model.native.context(state)]
        for e in range(a["first_entry"][state], a["first_entry"][state + 1]):
            n, after = len(context) + 1, a["next"][e]
            extends = n < model.order and levels[n] <= after < levels[n + 1]
            backoff = a["log_backoff"][after] / LOG10 if extends else 0.0
            found[(*context, words[a["word"][e]])] = (a["log_prob"][e] / LOG10, backoff)
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.arpa")), ids=lambda p: p.stem)
def test_every_probability_and_backoff(path):
    order = int(path.stem[7])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if "fallback" in path.stem else "error", DiscountWarning)
        model = KneserNey(order, prune=[0, 0, 1] if "prune" in path.stem else []).fit(path.with_suffix(".txt"))
    expected, found = read_arpa(path), ngrams_of(model)
    assert found.keys() == expected.keys()
    for ngram, (probability, backoff) in expected.items():
        if ngram != ("<s>",):
            assert found[ngram][0] == pytest.approx(probability, abs=1e-5), ngram
        assert found[ngram][1] == pytest.approx(backoff, abs=1e-5), ngram
