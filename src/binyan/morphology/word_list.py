"""The words to learn from: of a list in any of the forms of `list_formats`, of running text, or of an iterable."""

from __future__ import annotations

import logging
import os
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from binyan.errors import InputError
from binyan.morphology.list_formats import AUTO, read_rows
from binyan.signature import digest
from binyan.text.atoms import Unit, invisible
from binyan.text.letters import Letters
from binyan.text.preparation import Preparation
from binyan.text.reading import check_length, refuse_file_names
from binyan.text.scripts import mixed_scripts


@dataclass(frozen=True)
class WordList:
    """Distinct words in order of first occurrence, how often each was seen, and how they were prepared.

    >>> WordList.of(["ktAb", "ktb", "ktAb"]).words
    ('ktAb', 'ktb')
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    preparation: Preparation = field(default_factory=Preparation)
    unit: Unit = "grapheme"
    letters: Letters = field(default_factory=Letters)

    def __repr__(self) -> str:
        return (
            f"<WordList of {len(self.words):,} words: {', '.join(self.words[:5])}{' …' if len(self.words) > 5 else ''}>"
        )

    @classmethod
    def of_any(
        cls,
        words: WordSource,
        preparation: Preparation | None = None,
        unit: Unit = "grapheme",
        list_format: str = AUTO,
        column: str | None = None,
    ) -> WordList:
        """A word list as it is; the words of a file, or of several (a list of Path objects); or the types of an iterable."""
        if isinstance(words, WordList):
            return words
        if isinstance(words, (str, os.PathLike)):
            return cls.read(words, preparation, unit, list_format, column)
        items = words if isinstance(words, (list, tuple)) else list(words)
        if items and all(isinstance(item, os.PathLike) for item in items):
            counts: Counter[str] = Counter()
            for path in items:
                counts.update(cls._file_counts(path, preparation or Preparation(), list_format, column))  # type: ignore[arg-type]
            return cls._counted(counts, preparation or Preparation(), unit, ", ".join(map(str, items)))
        return cls.of(items, preparation, unit)  # type: ignore[arg-type]

    @classmethod
    def of(cls, words: Iterable[str], preparation: Preparation | None = None, unit: Unit = "grapheme") -> WordList:
        """The types of an iterable of words. A list of names of files is refused."""
        refuse_file_names(words)
        prepare = preparation or Preparation()
        counts: Counter[str] = Counter()
        for number, word in enumerate(words, 1):
            if not isinstance(word, str):
                raise InputError(f"the word list: item {number} is {word!r:.40}, no text; give words as strings")
            for part in prepare(word):
                check_length(part, "the word list")
                counts[part] += 1
        return cls._counted(counts, prepare, unit, "the word list")

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        preparation: Preparation | None = None,
        unit: Unit = "grapheme",
        list_format: str = AUTO,
        column: str | None = None,
    ) -> WordList:
        """The words of a file in one of the forms of `list_formats`, recognised unless `list_format` names it.

        In a plain list the word stands before the first tab, and its count, if a number, behind it. A form that was recognised, and
        what was left out, is said in a warning. Raises InputError where a count is none: negative, a fraction, or out of range.
        """
        prepare = preparation or Preparation()
        return cls._counted(cls._file_counts(path, prepare, list_format, column), prepare, unit, str(path))

    @staticmethod
    def _file_counts(
        path: str | os.PathLike[str], prepare: Preparation, list_format: str = AUTO, column: str | None = None
    ) -> Counter[str]:
        rows, reading = read_rows(path, list_format, column)
        if list_format == AUTO and not reading.is_plain:
            warnings.warn(f"{reading}; --list-format and --column decide otherwise", stacklevel=4)
        else:
            logging.getLogger("binyan").info("%s", reading)
        counts: Counter[str] = Counter()
        for number, text, times in rows:
            for word in prepare(text):
                check_length(word, f"{path}:{number}")
                counts[word] += times
        return counts

    @classmethod
    def _counted(cls, counts: Counter[str], preparation: Preparation, unit: Unit, source: str) -> WordList:
        if not counts:
            raise InputError(f"{source}: there is not one word in it; give one word per line")
        if (seen := invisible(counts)) is not None:
            warnings.warn(f"{source}: {seen}", stacklevel=3)
        if (mixed := mixed_scripts(counts)) is not None:
            warnings.warn(f"{source}: {mixed}", stacklevel=3)
        return cls(tuple(counts), tuple(counts.values()), preparation, unit)

    def __len__(self) -> int:
        return len(self.words)

    def atoms(self, word: str) -> list[str]:
        """The atoms of a word, which no segmentation splits."""
        return self.letters.atoms(word, self.unit)

    def prepare(self, text: str) -> list[str]:
        """The words of a text in the form that the words of the list have."""
        return [self.letters.take_apart(word) for word in self.preparation(text)]

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """Every atom of the words, sorted."""
        return tuple(sorted({atom for word in self.words for atom in self.atoms(word)}))

    @cached_property
    def digest(self) -> str:
        """What stands for the words in signatures."""
        letters = [str(self.letters).encode()] if self.letters else []
        return digest("\n".join(self.words).encode(), str(self.preparation).encode(), self.unit.encode(), *letters)


WordSource = WordList | str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]]
"""What words are read from: a word list, a file, several files (a list of Path objects), or words."""
