"""A text scored while it is read: figures and rows without holding the text, by the core where the model is one of the core's."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.evaluation.perplexity import Evaluation, evaluate, figures_line
from binyan.files import PathLike
from binyan.language_model import END, STRINGS, LanguageModel
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.segmentation import SegmentationTable
from binyan.signature import Signature
from binyan.text.line_blocks import LineBlock, line_blocks
from binyan.text.reading import LONGEST_WORD, Source, check_length, is_conllu, read_sentences
from binyan.text.vocabulary import BEGIN

TextSource = str | os.PathLike[str] | IO[bytes]
SENTENCES, WORDS, NO_ROWS = "sentences", "words", "none"
_COLUMNS = {
    SENTENCES: ("sentence", "log10_prob", "unknown", "text"),
    WORDS: ("sentence", "word", "log10_prob", "matched", "unknown"),
}
_LOG_10 = math.log(10)


class BlockScores(NamedTuple):
    """What a block of lines comes to. Log-probabilities are natural, one per sentence; `known` is without unknown words."""

    rows: bytes
    events: bytes  # every word and sentence end, a line end after each
    log_prob: NDArray[np.float64]
    known: NDArray[np.float64]
    unknown: int
    characters: int


@dataclass
class TextTotals:
    """A model's figures on a text, without the text. The same as those of `binyan.evaluate`."""

    model: Signature
    all_strings: bool = False  # has every string a probability?
    log_prob: float = 0.0
    log_prob_known: float = 0.0
    sentences: int = 0
    tokens: int = 0
    unknown: int = 0
    characters: int = 0
    _events: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=8), repr=False)

    def add(self, block: BlockScores) -> None:
        """Add a block of lines."""
        if not len(block.log_prob):
            return
        # One sum after another, so that nothing depends on how the text came in blocks.
        self.log_prob = float(np.add.accumulate(np.append(self.log_prob, block.log_prob))[-1])
        self.log_prob_known = float(np.add.accumulate(np.append(self.log_prob_known, block.known))[-1])
        if self.tokens:
            self._events.update(b"\n")
        self._events.update(memoryview(block.events)[:-1])
        self.sentences += len(block.log_prob)
        self.tokens += block.events.count(b"\n")
        self.unknown += block.unknown
        self.characters += block.characters

    @property
    def perplexity(self) -> float:
        """Over all events, unknown words included."""
        return _exp(-self.log_prob / self.tokens)

    @property
    def perplexity_known(self) -> float:
        """Over events whose word is in the vocabulary."""
        return _exp(-self.log_prob_known / (self.tokens - self.unknown))

    @property
    def perplexity_unknown(self) -> float:
        """Over events whose word is outside the vocabulary; NaN where there are none."""
        return _exp(-(self.log_prob - self.log_prob_known) / self.unknown) if self.unknown else math.nan

    @property
    def bits_per_character(self) -> float:
        """Comparable between models of different vocabularies where these are open, or no word is unknown."""
        return -self.log_prob / math.log(2) / self.characters

    @property
    def log10_prob(self) -> float:
        """The log10 probability of the whole text."""
        return self.log_prob / _LOG_10

    @property
    def signature(self) -> Signature:
        """How the figures were made."""
        unknown = f"{self.unknown}-scored"
        return self.model.extended(text=self._events.hexdigest(), tokens=self.tokens, unknown=unknown, ends="scored")

    @property
    def tables(self) -> Mapping[str, Any]:
        """None: breakdowns need the text."""
        return {}

    def report(self, full: bool = False) -> str:
        """The figures in one line, and the signature, short unless `full`."""
        figures = figures_line(self.to_dict())
        return f"{figures}\n{self.signature if full else self.signature.short}"

    def __str__(self) -> str:
        return self.report()

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        unknown = ["perplexity_unknown"] if self.all_strings else []
        names = ["perplexity", "perplexity_known", *unknown, "bits_per_character", "tokens", "unknown"]
        return {**{name: getattr(self, name) for name in names}, "signature": str(self.signature)}


def measure(
    model: LanguageModel,
    text: Source | IO[bytes],
    name: str | None = None,
    *,
    by: str | Iterable[str] = (),
    segmentation: SegmentationTable | Mapping[str, str] | PathLike | None = None,
) -> Evaluation | TextTotals:
    """The perplexity of a model on a text file or a stream, which is not held in memory; with breakdowns (`by`) it is, as in `evaluate`."""
    is_stream = hasattr(text, "read")
    if by or not (is_stream or isinstance(text, (str, os.PathLike))):
        stream = cast("IO[bytes]", text)
        lines = (line for block in line_blocks(stream) for _, line in block.lines())
        return evaluate(model, lines if is_stream else cast("Source", text), name, by=by, segmentation=segmentation)
    totals = TextTotals(model.signature(), model.events == STRINGS)
    for block in scored_blocks(model, text, NO_ROWS):  # type: ignore[arg-type]
        totals.add(block)
    if not totals.sentences:
        raise _no_sentence(text)
    return totals


def score_rows(model: LanguageModel, text: TextSource, tokens: bool = False) -> Iterator[bytes]:
    """The log10 probability of every sentence, or of every word with its hit length: lines of columns that tabs separate.

    Rows come as soon as their lines are read, many at a time from a file; the first line names the columns.
    """
    form = WORDS if tokens else SENTENCES
    yield "\t".join(_COLUMNS[form]).encode() + b"\n"
    empty = True
    for block in scored_blocks(model, text, form):
        empty = empty and not len(block.log_prob)
        yield block.rows
    if empty:
        raise _no_sentence(text)


def scored_blocks(model: LanguageModel, text: TextSource, rows: str) -> Iterator[BlockScores]:
    """The scores of a text, block by block; `rows`: of sentences, of words, or none."""
    if isinstance(text, (str, os.PathLike)) and is_conllu(text):
        yield score_sentences(model, list(read_sentences(text, model.preparation, refused=(BEGIN, END))), rows)
        return
    by_core = isinstance(model, BackoffLanguageModel) and model.preparation.is_plain
    score = _by_core(model, rows) if by_core else _by_model(model, rows)  # type: ignore[arg-type]
    first = 1
    for block in line_blocks(text):
        scores = score(block, first)
        first += len(scores.log_prob)
        yield scores


def score_sentences(
    model: LanguageModel, sentences: Sequence[Sequence[str]], rows: str = NO_ROWS, first: int = 1
) -> BlockScores:
    """The scores of prepared sentences, the first of which has the number `first`."""
    scores = model.score_sentences(sentences)
    events = [word for sentence in sentences for word in (*sentence, END)]
    known = np.where(scores.unknown, 0.0, scores.log_prob)
    starts = scores.offsets[:-1].astype(np.int64)
    sums, known_sums = (np.add.reduceat(p, starts) if len(starts) else p[:0] for p in (scores.log_prob, known))
    numbers = range(first, first + len(sentences))
    table: Iterable[tuple[Any, ...]] = ()
    if rows == WORDS:
        of_events = np.repeat(numbers, np.diff(scores.offsets).astype(np.int64)) if len(starts) else starts
        table = zip(of_events, events, scores.log_prob / _LOG_10, scores.matched, scores.unknown, strict=True)
    elif rows == SENTENCES:
        unknown = np.add.reduceat(scores.unknown, starts, dtype=np.int64) if len(starts) else starts
        table = zip(numbers, sums / _LOG_10, unknown, map(" ".join, sentences), strict=True)
    lines = ("\t".join(f"{v:.6f}" if isinstance(v, float) else str(v) for v in row) + "\n" for row in table)
    return BlockScores(
        "".join(lines).encode(),
        "".join(f"{word}\n" for word in events).encode(),
        sums,
        known_sums,
        int(scores.unknown.sum()),
        sum(len(word) + 1 for sentence in sentences for word in sentence),
    )


def _by_core(model: BackoffLanguageModel, rows: str) -> Callable[[LineBlock, int], BlockScores]:
    scorer = _core.TextScorer(model.native, model.vocabulary.native)
    by_model, threads = _by_model(model, rows), os.cpu_count() or 1

    def score(block: LineBlock, first: int) -> BlockScores:
        answer = scorer.score(block.text, rows, first, LONGEST_WORD, threads)
        return by_model(block, first) if answer is None else BlockScores(*answer)  # which says what is wrong

    return score


def _by_model(model: LanguageModel, rows: str) -> Callable[[LineBlock, int], BlockScores]:
    def score(block: LineBlock, first: int) -> BlockScores:
        sentences = [words for where, line in block.lines() if (words := _words(model, line, where))]
        return score_sentences(model, sentences, rows, first)

    return score


def _words(model: LanguageModel, line: str, where: str) -> list[str]:
    words = model.preparation(line)
    for word in words:
        check_length(word, where)
        if word in (BEGIN, END):
            raise InputError(
                f"{where}: holds {word} as a word; sentence boundaries are added by the model: remove them"
            )
    return words


def _no_sentence(text: object) -> InputError:
    return InputError(f"{text if isinstance(text, (str, os.PathLike)) else 'the text'}: no sentence found")


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
