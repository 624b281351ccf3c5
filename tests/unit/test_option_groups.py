"""A command that names a group of options has each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from binyan.cli.commands import App
from binyan.cli.option_groups import RunOptions, with_settings
from binyan.errors import SettingsError
from binyan.sampling import Schedule
from binyan.text import Preparation, VocabularyPolicy


def test_options_of_groups_arrive_in_the_group() -> None:
    seen = []
    app = App()

    @app.command()
    @with_settings
    def command(*, order: int = 4, prepare: Preparation, schedule: Schedule, run: RunOptions) -> None:
        """What it does."""
        seen.append((order, prepare, schedule, run.resume))

    run = CliRunner()
    assert run.invoke(app, []).exit_code == 0
    assert run.invoke(app, ["--lowercase", "--tokenise", "de", "--iterations", "7", "--seed", "3"]).exit_code == 0
    assert run.invoke(app, ["--sweeps=8", "--resume"]).exit_code == 0
    assert seen == [
        (4, Preparation(), Schedule(), False),
        (4, Preparation(lowercase=True, tokenise="de"), Schedule(sweeps=7, seed=3), False),
        (4, Preparation(), Schedule(sweeps=8), True),
    ]
    help_text = run.invoke(app, ["--help"]).output
    assert "What it does." in help_text and "--burn-in" in help_text and "--strip-marks" in help_text
    assert "--sweeps" in help_text and "--iterations" not in help_text  # understood, not shown


def test_a_vocabulary_file_and_a_rule_contradict_each_other() -> None:
    with pytest.raises(SettingsError, match="a given vocabulary has the words"):
        VocabularyPolicy(Path("words.txt"), min_count=2)
