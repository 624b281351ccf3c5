"""Any model as a back-off model: what is stored has the model's probability, everything sums to one, words can be added."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import binyan
from binyan.errors import InputError, SettingsError
from binyan.evaluation.export_report import divergence, export_report
from binyan.language_model import load
from binyan.ngram.approximation import histories
from binyan.ngram.arpa import ArpaModel
from binyan.ngram.backoff_settings import parse_size
from binyan.text import Corpus, Vocabulary
from model_zoo import HELD_OUT, NAMES, PARTS, TEXT, all_models

SENTENCES = [line.split() for line in TEXT]


def model_named(name):
    models = all_models()
    if name not in models:
        pytest.skip("needs PyTorch")
    return models[name]


def sums(model):
    return np.array([model.distribution(state).sum() for state in range(model.native.states)])


@pytest.mark.parametrize("name", NAMES)
def test_every_model_becomes_a_backoff_model_that_sums_to_one(name, tmp_path):
    model = model_named(name)
    for settings in ({}, {"size": 60}, {"prune": 1e-3}):
        made = model.to_backoff(TEXT, **settings)
        assert made.vocabulary == model.vocabulary and made.order <= model.order
        assert sums(made) == pytest.approx(1, abs=1e-5)
        if "size" in settings:
            assert sum(made.ngrams) == 60
    made.to_arpa(tmp_path / "m.arpa", progress=False)
    again = load(tmp_path / "m.arpa")
    one, other = (m.score_sentences(SENTENCES) for m in (made, again))
    assert other.log_prob == pytest.approx(one.log_prob, abs=1e-5)


@pytest.mark.parametrize("name", ["lbl", "clbl++", "mixture", "by context", "hpylm+g"])
@pytest.mark.parametrize("grow", [False, True])
def test_ngrams_of_whole_histories_have_the_probability_of_the_model(name, grow):
    model = model_named(name).closed()
    made = model.to_backoff(TEXT, grow=grow)
    for sentence in SENTENCES:
        for place in range(len(sentence) + 1):
            word = (*sentence, "</s>")[place]
            own, state = model.state_after(sentence[:place]), made.state_after(sentence[:place])
            assert made.score_word(state, word).matched == min(place + 2, model.order)
            expected = model.score_word(own, word).log_prob
            assert made.score_word(state, word).log_prob == pytest.approx(expected, abs=1e-4)


def test_ngrams_that_the_text_lacks_bring_the_model_nearer():
    model = model_named("clbl++")
    far = [divergence(model, model.to_backoff(TEXT, grow=grow), SENTENCES) for grow in (False, True)]
    sizes = [sum(model.to_backoff(TEXT, grow=grow).ngrams) for grow in (False, True)]
    assert sizes[0] < sizes[1] and far[1] < far[0]


def test_sampled_sentences_bring_further_ngrams():
    model = model_named("mixture")
    few, many = (sum(model.to_backoff(TEXT, grow=False, sample=n).ngrams) for n in (0, 30))
    assert few < many


def test_the_same_seed_gives_the_same_model():
    model = model_named("mixture")
    one, other = (model.to_backoff(TEXT, size=70, seed=5).native.arrays for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_averages_of_samples_keep_what_they_store():
    model = model_named("hpylm")
    made = model.to_backoff()
    for state in range(model.native.states):
        for e in range(*model.native.arrays["first_entry"][state : state + 2].tolist()):
            word = int(model.native.arrays["word"][e])
            if word != 1:
                assert made.native.score(state, word)[1] == pytest.approx(model.native.score(state, word)[1], abs=1e-5)


def test_a_lower_order_leaves_out_the_longest():
    model = model_named("mkn")
    made = model.to_backoff(order=2)
    assert made.order == 2 and made.ngrams == model.ngrams[:2]
    assert sums(made) == pytest.approx(1, abs=1e-5)


def test_models_without_a_text_ask_for_it():
    with pytest.raises(SettingsError, match="--text"):
        model_named("lbl").to_backoff()
    assert sum(model_named("hpylm+g").to_backoff().ngrams) > 0  # it has kept its text
    assert sum(model_named("mixture").to_backoff().ngrams) > 0  # so has one of its models


def test_histories_are_the_words_before_each_event():
    corpus = Corpus.encode([["a", "b"], []], Vocabulary(["a", "b"]))
    past, words = histories(corpus, 3)
    assert past.tolist() == [[1, 1], [1, 3], [3, 4], [1, 1]] and words.tolist() == [3, 4, 2, 2]


@pytest.mark.parametrize("name", ["hpylm+g", "closed hpylm+c", "clbl++", "mixture"])
def test_words_that_extend_the_vocabulary_take_their_probability_from_unk(name):
    model = model_named(name)
    plain, wider = model.to_backoff(TEXT), model.to_backoff(TEXT, extend=["haushof", "hoftür", "xyz", "haus"])
    assert wider.vocabulary.own_words == [*plain.vocabulary.own_words, "haushof", "hoftür"]
    assert sums(wider) == pytest.approx(1, abs=1e-5)
    before, after = plain.distribution(0), wider.distribution(0)
    size = len(plain.vocabulary)
    assert after[1:size] == pytest.approx(before[1:], abs=1e-6)
    assert after[0] + after[size:].sum() == pytest.approx(before[0], abs=1e-6)
    assert (after[size:] > 0).all() and after[0] > 0
    assert not wider.score_word(wider.begin(), "haushof").unknown


def test_the_shares_of_unk_are_those_of_the_open_model():
    model = model_named("hpylm+g")
    wider = model.to_backoff(TEXT, extend=["haushof", "hoftür"])
    corpus = model.training_text()
    past, _ = histories(Corpus.encode(SENTENCES, model.vocabulary), model.order)
    rows = past[np.random.default_rng(1).integers(len(past), size=64)].tolist()
    states = [model.state_after([corpus.vocabulary.words[w] for w in row if w != 1]) for row in rows]
    mean = [
        np.mean([math.exp(model.score_word(s, w).log_prob) for s in states]) for w in ("haushof", "hoftür", "<unk>")
    ]
    chances = [wider.distribution(0)[wider.vocabulary[w]] for w in ("haushof", "hoftür", "<unk>")]
    assert np.array(chances) / sum(chances) == pytest.approx(np.array(mean) / sum(mean), rel=1e-4)


def test_words_that_nobody_knows_are_refused():
    with pytest.raises(InputError, match="none of the words"):
        model_named("hpylm+g").to_backoff(TEXT, extend=["xyz", "qrs"])
    with pytest.raises(SettingsError, match="no morpheme vectors"):
        model_named("mkn").to_backoff(TEXT, extend=["haushof"])


@pytest.mark.parametrize(("text", "size"), [("500k", 500_000), ("1.5M", 1_500_000), ("70", 70), ("2g", 2_000_000_000)])
def test_sizes_as_people_write_them(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "k", "many", "-5", "0", "1e999", "5kk"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(SettingsError, match="number of n-grams"):
        parse_size(text)


def test_divergence_is_summed_over_the_vocabulary():
    one, other = model_named("mkn"), model_named("hpylm")
    total, events = 0.0, 0
    for sentence in SENTENCES:
        for place in range(len(sentence) + 1):
            p, q = (m.next_words(sentence[:place]) for m in (one, other))
            total += sum(p[w] * math.log(p[w] / q[w]) for w in p if p[w] > 0)
            events += 1
    assert divergence(one, other, SENTENCES, number=events) == pytest.approx(total / events, rel=1e-6)
    assert divergence(one, one, SENTENCES) == 0


def test_the_report_has_the_model_and_kneser_ney_beside_it(tmp_path):
    model = model_named("mixture")
    written = model.to_arpa(tmp_path / "m.arpa", TEXT, size=60, progress=False)
    report = export_report(model, written, tmp_path / "m.arpa", TEXT, HELD_OUT)
    assert sum(report.ngrams) == 60 and report.bytes == (tmp_path / "m.arpa").stat().st_size
    assert list(report.perplexity) == ["exported", "the model itself", "Kneser-Ney of the same size"]
    assert report.perplexity["exported"] == pytest.approx(written.perplexity(HELD_OUT))
    assert report.divergence > 0 and "divergence from the model" in str(report)


def test_the_command(tmp_path):
    from typer.testing import CliRunner

    from binyan.cli import app

    model, text, words = tmp_path / "m.binyan", tmp_path / "t.txt", tmp_path / "words.txt"
    binyan.Mixture([model_named("hpylm+g"), model_named("mkn")], [0.5, 0.5]).save(model)
    text.write_text("\n".join(TEXT) + "\n", encoding="utf-8")
    words.write_text("\n".join(PARTS) + "\n", encoding="utf-8")
    command = ["lm", "export", str(model), "--text", str(text), "--dev", str(text), "--quiet", "--json"]
    result = CliRunner().invoke(app, [*command, "--size", "0.06k", "--arpa", str(tmp_path / "a.arpa")])
    report = json.loads(result.stdout)
    assert report["size"] == 60 and len(report["perplexity"]) == 3
    result = CliRunner().invoke(app, [*command, "--extend", str(words), "--arpa", str(tmp_path / "b.arpa")])
    assert result.exit_code == 0
    assert "haushof" in ArpaModel.read(tmp_path / "b.arpa").vocabulary
