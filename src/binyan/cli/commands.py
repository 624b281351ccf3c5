"""What all commands have: earlier spellings of their options are understood, and a command is imported when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any, TypeVar

import typer
import typer.core
import typer.main

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


class ModuleCommands(MutableMapping[str, Any]):
    """Commands by name, each imported when it is looked up: a module has a function of its own name, or `app`, a group."""

    def __init__(self, package: str, names: Sequence[str]) -> None:
        self.package = package
        self.commands: dict[str, Any] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Any:
        if self.commands[name] is None:
            module = importlib.import_module(f"{self.package}.{name}")
            self.commands[name] = command_of(name, getattr(module, "app", None) or getattr(module, name))
        return self.commands[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self.commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self.commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.commands)

    def __len__(self) -> int:
        return len(self.commands)


class CommandTable(typer.core.TyperGroup):
    """A group whose commands are modules of a package; the start of one does not wait for the imports of the others."""

    package: str
    names: Sequence[str]

    @classmethod
    def over(cls, package: str, names: Sequence[str]) -> type[CommandTable]:
        """The class of the group with these modules."""
        return type(cls.__name__, (cls,), {"package": package, "names": names})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = ModuleCommands(self.package, self.names)


def command_of(name: str, source: Any) -> Any:
    """A group of commands or a function as a command of this name."""
    if isinstance(source, typer.Typer):
        group = typer.main.get_group(source)
        group.name = name
        return group
    single = App(add_completion=False)
    single.command(name)(source)
    return typer.main.get_command(single)


def _modern(argument: str, known: set[str]) -> str:
    flag, equals, value = argument.partition("=")
    new = RENAMED.get(flag)
    return f"{new}{equals}{value}" if new in known and flag not in known else argument
