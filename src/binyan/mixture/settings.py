"""The settings of a mixture."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.settings import Settings, setting


@dataclass(frozen=True)
class MixtureSettings(Settings):
    """How the models of a mixture are weighed."""

    by_context: bool = setting(
        False,
        "Let the weights depend on how much of a context the n-gram models have seen (how many words, and how often), on what the "
        "log-bilinear models expect after it, and on whether the next word is unknown; each context length of an n-gram model "
        "has its own weight.",
    )
    rest: float | None = setting(
        None,
        "Where vocabularies differ: how much of a model's <unk> is kept for words that no model knows, from 0 to 1; words that only "
        "other models know share what is left. By default it is fitted to the development text; 1 gives them nothing, as SRILM does.",
        metavar="X",
    )

    def __post_init__(self) -> None:
        if self.rest is not None and not 0.0 <= self.rest <= 1.0:
            raise SettingsError(f"what is kept of <unk> is a share from 0 to 1, not {self.rest}")
