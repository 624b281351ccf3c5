"""What can be set of compound splitters."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.settings import Settings, setting


@dataclass(frozen=True)
class SplitterSettings(Settings):
    """How a compound splitter learns. `links` and `min_part` are for splitters without gold compounds, all others for those with."""

    recursive: bool = setting(False, "Split parts that are themselves compounds of the gold list.")
    links: str = setting("", "Without a gold list: linking elements, separated by spaces.")
    penalty: float = setting(1.0, "Weight of the L2 penalty on the weights.")
    iterations: int = setting(150, "At most N steps of L-BFGS.", metavar="N")
    max_words: int = setting(100_000, "Fit weights to at most N gold words; counts come from all of them.", metavar="N")
    min_link: int = setting(
        5, "Minimum number of gold words that a linking element must occur in.", metavar="N", on_command_line=False
    )
    min_part: int = setting(
        3, "Without a gold list: minimum number of letters in a part.", metavar="N", on_command_line=False
    )
    seed: int = setting(1, "Random seed.", metavar="S")
