"""The settings of recurrent models, each stated once: which model, its size, and its training.

Nothing here needs PyTorch, so that the command line can list the options without it.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from binyan.errors import SettingsError
from binyan.log_bilinear.settings import Variant
from binyan.settings import Settings, setting

CELLS = ("lstm", "gru")
VARIANTS = ("lstm", "lstm+c", "lstm+o", "lstm++")
_NAME = re.compile(r"lstm(\+c|\+o|\+\+)?")


class RecurrentVariant(Variant):
    """Which model of the family: `lstm`, or `lstm+c`, `lstm+o`, `lstm++` where vectors are sums of factor vectors."""

    @classmethod
    def parse(cls, name: str) -> RecurrentVariant:
        """The variant called `name`."""
        match = _NAME.fullmatch(name.lower())
        if match is None:
            raise SettingsError(f"{name!r} is not a recurrent model: {', '.join(VARIANTS)}")
        return cls(context=match[1] in ("+c", "++"), output=match[1] in ("+o", "++"))

    def __str__(self) -> str:
        return super().__str__().replace("clbl", "lstm")

    @property
    def description(self) -> str:
        """The variant in a few words."""
        sides = {(0, 0): "word vectors", (1, 0): "additive input vectors", (0, 1): "additive output vectors"}
        return sides.get((self.context, self.output), "additive vectors")


@dataclass(frozen=True)
class RecurrentShape(Settings):
    """The size and form of a recurrent model."""

    variant: RecurrentVariant = setting(
        RecurrentVariant.parse("lstm++"), "Which model of the family.", on_command_line=False
    )
    dim: int = setting(128, "Dimensions of the vectors of words and morphemes.", metavar="N")
    hidden: int = setting(256, "Units of a recurrent layer.", metavar="N")
    layers: int = setting(1, "Recurrent layers.", metavar="N")
    cell: str = setting("lstm", "Kind of recurrent layer: lstm or gru.")
    tied: bool = setting(
        True, "Use the same vectors for input words and predicted words, or separate ones.", option="--tied/--untied"
    )

    order: int = setting(
        6, "Decoders that keep only the last words of a sentence keep N - 1 of them.", short="-n", metavar="N"
    )

    def __post_init__(self) -> None:
        if isinstance(self.variant, str):
            object.__setattr__(self, "variant", RecurrentVariant.parse(self.variant))
        for name in ("dim", "hidden", "layers", "order"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.cell not in CELLS:
            raise SettingsError(f"recurrent layers are {' or '.join(CELLS)}, not {self.cell!r}")

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self) | {"variant": str(self.variant)}


@dataclass(frozen=True)
class RecurrentTraining(Settings):
    """How a recurrent model is trained.

    The step size rises over `warm_up` of training and falls to 0 at its end, which is after `epochs`, or after `minutes` where
    these are given. After an epoch that brings no gain, training goes on from the best one with half the step size.
    """

    step: float = setting(0.003, "Step size of Adam.", metavar="X")
    batch: int = setting(1000, "Events per minibatch.", metavar="N")
    epochs: int = setting(5, "At most N passes through the text.", metavar="N")
    minutes: float | None = setting(None, "Train for about N minutes instead; may be a fraction.", metavar="N")
    patience: int = setting(2, "Stop after N epochs without improvement.", metavar="N")
    dropout: float = setting(0.4, "Share of the layers' inputs and outputs dropped in training.", metavar="X")
    clip: float = setting(1.0, "Maximum norm of the gradient of the recurrent layers.", metavar="X")
    steps_back: int = setting(100, "Number of words through which gradients are propagated back.", metavar="N")
    warm_up: float = setting(0.02, "Share of training during which the step size rises.", metavar="X")
    seed: int = setting(1, "Random seed.", metavar="S")
    device: str = setting("cpu", "Where to train: cpu, cuda, mps ...")

    def __post_init__(self) -> None:
        for name in ("step", "batch", "epochs", "patience", "clip", "steps_back"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"{name.replace('_', ' ')} must be positive, not {getattr(self, name)}")
        if self.minutes is not None and self.minutes <= 0:
            raise SettingsError(f"minutes of training must be positive, not {self.minutes}")
        for name in ("dropout", "warm_up"):
            if not 0 <= getattr(self, name) < 1:
                raise SettingsError(f"{name.replace('_', ' ')} is a share from 0 to below 1, not {getattr(self, name)}")
