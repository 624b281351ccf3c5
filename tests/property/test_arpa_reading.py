"""ARPA files with any n-grams left out, against back-off done by hand on a dictionary."""

from __future__ import annotations

import itertools
import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan.ngram.arpa import ArpaModel
from binyan.ngram.kneser_ney import KneserNey

WORDS = ["<s>", "</s>", "<unk>", "a", "b", "c"]
weights = st.integers(-40, -10).map(lambda n: n / 8)  # low enough that no back-off raises a probability above 1
ngrams = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4).map(tuple)
models = st.dictionaries(ngrams, st.tuples(weights, st.sampled_from([0.0, -0.5, -1.25, 0.375])), max_size=12)


def arpa(unigrams, longer):
    """The text of an ARPA file."""
    order = max(map(len, longer), default=1)
    levels = [unigrams] + [{g: v for g, v in longer.items() if len(g) == n} for n in range(2, order + 1)]
    lines = ["\\data\\", *(f"ngram {n}={len(level)}" for n, level in enumerate(levels, 1))]
    for n, level in enumerate(levels, 1):
        lines += ["", f"\\{n}-grams:"]
        lines += [f"{p}\t{' '.join(g)}" + (f"\t{b}" if n < order else "") for g, (p, b) in level.items()]
    return "\n".join([*lines, "", "\\end\\", ""]), order


def log10_prob(table, context, word):
    """Back-off as the format defines it."""
    if (*context, word) in table or not context:
        return table[(*context, word)][0]
    return table.get(context, (0.0, 0.0))[1] + log10_prob(table, context[1:], word)


@settings(max_examples=60)
@given(models, st.lists(st.tuples(weights, weights), min_size=6, max_size=6))
def test_any_file_is_read_as_it_stands(tmp_path_factory, longer, single):
    unigrams = {(w,): v for w, v in zip(WORDS, single, strict=True)}
    text, order = arpa(unigrams, longer)
    path = tmp_path_factory.getbasetemp() / "random.arpa"
    path.write_text(text)
    model = ArpaModel.read(path)
    table = {g: (p, b if len(g) < order else 0.0) for g, (p, b) in {**unigrams, **longer}.items()}
    for line in itertools.product(WORDS[1:], repeat=3):
        state, seen = model.begin(), ["<s>"]
        for word in line:
            context = tuple(seen[max(0, len(seen) - order + 1) :]) if order > 1 else ()
            score = model.score_word(state, word)
            assert score.log_prob / math.log(10) == pytest.approx(log10_prob(table, context, word), abs=1e-5), (
                seen,
                word,
            )
            state = score.state
            seen.append(word)


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=7), min_size=1, max_size=9), st.integers(1, 4))
def test_writing_and_reading_keeps_every_probability(tmp_path_factory, text, order):
    path = tmp_path_factory.getbasetemp() / "written.arpa"
    if not any(text):
        text = [["a"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KneserNey(order).fit(text)
    model.to_arpa(path)
    again = ArpaModel.read(path)
    assert again.order == model.order and again.vocabulary == model.vocabulary
    test = [*text, list("edcba"), ["x", "a"]]
    one, other = model.score_sentences(test), again.score_sentences(test)
    assert other.log_prob == pytest.approx(one.log_prob, abs=2e-6)
    assert other.matched.tolist() == one.matched.tolist()
