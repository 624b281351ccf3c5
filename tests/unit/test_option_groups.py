"""A command that names a group of options has each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from binyan.cli.option_groups import SamplingOptions, TextOptions, VocabularyOptions, with_groups
from binyan.errors import SettingsError
from binyan.ngram.chains import Schedule
from binyan.text import Preparation


def test_options_of_groups_arrive_in_the_group() -> None:
    seen = []
    app = typer.Typer()

    @app.command()
    @with_groups
    def command(*, order: int = 4, prepare: TextOptions, sampling: SamplingOptions, seed: int = 1) -> None:
        """What it does."""
        seen.append((order, prepare.preparation, sampling.schedule(seed)))

    run = CliRunner()
    assert run.invoke(app, []).exit_code == 0
    assert run.invoke(app, ["--lowercase", "--tokenise", "de", "--iterations", "7", "--seed", "3"]).exit_code == 0
    assert seen == [
        (4, Preparation(), Schedule()),
        (4, Preparation(lowercase=True, tokenise="de"), Schedule(iterations=7, seed=3)),
    ]
    shown = run.invoke(app, ["--help"]).output
    assert "What it does." in shown and "--burn-in" in shown and "--strip-marks" in shown


def test_a_vocabulary_file_and_a_rule_contradict_each_other() -> None:
    with pytest.raises(SettingsError, match="--vocabulary gives the words"):
        VocabularyOptions(Path("words.txt"), min_count=2).policy(1)
