"""`binyan lm` with compound models, as typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from binyan.cli import app

TEXT = ["der alte schulhof", "der alte gasthof", "die schul am alten hof", "der gast am hof", "ein schulgast"] * 4
TABLE = "# made by hand\nschulhof\tschul hof\ngasthof\tgast hof\nschulgast\tschul gast\nhofgast\thof gast\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text").write_text("\n".join(TEXT) + "\n", encoding="utf-8")
    (tmp_path / "table.tsv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("kind", ["hpylm+c", "hpylm+g"])
def test_train_evaluate_explain(folder: Path, kind: str) -> None:
    settings = ["--order", "3", "--iterations", "10", "--samples", "2", "--segmentation", folder / "table.tsv"]
    trained = json.loads(
        run("lm", "train", kind, "--text", folder / "text", *settings, "--out", folder / "m", "--json")
    )
    assert trained["compounds"] == 3 and trained["without_segmentation"] == 9
    assert f"model:{kind}|order:3" in trained["signature"]
    said = run("lm", "train", kind, "--text", folder / "text", *settings, "--out", folder / "n")
    assert "9 of 12 words have no segmentation and count as simplex" in said

    held_out = ["--text", folder / "text", "--by", "compound", "--by", "parts", "--json"]
    plain = json.loads(run("lm", "perplexity", folder / "m", *held_out))
    closed = json.loads(run("lm", "perplexity", folder / "m", *held_out, "--renormalise"))
    assert closed["perplexity"] == closed["perplexity_renormalised"] < plain["perplexity"]
    assert "perplexity_renormalised" not in plain  # the text is scored once
    assert "renormalised:exact" in closed["signature"]
    assert {row["word"] for row in plain["compound"]["rows"]} == {"compound", "other"}
    explained = json.loads(run("lm", "explain", folder / "m", "--text", "der hofgast", "--json"))
    steps = {(s["name"], s["detail"]) for s in explained["words"][1]["steps"]}
    assert ("modifier", "hof | gast") in steps


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hpylm", "--head", "left"], "--head"),
        (["hpylm+c", "--segmentation", "table.tsv", "--head", "top"], "'right' or 'left'"),
        (["hpylm+c", "--segmentation", "table.tsv", "--linking", "drop"], "linking elements"),
        (["hpylm+c", "--segmentation", "contradictory.tsv"], "contradictory.tsv:2"),
        (["hpylm+c", "--segmentation", "empty_part.tsv"], "empty_part.tsv:1"),
        (["hpylm+c", "--segmentation", "misspelt.tsv"], "misspelt.tsv:1"),
    ],
)
def test_bad_input_is_told(folder: Path, arguments: list[str], said: str) -> None:
    (folder / "contradictory.tsv").write_text("schulhof\tschul hof\nschulhof\tschulh of\n")
    (folder / "empty_part.tsv").write_text("schulhof\tschul  hof\n")
    (folder / "misspelt.tsv").write_text("schulhof\tschule hof\n")
    command = [
        sys.executable,
        "-c",
        "import binyan.cli; binyan.cli.main()",
        "lm",
        "train",
        *arguments,
        "--text",
        "text",
        "--out",
        "m",
    ]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode != 0
    assert said in result.stderr
    assert not (folder / "m").exists()


def test_renormalise_needs_a_compound_model(folder: Path) -> None:
    run("lm", "train", "hpylm", "--text", folder / "text", "--order", "2", "--iterations", "4", "--out", folder / "m")
    with pytest.raises(Exception, match="sums to one already"):
        run("lm", "perplexity", folder / "m", "--text", folder / "text", "--renormalise")
