"""Options made from settings classes: `@with_settings` gives a command an option for each field of the settings it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from binyan.cli import options as o
from binyan.settings import Settings, description


@dataclass(frozen=True)
class RunOptions(Settings):
    """Where a posterior is sampled, and what is saved of it."""

    scheduler: o.Scheduler = None
    resume: o.Resume = False
    reduced: o.Reduced = False


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with every parameter that is a settings class replaced by options, one per field, in its place.

    A field that an earlier parameter or group has too (`seed`) is one option, whose value all of them get.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {}
    parameters: dict[str, tuple[Any, Any]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, Settings):
            groups[name] = hint
            for field_name, option in _options(hint).items():
                parameters.setdefault(field_name, option)
        else:
            parameters[name] = (hint, parameter.default)
    own = [name for name in hints if name in parameters and name not in groups]

    def run(**given: Any) -> None:
        settings = {name: kind(**{f: given[f] for f in _options(kind)}) for name, kind in groups.items()}
        command(**{name: given[name] for name in own}, **settings)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    keyword = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, keyword, annotation=t, default=d) for n, (t, d) in parameters.items()]
    )
    run.__annotations__ = {name: hint for name, (hint, _) in parameters.items()}
    return run


def _options(group: type[Any]) -> dict[str, tuple[Any, Any]]:
    """The annotation and default of the option of each field that the command line offers."""
    types = get_type_hints(group, include_extras=True)
    options: dict[str, tuple[Any, Any]] = {}
    for f in fields(group):
        described = description(f)
        if described is None and get_origin(types[f.name]) is Annotated:
            options[f.name] = (types[f.name], f.default)
        elif described is not None and described.on_command_line:
            flags = [
                described.option or f"--{f.name.replace('_', '-')}",
                *([described.short] if described.short else []),
            ]
            option = typer.Option(*flags, help=described.help, metavar=described.metavar)
            options[f.name] = (Annotated[_command_line_type(types[f.name]), option], f.default)
    return options


def _command_line_type(hint: Any) -> Any:
    """What a person can type for a field of type `hint`.

    A path where a value or the file that holds it is meant, text for a choice.
    """
    choices = get_args(hint) if get_origin(hint) in (Union, type(int | None)) else (hint,)
    optional = type(None) in choices
    simple: Any = next((c for c in (bool, int, float) if c in choices), None)
    if simple is None:
        simple = Path if any(getattr(get_origin(c) or c, "__name__", "") == "PathLike" for c in choices) else str
    return simple | None if optional else simple
