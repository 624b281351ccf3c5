"""Our ARPA files read by KenLM: every n-gram, and sentences at random, have the probability that the model itself gives.

A program written for KenLM gives the same on `binyan.compat.kenlm`, which reads the same file.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from binyan import HPYLM, KneserNey
from binyan.compat import kenlm as ours_as_kenlm
from binyan.ngram.backoff import BackoffLanguageModel

kenlm = pytest.importorskip("kenlm", reason="KenLM is not installed: make peers")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NOTHING = 0  # the state after no words
WORDS = [f"{stem}{suffix}" for stem in ("haus", "hof", "geh", "lauf", "baum") for suffix in ("", "en", "st", "er")]


def sentences(number: int, seed: int, words: list[str]) -> list[list[str]]:
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(words) + 1)
    return [random.choice(words, random.integers(1, 12), p=weights / weights.sum()).tolist() for _ in range(number)]


def models() -> dict[str, BackoffLanguageModel]:
    text = sentences(300, 1, WORDS)
    return {
        "mkn": KneserNey(order=4).fit(text, progress=False),
        "pruned mkn": KneserNey(order=3, prune=(0, 0, 1), min_count=20).fit(text, progress=False),
        "hpylm": HPYLM(order=3, sweeps=20).fit(text, progress=False),
    }


def ngrams(arpa: Path) -> Iterator[list[str]]:
    """The words of every n-gram of an ARPA file."""
    with gzip.open(arpa, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) > 1:
                yield fields[1].split(" ")


def log10_of(model: Any, words: list[str]) -> float:
    """KenLM's log10 probability of the last word after the others."""
    state, after = kenlm.State(), kenlm.State()
    if words[0] == "<s>":
        model.BeginSentenceWrite(state)
        words = words[1:]
    else:
        model.NullContextWrite(state)
    score = 0.0
    for word in words:
        score = model.BaseScore(state, word, after)
        state, after = after, state
    return float(score)


@pytest.mark.parametrize("kind", ["mkn", "pruned mkn", "hpylm"])
def test_every_ngram_and_sentences_at_random(kind: str, tmp_path: Path) -> None:
    ours, arpa = models()[kind], tmp_path / "model.arpa.gz"
    ours.to_arpa(arpa, progress=False)
    theirs = kenlm.Model(str(arpa))
    assert ours.context(NOTHING) == []
    scored = 0
    for words in ngrams(arpa):
        if words[-1] == "<s>":
            continue
        state = ours.begin() if words[0] == "<s>" else NOTHING
        for word in words[words[0] == "<s>" : -1]:
            state = ours.score_word(state, word).state
        expected = log10_of(theirs, words)
        assert ours.score_word(state, words[-1]).log_prob / math.log(10) == pytest.approx(expected, abs=2e-5), words
        scored += 1
    assert scored > 500
    for words in sentences(2000, 2, [*WORDS, "unbekannt", "nie"]):
        line = " ".join(words)
        assert ours.score(line) == pytest.approx(theirs.score(line), abs=2e-4)


def program(module: ModuleType, arpa: Path) -> dict[str, list[Any]]:
    """What a program that knows KenLM's interface alone computes of an ARPA file, by the method it calls."""
    model = module.Model(str(arpa))
    results: dict[str, list[Any]] = {"order": [model.order], "full_scores": [], "score": [], "perplexity": []}
    results |= {"BaseScore": [], "BaseFullScore": [], "in": [word in model for word in (*WORDS, "unbekannt", "</s>")]}
    for number, words in enumerate(sentences(500, 3, [*WORDS, "unbekannt", "nie"])):
        line = " ".join(words)
        for bos, eos in ((True, True), (False, True), (True, False), (False, False)):
            results["score"].append(model.score(line, bos=bos, eos=eos))
            results["full_scores"] += model.full_scores(line, bos=bos, eos=eos)
        results["perplexity"].append(model.perplexity(line))
        state, after = module.State(), module.State()
        (model.BeginSentenceWrite if number % 2 else model.NullContextWrite)(state)
        for word in [*words, "</s>"]:
            full = model.BaseFullScore(state, word, after)
            results["BaseFullScore"].append((full.log_prob, full.ngram_length, full.oov))
            results["BaseScore"].append(model.BaseScore(state, word, after))
            state, after = after, state
    return results


@pytest.mark.parametrize("kind", ["mkn", "pruned mkn", "hpylm"])
def test_one_program_on_kenlm_and_on_our_interface(kind: str, tmp_path: Path) -> None:
    arpa = tmp_path / "model.arpa"
    models()[kind].to_arpa(arpa, progress=False)
    theirs, ours = program(kenlm, arpa), program(ours_as_kenlm, arpa)
    assert theirs["order"] == ours["order"] and theirs["in"] == ours["in"]
    for method in ("BaseScore", "score", "perplexity"):
        assert ours[method] == pytest.approx(theirs[method], rel=1e-5, abs=1e-5), method
    for method in ("BaseFullScore", "full_scores"):
        assert len(theirs[method]) == len(ours[method]) > 3000
        for (log_prob, length, oov), (expected, expected_length, expected_oov) in zip(
            ours[method], theirs[method], strict=True
        ):
            assert log_prob == pytest.approx(expected, abs=1e-5)
            assert (length, oov) == (expected_length, expected_oov), method
    assert {oov for _, _, oov in theirs["full_scores"]} == {True, False}
