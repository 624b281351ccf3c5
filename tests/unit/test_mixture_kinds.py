"""Mixtures of every kind of model: sums to one over the union of vocabularies, in the core and in Python alike, in mixtures of mixtures."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import binyan
from binyan import language_model, model_file
from binyan.errors import InputError
from binyan.language_model import END, LanguageModel, Scores, State, WordScore
from binyan.mixture import Mixture
from binyan.mixture.member import Member
from binyan.model import from_bytes
from binyan.signature import Signature
from binyan.text import Preparation, Vocabulary
from binyan.text.vocabulary import BEGIN, BEGIN_ID, UNKNOWN_ID
from model_zoo import HELD_OUT, log_bilinear_models, ngram_models

OTHER = ["der zaun ist alt", "ein zaun und ein garten", "das haus hat ein tor", "der zaun hat ein hoftor"] * 2
CONTEXTS = ["", "das haus", "der zaun", "xyz ein", "die hoftür"]


@lru_cache(maxsize=1)
def stranger() -> LanguageModel:
    """A model with words that those of the zoo have not, and without most of theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return binyan.KneserNey(order=2).fit(OTHER, progress=False)


class Outside(LanguageModel):
    """A model of somebody's own: every word of a list is as likely as any other, <unk> and </s> too."""

    kind = "outside"
    order = 1

    def __init__(self, words: Sequence[str]) -> None:
        self.vocabulary, self.preparation = Vocabulary(list(words)), Preparation()

    def begin(self) -> State:
        return ()

    def score_word(self, state: State, word: str) -> WordScore:
        return WordScore((), -float(np.log(len(self.vocabulary) - 1)), 0, self.vocabulary[word] == UNKNOWN_ID)

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        scored = [[self.score_word((), w) for w in (*s, END)] for s in sentences]
        flat = [w for s in scored for w in s]
        ends = np.cumsum([0, *map(len, scored)]).astype(np.uint64)
        unknown = np.array([w.unknown for w in flat])
        return Scores(np.array([w.log_prob for w in flat]), np.zeros(len(flat), np.uint8), unknown, ends)

    def distribution(self, state: State) -> np.ndarray:
        return np.where(np.arange(len(self.vocabulary)) == BEGIN_ID, 0.0, 1.0 / (len(self.vocabulary) - 1))

    def signature(self) -> Signature:
        return Signature({"model": "outside"})

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, {"vocabulary": self.vocabulary.to_bytes()}

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> Outside:
        return cls(Vocabulary.from_bytes(file.blob("vocabulary")).own_words)


def zoo() -> dict[str, LanguageModel]:
    return ngram_models() | log_bilinear_models() | {"stranger": stranger(), "outside": Outside(["haus", "zebra"])}


PAIRS = [
    ("mkn", "stranger"),
    ("hpylm", "arpa"),
    ("arpa", "clbl++"),
    ("hpylm", "clbl++"),
    ("stranger", "clbl++"),
    ("hpylm+g", "stranger"),
    ("hpylm+c", "lbl", "stranger"),
    ("mkn", "hpylm", "clbl++"),
    ("mkn", "extended"),
    ("hpylm", "clbl++", "lstm++"),
    ("stranger", "lstm++"),
    ("hpylm", "outside"),
    ("outside", "stranger", "clbl++"),
]


def mixture_of(names: Sequence[str], by_context: bool, **options: Any) -> Mixture:
    models = zoo()
    if not set(names) <= set(models):
        pytest.skip("the neural extra is not installed")
    weights = None if by_context else [1.0 / len(names)] * len(names)
    mixture = Mixture([models[n] for n in names], weights, by_context=by_context, **options)
    return mixture.fit([*HELD_OUT, "der zaun ist neu"], progress=False) if by_context else mixture


def assert_a_distribution(model: LanguageModel) -> None:
    """Every word of the vocabulary, one after another, sums to one, and as `distribution` has it."""
    for context in CONTEXTS:
        state = model.state_after(context)
        chances = model.distribution(state)
        each = [0.0 if w == BEGIN else np.exp(model.score_word(state, w).log_prob) for w in model.vocabulary.words]
        assert sum(each) == pytest.approx(1, abs=2e-6)
        np.testing.assert_allclose(each, chances, atol=2e-7)


@pytest.mark.parametrize("by_context", [False, True], ids=["fixed", "by-context"])
@pytest.mark.parametrize("names", PAIRS, ids="+".join)
def test_mixtures_of_all_kinds_sum_to_one(names: Sequence[str], by_context: bool, tmp_path: Path) -> None:
    mixture = mixture_of(names, by_context)
    assert set(mixture.vocabulary.words) == {w for m in mixture.models for w in m.vocabulary.words}
    assert_a_distribution(mixture)
    scores = mixture.score_text(HELD_OUT)
    singly = [e for s in HELD_OUT for e in mixture.explain(s)]
    np.testing.assert_allclose([e.log_prob for e in singly], scores.log_prob, atol=2e-5)
    assert [e.matched for e in singly] == scores.matched.tolist()
    assert [e.unknown for e in singly] == scores.unknown.tolist()
    if "outside" not in names:
        mixture.save(tmp_path / "m")
        again = language_model.load(tmp_path / "m")
        assert str(again.signature()) == str(mixture.signature())
        np.testing.assert_array_equal(again.score_text(HELD_OUT).log_prob, scores.log_prob)


@pytest.mark.parametrize("by_context", [False, True], ids=["fixed", "by-context"])
@pytest.mark.parametrize(
    "names", [("mkn", "stranger"), ("hpylm", "clbl++"), ("stranger", "arpa", "clbl++")], ids="+".join
)
def test_the_core_and_python_agree(names: Sequence[str], by_context: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    mixture = mixture_of(names, by_context)
    assert mixture.core_scorer is not None
    state = mixture.state_after("die hoftür haushof")
    fast, word = mixture.score_text(HELD_OUT), mixture.score_word(state, "ist")
    monkeypatch.setattr(LanguageModel, "mixture_source", lambda self, vocabulary: None)
    monkeypatch.setattr(Member, "core_source", lambda self: None)
    del mixture.core_scorer
    slow = mixture.score_text(HELD_OUT)
    assert mixture.core_scorer is None
    np.testing.assert_allclose(fast.log_prob, slow.log_prob, atol=2e-6)
    for name in ("matched", "unknown", "offsets"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
    other = mixture.score_word(state, "ist")
    assert other.state == word.state and other.log_prob == pytest.approx(word.log_prob, abs=2e-6)
    assert mixture.state_after("die hoftür haushof") == state


def test_what_words_get_of_another_models_unknown() -> None:
    """The rule: `rest` of <unk> for words nobody knows, the rest divided equally among words that others know."""
    one, other = ngram_models()["mkn"], stranger()
    for rest in (0.25, 1.0):
        mixture = Mixture([one, other], [1.0, 0.0], rest=rest)
        state = mixture.begin()
        unknown = np.exp(one.score_word(one.begin(), "<unk>").log_prob)
        new = [w for w in other.vocabulary.own_words if w not in one.vocabulary]
        assert new and mixture.distribution(state)[UNKNOWN_ID] == pytest.approx(rest * unknown)
        for word in new:
            chance = np.exp(mixture.score_word(state, word).log_prob)
            assert chance == pytest.approx((1 - rest) * unknown / len(new), abs=1e-12)


def test_the_development_text_says_what_is_kept_of_unknown() -> None:
    one, other = ngram_models()["mkn"], stranger()
    mixture = Mixture([one, other]).fit(["zaun zaun zaun xyz", "das haus"], progress=False)
    assert mixture.members[0].rest == pytest.approx(1.5 / 5)  # of four words that it lacks one is nobody's
    assert Mixture([one, other], rest=0.7).fit(["zaun"], progress=False).members[0].rest == 0.7


@pytest.mark.parametrize("inner_by_context", [False, True], ids=["of-fixed", "of-by-context"])
def test_mixtures_of_mixtures(inner_by_context: bool, tmp_path: Path) -> None:
    inner = mixture_of(("hpylm", "stranger"), inner_by_context)
    parts = inner.weigh_sentences([s.split() for s in HELD_OUT])
    np.testing.assert_allclose(parts.share.sum(0), np.exp(inner.score_text(HELD_OUT).log_prob), rtol=1e-9)
    np.testing.assert_allclose(parts.mass.sum(0), 1, rtol=1e-6)
    assert parts.share.shape[0] == 5 and parts.features.shape[1] == 5 + 2
    outer = Mixture([inner, ngram_models()["mkn"]], by_context=True).fit(HELD_OUT, progress=False)
    assert_a_distribution(outer)
    outer.save(tmp_path / "m")
    np.testing.assert_array_equal(
        language_model.load(tmp_path / "m").score_text(HELD_OUT).log_prob, outer.score_text(HELD_OUT).log_prob
    )


def test_files_in_which_a_mixture_was_one_part_still_load() -> None:
    """As written before mixtures had parts: no version of the gate, one row for the whole inner mixture."""
    inner, other = mixture_of(("hpylm", "mkn"), False), ngram_models()["mkn"]
    outer = Mixture([inner, other], by_context=True).fit(HELD_OUT, progress=False)
    meta, sections = outer.contents()
    del meta["gate"]
    for name in ("gate/known", "gate/unknown"):
        sections[name] = np.arange(24, dtype=np.float64).reshape(4, 6) / 100  # 1 + 3 parts, the 5 features of the other
    old = from_bytes(model_file.to_bytes(outer.kind, meta, sections))
    assert_a_distribution(old)
    again = from_bytes(old.to_bytes())
    np.testing.assert_array_equal(again.score_text(HELD_OUT).log_prob, old.score_text(HELD_OUT).log_prob)


def test_weights_by_context_are_the_formula() -> None:
    """The core against NumPy: what `mix` adds for each model is the sum of what `weighed` gives its parts."""
    mixture = mixture_of(("hpylm", "stranger"), True)
    words, _ = mixture._events([s.split() for s in HELD_OUT])
    parts = [m.weigh_sentences([s.split() for s in HELD_OUT], words) for m in mixture.members]
    assert mixture.context_weights is not None
    _, shares = mixture.context_weights.mix(parts, words == UNKNOWN_ID)
    by_part = mixture.context_weights.weighed(parts, words == UNKNOWN_ID).share
    np.testing.assert_allclose(shares, [by_part[:3].sum(0), by_part[3:].sum(0)], rtol=1e-12)


def test_states_of_other_models_and_boundaries_are_refused() -> None:
    mixture = mixture_of(("mkn", "stranger"), False)
    for state in ((0,), (10**6, 0)):
        with pytest.raises(InputError, match="another model"):
            mixture.score_word(state, "haus")
    with pytest.raises(InputError, match="never predicted"):
        mixture.score_word(mixture.begin(), BEGIN)
    with pytest.raises(InputError, match="boundaries"):
        mixture.score_sentences([["haus", END]])


def test_threads_share_a_mixture() -> None:
    mixture = mixture_of(("hpylm", "clbl++"), True)
    expected = mixture.score_text(HELD_OUT).log_prob
    wrong: list[float] = []

    def ask(number: int) -> None:
        for i in range(20):
            got = mixture.score_text([*HELD_OUT, f"hoftür{number} unbekannt{i}"]).log_prob[: len(expected)]
            wrong.append(float(np.abs(got - expected).max()))
            mixture.score("das haushof hat")

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(wrong) == 0.0
