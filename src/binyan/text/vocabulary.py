"""Vocabularies: the words a model knows by name, and the ways to choose them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, write_text
from binyan.settings import Settings, setting
from binyan.signature import digest
from binyan.text.preparation import split_words
from binyan.text.reading import read_lines

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
SPECIALS = (UNKNOWN, BEGIN, END)
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)
OPEN, CLOSED = "open", "closed"
_TAKEN_APART_LATER = 1 << 20  # bytes


def refuse_boundaries(words: Iterable[str], allowed: str | None = None) -> None:
    """Raise InputError where <s> or </s> stands among words: boundaries are added by models. `allowed` may be there."""
    for word in words:
        if word in (BEGIN, END) and word != allowed:
            raise InputError(
                f"the text holds {BEGIN} or {END} as words; sentence boundaries are added by the model: remove them"
            )


class Vocabulary:
    """Words with ids. Ids 0, 1 and 2 are <unk>, <s> and </s>, as in the core.

    >>> v = Vocabulary(["haus", "hof"])
    >>> len(v), v["hof"], v["garten"], v.words[3]
    (5, 4, 0, 'haus')
    """

    _stored: bytes

    def __init__(self, words: Iterable[str]) -> None:
        self.words = [*SPECIALS, *words]
        if broken := [w for w in self.words if "\n" in w]:
            raise InputError(f"the word {broken[0]!r} has a line end inside; words are what stands on one line")
        self._size = len(self.words)
        _ = self.index

    @cached_property
    def words(self) -> list[str]:
        """The words, by id."""
        return [*SPECIALS, *self._stored.decode().split("\n")]

    @cached_property
    def index(self) -> dict[str, int]:
        """Word -> id."""
        index = {w: i for i, w in enumerate(self.words)}
        if len(index) != len(self.words):
            seen: set[str] = set()
            twice = next(w for w in self.words if w in seen or seen.add(w))  # type: ignore[func-returns-value]
            raise InputError(f"the vocabulary has {twice!r} twice")
        return index

    def __len__(self) -> int:
        return self._size

    @property
    def own_words(self) -> list[str]:
        """The words without <unk>, <s> and </s>."""
        return self.words[len(SPECIALS) :]

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, word: str) -> int:
        return self.index.get(word, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self) - len(SPECIALS):,} words and {', '.join(SPECIALS)}"

    @cached_property
    def native(self) -> _core.WordIndex:
        """The same words in the core."""
        return _core.WordIndex("\n".join(SPECIALS).encode() + b"\n" + self.to_bytes())

    @property
    def digest(self) -> str:
        """Digits that stand for the words and their order."""
        return digest(self.to_bytes())

    def to_bytes(self) -> bytes:
        """As stored in a model file: one word per line, without the three specials."""
        return self._stored if "_stored" in vars(self) else "\n".join(self.own_words).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Vocabulary:
        """The inverse of `to_bytes`. A large vocabulary is taken apart when it is first used."""
        if len(data) < _TAKEN_APART_LATER:
            return cls(data.decode().split("\n") if data else [])
        vocabulary = cls.__new__(cls)
        vocabulary._stored, vocabulary._size = data, len(SPECIALS) + 1 + data.count(b"\n")
        return vocabulary

    def checked_counts(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Counts from a file, one for each word; raises InputError where they are anything else."""
        if counts.shape != (len(self),):
            raise InputError(f"the section 'counts' does not have a count for each of {len(self)} words")
        return counts

    def write(self, path: PathLike) -> None:
        """Write the words, one per line and without the three specials, as `read` and `--vocabulary` take them."""
        write_text(path, "".join(f"{word}\n" for word in self.own_words))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Vocabulary:
        """One word a line; a word given twice is refused with both lines. The three specials may be listed."""
        lines: dict[str, int] = {}
        for number, line in read_lines(path):
            words = split_words(line)
            if not words or words[0] in SPECIALS:
                continue
            word = words[0]
            if len(words) > 1:
                raise InputError(
                    f"{path}:{number}: {line!r} has white space inside; a vocabulary has one word per line"
                )
            if word in lines:
                raise InputError(f"{path}:{number}: {word!r} is already on line {lines[word]}; remove one of the two")
            lines[word] = number
        if not lines:
            raise InputError(f"{path}: holds no words")
        return cls(lines)


@dataclass(frozen=True)
class VocabularyPolicy(Settings):
    """How a vocabulary is chosen from counted words.

    `vocabulary`: the words, or a file that lists them; or "open", where the model is the part of an open one (`OpenVocabulary`) that knows
    words by name. Otherwise ("closed", the default) all types seen at least `min_count` times, of which a share `kappa` of those seen once,
    drawn with `seed`, is left out (thesis, section 4.4.2.1), and, where `script` names one
    (e.g. "cyrillic"), only types with at least `script_share` of their letters in it.
    """

    vocabulary: Vocabulary | str | os.PathLike[str] | None = setting(
        None,
        "open: every string has a probability; words never seen get theirs from their spelling. closed (the default): words never seen "
        "share the probability of <unk>. Or a file that lists the known words, one per line.",
        metavar="open|closed|F",
    )
    min_count: int = setting(1, "Include words seen this often or more.", metavar="N")
    kappa: float = setting(
        0.0, "Leave out this share of the words seen once, drawn at random with the seed.", metavar="X"
    )
    seed: int = setting(1, "Random seed.", metavar="S")
    script: str | None = setting(None, "Include only words written in this script, e.g. cyrillic.", metavar="NAME")
    script_share: float = setting(
        0.8, "The share of a word's letters that must be in the script.", on_command_line=False
    )

    def __post_init__(self) -> None:
        if self.min_count < 1:
            raise SettingsError(f"the minimum count is 1 or more, not {self.min_count}")
        if not 0.0 <= self.kappa <= 1.0:
            raise SettingsError(f"kappa is a share between 0 and 1, not {self.kappa}")
        if isinstance(self.vocabulary, (str, os.PathLike)) and os.fspath(self.vocabulary) in (OPEN, CLOSED):
            object.__setattr__(self, "vocabulary", os.fspath(self.vocabulary))
            return
        if self.vocabulary is not None and (self.min_count != 1 or self.kappa != 0.0 or self.script is not None):
            raise SettingsError("a given vocabulary has the words; minimum count, kappa and script would choose others")
        if isinstance(self.vocabulary, (str, os.PathLike)):
            object.__setattr__(self, "vocabulary", Vocabulary.read(self.vocabulary))

    @property
    def is_open(self) -> bool:
        """Whether words outside the vocabulary are to have probabilities of their own."""
        return self.vocabulary == OPEN

    @property
    def given(self) -> Vocabulary | None:
        """The vocabulary, where it does not depend on the text."""
        return self.vocabulary if isinstance(self.vocabulary, Vocabulary) else None

    def choose(self, types: Sequence[str], counts: NDArray[Any]) -> Vocabulary:
        """The vocabulary for `types` seen `counts` times; most frequent first, equals in the order of their letters."""
        if self.given is not None:
            return self.given
        order = sorted(range(len(types)), key=lambda i: (-int(counts[i]), types[i]))
        kept = [i for i in order if counts[i] >= self.min_count and types[i] not in SPECIALS]
        if self.script is not None:
            name = self.script.upper()
            kept = [i for i in kept if script_share(types[i], name) >= self.script_share]
        if self.kappa > 0.0:
            singletons = [i for i in kept if counts[i] == 1]
            drawn = np.random.default_rng(self.seed).permutation(len(singletons))[: round(self.kappa * len(singletons))]
            pruned = {singletons[j] for j in drawn}
            kept = [i for i in kept if i not in pruned]
        return Vocabulary(types[i] for i in kept)

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file and shown in signatures."""
        if self.given is not None:
            return {"given": self.given.digest}
        fields: Mapping[str, Any] = {"min_count": self.min_count, "kappa": self.kappa, "script": self.script}
        changed = {k: v for k, v in fields.items() if v != getattr(VocabularyPolicy, k)}
        return changed | ({"seed": self.seed} if self.kappa else {})


def script_share(word: str, script: str) -> float:
    """The share of the characters of `word` whose Unicode name begins with `script` (1 where there are no letters).

    >>> script_share("кот", "CYRILLIC"), script_share("кoт", "CYRILLIC") < 0.8, script_share("00", "CYRILLIC")
    (1.0, True, 1.0)
    """
    letters = [c for c in word if c.isalpha()]
    if not letters:
        return 1.0
    return sum(unicodedata.name(c, "").startswith(script) for c in letters) / len(letters)
