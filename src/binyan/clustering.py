"""Word classes: Brown clustering and frequency bins, and the `paths` files in which classes are kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, write_text
from binyan.number_text import whole_count
from binyan.progress import Progress, ProgressOption
from binyan.settings import Settings, gather, setting, takes_settings
from binyan.signature import Signature, digest
from binyan.text.corpus import Corpus
from binyan.text.preparation import Preparation
from binyan.text.reading import Source, read_lines
from binyan.text.vocabulary import BEGIN, BEGIN_ID, END_ID, SPECIALS, Vocabulary, VocabularyPolicy

_WORDS_PER_STEP = 500  # between looks at the keyboard
METHODS = ("brown", "frequency")


@dataclass(frozen=True)
class ClusteringSettings(Settings):
    """How words are clustered."""

    classes: int | None = setting(
        None, "Number of classes; by default the square root of the number of types.", short="-k", metavar="N"
    )
    method: str = setting("brown", "brown, or frequency (bins of equal total frequency).")
    exchange: int = setting(2, "Passes afterwards that move single words to better classes.", metavar="N")

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"the method of clustering is {' or '.join(METHODS)}, not {self.method!r}")


@dataclass(frozen=True)
class WordClasses:
    """A hard clustering: `class_of` each word, a number below `classes`; `paths[c]` is the way to class c in a binary tree.

    Classes that `learn` made also know the counts of the words, the average mutual information of adjacent classes in nats, and
    their signature.

    >>> text = ["the cat sat", "the dog sat", "a dog ran", "a cat ran"]
    >>> classes = WordClasses.learn(text, classes=4)
    >>> classes.class_of["cat"] == classes.class_of["dog"], round(classes.average_mutual_information, 2)
    (True, 1.39)
    """

    class_of: Mapping[str, int]
    paths: tuple[str, ...]
    counts: Mapping[str, int] | None = field(default=None, compare=False)
    average_mutual_information: float | None = field(default=None, compare=False)
    signature: Signature | None = field(default=None, compare=False)

    @classmethod
    @takes_settings(ClusteringSettings, VocabularyPolicy, Preparation)
    def learn(
        cls, text: Corpus | Source | Sequence[Source], *, progress: ProgressOption = None, **settings: Any
    ) -> WordClasses:
        """Cluster the words of a text file, several (a list of Path objects), sentences, or a corpus."""
        how, policy, preparation = gather(
            "WordClasses.learn", settings, ClusteringSettings, VocabularyPolicy, Preparation
        )
        corpus = text if isinstance(text, Corpus) else Corpus.read(text, preparation, policy, progress)
        if how.method == "brown":
            learnt = brown(corpus, how.classes, how.exchange, progress)
        else:
            learnt = frequency_bins(corpus, how.classes)
        fields = {"classes": how.method, "k": learnt.classes, "exchange": how.exchange, "text": corpus.digest}
        return replace(
            learnt,
            counts=word_frequencies(corpus),
            average_mutual_information=average_mutual_information(corpus, learnt),
            signature=Signature({**fields, "prepared": preparation}),
        )

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.paths)

    @cached_property
    def digest(self) -> str:
        """Digits that stand for the clustering."""
        return digest("\n".join(f"{self.paths[c]}\t{w}" for w, c in sorted(self.class_of.items())).encode())

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "classes": self.classes,
            "words": len(self.class_of),
            "average_mutual_information": self.average_mutual_information,
            "signature": str(self.signature),
        }

    def __str__(self) -> str:
        size = f"{self.classes:,} classes of {len(self.class_of):,} words"
        if self.average_mutual_information is None:
            return size
        return f"{size}, average mutual information {self.average_mutual_information:.4f} nats  [{self.signature}]"

    def ids(self, vocabulary: Vocabulary) -> NDArray[np.uint32]:
        """The class of every word of `vocabulary` but <s>, by id.

        </s> and <unk>, where the clustering lacks them, get a class of their own after the others. Raises InputError where it
        lacks other words.
        """
        out = np.zeros(len(vocabulary), np.uint32)
        extra = self.classes
        missing = []
        for i, word in enumerate(vocabulary.words):
            if word in self.class_of:
                out[i] = self.class_of[word]
            elif word in SPECIALS:
                if word != BEGIN:
                    out[i], extra = extra, extra + 1
            else:
                missing.append(word)
        if missing:
            raise InputError(
                f"{len(missing):,} words of the vocabulary have no class, among them {', '.join(missing[:5])}; "
                "train the classes on the same text with the same preparation and vocabulary"
            )
        return out

    def write(self, path: PathLike, counts: Mapping[str, int] | None = None) -> None:
        """Write as percyliang/brown-cluster does: path in the tree, tab, word, tab, count."""
        known = counts or self.counts or {}
        order = sorted(self.class_of, key=lambda w: (self.class_of[w], -known.get(w, 0), w))
        text = "".join(f"{self.paths[self.class_of[w]]}\t{w}\t{known.get(w, 0)}\n" for w in order)
        write_text(path, text)

    @classmethod
    def read(cls, path: PathLike) -> WordClasses:
        """Read a `paths` file: class (any text, as a rule bits), tab, word, and perhaps a count."""
        names: dict[str, int] = {}
        class_of: dict[str, int] = {}
        for number, line in read_lines(path):
            if not line.strip():
                continue
            fields = line.split("\t")
            if len(fields) not in (2, 3) or not fields[0] or not fields[1]:
                raise InputError(f"{path}:{number}: {line!r} is not: class, tab, word (and perhaps tab, count)")
            if len(fields) == 3:
                try:
                    whole_count(fields[2].strip())
                except ValueError as error:
                    raise InputError(f"{path}:{number}: {error}") from None
            if fields[1] in class_of:
                raise InputError(f"{path}:{number}: {fields[1]!r} has a class already; a word has one class")
            class_of[fields[1]] = names.setdefault(fields[0], len(names))
        if not class_of:
            raise InputError(f"{path}: holds no classes")
        return cls(class_of, tuple(names))


def default_classes(types: int) -> int:
    """About the square root of the number of types, so that class and word within class cost the same."""
    return max(1, min(types, round(math.sqrt(types))))


def brown(
    corpus: Corpus, classes: int | None = None, exchange_passes: int = 2, progress: ProgressOption = None
) -> WordClasses:
    """Cluster the words of `corpus`, </s> among them, by the windowed agglomerative algorithm of Brown et al. (1992).

    `exchange_passes`: how often, afterwards, each word may move to the class that keeps the most mutual information, as in
    that paper; 0 leaves the greedy result. Words of the vocabulary that the text lacks join the class of the rarest word.
    """
    bigrams = bigrams_of(corpus)
    counts = np.asarray(bigrams.frequency)
    occurring = int(np.count_nonzero(counts))
    number = _checked(classes, occurring)
    clustering = _core.BrownClustering(bigrams, number)
    with Progress("words clustered", occurring, progress) as bar:
        more = True
        while more:
            before = clustering.entered
            more = clustering.step(_WORDS_PER_STEP)
            bar.advance(clustering.entered - before)
    with Progress("exchange passes", exchange_passes, progress) as bar:
        for _ in range(exchange_passes):
            moved = clustering.exchange()
            bar.advance(moved=moved)
            if not moved:
                break
    clustering.finish()
    ids = np.asarray(clustering.class_of())
    rarest = np.flatnonzero(counts == counts[counts > 0].min())[-1]
    return _by_word(corpus.vocabulary, np.where(counts > 0, ids, ids[rarest]).tolist(), clustering.paths)


def frequency_bins(corpus: Corpus, classes: int | None = None) -> WordClasses:
    """Classes of about equal total frequency, words from most to least frequent (Mikolov et al. 2011)."""
    counts = np.asarray(bigrams_of(corpus).frequency, np.float64)
    number = _checked(classes, int(np.count_nonzero(counts)))
    order = np.argsort(-counts, kind="stable")
    order = order[order != BEGIN_ID]
    share = np.cumsum(counts[order]) / counts.sum()
    bins = np.minimum(((share - counts[order] / counts.sum() / 2) * number).astype(int), number - 1)
    bins = np.unique(bins, return_inverse=True)[1]
    ids = np.zeros(len(counts), int)
    ids[order] = bins
    width = max(1, int(bins.max()).bit_length())
    return _by_word(corpus.vocabulary, ids.tolist(), [f"{c:0{width}b}" for c in range(int(bins.max()) + 1)])


def average_mutual_information(corpus: Corpus, classes: WordClasses) -> float:
    """The mutual information of adjacent classes of `corpus`, sentences joined by </s>, in nats."""
    ids = classes.ids(corpus.vocabulary)
    return float(bigrams_of(corpus).average_mutual_information(ids, int(ids.max()) + 1))


def bigrams_of(corpus: Corpus) -> _core.Bigrams:
    """Counts of adjacent words, with </s> before, between and after the sentences."""
    vocabulary = corpus.vocabulary
    return _core.Bigrams(corpus.words, corpus.offsets, len(vocabulary), END_ID)


def word_frequencies(corpus: Corpus) -> dict[str, int]:
    """How often each word of the vocabulary stands in a text; </s> before, between and after its sentences."""
    return dict(zip(corpus.vocabulary.words, bigrams_of(corpus).frequency, strict=True))


def _checked(classes: int | None, types: int) -> int:
    number = default_classes(types) if classes is None else classes
    if not 1 <= number <= types:
        raise SettingsError(f"{number} classes for {types:,} word types; ask for 1 to {types:,}")
    return number


def _by_word(vocabulary: Vocabulary, ids: Iterable[int], paths: Iterable[str]) -> WordClasses:
    return WordClasses({w: c for w, c in zip(vocabulary.words, ids, strict=True) if w != BEGIN}, tuple(paths))
