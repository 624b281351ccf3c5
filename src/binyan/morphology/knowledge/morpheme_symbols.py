"""Known morphemes as uses of the symbols of a grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from binyan import _core
from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.morphology.knowledge.knowledge import Contradiction, Knowledge
from binyan.morphology.knowledge.morphemes import KnownMorpheme
from binyan.morphology.word_list import WordList

_INSTEAD = {"prefix": ("prefix", "clitic"), "suffix": ("suffix", "clitic"), "clitic": ("clitic", "prefix", "suffix")}
_MOST_PIECES = 8
_MOST_SEATED = 2_000_000


@dataclass(frozen=True)
class Seed:
    """A symbol with the strings of its arguments, seated `copies` times."""

    symbol: str
    strings: tuple[str, ...]
    copies: int
    numbers: tuple[int, list[list[int]], int]
    """The same as numbers, for the core."""
    morpheme: str = ""
    """The known morpheme as it was given."""


def seeds(knowledge: Knowledge, compiled: Compiled, words: WordList) -> tuple[list[Seed], list[Contradiction]]:
    """The known morphemes as uses of symbols, and those that no symbol or no word can use."""
    seated: list[Seed] = []
    unusable: list[Contradiction] = []
    lists = [words.atoms(word) for word in words.words]
    for morpheme in knowledge.morphemes:
        pieces = [[a for part in words.prepare(p) for a in words.atoms(part)] for p in morpheme.pieces]
        ways = list(_ways(morpheme, pieces, compiled))
        reason = None
        if not ways:
            reason = f"no symbol of the grammar {compiled.grammar.name} with the role {morpheme.role} can derive it"
        elif not any(map(_fits(morpheme.role, pieces), lists)):
            reason = "no word can have it"
        if reason is not None:
            unusable.append(Contradiction(morpheme.text, morpheme.source, reason))
            continue
        copies = knowledge.copies(morpheme)
        for symbol, strings in ways:
            numbers = [compiled.encode(string) or [] for string in strings]
            texts = tuple("".join(string) for string in strings)
            number = compiled.grammar.symbols.index(symbol)
            seated.append(Seed(symbol, texts, copies, (number, numbers, copies), morpheme.text))
    if sum(seed.copies for seed in seated) > _MOST_SEATED:
        raise InputError(f"known morphemes count for more than {_MOST_SEATED:,} uses: give fewer, or a lower strength")
    return seated, unusable


def _ways(
    morpheme: KnownMorpheme, pieces: list[list[str]], compiled: Compiled
) -> Iterator[tuple[str, Sequence[Sequence[str]]]]:
    """Every symbol of the first suitable role that derives the pieces, with the strings of its arguments."""
    if not all(pieces) or any(compiled.encode(piece) is None for piece in pieces):
        return
    grammar = compiled.grammar
    for role in _INSTEAD.get(morpheme.role, (morpheme.role,)):
        found = False
        for symbol in (s for s in grammar.symbols if s in grammar.with_role(role)):
            number = grammar.symbols.index(symbol)
            for strings in _divisions(pieces, grammar.arity(symbol)):
                numbers = [compiled.encode(string) or [] for string in strings]
                if _core.derives(compiled.core, number, numbers):
                    found = True
                    yield symbol, strings
        if found:
            return


def _divisions(pieces: list[list[str]], arity: int) -> Iterator[Sequence[Sequence[str]]]:
    """The pieces as they are, if there is one for each argument; else all their letters cut into as many strings."""
    if arity == len(pieces):
        yield pieces
        return
    letters = [letter for piece in pieces for letter in piece]
    if not 0 < arity <= min(len(letters), _MOST_PIECES):
        return
    for cuts in combinations(range(1, len(letters)), arity - 1):
        ends = [0, *cuts, len(letters)]
        yield [letters[begin:end] for begin, end in pairwise(ends)]


def _fits(role: str, pieces: list[list[str]]) -> Callable[[list[str]], bool]:
    """Whether a word may have a morpheme, by its letters alone."""
    letters = [letter for piece in pieces for letter in piece]
    n = len(letters)

    def anywhere(word: list[str]) -> bool:
        return any(word[i : i + n] == letters for i in range(len(word) - n + 1))

    def in_order(word: list[str]) -> bool:
        ahead = iter(word)
        return all(letter in ahead for letter in letters)

    tests: dict[str, Callable[[list[str]], bool]] = {
        "prefix": lambda word: len(word) > n and anywhere(word[:-1]),
        "suffix": lambda word: len(word) > n and anywhere(word[1:]),
        "infix": lambda word: len(word) > n + 1 and anywhere(word[1:-1]),
        "clitic": anywhere,
    }
    return tests.get(role, in_order)
