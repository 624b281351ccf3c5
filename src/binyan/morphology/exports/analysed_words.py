"""Words with their analyses, ready to be written in any format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike
from binyan.segmentation import Part, Segmentation
from binyan.text.reading import read_lines, read_sentences

if TYPE_CHECKING:
    from binyan.morphology.morphology import Morphology
    from binyan.morphology.word_list import WordSource
    from binyan.text.reading import Source

UNKNOWN_LANGUAGE = "und"
"""The code of a language that is not named."""

_LONGEST_CODE = 60


@dataclass(frozen=True)
class AnalysedWord:
    """A word, how often it was seen, its best segmentation (None where it has none), and its root and template, if any."""

    word: str
    segmentation: Segmentation | None = None
    root: str | None = None
    template: str | None = None
    count: int = 1

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the word; none without an analysis."""
        return () if self.segmentation is None else self.segmentation.parts

    @property
    def pieces(self) -> tuple[Part, ...]:
        """The parts cut at their gaps, one after the other; none without an analysis."""
        return () if self.segmentation is None else self.segmentation.contiguous().parts

    @property
    def piece_owners(self) -> list[Part]:
        """Of each piece the part that it belongs to."""
        if self.segmentation is None:
            return []
        if self.segmentation.is_contiguous:
            return list(self.parts)
        positions = self.segmentation.positions
        order = sorted((place, number) for number, places in enumerate(positions) for place in places)
        return [self.parts[number] for number, _ in groupby(number for _, number in order)]

    @property
    def stem(self) -> str:
        """The text of the stems of the word; the whole word where nothing in it is called a stem."""
        return "".join(part.text for part in self.parts if part.label == "stem") or self.word

    @property
    def gold_row(self) -> str:
        """Word, segments with labels, root or `_`, separated by tabs: a row of a gold file. Without an analysis, `_` is the segments."""
        segments = " ".join(f"{p.text}/{p.label}" if p.label else p.text for p in self.pieces) or "_"
        return f"{self.word}\t{segments}\t{self.root or '_'}"


@dataclass(frozen=True)
class AnalysedWords(Sequence[AnalysedWord]):
    """The distinct words of an export, the sentences they stand in, and what else the writers need.

    `glosses` are of morphemes, as `ler` or, where it matters, `ler/suf`. Without sentences each word is one.
    """

    rows: tuple[AnalysedWord, ...]
    language: str = UNKNOWN_LANGUAGE
    glosses: Mapping[str, str] = field(default_factory=dict)
    sentences: tuple[tuple[str, ...], ...] | None = None
    signature: str = ""

    def __post_init__(self) -> None:
        code = self.language
        if not code or len(code) > _LONGEST_CODE or not all(c.isascii() and (c.isalnum() or c == "-") for c in code):
            raise SettingsError(f"a language is named by its code, as in 'tgl' or 'ar-Latn', not by {code[:80]!r}")

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[AnalysedWord]:
        return iter(self.rows)

    def gloss(self, part: Part) -> str:
        """The gloss of a part, by its text and label or by its text; empty where there is none."""
        return self.glosses.get(f"{part.text}/{part.label}", self.glosses.get(part.text, ""))

    def in_sentences(self) -> Iterator[list[AnalysedWord]]:
        """The sentences, as analysed words."""
        if self.sentences is None:
            yield from ([row] for row in self.rows)
            return
        by_word = {row.word: row for row in self.rows}
        for sentence in self.sentences:
            yield [by_word[word] for word in sentence]

    @property
    def without_analysis(self) -> list[str]:
        """The words that have no analysis."""
        return [row.word for row in self.rows if row.segmentation is None]


def analysed_words(
    morphology: Morphology,
    words: WordSource | None = None,
    text: Source | None = None,
    language: str = UNKNOWN_LANGUAGE,
    glosses: Mapping[str, str] | PathLike | None = None,
) -> AnalysedWords:
    """The best analyses of words: those of a list, those of the sentences of a text, or, by default, those learnt from."""
    if words is not None and text is not None:
        raise SettingsError("export a list of words or a text, not both")
    sentences = None
    if text is not None:
        sentences = tuple(map(tuple, read_sentences(text, morphology.words.preparation)))
        listed: Iterable[str] = dict.fromkeys(word for sentence in sentences for word in sentence)
    else:
        listed = dict.fromkeys(map(morphology.prepared, _words_of(morphology, words)))
    counts = dict(zip(morphology.words.words, morphology.words.counts, strict=True))
    rows = tuple(_analysed(morphology, word, counts.get(word, 1)) for word in listed)
    known = glosses if isinstance(glosses, Mapping) else read_glosses(glosses) if glosses is not None else {}
    return AnalysedWords(rows, language, known, sentences, str(morphology.signature()))


def _words_of(morphology: Morphology, words: WordSource | None) -> Iterable[str]:
    from binyan.morphology.word_list import WordList

    return morphology.words.words if words is None else WordList.of_any(words).words


def _analysed(morphology: Morphology, word: str, count: int) -> AnalysedWord:
    best = morphology.segmentations(word, 1)
    if not best:
        return AnalysedWord(word, count=count)
    return AnalysedWord(word, best[0], morphology.root(word), morphology.template(word), count)


def read_glosses(path: PathLike) -> dict[str, str]:
    """Glosses from a file: one per line, a morpheme (or morpheme/label), a tab, its gloss. Raises InputError, which names the line."""
    glosses: dict[str, str] = {}
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("# "):
            continue
        morpheme, tab, gloss = line.partition("\t")
        if not tab or not morpheme or not gloss.strip():
            raise InputError(f"{path}:{number}: a morpheme, a tab, and its gloss; this is {line[:60]!r}")
        glosses[morpheme] = gloss.split("\t")[0].strip()
    return glosses
