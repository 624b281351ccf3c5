"""A model of spelling: a hierarchical Pitman-Yor model of the characters of words. Every string has a probability.

A word is its code points and an end. What was never seen is shared equally: the base distribution is uniform over all 1,114,112
code points of Unicode and the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.model_file import ModelFile, Section
from binyan.progress import Progress, ProgressOption
from binyan.settings import Settings, setting
from binyan.signature import digest
from binyan.text.vocabulary import END_ID, SPECIALS, Vocabulary

CODE_POINTS = 0x110000
ALPHABET = CODE_POINTS + 1  # and the end of a word
_PREFIX = "spelling/"
_ARRAYS = ("context_base", "word", "next", "log_prob", "first_entry", "left_word", "suffix", "log_backoff")
_AT_ONCE = 1 << 16  # words


@dataclass(frozen=True)
class SpellingSettings(Settings):
    """How a model of spelling is learnt from words."""

    spelling_order: int = setting(
        8, "Length of the longest character n-grams that predict the spelling of a word.", metavar="N"
    )
    spelling_sweeps: int = setting(30, "Sweeps over the words.", on_command_line=False)
    spelling_samples: int = setting(5, "Samples to average, from the last half of the sweeps.", on_command_line=False)
    seed: int = setting(1, "Random seed.", metavar="S")

    def __post_init__(self) -> None:
        if not 1 <= self.spelling_order <= 32:
            raise SettingsError(f"the order of a model of spelling is 1 to 32, not {self.spelling_order}")
        if not 1 <= self.spelling_samples <= self.spelling_sweeps:
            raise SettingsError("a model of spelling needs a sweep or more, and as many samples or fewer")


class Alphabet:
    """Characters with ids; 0, 1 and 2 are a character never seen, the beginning and the end of a word.

    >>> Alphabet.of(["hof", "oh"]).characters
    'fho'
    """

    def __init__(self, characters: str) -> None:
        self.characters = characters
        self._ids = {c: i for i, c in enumerate(characters, len(SPECIALS))}
        if len(self._ids) != len(characters):
            raise InputError("a character stands twice in the alphabet of a model of spelling")

    @classmethod
    def of(cls, words: Iterable[str]) -> Alphabet:
        """The characters of words."""
        return cls("".join(sorted(set().union(*map(set, words)))))

    def __len__(self) -> int:
        return len(SPECIALS) + len(self.characters)

    @property
    def never_seen(self) -> int:
        """How many code points are not of the alphabet."""
        return CODE_POINTS - len(self.characters)

    def encode(self, words: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The characters of all words, and where each word begins."""
        ids, lengths = self._ids.get, np.fromiter(map(len, words), np.uint64, len(words))
        symbols = np.fromiter((ids(c, 0) for word in words for c in word), np.uint32, int(lengths.sum()))
        return symbols, np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)

    def tree(self, words: Sequence[str], order: int) -> _core.ContextTree:
        """The n-grams of the characters of words, each word a sentence."""
        return _core.ContextTree.build(*self.encode(words), order, len(self))


class SpellingModel:
    """A distribution over all strings, learnt from words.

    >>> spelling = SpellingModel.learn(["hof", "hofes", "haus", "hauses"])
    >>> bool(spelling.log_prob("hofs") > spelling.log_prob("sfoh") > spelling.log_prob("日本"))
    True
    """

    def __init__(self, alphabet: Alphabet, native: _core.BackoffModel) -> None:
        if native.vocabulary_size != len(alphabet):
            raise InputError(f"{len(alphabet)} characters for a model of spelling of {native.vocabulary_size}")
        self.alphabet, self.native = alphabet, native

    @classmethod
    def learn(
        cls, words: Iterable[str], settings: SpellingSettings | None = None, progress: ProgressOption = None
    ) -> Self:
        """Learn from words, each of which counts once; words given twice count twice."""
        from binyan.ngram.hpylm import freeze

        listed, s = list(words), settings or SpellingSettings()
        if not any(listed):
            raise InputError("a model of spelling needs words to learn from")
        alphabet = Alphabet.of(listed)
        tree = alphabet.tree(listed, s.spelling_order)
        chain = _core.HPYLM(tree, s.seed, 0, ALPHABET)
        chain.initialise(True)
        columns = s.spelling_samples
        samples = {name: np.zeros((rows, columns), np.float32) for name, rows in chain.sample_rows().items()}
        kept = [s.spelling_sweeps - round(i * s.spelling_sweeps / (2 * columns)) for i in reversed(range(columns))]
        with Progress("sweeps over the words", s.spelling_sweeps, progress) as bar:
            for sweep in range(1, s.spelling_sweeps + 1):
                chain.step()
                for column in (i for i, at in enumerate(kept) if at == sweep):
                    chain.collect(samples, column)
                bar.advance()
        return cls(alphabet, freeze(tree, samples))

    def log_prob(self, word: str) -> float:
        """The natural log-probability of a string."""
        return float(self.log_probs([word])[0])

    def log_probs(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The natural log-probability of each of some strings."""
        parts = [self._log_probs(words[i : i + _AT_ONCE]) for i in range(0, len(words), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _log_probs(self, words: Sequence[str]) -> NDArray[np.float64]:
        symbols, offsets = self.alphabet.encode(words)
        log_prob, _ = self.native.score_sentences(symbols, offsets)
        starts = offsets[:-1].astype(np.int64) + np.arange(len(words))  # each word has its end
        sums = np.add.reduceat(log_prob.astype(np.float64), starts)
        new = np.add.reduceat(np.append(symbols == 0, False), offsets[:-1].astype(np.int64), dtype=np.int64)
        new[offsets[1:] == offsets[:-1]] = 0
        return np.asarray(sums - new * np.log(self.alphabet.never_seen))

    def probabilities(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The probability of each of some strings: a base distribution of words, stems, affixes or components."""
        return np.exp(self.log_probs(words))

    def mass_outside(self, words: Sequence[str]) -> float:
        """The probability of all strings that are not among `words`, which must differ."""
        return max(1.0 - float(self.probabilities(words).sum()), np.finfo(float).tiny)

    def draw(self, random: np.random.Generator, longest: int = 1000) -> str:
        """Draw a string; one of more than `longest` characters ends there. A character never seen is any of those."""
        state, characters = self.native.begin(), list[str]()
        while len(characters) < longest:
            chances = self.native.distribution(state)
            symbol = int(random.choice(len(chances), p=chances / chances.sum()))
            if symbol == END_ID:
                break
            characters.append(self._character(symbol, random))
            state = self.native.score(state, symbol)[0]
        return "".join(characters)

    def _character(self, symbol: int, random: np.random.Generator) -> str:
        if symbol >= len(SPECIALS):
            return self.alphabet.characters[symbol - len(SPECIALS)]
        while (character := chr(int(random.integers(CODE_POINTS)))) in self.alphabet.characters:
            pass
        return character

    @property
    def digest(self) -> str:
        """Digits that stand for the model."""
        arrays = self.native.arrays
        return digest(self._alphabet_bytes(), *(np.ascontiguousarray(arrays[n]).view(np.uint8).data for n in _ARRAYS))

    def _alphabet_bytes(self) -> bytes:
        return self.alphabet.characters.encode("utf-8", "surrogatepass")

    def sections(self) -> dict[str, Section]:
        """As stored in a model file."""
        arrays: Mapping[str, Any] = self.native.arrays
        return {f"{_PREFIX}alphabet": self._alphabet_bytes()} | {f"{_PREFIX}{name}": arrays[name] for name in _ARRAYS}

    @classmethod
    def from_file(cls, file: ModelFile) -> Self | None:
        """The inverse of `sections`; None where the file has no model of spelling."""
        if f"{_PREFIX}alphabet" not in file.sections:
            return None
        alphabet = Alphabet(file.blob(f"{_PREFIX}alphabet").decode("utf-8", "surrogatepass"))
        arrays: dict[str, Any] = {name: file.array(f"{_PREFIX}{name}") for name in _ARRAYS}
        columns = len(arrays["log_backoff"]) // max(len(arrays["suffix"]), 1)
        try:
            return cls(alphabet, _core.BackoffModel(columns, **arrays))
        except InputError as error:
            raise ModelFileError(f"{file.path}: the model of spelling is damaged: {error}") from error


def strings_of(vocabulary: Vocabulary, order: int) -> tuple[Alphabet, _core.ContextTree, _core.Strings]:
    """The words of a vocabulary as strings for the core: their characters, the n-grams of these, and the strings."""
    words = vocabulary.own_words
    alphabet = Alphabet.of(words)
    tree = alphabet.tree(words, order)
    symbols, offsets = alphabet.encode([*[""] * len(SPECIALS), *words])
    return alphabet, tree, _core.Strings(tree, symbols, offsets, ALPHABET)
