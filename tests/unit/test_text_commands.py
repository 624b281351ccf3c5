"""Text and vocabularies, written for other tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from binyan import KneserNey
from binyan.cli import app
from binyan.text.vocabulary import Vocabulary

pytestmark = pytest.mark.filterwarnings("ignore")


def run(*arguments: object, text: str | None = None) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=text)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.binyan"
    KneserNey(order=2, lowercase=True, digits=True).fit(["Das Haus 1", "Das Tor 23"] * 3, progress=False).save(path)
    return path


def test_text_is_printed_as_a_model_sees_it(tmp_path: Path, model: Path) -> None:
    raw = tmp_path / "raw.txt"
    raw.write_text("Das  Haus 9\n\nEin TOR\n", encoding="utf-8")
    assert run("text", "prepare", "--text", raw, "--lowercase") == "das haus 9\n\nein tor\n"
    assert run("text", "prepare", "--text", raw, "--like", model) == "das haus 0\n\nein tor\n"
    assert run("text", "prepare", "--text", "-", "--digits", text="A 12\n") == "A 00\n"


def test_the_vocabulary_of_one_model_is_that_of_another(tmp_path: Path, model: Path) -> None:
    words = tmp_path / "words.txt"
    assert "5 words" in run("lm", "vocabulary", model, "--out", words)
    assert set(Vocabulary.read(words).own_words) == {"das", "haus", "tor", "0", "00"}
    other = KneserNey(order=2, vocabulary=words).fit(["das haus", "ein tor 0"] * 3, progress=False)
    assert other.vocabulary.own_words == Vocabulary.read(words).own_words
