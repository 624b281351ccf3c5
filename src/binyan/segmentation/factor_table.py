"""Words with factors of any kind: lemma, part of speech, letters, roots and templates, morphemes; not only parts that spell the word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, Self

from binyan.errors import InputError
from binyan.files import PathLike, write_bytes
from binyan.segmentation.letter_factors import LetterFactors
from binyan.segmentation.segmentation import escape, unescape
from binyan.signature import digest

MOST_FACTORS = 64
"""Factors that one word may have."""
LONGEST_FACTOR = 200
"""Characters of one factor."""
MOST_REMEMBERED = 100_000  # analyses of words outside the table

_LETTERS = "# letters: "
_ORIGIN = "# origin: "


class WordAnalyser(Protocol):
    """Finds factors of words that no table lists, as a grammar that has learnt does."""

    def factors(self, word: str) -> tuple[str, ...]:
        """The factors of a word; none where it has no analysis."""

    def to_bytes(self) -> bytes:
        """As stored in a model file."""


class FactorTable(Mapping[str, tuple[str, ...]]):
    """A mapping of words to their factors, with ways to find factors of other words.

    Every word has its `letters`, where there are any; a word that the table lacks is analysed by the `analyser`. `origin` says where
    the table comes from.

    >>> table = FactorTable({"went": ("lemma=go", "pos=VERB")}, letters=LetterFactors(last=(2,)))
    >>> table.factors("went"), table.factors("unlocked")
    (['lemma=go', 'pos=VERB', 'last=nt'], ['last=ed'])
    """

    def __init__(
        self,
        rows: Mapping[str, Iterable[str]],
        letters: LetterFactors | None = None,
        analyser: WordAnalyser | None = None,
        origin: str = "",
    ) -> None:
        self._rows = {word: _checked(word, factors) for word, factors in rows.items()}
        self.letters, self.analyser, self.origin = letters, analyser, " ".join(origin.split())
        self._remembered: dict[str, tuple[str, ...]] = {}

    def __getitem__(self, word: str) -> tuple[str, ...]:
        return self._rows[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        more = f", letters {self.letters}" if self.letters else ""
        return f"<FactorTable of {len(self):,} words{more}{', grammar' if self.analyser else ''}>"

    def factors(self, word: str) -> list[str]:
        """The factors of any word: those listed or found by analysis, then its letters."""
        return [*self._listed(word), *(self.letters(word) if self.letters else ())]

    def _listed(self, word: str) -> tuple[str, ...]:
        listed = self._rows.get(word)
        if listed is not None or self.analyser is None:
            return listed or ()
        found = self._remembered.get(word)
        if found is None:
            found = _checked(word, self.analyser.factors(word))
            if len(self._remembered) < MOST_REMEMBERED:
                self._remembered[word] = found
        return found

    def named(self) -> FactorTable:
        """The table with every factor written as `name=value`, as files have them: `un/pre` becomes `pre=un`."""
        rows = {word: tuple(map(_named, factors)) for word, factors in self._rows.items()}
        return FactorTable(rows, self.letters, None, self.origin)

    @property
    def links(self) -> frozenset[str]:
        """Linking elements between parts: none, since factors need not be parts."""
        return frozenset()

    @property
    def digest(self) -> str:
        """Digits that stand for the table and its ways to find factors."""
        return digest(self.to_bytes(), self.analyser.to_bytes() if self.analyser else b"")

    def to_bytes(self) -> bytes:
        """The text format as bytes; the analyser is left out."""
        heading = f"{_ORIGIN}{self.origin}\n" if self.origin else ""
        heading += f"{_LETTERS}{self.letters}\n" if self.letters else ""
        rows = (f"{escape(word)}\t{' '.join(map(escape, factors))}\n" for word, factors in self._rows.items())
        return (heading + "".join(rows)).encode()

    @classmethod
    def from_bytes(cls, data: bytes, analyser: WordAnalyser | None = None) -> Self:
        """The inverse of `to_bytes`."""
        lines = data.decode().split("\n")[:-1]
        headings = [line for line in lines[:2] if line.startswith((_ORIGIN, _LETTERS))]
        rows = dict(parse_factors(line) for line in lines[len(headings) :])
        letters = next(filter(None, map(letters_of, headings)), None)
        return cls(rows, letters, analyser, next(filter(None, map(origin_of, headings)), ""))

    def write(self, path: PathLike, comment: str = "") -> None:
        """Write the text format, with `comment` lines (a signature, say) at the top."""
        heading = "".join(f"# {line}\n" for line in comment.splitlines())
        write_bytes(path, heading.encode(), self.to_bytes())


def origin_of(line: str) -> str:
    """What a heading such as `# origin: by the grammar affixes` says; empty for any other line."""
    return line.removeprefix(_ORIGIN) if line.startswith(_ORIGIN) else ""


def letters_of(line: str) -> LetterFactors | None:
    """The letters that a heading such as `# letters: first=5 last=2,3` asks for; None for any other line."""
    return LetterFactors.parse(line.removeprefix(_LETTERS)) if line.startswith(_LETTERS) else None


def parse_factors(line: str) -> tuple[str, tuple[str, ...]]:
    """One row of the text format: word, tab, factors separated by one space; a word may have none."""
    columns = line.split("\t")
    if len(columns) != 2 or not columns[0]:
        shown = line if len(line) <= 60 else f"{line[:60]}..."
        raise InputError(
            f"{len(columns)} columns where a row of factors has two: the word, a tab, its factors: {shown!r}"
        )
    tokens = columns[1].split(" ") if columns[1] else []
    if "" in tokens:
        raise InputError(f"{columns[0]!r} has an empty factor; separate factors by one space")
    return unescape(columns[0]), _checked(columns[0], map(unescape, tokens))


def _named(factor: str) -> str:
    text, slash, label = factor.rpartition("/")
    return f"{label}={text}" if slash and "=" not in label else factor if "=" in factor else f"part={factor}"


def _checked(word: str, factors: Iterable[str]) -> tuple[str, ...]:
    listed = tuple(factors)
    if len(listed) > MOST_FACTORS:
        raise InputError(f"{word!r} has {len(listed)} factors; a word has at most {MOST_FACTORS}")
    for factor in listed:
        if not factor or len(factor) > LONGEST_FACTOR:
            raise InputError(
                f"{word!r} has a factor of {len(factor)} characters; factors have 1 to {LONGEST_FACTOR}: {factor[:40]!r}"
            )
    return listed
