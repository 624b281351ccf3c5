"""KenLM's interface in front of our models."""

from __future__ import annotations

import math
from copy import copy
from pathlib import Path

import numpy as np
import pytest

from binyan import HPYLM, KneserNey, Mixture
from binyan.compat import kenlm
from binyan.errors import InputError
from binyan.language_model import LanguageModel
from binyan.ngram.arpa import ArpaModel
from binyan.ngram.backoff import BackoffLanguageModel

TEXT = [
    "das haus ist gross",
    "das kleine haus",
    "der hund ist klein",
    "das ist der kleine hund",
    "ein haus und ein hund",
]


@pytest.fixture(scope="module")
def mkn() -> KneserNey:
    with pytest.warns(UserWarning):
        return KneserNey(order=3).fit(TEXT, progress=False)


@pytest.fixture(scope="module")
def models(mkn: KneserNey) -> dict[str, LanguageModel]:
    hpylm = HPYLM(order=3, sweeps=10, vocabulary=mkn.vocabulary).fit(TEXT, progress=False)
    return {"mkn": mkn, "hpylm": hpylm, "mixture": Mixture([mkn, hpylm]).fit(TEXT, progress=False)}


def word_by_word(model: kenlm.Model, sentence: str) -> float:
    before, after = kenlm.State(), kenlm.State()
    model.BeginSentenceWrite(before)
    total = 0.0
    for word in [*sentence.split(), "</s>"]:
        total += model.BaseScore(before, word, after)
        before, after = after, before
    return total


@pytest.mark.parametrize("kind", ["mkn", "hpylm", "mixture"])
def test_all_ways_in_give_the_same(models: dict[str, LanguageModel], kind: str) -> None:
    model, ours = kenlm.Model(models[kind]), models[kind]
    for sentence in ("das haus ist gross", "der unbekannte hund", ""):
        score = ours.score(sentence)
        assert model.score(sentence) == pytest.approx(score, abs=1e-5)
        assert word_by_word(model, sentence) == pytest.approx(score, abs=1e-5)
        words = list(model.full_scores(sentence))
        assert sum(log_prob for log_prob, _, _ in words) == pytest.approx(score, abs=1e-5)
        assert [oov for _, _, oov in words] == [w == "unbekannte" for w in (*sentence.split(), "</s>")]
        assert model.perplexity(sentence) == pytest.approx(10 ** (-score / len(words)))


@pytest.mark.parametrize("kind", ["mkn", "mixture"])
def test_without_beginning_and_end(models: dict[str, LanguageModel], kind: str) -> None:
    model = kenlm.Model(models[kind])
    with_end = model.score("das haus", bos=False)
    without = model.score("das haus", bos=False, eos=False)
    assert with_end < without < 0.0
    assert without != model.score("das haus", eos=False)


PRUNED = """\\data\\
ngram 1=5
ngram 2=3
ngram 3=2

\\1-grams:
-1.0\t<unk>
0\t<s>\t-0.3
-0.9\t</s>
-0.5\ta\t-0.2
-0.7\tb\t-0.4

\\2-grams:
-0.4\t<s> a\t-0.1
-0.2\ta b\t-0.3
-0.6\tb b\t-0.5

\\3-grams:
-0.1\t<s> a a
-0.3\ta b b

\\end\\
"""


@pytest.mark.filterwarnings("ignore::UserWarning")  # so few words take the fallback discounts
@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_words_are_looked_up_in_all_contexts_at_once(indexed: bool, prune: tuple[int, ...]) -> None:
    random = np.random.default_rng(7)
    words = np.array(list("abcdefgh"))
    lines = [" ".join(words[random.integers(0, 2 + i % 7, random.integers(1, 30))]) for i in range(300)]
    model = KneserNey(order=5, prune=prune).fit(lines, progress=False)
    if indexed:
        model.native.build_index()
    assert_scores_are_those_of_single_words(model, lines[:100])


@pytest.mark.parametrize("indexed", [False, True])
def test_models_without_all_shorter_ngrams(tmp_path: Path, indexed: bool) -> None:
    (tmp_path / "model.arpa").write_text(PRUNED)
    model = ArpaModel.read(tmp_path / "model.arpa", progress=False)
    if indexed:
        model.native.build_index()
    assert_scores_are_those_of_single_words(model, ["a a b b", "b b b a b b", "a b b a c a a b", "a a a a"])


def assert_scores_are_those_of_single_words(model: BackoffLanguageModel, lines: list[str]) -> None:
    ours = kenlm.Model(model)
    before, after = kenlm.State(), kenlm.State()
    for line in lines:
        state = model.begin()
        ours.BeginSentenceWrite(before)
        expected = []
        for word in [*line.split(), "</s>"]:
            scored = model.score_word(state, word)
            full = ours.BaseFullScore(before, word, after)
            expected.append((scored.log_prob / math.log(10), scored.matched, scored.unknown))
            assert (full.log_prob, full.ngram_length, full.oov) == pytest.approx(expected[-1], abs=1e-9)
            assert after.number == scored.state
            state = scored.state
            before, after = after, before
        for ours_, theirs in zip(ours.full_scores(line), expected, strict=True):
            assert ours_ == pytest.approx(theirs, abs=1e-9)


def test_the_context_of_nothing_is_the_unigram(mkn: KneserNey) -> None:
    model = kenlm.Model(mkn)
    state, after = kenlm.State(), kenlm.State()
    model.NullContextWrite(state)
    unigram = mkn.distribution(0)[mkn.vocabulary["haus"]]
    assert model.BaseScore(state, "haus", after) == pytest.approx(math.log10(unigram), abs=1e-5)
    full = model.BaseFullScore(state, "haus", after)
    assert (full.ngram_length, full.oov) == (1, False)


def test_files(mkn: KneserNey, tmp_path: Path) -> None:
    mkn.to_arpa(tmp_path / "model.arpa", progress=False)
    mkn.save(tmp_path / "model.binyan")
    scores = {
        name: kenlm.Model(str(tmp_path / name)).score("das haus ist klein") for name in ("model.arpa", "model.binyan")
    }
    assert scores["model.arpa"] == pytest.approx(scores["model.binyan"], abs=1e-5)
    assert repr(kenlm.LanguageModel(tmp_path / "model.arpa")) == "<Model from model.arpa>"
    assert kenlm.Model(str(tmp_path / "model.arpa").encode()).order == 3


def test_states_are_values(mkn: KneserNey) -> None:
    model = kenlm.Model(mkn)
    first, second, third = kenlm.State(), kenlm.State(), kenlm.State()
    model.BeginSentenceWrite(first)
    model.BeginSentenceWrite(second)
    assert first == second
    assert hash(first) == hash(second)
    model.BaseScore(first, "das", third)
    assert third != first
    assert copy(third) == third
    assert first != "a state"


def test_text_is_prepared_as_the_training_text_was() -> None:
    with pytest.warns(UserWarning):
        lower = KneserNey(order=2, lowercase=True).fit(TEXT, progress=False)
    model = kenlm.Model(lower)
    assert model.score("DAS Haus") == pytest.approx(model.score("das haus"))
    assert "HAUS" in model
    assert word_by_word(model, "DAS Haus") == pytest.approx(model.score("das haus"))


def test_what_makes_no_sense_is_refused(mkn: KneserNey) -> None:
    model = kenlm.Model(mkn)
    state = kenlm.State()
    model.BeginSentenceWrite(state)
    with pytest.raises(InputError, match="never predicted"):
        model.BaseScore(state, "<s>", kenlm.State())
    state.number = 10_000_000
    with pytest.raises(InputError, match="another model"):
        model.BaseScore(state, "das", kenlm.State())
