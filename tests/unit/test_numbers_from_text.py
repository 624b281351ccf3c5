"""Every number that is read is finite, and in range: files, JSON, options; the message names the line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.clustering import WordClasses
from binyan.errors import InputError, SettingsError
from binyan.log_bilinear.settings import TrainingSettings
from binyan.log_bilinear.similarity import WordPair, evaluate_similarity, read_pairs
from binyan.morphology.word_list import WordList
from binyan.number_text import finite_number, finite_value, whole_count
from binyan.scores import Scores
from binyan.text.vocabulary import VocabularyPolicy
from binyan.translation import Decoder, read_rules
from binyan.translation.nbest import parse
from binyan.translation.rescoring import Rescorer
from binyan.translation.system_folder import read_weights
from model_zoo import ngram_models

NOT_FINITE = ["nan", "inf", "-inf", "1e999", "-1e999", "1_0", "", "x"]


@pytest.mark.parametrize("text", NOT_FINITE)
def test_a_number_is_finite(text):
    with pytest.raises(ValueError, match="is not a"):
        finite_number(text)


@pytest.mark.parametrize("text", ["-1", "1.5", "²", "9" * 5000, "", "1e3", "٣"])
def test_a_count_is_a_whole_number(text):
    with pytest.raises(ValueError, match="is not a count"):
        whole_count(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, True, "1", 10**400])
def test_a_json_value_is_a_finite_number(value):
    with pytest.raises(ValueError, match="number"):
        finite_value(value)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "null", "true", '"1"', "1" + "0" * 400])
def test_weights_are_finite(tmp_path, value):
    path = tmp_path / "w.json"
    path.write_text(f'{{"LanguageModel1": {value}}}')
    with pytest.raises(InputError, match=r"w\.json: not a JSON object of weights"):
        Rescorer(ngram_models()["mkn"], path)
    path.write_text(f'{{"weights": {{"Glue": {value}}}}}')
    with pytest.raises(InputError, match=r"w\.json: not a file of weights"):
        read_weights(path)


def test_weights_given_in_python_are_finite(tmp_path):
    model = ngram_models()["mkn"]
    with pytest.raises(SettingsError, match="LanguageModel1 is a finite number, not nan"):
        Rescorer(model, {"LanguageModel1": float("nan")})
    (tmp_path / "g").write_text("[X] ||| a ||| das ||| f=0.1\n")
    with pytest.raises(SettingsError, match="Glue is a finite number, not inf"):
        Decoder(read_rules(tmp_path / "g"), [model], {"Glue": float("inf")})
    with pytest.raises(SettingsError, match="weights, not negative"):
        binyan.Mixture([model, ngram_models()["hpylm"]], [float("nan"), 1.0])


@pytest.mark.parametrize("value", ["nan", "-inf", "1e999"])
@pytest.mark.parametrize(
    ("format", "line"),
    [
        ("moses", "0 ||| a ||| LM= {} ||| 1"),
        ("moses", "0 ||| a ||| LM= 1 ||| {}"),
        ("cdec", "0 ||| a ||| LM={} ||| 1"),
        ("cdec", "0 ||| a ||| LM=1 ||| {}"),
        ("plain", "{}\tdas haus"),
        ("json", '{{"text": "a", "score": {}}}'),
        ("json", '{{"text": "a", "features": {{"f": {}}}}}'),
    ],
)
def test_scores_of_hypotheses_are_finite(format, line, value):
    given = {"nan": "NaN", "-inf": "-Infinity"}.get(value, value) if format == "json" else value
    with pytest.raises(InputError, match=r"nbest:7: not a line of the format"):
        parse(line.format(given), format, "nbest:7")


def test_a_json_score_is_a_number():
    for line in (
        '{"text": "a", "score": null}',
        '{"text": "a", "score": [1]}',
        '{"text": "a", "features": {"f": true}}',
    ):
        with pytest.raises(InputError, match="nbest:1: not a line"):
            parse(line, "json", "nbest:1")


@pytest.mark.parametrize("value", ["nan", "1e999", "x"])
def test_features_of_rules_are_finite(tmp_path, value):
    (tmp_path / "g").write_text(f"[X] ||| a ||| das ||| f=0.1\n[X] ||| b ||| haus ||| f={value}\n")
    with pytest.raises(InputError, match=r"g:2: .*number"):
        read_rules(tmp_path / "g")
    (tmp_path / "m").write_text(f"a [X] ||| das [X] ||| 1 1 {value} 1 ||| 0-0\n")
    with pytest.raises(InputError, match=r"m:1: .*number"):
        read_rules(tmp_path / "m", "moses")


@pytest.mark.parametrize("count", ["-3", "2.5", "1e999", "9" * 30])
def test_counts_of_words_are_whole_numbers(tmp_path, count):
    (tmp_path / "words").write_text(f"haus\t4\nhof\t{count}\n")
    with pytest.raises(InputError, match=r"words:2: .* is not a count"):
        WordList.read(tmp_path / "words")
    (tmp_path / "paths").write_text(f"00\thaus\t4\n01\thof\t{count}\n")
    with pytest.raises(InputError, match=r"paths:2: .* is not a count"):
        WordClasses.read(tmp_path / "paths")


def test_what_is_no_number_behind_a_word_is_no_count(tmp_path):
    (tmp_path / "words").write_text("haus\tN\nhof\t²\ntor\t3\n")
    assert WordList.read(tmp_path / "words").counts == (1, 1, 3)


@pytest.mark.parametrize("value", ["nan", "inf", "1e999"])
@pytest.mark.parametrize("line", [1, 2])
def test_similarities_are_finite(tmp_path, value, line):
    rows = ["haus\thof\t1", "haus\ttor\t2", "hof\ttor\t3"]
    rows[line - 1] = f"haus\thof\t{value}"
    (tmp_path / "pairs").write_text("\n".join(rows) + "\n")
    with pytest.raises(InputError, match=rf"pairs:{line}: .*finite number"):
        read_pairs(tmp_path / "pairs")


def test_a_correlation_of_constants_is_none():
    pairs = [WordPair("a", "b", 1.0), WordPair("a", "c", 2.0)]
    result = evaluate_similarity(pairs, lambda one, other: 0.0, lambda word: True)
    assert result.to_dict()["spearman"] is None and str(result).startswith("rho -")


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (TrainingSettings, {"step": float("inf")}),
        (TrainingSettings, {"l2": float("nan")}),
        (TrainingSettings, {"l2": -1.0}),
        (TrainingSettings, {"warm_up": float("inf")}),
        (TrainingSettings, {"seed": -1}),
        (VocabularyPolicy, {"kappa": float("nan")}),
        (VocabularyPolicy, {"kappa": -0.1}),
        (VocabularyPolicy, {"seed": 1 << 64}),
        (binyan.sampling.Schedule, {"seed": -1}),
        (binyan.sampling.Schedule, {"seed": 1 << 64}),
    ],
)
def test_settings_are_finite_and_seeds_in_range(kind, given):
    with pytest.raises(SettingsError):
        kind(**given)


def test_seeds_of_samples_are_in_range():
    with pytest.raises(SettingsError, match="a seed is"):
        ngram_models()["mkn"].sample(1, seed=-1)


@pytest.mark.parametrize(
    "options",
    [
        ["lm", "train", "mkn", "--kappa", "nan"],
        ["lm", "train", "mkn", "--kappa", "0.5", "--seed", "-1"],
        ["lm", "train", "hpylm", "--seed", str(1 << 64)],
        ["lm", "train", "clbl", "--dev", "TEXT", "--step", "inf"],
        ["lm", "train", "clbl", "--dev", "TEXT", "--l2", "-1"],
        ["lm", "train", "clbl", "--dev", "TEXT", "--l2", "nan"],
    ],
)
def test_options_are_finite_and_in_range(tmp_path, options):
    (tmp_path / "text").write_text("das haus\n")
    given = [str(tmp_path / "text") if o == "TEXT" else o for o in options]
    result = CliRunner().invoke(app, [*given, "--text", str(tmp_path / "text"), "--out", str(tmp_path / "m.binyan")])
    assert result.exit_code != 0 and not (tmp_path / "m.binyan").exists()
    assert isinstance(result.exception, (SystemExit, SettingsError))


def test_one_impossible_word_spoils_no_other_sentence():
    log_prob = np.array([-1.0, -np.inf, -2.0, -3.0, -1.0])
    scores = Scores(log_prob, np.zeros(5, np.uint8), np.zeros(5, bool), np.array([0, 2, 4, 5], np.uint64))
    assert scores.sentence_log_prob.tolist() == [-np.inf, -5.0, -1.0]
    assert Scores(*(np.zeros(0),) * 3, np.zeros(1, np.uint64)).sentence_log_prob.tolist() == []


def test_json_that_is_written_is_json():
    result = evaluate_similarity([WordPair("a", "b", 1.0)] * 2, lambda a, b: 0.0, bool).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
