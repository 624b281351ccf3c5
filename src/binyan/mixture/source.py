"""What the core needs to weigh a model in a mixture without asking Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan import _core


@dataclass(frozen=True)
class CoreSource:
    """A model in the core, as a mixture asks it.

    `compose` gives a word outside the vocabulary a vector, or None; `composed` are the words of the mixture that have such vectors already.
    """

    native: _core.MixtureSource
    compose: Callable[[str], NDArray[np.float32] | None] | None = None
    composed: tuple[str, ...] = ()
