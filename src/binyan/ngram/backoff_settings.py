"""How the back-off model nearest to another model is made."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.number_text import finite_number
from binyan.settings import Settings, setting

_UNITS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


@dataclass(frozen=True)
class BackoffSettings(Settings):
    """The size of a back-off model, and which n-grams it may have.

    Beside those of the text these are, where `grow`, n-grams that the text lacks and the model finds probable after its most frequent
    `contexts`, and the n-grams of `sample` sentences drawn from the model.
    """

    size: int | None = setting(None, "Keep this many n-grams of all lengths, e.g. 500k.", on_command_line=False)
    prune: float | None = setting(
        None, "Remove n-grams whose removal raises perplexity by a smaller share than this, e.g. 1e-8.", metavar="X"
    )
    order: int | None = setting(
        None, "Length of the longest n-grams; by default that of the model.", short="-n", metavar="N"
    )
    sample: int = setting(
        0, "Also use the n-grams of N sentences drawn from the model, in addition to those of the text.", metavar="N"
    )
    grow: bool = setting(
        True,
        "Also use n-grams that the text lacks but the model expects after frequent contexts.",
        option="--grow/--no-grow",
    )
    contexts: int = setting(
        5000, "Number of contexts after which the model is asked for all words; more take longer.", metavar="N"
    )
    seed: int = setting(1, "Random seed.", metavar="S")

    def __post_init__(self) -> None:
        if isinstance(self.size, str):
            object.__setattr__(self, "size", parse_size(self.size))
        if self.size is not None and self.prune is not None:
            raise SettingsError("a model is pruned to a size or by a threshold, not by both")
        if self.order is not None and self.order < 2:
            raise SettingsError(f"a back-off model has an order of 2 or more, not {self.order}")
        if self.sample < 0 or self.contexts < 0:
            raise SettingsError("numbers of sentences and of contexts are 0 or more")

    @property
    def are_default(self) -> bool:
        """Whether nothing was asked for."""
        return self == BackoffSettings()


def parse_size(text: str) -> int:
    """A number of n-grams as people write it.

    >>> parse_size("500k"), parse_size("1.5m"), parse_size("20000")
    (500000, 1500000, 20000)
    """
    number, unit = (text[:-1], text[-1].lower()) if text[-1:].lower() in _UNITS else (text, "")
    try:
        size = round(finite_number(number) * _UNITS.get(unit, 1))
    except ValueError:
        size = 0
    if size < 1:
        raise SettingsError(f"a size is a number of n-grams such as 500000, 500k or 2m, not {text!r}")
    return size
