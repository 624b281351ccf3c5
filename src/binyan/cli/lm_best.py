"""`binyan lm train best`: the best model that a budget of minutes allows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.best_model.settings import BudgetSettings
from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.text import Preparation, VocabularyPolicy


@with_settings
def best(
    *,
    text: o.TrainingText,
    out: o.Out,
    more: o.MoreText = None,
    dev: Annotated[
        Path | None,
        typer.Option(
            "--dev", metavar="F", help="Development text; by default every k-th block of the text is held out."
        ),
    ] = None,
    budget: BudgetSettings,
    vocabulary: VocabularyPolicy,
    preparation: Preparation,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Train the models that are known to be best within a budget of minutes, mix them by context, and write one model.

    Kneser-Ney is always trained; other models are trained if timings on slices of the text show that they fit the budget. Ctrl-C
    ends training and keeps the best so far.

    \b
    binyan lm train best --text train.txt --out model.binyan
    binyan lm train best --text train.txt --dev dev.txt --minutes 60 --lowercase --tokenise cs --out model.binyan
    """
    from binyan import train_best

    o.check_out(out)
    groups: dict[str, Any] = {"budget": budget, "vocabulary_policy": vocabulary, "preparation": preparation}
    say = None if quiet else lambda line: typer.echo(line, err=True)
    found = train_best([*text, *(more or [])], dev, say=say, progress=False if quiet else None, **groups)
    found.save(out)
    if json_:
        print_json({"model": str(out), **found.to_dict()})
    else:
        typer.echo(f"{found}\n{out}: {found.model.description}\n{found.model.signature().short}")
