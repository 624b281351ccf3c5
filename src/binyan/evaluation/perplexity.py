"""How well a language model predicts a held-out text."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.evaluation.table import Chart, Column, Table
from binyan.files import PathLike
from binyan.language_model import END, STRINGS, LanguageModel, Scores
from binyan.segmentation import SegmentationTable
from binyan.signature import Signature, digest
from binyan.text import Preparation, read_sentences, read_tagged
from binyan.text.reading import Source, is_conllu
from binyan.text.vocabulary import UNKNOWN


@dataclass(frozen=True)
class HeldOutText:
    """Prepared sentences, and the part of speech of every word where the text has them."""

    sentences: Sequence[Sequence[str]]
    tags: Sequence[Sequence[str]] | None = None

    @classmethod
    def read(cls, source: Source, preparation: Preparation | None = None) -> HeldOutText:
        """A text file (CoNLL-U with its parts of speech), or sentences; prepared as the model's training text was."""
        if isinstance(source, (str, os.PathLike)) and is_conllu(source):
            prepare = preparation or Preparation()
            tagged = list(read_tagged(source))
            text = cls([prepare.words(s.words) for s in tagged], [s.tags for s in tagged])
        else:
            text = cls(list(read_sentences(source, preparation)))
        if not text.sentences:
            raise InputError(f"{source if isinstance(source, (str, os.PathLike)) else 'the text'}: no sentence found")
        return text

    @cached_property
    def words(self) -> list[str]:
        """One word per event, </s> after each sentence."""
        return [word for sentence in self.sentences for word in (*sentence, END)]

    @cached_property
    def characters(self) -> int:
        """Code points of the text written with one space between words and a line end after each sentence."""
        return sum(len(word) + 1 for sentence in self.sentences for word in sentence)

    @cached_property
    def digest(self) -> str:
        """Digits that stand for the words."""
        return digest("\n".join(self.words).encode())


@dataclass(frozen=True)
class Evaluation:
    """A model's scores on a held-out text, with all that its figures need.

    `name` is how tables call the model; `tables` has the breakdowns that were asked for.
    """

    name: str
    text: HeldOutText
    scores: Scores
    order: int
    vocabulary: str  # digest
    vocabulary_size: int
    signature: Signature
    events: str = "closed"
    tables: Mapping[str, Table] = field(default_factory=dict)

    @property
    def perplexity(self) -> float:
        """Over all events, unknown words included."""
        return self.scores.perplexity

    @property
    def log10_prob(self) -> float:
        """The log10 probability of the whole text."""
        return float((self.scores.log_prob / math.log(10)).sum())

    @property
    def bits_per_character(self) -> float:
        """Comparable between models of different vocabularies where these are open, or no word is unknown."""
        return -float(self.scores.log_prob.sum()) / math.log(2) / self.text.characters

    def __str__(self) -> str:
        return self.report()

    def report(self, full: bool = False) -> str:
        """The figures in one line, the tables, and one signature, short unless `full`."""
        tables = [t.terminal(signature=False).rstrip("\n") for t in self.tables.values()]
        return "\n\n".join([f"{self.figures}\n{self.signature if full else self.signature.short}", *tables])

    @property
    def figures(self) -> str:
        """The figures in one line."""
        return figures_line(self.to_dict())

    def _repr_html_(self) -> str:
        """Figures and tables, for a notebook."""
        tables = "".join(table._repr_html_() for table in self.tables.values())
        return f"<p>{html.escape(self.figures)}<br><small>{html.escape(str(self.signature))}</small></p>{tables}"

    def sentence_rows(self) -> list[dict[str, Any]]:
        """Every sentence with its log10 probability and how many of its words are unknown."""
        rows = []
        for i, (sentence, first, last) in enumerate(self._spans(), 1):
            log10 = float((self.scores.log_prob[first:last] / math.log(10)).sum())
            unknown = int(self.scores.unknown[first:last].sum())
            rows.append({"sentence": i, "log10_prob": log10, "unknown": unknown, "text": " ".join(sentence)})
        return rows

    def token_rows(self) -> list[dict[str, Any]]:
        """Every event with its log10 probability, hit length, and whether it is unknown."""
        scores, words = self.scores, self.text.words
        return [
            {
                "sentence": i,
                "word": words[j],
                "log10_prob": float(scores.log_prob[j] / math.log(10)),
                "matched": int(scores.matched[j]),
                "unknown": bool(scores.unknown[j]),
            }
            for i, (_, first, last) in enumerate(self._spans(), 1)
            for j in range(first, last)
        ]

    def _spans(self) -> Iterator[tuple[Sequence[str], int, int]]:
        offsets = self.scores.offsets
        for i, sentence in enumerate(self.text.sentences):
            yield sentence, int(offsets[i]), int(offsets[i + 1])

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "perplexity": self.scores.perplexity,
            "perplexity_known": self.scores.perplexity_known,
            **({"perplexity_unknown": self.scores.perplexity_unknown} if self.events == STRINGS else {}),
            "bits_per_character": self.bits_per_character,
            "tokens": self.scores.tokens,
            "unknown": int(self.scores.unknown.sum()),
            "signature": str(self.signature),
            **{name: table.to_dict() for name, table in self.tables.items()},
        }


def figures_line(figures: Mapping[str, Any]) -> str:
    """The figures of `to_dict` in one line; where every string has a probability, also those of unknown words and per character."""
    spelt = ""
    if "perplexity_unknown" in figures:
        of_unknown, per_character = figures["perplexity_unknown"], figures["bits_per_character"]
        spelt = f"of unknown words {of_unknown:.4g}  bits per character {per_character:.4f}  "
    return (
        f"perplexity {figures['perplexity']:.4f}  without unknown words {figures['perplexity_known']:.4f}  "
        f"{spelt}tokens {figures['tokens']:,}  unknown {figures['unknown']:,}"
    )


def evaluate(
    model: LanguageModel,
    text: HeldOutText | Source,
    name: str | None = None,
    *,
    by: str | Iterable[str] = (),
    segmentation: SegmentationTable | Mapping[str, str] | PathLike | None = None,
    closed: bool = False,
) -> Evaluation:
    """Score `text` with `model`. A source that is not prepared yet is prepared as the model's training text was.

    `by`: breakdowns by hit-length, frequency, pos, compound or parts; for the last two, `segmentation` has the parts of words where
    the model does not know them. `closed`: words outside the vocabulary are scored as <unk> also by a model that could spell them, so that it is
    comparable with models that cannot.
    """
    if not isinstance(text, HeldOutText):
        text = HeldOutText.read(text, model.preparation)
    vocabulary = model.vocabulary
    sentences = text.sentences
    if closed:
        sentences = [[w if w in vocabulary else UNKNOWN for w in s] for s in sentences]
    scores = model.score_sentences(sentences)
    if scores.tokens != len(text.words):
        raise InputError(f"the model scored {scores.tokens:,} events of {len(text.words):,}: does the text hold </s>?")
    unknown = f"{int(scores.unknown.sum())}-{'as-<unk>' if closed else 'scored'}"
    signature = model.signature().extended(text=text.digest, tokens=scores.tokens, unknown=unknown, ends="scored")
    events = "closed" if closed else model.events
    evaluation = Evaluation(
        name or model.kind, text, scores, model.order, vocabulary.digest, len(vocabulary), signature, events
    )
    if not by:
        return evaluation
    from binyan.evaluation.comparison import breakdowns

    return replace(evaluation, tables=breakdowns(model, evaluation, by, segmentation))


def summary(evaluations: Sequence[Evaluation], title: str = "Perplexity") -> Table:
    """One row per model. Models that know other words are refused: their perplexities say nothing about each other.

    Not so where every string has a probability; there the words that are unknown differ, and with them the last columns.
    """
    comparable(evaluations)
    spelt = all(e.events == STRINGS for e in evaluations)
    shown = {
        "perplexity": Column("perplexity", ".2f"),
        "perplexity_known": Column("known words", ".2f"),
        **({"perplexity_unknown": Column("unknown words", ".3g")} if spelt else {}),
        "bits_per_character": Column("bits per character", ".4f"),
        "tokens": Column("tokens", ",d"),
        "unknown": Column("unknown", ",d"),
    }
    columns = [Column("model"), Column("order", "d"), *shown.values()]
    rows = [[e.name, e.order, *(figures[name] for name in shown)] for e in evaluations if (figures := e.to_dict())]
    return Table(title, columns, rows, signature_of(evaluations), chart=Chart("bars", "model", ["perplexity"]))


def by_order(evaluations: Sequence[Evaluation]) -> Table:
    """Perplexity by order, one column per model name; each evaluation is of one order."""
    comparable(evaluations)
    return curve(
        "Perplexity by order",
        "order",
        "perplexity",
        [(e.name, e.order, e.perplexity) for e in evaluations],
        signature_of(evaluations),
    )


def by_training_size(evaluations: Sequence[tuple[int, Evaluation]], baseline: str) -> Table:
    """Per cent change of perplexity against the model named `baseline`, by number of training tokens.

    Perplexities of different sizes are of different vocabularies, so only changes within a size are compared.
    """
    reference = {size: e for size, e in evaluations if e.name == baseline}
    points = []
    for size, e in evaluations:
        if size not in reference:
            raise InputError(f"no evaluation of {baseline!r} at {size:,} tokens to compare {e.name!r} with")
        comparable([reference[size], e])
        if e.name != baseline:
            points.append((e.name, size, 100 * (e.perplexity / reference[size].perplexity - 1)))
    title = f"Perplexity against {baseline}, by training size"
    return curve(
        title,
        "training tokens",
        "change in perplexity, %",
        points,
        signature_of([e for _, e in evaluations]),
        log_x=True,
    )


def curve(
    title: str, x: str, y: str, points: Sequence[tuple[str, int, float]], signature: str, log_x: bool = False
) -> Table:
    """Points (series, x, y) as a table with one row per x and one column per series, drawn as lines."""
    series = list(dict.fromkeys(name for name, _, _ in points))
    values = {(name, place): value for name, place, value in points}
    rows = [[place, *(values.get((name, place)) for name in series)] for place in sorted({p for _, p, _ in points})]
    form = "+.2f" if "change" in y else ".2f"
    columns = [Column(x, ",d"), *(Column(name, form) for name in series)]
    return Table(title, columns, rows, signature, chart=Chart("lines", x, series, y_title=y, log_x=log_x))


def comparable(evaluations: Sequence[Evaluation]) -> None:
    """Raise unless all are of the same events: of one vocabulary, or of all strings."""
    for other in evaluations[1:]:
        first = evaluations[0]
        if other.text.digest != first.text.digest:
            raise InputError(
                f"{first.name} and {other.name} were evaluated on different words; "
                "evaluate both on the same text, with models trained with the same preparation"
            )
        if other.events == first.events == STRINGS:
            continue
        if other.vocabulary != first.vocabulary:
            raise InputError(
                f"{first.name} knows {first.vocabulary_size:,} words and {other.name} {other.vocabulary_size:,}, not the same "
                "ones, so their perplexities cannot be compared: train both with the same --vocabulary FILE, or with --vocabulary open, "
                "where every string has a probability (or look at bits per character, where no word is unknown)"
            )
        if other.events != first.events:
            opened, shut = (first, other) if first.events != "closed" else (other, first)
            raise InputError(
                f"{opened.name} gives words outside the vocabulary probabilities of their own, {shut.name} "
                f"{'that of <unk>' if shut.events == 'closed' else 'others'}: these are not the same events; compare models that "
                "are renormalised over the vocabulary (closed() in Python)"
            )


def signature_of(evaluations: Sequence[Evaluation], full: bool = True) -> str:
    """The signature of an evaluation; of several, one per line, after the name of the model."""
    signatures = [str(e.signature) if full else e.signature.short for e in evaluations]
    if len(evaluations) == 1:
        return signatures[0]
    return "\n".join(dict.fromkeys(f"{e.name}: {s}" for e, s in zip(evaluations, signatures, strict=True)))


def bits(log_prob: NDArray[np.float64]) -> float:
    """Cross-entropy in bits per event; NaN for no events."""
    return -float(np.mean(log_prob)) / math.log(2) if len(log_prob) else math.nan
