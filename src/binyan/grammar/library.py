"""The grammars shipped with Binyan: those of the thesis under its names, and our own. Plain files in `library/`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

_SUFFIX = ".grammar"


@dataclass(frozen=True)
class ShippedGrammar:
    """A shipped grammar: its name and the one-line description its file starts with."""

    name: str
    summary: str


def shipped_grammars() -> list[ShippedGrammar]:
    """All shipped grammars, by name."""
    grammars = []
    for entry in (files("binyan.grammar") / "library").iterdir():
        if entry.name.endswith(_SUFFIX):
            first = entry.read_text(encoding="utf-8").partition("\n")[0]
            grammars.append(ShippedGrammar(entry.name.removesuffix(_SUFFIX), first.lstrip("# ").rstrip()))
    return sorted(grammars, key=lambda grammar: grammar.name)


def library_text(name: str) -> str | None:
    """The text of a shipped grammar, or None if no grammar has the name."""
    if not name or any(char in name for char in "/\\") or name.startswith("."):
        return None
    entry = files("binyan.grammar") / "library" / f"{name}{_SUFFIX}"
    try:
        return entry.read_text(encoding="utf-8") if entry.is_file() else None
    except (OSError, ValueError):  # no file can have such a name
        return None
