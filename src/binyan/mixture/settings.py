"""The settings of a mixture."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.settings import Settings, setting


@dataclass(frozen=True)
class MixtureSettings(Settings):
    """How the models of a mixture are weighed."""

    by_context: bool = setting(
        False,
        "Weights that depend on what the n-gram models have seen of a context (how long a one, and how often), on what the "
        "log-bilinear models expect after it, and on whether the next word is unknown; each context length of an n-gram model "
        "has its own.",
    )
