"""N-gram models merged into one: its n-grams, their probabilities, sums, and files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import SettingsError
from binyan.language_model import END, LanguageModel
from binyan.mixture import Mixture
from binyan.ngram.backoff import BackoffLanguageModel

ONE = ["der hund sah die katze", "die katze sah den hund", "der hund sah den igel", "a b c d"] * 2
OTHER = ["der igel schlief tief", "die maus sah den hund", "der igel schlief", "der hund schlief"] * 2


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def models() -> list[LanguageModel]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            binyan.KneserNey(order=3).fit(ONE, progress=False),
            binyan.HPYLM(order=2, sweeps=6, samples=2).fit(OTHER, progress=False),
        ]


def ngrams(model: BackoffLanguageModel) -> set[tuple[str, ...]]:
    return {
        (*model.context(c), model.vocabulary.words[w])
        for c in range(model.native.states)
        for w in model.native.arrays["word"][slice(*model.native.arrays["first_entry"][c : c + 2])]
    }


def test_the_merged_model_has_all_ngrams_with_the_probabilities_of_the_mixture() -> None:
    mixture = Mixture(models(), [0.3, 0.7])
    merged = mixture.to_ngram()
    assert ngrams(merged) == {g for m in mixture.models for g in ngrams(m)} | {(w,) for w in mixture.vocabulary.words}  # type: ignore[arg-type]
    assert merged.order == 3
    checked = 0
    for *context, word in ngrams(merged):
        if word == "<s>":
            continue
        begins, rest = context[:1] == ["<s>"], [w for w in context if w != "<s>"]
        states = [m.begin() if begins else m.nowhere() for m in (mixture, merged)]
        for w in rest:
            states = [m.advance(s, w) for m, s in zip((mixture, merged), states, strict=True)]
        given, got = (m.score_word(s, word).log_prob for m, s in zip((mixture, merged), states, strict=True))
        assert got == pytest.approx(given, abs=1e-5)
        checked += 1
    assert checked > 40


def test_the_merged_model_sums_to_one_and_is_near(tmp_path: Path) -> None:
    mixture = Mixture(models()).fit(["der hund sah den igel", "die maus schlief xyz"], progress=False)
    merged = mixture.to_ngram()
    for context in ("", "der", "der hund", "die maus", "xyz sah", "schlief"):
        assert merged.distribution(merged.state_after(context)).sum() == pytest.approx(1, abs=1e-6)
    text = ["der hund schlief tief", "die maus sah die katze"]
    assert merged.perplexity(text) == pytest.approx(mixture.perplexity(text), rel=0.1)
    merged.to_arpa(tmp_path / "m.arpa", progress=False)
    merged.save(tmp_path / "m")
    for name, tolerance in (("m.arpa", 1e-5), ("m", 0)):
        again = binyan.load(tmp_path / name)
        np.testing.assert_allclose(again.score_text(text).log_prob, merged.score_text(text).log_prob, atol=tolerance)


def test_two_equal_models_merge_into_themselves() -> None:
    one = models()[0]
    merged = Mixture([one, one], [0.5, 0.5]).to_ngram()
    text = [*ONE, "die maus sah den hund", "xyz der hund"]
    np.testing.assert_allclose(merged.score_text(text).log_prob, one.score_text(text).log_prob, atol=1e-5)
    assert merged.score_word(merged.begin(), END).log_prob == pytest.approx(one.score_word(one.begin(), END).log_prob)


def test_what_cannot_be_merged() -> None:
    pair = models()
    with pytest.raises(SettingsError, match="weights by context"):
        Mixture(pair, by_context=True).fit(["der hund"], progress=False).to_ngram()
    with pytest.raises(SettingsError, match="no n-gram model"):
        Mixture([pair[0], Mixture(pair, [0.5, 0.5])], [0.5, 0.5]).to_ngram()


def test_merging_on_the_command_line(tmp_path: Path) -> None:
    one, other = models()
    one.save(tmp_path / "one")
    other.to_arpa(tmp_path / "other.arpa", approximate=True, progress=False)
    (tmp_path / "dev").write_text("der hund sah den igel\ndie maus schlief\n")
    asked = ["lm", "mix", tmp_path / "one", tmp_path / "other.arpa", "--dev", tmp_path / "dev", "--as-ngram"]
    report = json.loads(run(*asked, "--out", tmp_path / "m", "--json"))
    assert report["perplexity"]["n-gram model"] == pytest.approx(report["perplexity"]["mixture"], rel=0.1)
    assert binyan.load(tmp_path / "m").kind == "arpa"
    assert "(the n-gram model," in run(*asked, "--rest", "1", "--out", tmp_path / "m2")
