"""Settings: each is stated once, with its default and its help, as a field of a frozen dataclass.

Models take the fields of their settings classes as keyword arguments (`HPYLM(order=3, sweeps=50)`), and the command line makes
its options from the same fields (`--order 3 --sweeps 50`).
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Self, TypeVar

from binyan.errors import SettingsError

Function = TypeVar("Function", bound=Callable[..., Any])
_KEY = "setting"


@dataclass(frozen=True)
class Description:
    """How a setting is shown.

    Its help, the option's own name or short form where it has one, a name for its value, and whether the command line offers
    it.
    """

    help: str
    option: str | None = None
    short: str | None = None
    metavar: str | None = None
    on_command_line: bool = True


def setting(
    default: Any,
    help: str,
    *,
    option: str | None = None,
    short: str | None = None,
    metavar: str | None = None,
    on_command_line: bool = True,
) -> Any:
    """A field of a settings class."""
    description = Description(help, option, short, metavar, on_command_line)
    return field(default=default, metadata={_KEY: description})


def description(of: Field[Any]) -> Description | None:
    """What `setting` was told of a field; None for a plain field."""
    return of.metadata.get(_KEY)


class Settings:
    """Base of all settings classes, which are frozen dataclasses. `renamed`: earlier names of fields in model files."""

    renamed: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        """Every settings class refuses numbers that mean nothing before it looks at what it means by them."""
        own = cls.__dict__.get("__post_init__")
        if own is not None:

            @functools.wraps(own)
            def checked(self: Settings) -> None:
                _check_numbers(self)
                own(self)

            cls.__post_init__ = checked  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        _check_numbers(self)

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`, also for what earlier versions wrote."""
        return cls(**{cls.renamed.get(name, name): value for name, value in stored.items()})


def check_seed(seed: int) -> int:
    """The seed itself. Raises SettingsError where it is none: seeds are whole numbers from 0 to 2^64 - 1."""
    if not 0 <= seed < 1 << 64:
        raise SettingsError(f"a seed is a whole number from 0 to 2^64 - 1, not {seed}")
    return seed


def _check_numbers(settings: Settings) -> None:
    for f in fields(settings):  # type: ignore[arg-type]
        value = getattr(settings, f.name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                raise SettingsError(f"{f.name.replace('_', ' ')} is a finite number, not {number}")
        if f.name == "seed" and isinstance(value, int):
            check_seed(value)


def gather(owner: str, given: Mapping[str, Any], *groups: type[Any]) -> list[Any]:
    """One instance of each settings class, from keyword arguments by the names of their fields.

    A name that several classes have (`seed`) goes to all of them. A value that is itself an instance of one of the classes,
    under any name, is taken whole, and single fields change it. None means the default. Raises SettingsError for a name that none
    has.
    """
    given = {name: value for name, value in given.items() if value is not None}
    whole = {type(value): value for value in given.values() if type(value) in groups}
    given = {name: value for name, value in given.items() if type(value) not in groups}
    known = [name for group in groups for name in names(group)]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(dict.fromkeys(known))}"
            raise SettingsError(f"{owner} has no setting {name!r}; {hint}")
    single = [{name: given[name] for name in names(group) if name in given} for group in groups]
    return [
        replace(whole[group], **fields) if group in whole else group(**fields)
        for group, fields in zip(groups, single, strict=True)
    ]


def names(group: type[Any]) -> list[str]:
    """The names of the fields of a settings class."""
    return [f.name for f in fields(group) if f.init]


def takes_settings(*groups: type[Any]) -> Callable[[Function], Function]:
    """A function with `**settings` shows the fields of `groups` in its signature, for `help()`, editors and notebooks."""

    def decorate(function: Function) -> Function:
        stated: dict[str, Field[Any]] = {}
        for f in (f for group in groups for f in fields(group) if f.init):
            stated.setdefault(f.name, f)
        own = {p.name: p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD}
        for name, f in stated.items():
            default = f.default if f.default is not MISSING else inspect.Parameter.empty
            kind = own[name].kind if name in own else inspect.Parameter.KEYWORD_ONLY
            own[name] = inspect.Parameter(name, kind, default=default, annotation=f.type)

        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            return function(*args, **keywords)

        call.__signature__ = inspect.Signature(list(own.values()))  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate
