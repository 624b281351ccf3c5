"""Classes of letters that rules name (`<vowel>`, `<consonant>`, `<weak>`), whose letters are given with the words.

A file of classes has one class per line, its name and its letters: `vowel a e i o u`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import regex

from binyan.errors import GrammarError, InputError
from binyan.text.atoms import atoms
from binyan.text.reading import read_lines

_CLASS = "\0<"
_NAME = regex.compile(r"\p{L}[\p{L}\p{N}_-]*")

LetterSource = str | os.PathLike[str] | Mapping[str, Iterable[str]]
"""Classes of letters: a file, or a mapping such as {"vowel": "aeiou"}."""


def class_placeholder(name: str) -> str:
    """The terminal that stands for the letters of a class until `Grammar.with_terminals` fills it in."""
    return _CLASS + name


def is_class(atom: str) -> bool:
    """Whether a terminal stands for the letters of a class."""
    return atom.startswith(_CLASS)


def class_name(placeholder: str) -> str:
    """The name of the class that a terminal stands for."""
    return placeholder.removeprefix(_CLASS)


def class_line(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The class of a line, split at spaces: its name and its letters. Raises ValueError.

    >>> class_line(["weak", "w", "yA"])
    ('weak', ('w', 'y', 'A'))
    """
    if len(words) < 2:
        raise ValueError("a class of letters has a name and letters, as in: vowel a e i o u")
    name = words[0].strip("<>:")
    if not _NAME.fullmatch(name) or name == "any":
        raise ValueError(f"{words[0]!r} cannot be the name of a class of letters; take a word, such as vowel")
    return name, tuple(dict.fromkeys(atom for word in words[1:] for atom in atoms(word)))


def read_letters(source: LetterSource) -> dict[str, tuple[str, ...]]:
    """The classes of letters of a file or of a mapping. Raises InputError with the file and line that cannot be used."""
    if isinstance(source, Mapping):
        return dict(_given_class(name, letters) for name, letters in source.items())
    classes: dict[str, tuple[str, ...]] = {}
    for number, line in read_lines(source):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            name, letters = class_line(line.split())
        except ValueError as error:
            raise InputError(f"{source}:{number}: {error}: {line[:80]!r}") from None
        classes[name] = tuple(dict.fromkeys((*classes.get(name, ()), *letters)))
    if not classes:
        raise InputError(f"{source}: there is no class of letters in it; a line is a name and letters: vowel a e i o u")
    return classes


def _given_class(name: str, letters: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    try:
        return class_line([name, *([letters] if isinstance(letters, str) else letters)])
    except ValueError as error:
        raise InputError(f"the class of letters {name!r}: {error}") from None


def letters_of_class(
    name: str, letters: Mapping[str, Iterable[str]], alphabet: Sequence[str], grammar: str
) -> frozenset[str]:
    """Those of the alphabet that are letters of the class. Raises GrammarError where there is none.

    Consonants that are not given are the letters that are no vowels; strong letters, the consonants that are not weak.

    >>> sorted(letters_of_class("strong", {"vowel": "aA", "weak": "wy"}, list("Aabktwy"), "mine"))
    ['b', 'k', 't']
    """
    given = letters.get(name)
    if given is not None:
        members = frozenset(given) & frozenset(alphabet)
    elif name == "consonant" and "vowel" in letters:
        members = frozenset(alphabet) - frozenset(letters["vowel"])
    elif name == "strong" and "weak" in letters:
        members = letters_of_class("consonant", letters, alphabet, grammar) - frozenset(letters["weak"])
    else:
        raise GrammarError(
            f"the grammar {grammar} has rules for <{name}>, and the letters of that class are not given: give a file with a line such "
            f"as '{name} a b c' by --letters, or letters={{'{name}': 'abc'}}"
        )
    if not members:
        raise GrammarError(
            f"no letter of the class <{name}> occurs in the words, and the grammar {grammar} has rules for it"
        )
    return members
