"""`binyan lm train lstm ... lstm++`: the recurrent models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binyan.cli import options as o
from binyan.cli.lm_log_bilinear import Checkpoint, Dev, WordOptions, train_network
from binyan.cli.option_groups import with_settings
from binyan.recurrent.settings import VARIANTS, RecurrentShape, RecurrentTraining, RecurrentVariant
from binyan.text import Preparation, VocabularyPolicy


def trainer_of(variant: str) -> Callable[..., None]:
    """The command that trains `variant`."""

    @with_settings
    def command(
        *,
        text: o.TrainingText,
        dev: Dev,
        out: o.Out,
        more: o.MoreText = None,
        shape: RecurrentShape,
        words: WordOptions,
        training: RecurrentTraining,
        checkpoint: Checkpoint = None,
        know: VocabularyPolicy,
        prepare: Preparation,
        plots: o.Plots = None,
        quiet: o.Quiet = False,
        json_: o.Json = False,
    ) -> None:
        from binyan import Recurrent

        groups: dict[str, Any] = {"shape": shape, "training": training, "policy": know, "preparation": prepare}
        model = Recurrent(variant, **words.sources(variant, out, quiet), **groups)
        train_network(model, [*text, *(more or [])], dev, out, checkpoint, plots, quiet, json_)

    command.__doc__ = f"""A recurrent model, {variant.upper()}: {RecurrentVariant.parse(variant).description}; LSTM or GRU layers.

    Ctrl-C ends training and keeps the best model so far.

    \b
    binyan lm train {variant} --text train.txt --dev dev.txt --out model.binyan
    binyan lm train {variant} --text train.txt --dev dev.txt --out model.binyan --minutes 30
    """
    return command


TRAINERS: dict[str, Callable[..., None]] = {variant: trainer_of(variant) for variant in VARIANTS}
