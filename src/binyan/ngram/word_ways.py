"""Words as a stem and an ending, and the ways in which hpylm+i makes words of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import SettingsError
from binyan.text import Vocabulary

Parts = tuple[str, ...]
NO_TOKEN = 2**32 - 1


@dataclass(frozen=True)
class Way:
    """How a word is made of two tokens: which comes `first`, where the word is cut, and what the first depends on.

    `first`: the stem, the ending, or the word as a whole, which has no second token. `cut`: before the last part of a word, or after the first.
    `context`: the words before, their endings, or their stems; words that were seen `frequent` times or more, and words without an ending,
    always stand for themselves. The second token depends on the first and on `second_context` words before.
    """

    first: Literal["stem", "ending", "word"]
    cut: Literal["last", "first"]
    context: Literal["words", "endings", "stems"]
    frequent: int = 100
    second_context: int = 0

    def __post_init__(self) -> None:
        if self.first not in ("stem", "ending", "word"):
            raise SettingsError(
                f"a word is made of its 'stem' or its 'ending' first, or as a 'word', not {self.first!r}"
            )
        if self.cut not in ("last", "first"):
            raise SettingsError(f"a word is cut before its 'last' part or after its 'first', not {self.cut!r}")
        if self.context not in ("words", "endings", "stems"):
            raise SettingsError(
                f"the context of a word is the 'words' before, their 'endings' or their 'stems', not {self.context!r}"
            )

    def split(self, parts: Parts) -> tuple[str, str]:
        """Stem and ending of a word; the ending is empty where it has one part.

        >>> Way("stem", "last", "words").split(("ev", "ler", "de")), Way("stem", "first", "words").split(("ev", "ler", "de"))
        (('evler', 'de'), ('ev', 'lerde'))
        """
        at = 1 if self.cut == "first" or len(parts) == 1 else len(parts) - 1
        return "".join(parts[:at]), "".join(parts[at:])

    def tokens(self, parts: Parts) -> tuple[Hashable, Hashable]:
        """The first and the second token of a word; those of a word without an ending are the word and nothing."""
        if self.first == "word":
            return ("word", "".join(parts)), ""
        stem, ending = self.split(parts)
        if not ending:
            return (stem, "") if self.first == "stem" else (("word", stem), "")
        return (stem, ending) if self.first == "stem" else (("ending", ending), stem)

    def context_token(self, parts: Parts, count: int) -> Hashable:
        """What stands for a word, seen `count` times, in a context."""
        stem, ending = self.split(parts)
        if self.context == "words" or not ending or count >= self.frequent:
            return parts
        return ("ending", ending) if self.context == "endings" else ("stem", stem)

    def name(self, length: int) -> str:
        """What an explanation calls it after a context of this length."""
        return f"{self.first}{'' if self.first == 'word' else ' first'} after {length} {self.context}"

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self)


WAYS = (Way("stem", "first", "words"), Way("ending", "last", "endings"))


class WayTokens:
    """The tokens of one way, numbered: of every analysis of every word of a vocabulary, and in contexts."""

    def __init__(self, way: Way, analyses: Sequence[Sequence[Parts]], counts: NDArray[np.integer]) -> None:
        self.way = way
        self.first: dict[Hashable, int] = {}
        self.second: dict[Hashable, int] = {}
        pairs = [way.tokens(parts) for each in analyses for parts in each]
        self.first_ids = np.array([self.first.setdefault(a, len(self.first)) for a, _ in pairs], np.uint32)
        self.second_ids = np.array([self.second.setdefault(b, len(self.second)) for _, b in pairs], np.uint32)
        self.offsets = np.cumsum([0, *map(len, analyses)]).astype(np.uint32)
        index: dict[Hashable, int] = {}
        in_context = (way.context_token(each[0], int(n)) for each, n in zip(analyses, counts, strict=True))
        self.context_ids = np.array([index.setdefault(token, len(index)) for token in in_context], np.uint32)

    def tree(self, tree: _core.ContextTree) -> _core.GeneratorTree:
        """The n-grams of a text as this way sees them."""
        ids = self.first_ids, self.second_ids, self.offsets, self.context_ids
        return _core.GeneratorTree(tree, *ids, self.way.second_context)

    def find(self, parts: Parts) -> tuple[int, int]:
        """The tokens of a word; `NO_TOKEN` for one that is not known."""
        a, b = self.way.tokens(parts)
        return self.first.get(a, NO_TOKEN), self.second.get(b, NO_TOKEN)


class WordTokens:
    """The tokens of a vocabulary for every way; `analyses` gives the parts of a word, one or more times."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        analyses: Callable[[str], Sequence[Parts]],
        ways: Iterable[Way],
        counts: NDArray[np.integer],
    ) -> None:
        self.analyses = [tuple(analyses(word)) for word in vocabulary.words]
        self.ways = [WayTokens(way, self.analyses, counts) for way in ways]

    @property
    def split(self) -> int:
        """How many words have an ending in their first analysis."""
        return sum(len(each[0]) > 1 for each in self.analyses)

    def forest(self, tree: _core.ContextTree) -> _core.GeneratorForest:
        """The n-grams of a text as all ways see them."""
        return _core.GeneratorForest(tree, [way.tree(tree) for way in self.ways])

    def find(self, parts: Parts) -> list[int] | None:
        """Two tokens for every way, of a word outside the vocabulary; None where no way knows both."""
        found = [way.find(parts) for way in self.ways]
        return [t for pair in found for t in pair] if any(NO_TOKEN not in pair for pair in found) else None
