"""The settings of log-bilinear models, each stated once: which model, its size, its training, and the search for settings.

Nothing here needs PyTorch, so that the command line can list the options without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.segmentation import SegmentationTable
from binyan.settings import Settings, setting

_NAME = re.compile(r"(n?)(c?)lbl(\+c|\+o|\+\+)?")


@dataclass(frozen=True, repr=False)
class Variant:
    """Which model of the family: `lbl`, `clbl++`, `nclbl+o` and so on."""

    classes: bool = True
    nonlinear: bool = False
    context: bool = False  # context vectors are sums of factor vectors
    output: bool = False  # target vectors are

    @classmethod
    def parse(cls, name: str) -> Variant:
        """The variant called `name`."""
        match = _NAME.fullmatch(name.lower())
        if match is None:
            raise SettingsError(
                f"{name!r} is not a log-bilinear model: lbl, clbl, nlbl or nclbl, with +c, +o or ++ or nothing"
            )
        n, c, plus = match.groups()
        return cls(bool(c), bool(n), plus in ("+c", "++"), plus in ("+o", "++"))

    def __str__(self) -> str:
        plus = {(0, 0): "", (1, 0): "+c", (0, 1): "+o", (1, 1): "++"}[self.context, self.output]
        return f"{'n' * self.nonlinear}{'c' * self.classes}lbl{plus}"

    def __repr__(self) -> str:
        return f"<{self}>"

    @property
    def additive(self) -> bool:
        """Whether the model needs a word map."""
        return self.context or self.output

    @property
    def description(self) -> str:
        """The variant in a few words."""
        sides = {(0, 0): "word vectors", (1, 0): "additive context vectors", (0, 1): "additive target vectors"}
        training = "with word classes" if self.classes else "without word classes"
        vectors = sides.get((self.context, self.output), "additive vectors")
        return f"{vectors}, {training}{', with a sigmoid' if self.nonlinear else ''}"


VARIANTS = [n + c + "lbl" + plus for n in ("", "n") for c in ("", "c") for plus in ("", "+c", "+o", "++")]


@dataclass(frozen=True)
class Shape(Settings):
    """The size and form of a model."""

    variant: Variant = setting(Variant.parse("clbl++"), "Which model of the family.", on_command_line=False)
    order: int = setting(
        5, "Length of the longest n-grams: the context and the word it predicts.", short="-n", metavar="N"
    )
    dim: int = setting(100, "Dimensions of the vectors.", metavar="N")
    diagonal: bool = setting(False, "Diagonal position matrices instead of full ones.")

    def __post_init__(self) -> None:
        if isinstance(self.variant, str):
            object.__setattr__(self, "variant", Variant.parse(self.variant))
        if self.dim < 1:
            raise SettingsError(f"vectors have at least 1 dimension, not {self.dim}")
        if self.order < 2:
            raise SettingsError(f"the order is 2 or more (one context word and the word it predicts), not {self.order}")

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self) | {"variant": str(self.variant)}


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How a model is trained: by AdaGrad on minibatches, until development perplexity stops falling.

    What is None follows from the sizes of the text and of the word map (`binyan.log_bilinear.recipe`). `step` and `l2` are the step
    size xi and the penalty lambda (thesis, sections 4.4.1, 4.4.3); `batch` is L. With `decay` a few epochs do what many do
    without. The step size rises over `warm_up` epochs because AdaGrad divides by the gradients seen so far, and after few of
    them a step of the whole size can undo a model. Steps that do are taken back and halved.
    """

    step: float | None = setting(None, "Step size of AdaGrad; by default it depends on the word map.", metavar="X")
    l2: float | None = setting(None, "Penalty lambda; by default it depends on the model.", metavar="X")
    batch: int | None = setting(
        None, "Events per minibatch; by default it depends on the size of the text.", metavar="N"
    )
    epochs: int | None = setting(None, "At most N passes through the text; by default 3.", metavar="N")
    patience: int = setting(1, "Stop after N epochs without improvement.", metavar="N")
    noise_samples: int | None = setting(
        None,
        "Train models without classes by noise contrast, with N noise words per event, instead of on the likelihood.",
        option="--noise",
        metavar="N",
    )
    softmax_words: int = setting(
        4000, "Words per minibatch over which the likelihood of models without classes is normalised.", metavar="N"
    )
    seed: int = setting(1, "Random seed.", metavar="S")
    device: str = setting("cpu", "Where to train: cpu, cuda, mps ...")
    decay: bool | None = setting(
        None,
        "Let the step size fall to 0 over the epochs (the default); 3 or 4 epochs are then enough.",
        option="--decay/--no-decay",
    )
    warm_up: float | None = setting(None, "Epochs over which the step size rises; may be a fraction.", metavar="X")

    def __post_init__(self) -> None:
        for name in ("step", "batch", "epochs", "patience", "noise_samples", "softmax_words"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise SettingsError(f"{name.replace('_', ' ')} must be positive, not {value}")
        if self.l2 is not None and self.l2 < 0:
            raise SettingsError(f"the penalty lambda is 0 or more, not {self.l2}")
        if self.warm_up is not None and self.warm_up < 0:
            raise SettingsError(f"warming up takes 0 epochs or more, not {self.warm_up}")


SEARCHED = ("step", "l2", "dim", "order")


@dataclass(frozen=True)
class SearchSettings(Settings):
    """How step size, penalty, dimension and order are searched."""

    trials: int = setting(10, "Number of trials in the study.", metavar="N")
    jobs: int = setting(1, "Trials to run at a time, each in its own process or worker.", metavar="N")
    epochs: int | None = setting(
        None, "At most N passes through the text per trial; by default as many as in training.", metavar="N"
    )
    search: str = setting(",".join(SEARCHED), "Which settings to search; the others stay as given.", metavar="NAMES")

    @property
    def searched(self) -> tuple[str, ...]:
        """The names of what is searched."""
        return tuple(filter(None, (name.strip() for name in self.search.split(","))))

    def __post_init__(self) -> None:
        if not self.searched or set(self.searched) - set(SEARCHED):
            raise SettingsError(f"what can be searched is {', '.join(SEARCHED)}, not {self.search!r}")
        if self.trials < 1 or self.jobs < 1:
            raise SettingsError(
                f"a study has at least one trial and one job at a time, not {self.trials} and {self.jobs}"
            )


@dataclass(frozen=True)
class VectorSettings(Settings):
    """Which vectors, and how those of words outside the vocabulary are made."""

    side: str = setting("both", "both (concatenated), context or target.")
    word_map: SegmentationTable | Mapping[str, str] | PathLike | None = setting(
        None, "Segmentations of words outside the vocabulary; by default the model's own.", metavar="TSV"
    )
    compose: bool = setting(
        True,
        "Compose words outside the vocabulary from their morphemes; otherwise they are <unk>.",
        option="--compose/--no-compose",
    )
    guess: bool = setting(
        True,
        "Guess the morphemes of words that the word map lacks.",
        option="--guess/--no-guess",
    )

    def __post_init__(self) -> None:
        if self.side not in ("both", "context", "target"):
            raise SettingsError(f"vectors are of 'both' sides, or of 'context' or 'target', not {self.side!r}")
        if self.word_map is not None:
            object.__setattr__(self, "word_map", SegmentationTable.of_any(self.word_map))

    @property
    def table(self) -> SegmentationTable | None:
        """The word map, read."""
        return self.word_map if isinstance(self.word_map, SegmentationTable) else None
