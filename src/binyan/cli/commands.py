"""What all commands have: earlier spellings of their options are understood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
import typer.core

Function = TypeVar("Function", bound=Callable[..., Any])

# Earlier spelling -> the option's name now; understood by every command that has the new one and not the old.
RENAMED = {"--iterations": "--sweeps", "--init": "--initialisation"}


class Command(typer.core.TyperCommand):
    """A command that understands earlier spellings of its options, which its help does not list."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put today's spelling in the place of an earlier one, then parse."""
        known = {flag for parameter in self.params for flag in parameter.opts}
        return super().parse_args(ctx, [_modern(argument, known) for argument in args])


class App(typer.Typer):
    """A group of such commands."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Function], Function]:
        """As Typer's, for commands of our class."""
        return super().command(name, **{"cls": Command, **options})


def _modern(argument: str, known: set[str]) -> str:
    flag, equals, value = argument.partition("=")
    new = RENAMED.get(flag)
    return f"{new}{equals}{value}" if new in known and flag not in known else argument
