"""Explanations: the steps of a word add up to its probability."""

import json
import math

import pytest

from binyan.ngram.kneser_ney import KneserNey

TEXT = ["der hund sah die katze", "die katze sah den hund", "der hund und die katze", "der hund schlief"] * 3


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_steps_add_up(order):
    model = KneserNey(order=order).fit(TEXT)
    sentence = ["der", "hund", "sah", "die", "maus"]
    explained = model.explain(sentence)
    scores = model.score_sentences([sentence])
    assert [e.word for e in explained] == [*sentence, "</s>"]
    for e, log_prob, unknown in zip(explained, scores.log_prob, scores.unknown, strict=True):
        assert e.log_prob == pytest.approx(log_prob)
        assert e.unknown == unknown
        assert math.log(sum(s.probability for s in e.steps)) == pytest.approx(e.log_prob, abs=1e-5)
        assert sum(s.share for s in e.steps) == pytest.approx(1)
        assert min(s.probability for s in e.steps) > -1e-6  # an interpolated model only adds
    if order > 1:
        assert explained[1].steps[0].detail.endswith("der hund")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_command(tmp_path):
    from typer.testing import CliRunner

    from binyan.cli import app

    KneserNey(order=2).fit(TEXT).save(tmp_path / "m")
    shown = CliRunner().invoke(app, ["lm", "explain", str(tmp_path / "m"), "--text", "der vogel"]).output
    assert "der hund" not in shown
    assert "vogel\t" in shown
    assert "not in the vocabulary" in shown
    assert "order:2" in shown
    answer = CliRunner().invoke(app, ["lm", "explain", str(tmp_path / "m"), "--text", "der hund", "--json"]).output
    assert [w["word"] for w in json.loads(answer)["words"]] == ["der", "hund", "</s>"]
