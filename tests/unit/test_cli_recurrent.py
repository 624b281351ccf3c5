"""The commands of the recurrent models, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from log_bilinear_world import TABLE, text

SMALL = ["--dim", "4", "--hidden", "5", "--epochs", "2", "--batch", "50", "-k", "3", "--quiet"]


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("recurrent")
    for name, sentences in (("train", text()), ("dev", text(15, 1))):
        (place / name).write_text("".join(" ".join(s) + "\n" for s in sentences))
    TABLE.write(place / "map.tsv")
    return place


@pytest.mark.parametrize("kind", ["lstm", "lstm+c", "lstm+o", "lstm++"])
def test_train_measure_mix_and_export(folder: Path, kind: str) -> None:
    extra = ["--word-map", folder / "map.tsv"] if "+" in kind else ["--cell", "gru"]
    data = ["--text", folder / "train", "--dev", folder / "dev"]
    figures = json.loads(run("lm", "train", kind, *data, "--out", folder / kind, *SMALL, *extra, "--json"))
    assert figures["kind"] == kind and figures["epochs"] == 2
    assert figures["signature"].startswith(f"model:{kind}|cell:{'lstm' if '+' in kind else 'gru'}|")
    measured = json.loads(run("lm", "perplexity", folder / kind, "--text", folder / "dev", "--json"))
    assert measured["perplexity"] == pytest.approx(min(figures["development_perplexity"]), rel=1e-6)


def test_mix_explain_and_export(folder: Path) -> None:
    data = ["--text", folder / "train", "--dev", folder / "dev"]
    run("lm", "train", "lstm++", *data, "--out", folder / "m", *SMALL, "--word-map", folder / "map.tsv")
    run("lm", "train", "mkn", "--text", folder / "train", "--order", "2", "--out", folder / "mkn", "--quiet")
    run("lm", "mix", folder / "mkn", folder / "m", "--dev", folder / "dev", "--by-context", "--out", folder / "mixed")
    assert "perplexity" in run("lm", "perplexity", folder / "mixed", "--text", folder / "dev")
    assert "word in class" in run("lm", "explain", folder / "m", "--text", "hausen hofen")
    run("lm", "export", folder / "m", "--arpa", folder / "m.arpa", "--text", folder / "train")
    assert (folder / "m.arpa").read_text().startswith("\\data\\")


def test_checkpoint_and_minutes(folder: Path) -> None:
    data = ["--text", folder / "train", "--dev", folder / "dev", "--out", folder / "timed"]
    run("lm", "train", "lstm", *data, *SMALL, "--minutes", "0.002", "--checkpoint", folder / "state")
    assert (folder / "state").exists() and binyan.load(folder / "timed").signature().fields["minutes"] == 0.002
