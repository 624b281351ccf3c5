"""Grammars composed from parts: a kind of stem, how affixes stand around it, sub-morphs or not, and what letters know of each other.

`Recipe.text` writes the grammar in Binyan's notation, so that what was composed can be read, saved and changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from binyan.errors import SettingsError
from binyan.grammar.letter_classes import PRIOR
from binyan.grammar.notation import read_grammar
from binyan.grammar.rules import Grammar
from binyan.grammar.stem_rules import STEM_RULES, Stem

Affixes = Literal["none", "one", "suffixes", "prefixes", "sequences", "clitics"]

LetterClasses = Sequence[Sequence[str]]
"""Classes of letters; the first also takes every letter that no class lists."""

_STEMS = {
    "plain": "whole stems",
    "root": "roots and templates (vowels not written)",
    "root-vocalised": "roots and templates (vowels written)",
    "infix": "infixes and reduplication",
    "circumfix": "circumfixes",
    "compound": "compounds of several stems",
}
_AFFIXES = {
    "none": "no affixes",
    "one": "at most one prefix and one suffix",
    "suffixes": "sequences of suffixes, no prefixes",
    "prefixes": "sequences of prefixes, no suffixes",
    "sequences": "sequences of prefixes and suffixes",
    "clitics": "clitics, which are rare",
}
_PATTERNS = {
    "none": "Word -> {body}",
    "one": "Word -> Pre? {body} Suf?",
    "suffixes": "Word -> {body} Sufs?\n@Sufs -> Suf+",
    "prefixes": "Word -> Pres? {body}\n@Pres -> Pre+",
    "sequences": "Word -> Pres? {body} Sufs?\n@Pres -> Pre+\n@Sufs -> Suf+",
    "clitics": "Word -> {body} [w=100000] | Pre {body} [w=1000] | {body} Suf [w=1000] | Pre {body} Suf [w=10]",
}


_ROLES = {"Pre": "prefix", "Suf": "suffix"}


@dataclass(frozen=True)
class Recipe:
    """What a grammar is composed of.

    `stem` is the kind of stem, `affixes` how affixes stand around it; with `submorphs`, stems and affixes are made of smaller parts
    that all of them share.

    >>> Recipe("plain", "sequences", submorphs=True).name
    'plain+sequences+submorphs'
    >>> print(Recipe("root", "one"))
    roots and templates (vowels not written), at most one prefix and one suffix
    """

    stem: Stem = "plain"
    affixes: Affixes = "one"
    submorphs: bool = False

    def __post_init__(self) -> None:
        if self.stem not in get_args(Stem):
            raise SettingsError(f"the kind of stem is one of {', '.join(get_args(Stem))}, not {self.stem!r}")
        if self.affixes not in get_args(Affixes):
            raise SettingsError(f"affixes are one of {', '.join(get_args(Affixes))}, not {self.affixes!r}")

    @property
    def name(self) -> str:
        """The parts joined by plus signs."""
        return "+".join((self.stem, self.affixes, *(["submorphs"] if self.submorphs else [])))

    def __str__(self) -> str:
        return ", ".join((_STEMS[self.stem], _AFFIXES[self.affixes], *(["sub-morphs"] if self.submorphs else [])))

    @property
    def complexity(self) -> int:
        """How much the grammar assumes: of two that predict words about equally well, the one that assumes less is preferred.

        Whole stems with one affix on either side assume more than those with sequences, of which they are a special case; stems
        with an inner structure, which explain more of a word themselves, assume less with one.
        """
        order = ("none", "suffixes", "prefixes", "sequences", "one", "clitics")
        if self.stem not in ("plain", "compound"):
            order = ("none", "one", "clitics", "suffixes", "prefixes", "sequences")
        stems = {"plain": 0, "compound": 10}
        return stems.get(self.stem, 20) + order.index(self.affixes) + 5 * self.submorphs

    def text(self, classes: LetterClasses | None = None) -> str:
        """The grammar in Binyan's notation. Strings remember the class of the letter before; without classes, nothing."""
        affixes = [symbol for symbol in _ROLES if symbol in _PATTERNS[self.affixes]]
        own = ["Stem"] if self.stem != "infix" else []
        body = {"compound": "Stem+", "infix": "_Body"}.get(self.stem, "Stem")
        lines = [f"# {self}", _PATTERNS[self.affixes].format(body=body)]
        content = "Sub+" if self.submorphs else "_String"
        lines += [f"@{symbol} -> {content}" for symbol in (*affixes, *own)]
        lines += ["@Sub -> _String"] if self.submorphs else []
        lines += [*string_rules("_String", classes), *STEM_RULES[self.stem], "role stem Stem"]
        lines += [f"role {_ROLES[symbol]} {symbol}" for symbol in affixes]
        return "\n".join(lines) + "\n"

    def grammar(self, classes: LetterClasses | None = None) -> Grammar:
        """The grammar itself."""
        return read_grammar(self.text(classes), self.name)


def string_rules(symbol: str, classes: LetterClasses | None, weight: float = PRIOR) -> list[str]:
    """Rules for a string of letters: each letter is drawn given the class of the one before, or, without classes, on its own.

    `weight` is the prior weight of each transition.
    """
    if classes is None or len(classes) < 2:
        return [f"{symbol} -> {symbol}Letter+", f"{symbol}Letter -> <any> [w=0.1]"]
    listed = [letter for letters in classes[1:] for letter in letters]
    starts = [f"{symbol}{i}" for i in range(len(classes))]
    rules = [f"{symbol} -> {' | '.join(f'{start} [w={weight:g}]' for start in starts)}"]
    for i, letters in enumerate(classes):
        letter = f"{symbol}Letter{i}"
        following = " | ".join(f"{letter} {start} [w={weight:g}]" for start in starts)
        rules.append(f"{symbol}{i} -> {letter} [w={weight:g}] | {following}")
        choice = f'of "{"".join(letters)}"' if i else f'but "{"".join(listed)}"'
        rules.append(f"{letter} -> <any {choice}> [w=0.1]")
    return rules


def candidates() -> tuple[Recipe, ...]:
    """The recipes that are compared when a grammar is chosen."""
    affixes: tuple[Affixes, ...] = ("one", "suffixes", "sequences")
    plain = [Recipe("plain", kind, submorphs) for kind in affixes for submorphs in (False, True)]
    templatic = [Recipe(stem, kind) for stem in ("root", "root-vocalised") for kind in ("one", "sequences")]
    compounds = [Recipe("compound", kind, True) for kind in ("suffixes", "sequences")]
    others = [Recipe("root-vocalised", "clitics"), Recipe("infix", "sequences"), Recipe("circumfix", "one")]
    return (Recipe("plain", "none"), *plain, Recipe("plain", "prefixes"), *templatic, *compounds, *others)
