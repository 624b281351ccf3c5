"""Progress with rate and remaining time, shown on a terminal and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

Item = TypeVar("Item")
# What a caller may pass as `progress`: True or None (show on a terminal), False (silent), or a function called with
# (done, total, figures) after each step.
ProgressOption = bool | None | Callable[[int, int | None, dict[str, float]], None]

_PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """Counts steps of something long: `with Progress("sweeps", total=100) as p: ... p.advance(log_likelihood=x)`."""

    def __init__(self, what: str, total: int | None = None, show: ProgressOption = None) -> None:
        self.what, self.total, self.done = what, total, 0
        self._callback = show if callable(show) else None
        self._shown = show is not False and self._callback is None and sys.stderr.isatty()
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, steps: int = 1, **figures: float) -> None:
        """Note that `steps` more are done; `figures` are shown beside the count."""
        self.done += steps
        if self._callback is not None:
            self._callback(self.done, self.total, figures)
        elif self._shown and time.monotonic() - self._started > _PATIENCE:
            if self._bar is None:
                self._start()
            text = "  ".join(f"{name.replace('_', ' ')} {value:,.6g}" for name, value in figures.items())
            rate = self.done / (time.monotonic() - self._started)
            self._bar.update(self._task, completed=self.done, total=self.total, figures=f"{rate:,.3g}/s  {text}")

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[figures]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self.what, total=self.total, figures="")


def track(
    items: Iterable[Item], what: str, total: int | None = None, show: ProgressOption = None, every: int = 1
) -> Iterator[Item]:
    """Yield `items`, with progress every `every` of them."""
    with Progress(what, total, show) as progress:
        pending = 0
        for item in items:
            yield item
            pending += 1
            if pending == every:
                progress.advance(pending)
                pending = 0
        if pending:
            progress.advance(pending)
