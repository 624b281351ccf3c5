"""Open vocabularies behind every kind of model: sums to one over all strings, calibration, files, commands and decoders."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan import HPYLM, KneserNey, Mixture, OpenVocabulary
from binyan.cli import app
from binyan.compat import kenlm
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.language_model import LanguageModel, load
from binyan.open_vocabulary.calibration import Calibration, unknown_rate
from binyan.text import Corpus, Vocabulary, VocabularyPolicy
from model_zoo import PARTS, log_bilinear_models

TEXT = ["ab ba ab", "ba ab abba", "bab ab ba", "ab ab ab b", "aab ba b", "a abba"] * 3
RUNNER = CliRunner()
FAST = {"spelling_order": 3, "spelling_sweeps": 4, "spelling_samples": 2}


@lru_cache(maxsize=1)
def models() -> dict[str, OpenVocabulary]:
    """A small open model of every kind that needs no PyTorch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schedule = {"order": 2, "sweeps": 5, "samples": 2}
        parts = {"abba": "ab ba", "bab": "b ab"}
        rare = KneserNey(order=2, min_count=4)
        plain = [KneserNey(order=n).fit(TEXT, progress=False) for n in (1, 2)]
        every: dict[str, LanguageModel] = {
            "hpylm": HPYLM(**schedule),
            "hpylm closed under it": HPYLM(min_count=4, **schedule),
            "mkn": KneserNey(order=2),
            "mkn with unknown words": rare,
            "hpylm+c": binyan.CompoundHPYLM(segmentation=parts, both_ways=False, **schedule),
            "hpylm+g": binyan.CompoundHPYLM(segmentation=parts, **schedule),
            "mixture": Mixture(plain, [0.5, 0.5]),
            "mixture by context": Mixture(plain, by_context=True).fit(TEXT[:4], progress=False),
        }
        return {name: OpenVocabulary(m, **FAST).fit(TEXT, progress=False) for name, m in every.items()}


NAMES = list(models())


@pytest.mark.parametrize("name", NAMES)
def test_all_strings_sum_to_one(name: str) -> None:
    """Strings of a and b up to six letters one by one; all others by what the model of spelling leaves for them."""
    model = models()[name]
    strings = ["".join(s) for n in range(7) for s in itertools.product("ab", repeat=n)]
    outside = [s for s in strings if s not in model.vocabulary]
    rest = model.spelling.mass_outside([*strings, *model.vocabulary.words[:3]])
    for state in (model.begin(), model.state_after("ab ba"), model.state_after("xyz")):
        chances = model.distribution(state)
        assert chances.sum() == pytest.approx(1.0, abs=2e-6)
        unknown = math.exp(model.score_word(state, "<unk>").log_prob)
        assert unknown == pytest.approx(chances[0], rel=1e-5)
        total = sum(math.exp(model.score_word(state, w).log_prob) for w in (*strings, "</s>"))
        share = rest / model.spelling.mass_outside(model.vocabulary.words)
        assert total + unknown * share == pytest.approx(1.0, abs=1e-5)
        assert sum(math.exp(model.score_word(state, w).log_prob) for w in outside) < unknown


@pytest.mark.parametrize("name", NAMES)
def test_batches_score_as_single_words_do(name: str) -> None:
    model = models()[name]
    sentences = [["ab", "xab", "ba"], [], ["aaaa", "<unk>", "日本", "ab", ""]]
    scores = model.score_sentences(sentences)
    one_by_one = []
    for sentence in sentences:
        state = model.begin()
        for word in (*sentence, "</s>"):
            scored = model.score_word(state, word)
            one_by_one.append((scored.log_prob, scored.unknown))
            state = scored.state
    assert scores.log_prob == pytest.approx([p for p, _ in one_by_one], rel=1e-4)
    assert scores.unknown.tolist() == [u for _, u in one_by_one]
    assert np.isfinite(scores.log_prob).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_file_holds_all_of_it(name: str, tmp_path: Path) -> None:
    model = models()[name]
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert isinstance(loaded, OpenVocabulary) and loaded.signature() == model.signature()
    sentences = [["ab", "xab"], ["bbb", "ba"]]
    assert loaded.score_sentences(sentences).log_prob == pytest.approx(model.score_sentences(sentences).log_prob)
    model.save(tmp_path / "small", reduced=True)
    assert load(tmp_path / "small").score("ab xab") == pytest.approx(model.score("ab xab"))


def test_log_bilinear_models_are_opened_too() -> None:
    trained = log_bilinear_models()
    if not trained:
        pytest.skip("PyTorch is not installed")
    inner = next(m for name, m in trained.items() if name not in ("extended",))
    model = OpenVocabulary(inner, **FAST).fit(["das haus hat eine haustür", "der hof hat ein garten"], progress=False)
    state = model.state_after("das haus")
    assert model.distribution(state).sum() == pytest.approx(1.0, abs=1e-5)
    one = [model.score_word(state, w).log_prob for w in ("hausgarten", "haus")]
    assert np.isfinite(one).all() and PARTS
    batch = model.score_sentences([["das", "haus", "hausgarten"]]).log_prob
    assert batch[2] == pytest.approx(one[0], rel=1e-4)


# The HPYLM over spelling.


def test_the_base_of_an_hpylm_is_its_own_spelling() -> None:
    model = models()["hpylm"]
    assert model.spelling is model.model.own_spelling
    assert models()["hpylm closed under it"].model.own_spelling is None
    assert models()["mkn"].model.own_spelling is None
    assert "base:spelling" in str(model.signature())
    one = model.one_sample()
    assert one.distribution(one.begin()).sum() == pytest.approx(1.0, abs=1e-5) and not one.is_average


def test_training_is_resumed_from_the_file_of_an_open_model(tmp_path: Path) -> None:
    settings = {"order": 2, "samples": 1, "seed": 5}
    half, whole = tmp_path / "half", tmp_path / "whole"
    OpenVocabulary(HPYLM(sweeps=4, **settings)).fit(TEXT, progress=False, checkpoint=half).save(half)
    again = OpenVocabulary(HPYLM(sweeps=8, burn_in=0, **settings))
    again.fit(TEXT, progress=False, checkpoint=half, resume=True)
    once = OpenVocabulary(HPYLM(sweeps=8, burn_in=0, **settings)).fit(TEXT, progress=False)
    once.save(whole)
    assert again.score("ab xab ba") == once.score("ab xab ba")
    assert len(load(whole).trace[0]) == 8


# How often unknown words come.


def test_the_rate_of_unknown_words_is_that_of_parts_left_out() -> None:
    corpus = Corpus.read(["a b c", "a d e", "a a b"])
    # In thirds: c in the first, d and e in the second occur nowhere else; b is in two.
    assert unknown_rate(corpus) == pytest.approx((3 + 0.5) / (12 + 1))
    partly = Corpus.read(["a b c", "a d e", "a a b"], policy=VocabularyPolicy(min_count=2))
    assert unknown_rate(partly) == pytest.approx((3 + 0.5) / (12 + 1))
    assert 0 < unknown_rate(Corpus.read([["x"]])) < 1


def test_calibration_keeps_sums_and_reaches_the_rate() -> None:
    random = np.random.default_rng(3)
    chances = np.log(random.uniform(1e-6, 0.05, 2000))
    lengths = random.integers(0, 3, 2000)
    one = Calibration.to_rate(chances, 0.2)
    unknown, rest = one.apply(chances, lengths)
    assert np.exp(unknown).mean() == pytest.approx(0.2, rel=1e-6)
    assert np.exp(unknown) + np.exp(rest) * -np.expm1(chances) == pytest.approx(np.ones(2000))
    rates = np.array([0.1, 0.3, 0.6])
    seen = random.uniform(size=2000) < rates[lengths]
    fitted = one.fitted(chances, lengths, seen)
    after = np.exp(fitted.apply(chances, lengths)[0])
    for k in range(3):
        assert after[lengths == k].mean() == pytest.approx(seen[lengths == k].mean(), abs=0.02)


def test_calibration_of_odd_input_stays_finite() -> None:
    never = np.array([-np.inf, -1e9, -5.0])
    for chances in (never, np.zeros(2), np.full(3, -1e-300)):
        one = Calibration.to_rate(chances, 0.1).fitted(
            chances, np.zeros(len(chances), int), np.zeros(len(chances), bool)
        )
        assert all(np.isfinite(x).all() for x in one.apply(chances, np.zeros(len(chances), int)))
    with pytest.raises(InputError, match="finite"):
        Calibration((math.nan,))


def test_unknown_words_come_as_often_as_in_the_development_text() -> None:
    development = ["ab xa ba", "ba xb ab", "xc ab xd"] * 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = OpenVocabulary(KneserNey(order=2), calibrated=False, **FAST).fit(TEXT, progress=False)
        fitted = OpenVocabulary(KneserNey(order=2), **FAST).fit(TEXT, development, progress=False)
    rate = 4 / 12

    def expected(model: OpenVocabulary) -> float:
        unknown = [["<unk>" for _ in s.split()] for s in development]
        contexts = model.score_sentences([s.split() for s in development])
        assert len(unknown) == len(contexts.offsets) - 1
        log_unknown, lengths = model.model.unknown_chances([s.split() for s in development])
        return float(np.exp(model.calibration.apply(log_unknown, lengths)[0]).mean())

    assert expected(plain) < 0.1 and expected(fitted) == pytest.approx(rate, abs=0.03)
    assert fitted.perplexity(development) < plain.perplexity(development)
    assert plain.calibration.is_none and "unknown_offsets" not in plain.signature().fields


# What it is for other parts of the toolkit.


def test_models_of_different_vocabularies_are_compared(tmp_path: Path) -> None:
    small, large = models()["mkn with unknown words"], models()["mkn"]
    assert small.vocabulary != large.vocabulary
    comparison = binyan.compare([small, large], ["ab ba aab xab"])
    figures = comparison.tables["perplexity"].to_dict()
    assert "unknown words" in str(figures) and "bits per character" in str(figures)
    with pytest.raises(InputError, match="--vocabulary open"):
        binyan.compare([small.closed(), large.closed()], ["ab ba"])
    both = binyan.compare([large, large.closed()], ["ab ba"], names=["open", "shut"])
    assert [e.name for e in both.evaluations] == ["open (closed)", "shut"]


def test_figures_of_open_models() -> None:
    model, text = models()["hpylm"], ["ab xab ba", "ba bbb"]
    evaluation = binyan.evaluate(model, text)
    figures = evaluation.to_dict()
    scores = model.score_sentences([s.split() for s in text])
    assert figures["perplexity_unknown"] == pytest.approx(math.exp(-scores.log_prob[scores.unknown].mean()))
    bits = -scores.log_prob.sum() / math.log(2)
    assert figures["bits_per_character"] == pytest.approx(bits / sum(len(s) + 1 for s in text))
    assert "of unknown words" in evaluation.figures and "bits per character" in evaluation.figures
    closed = binyan.evaluate(model.closed(), text)
    assert "perplexity_unknown" not in closed.to_dict() and "of unknown words" not in closed.figures


def test_kenlms_interface_scores_words_never_seen() -> None:
    scorer = kenlm.Model(models()["hpylm"])
    assert "abab" in scorer and "日" in scorer and "<unk>" not in scorer
    state, after = kenlm.State(), kenlm.State()
    scorer.BeginSentenceWrite(state)
    assert scorer.BaseScore(state, "abab", after) > scorer.BaseScore(state, "日本語", after)
    assert scorer.BaseFullScore(state, "abab", after).oov


def test_decoders_penalise_no_word(tmp_path: Path) -> None:
    pytest.importorskip("pyctcdecode")
    from binyan.compat.pyctcdecode import DecoderLanguageModel

    opened, closed = DecoderLanguageModel(models()["mkn"]), DecoderLanguageModel(models()["mkn"].closed())
    assert opened.score_partial_token("bbbbb") == 0.0 > closed.score_partial_token("bbbbb")
    own, _ = opened.score(opened.get_start_state(), "bbbb")
    expected = models()["mkn"].score_word(models()["mkn"].begin(), "bbbb").log_prob
    assert own == pytest.approx(opened.alpha * expected + opened.beta, rel=1e-6)


def test_drawn_sentences_spell_unknown_words() -> None:
    model = models()["mkn with unknown words"]
    words = [w for s in model.sample(20, seed=4) for w in s.split()]
    assert any(w not in model.vocabulary for w in words) and "<unk>" not in words
    explained = model.explain("ab xyz")
    assert [step.name for step in explained[1].steps] == ["unknown", "spelt"]
    assert math.prod(step.probability or 0 for step in explained[1].steps) == pytest.approx(
        math.exp(explained[1].log_prob), rel=1e-6
    )


def test_what_cannot_be_open_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="open already"):
        OpenVocabulary(models()["mkn"])
    with pytest.raises(SettingsError, match="no setting"):
        OpenVocabulary(KneserNey(), colour="red")
    with pytest.raises(binyan.errors.NotFittedError):
        OpenVocabulary(KneserNey()).score("a")
    from binyan import model_file

    meta, sections = models()["mkn"].contents()
    model_file.save(tmp_path / "nested", "open", meta | {"open_vocabulary": {"kind": "open"}}, sections)
    with pytest.raises(ModelFileError, match="cannot be open"):
        load(tmp_path / "nested")
    lost = {name: s for name, s in sections.items() if not name.startswith("spelling/")}
    model_file.save(tmp_path / "lost", "open", meta, lost)
    with pytest.raises(ModelFileError, match="no model of spelling"):
        load(tmp_path / "lost")


# Commands.


def test_the_policy_is_open_closed_or_a_file(tmp_path: Path) -> None:
    assert VocabularyPolicy(vocabulary="open").is_open and VocabularyPolicy(vocabulary=Path("open")).is_open
    closed = VocabularyPolicy(vocabulary="closed", min_count=2)
    assert not closed.is_open and closed.given is None and closed.to_dict() == {"min_count": 2}
    (tmp_path / "words").write_text("ab\nba\n")
    assert VocabularyPolicy(vocabulary=tmp_path / "words").given == Vocabulary(["ab", "ba"])


def test_commands(tmp_path: Path) -> None:
    text, dev = tmp_path / "train.txt", tmp_path / "dev.txt"
    text.write_text("\n".join(TEXT) + "\n")
    dev.write_text("ab xa ba\nba xb\n")

    def run(*arguments: str) -> str:
        result = RUNNER.invoke(app, [*arguments])
        assert result.exit_code == 0, result.output
        return result.output

    train = ["lm", "train", "hpylm", "--text", str(text), "--order", "2", "--sweeps", "3", "-q"]
    run(*train, "--vocabulary", "open", "--dev", str(dev), "--out", str(tmp_path / "open"))
    mkn = ["lm", "train", "mkn", "--text", str(text), "-n", "2", "-q"]
    run(*mkn, "--vocabulary", "closed", "--out", str(tmp_path / "c"))
    opening = ["lm", "open", str(tmp_path / "c"), "--text", str(text), "--spelling-order", "3", "-q"]
    run(*opening, "--out", str(tmp_path / "o"))
    figures = json.loads(run("lm", "perplexity", str(tmp_path / "open"), "--text", str(dev), "--json"))
    assert figures["perplexity_unknown"] > figures["perplexity_known"] and figures["unknown"] == 2
    assert "bits per character" in run("lm", "perplexity", str(tmp_path / "o"), "--text", str(dev))
    run("lm", "compare", str(tmp_path / "open"), str(tmp_path / "o"), "--text", str(dev), "--top", "0")
    refused = RUNNER.invoke(app, [*train, "--dev", str(dev), "--out", str(tmp_path / "x")])
    assert isinstance(refused.exception, SettingsError) and "--vocabulary open" in str(refused.exception)
