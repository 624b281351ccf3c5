"""How well a language model predicts a held-out text."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.evaluation.table import Chart, Column, Table
from binyan.language_model import END, LanguageModel, Scores
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
        """One word an event, </s> after each sentence."""
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
    """A model's scores on a held-out text, with all that its figures need. `name` is how tables call the model."""

    name: str
    text: HeldOutText
    scores: Scores
    order: int
    vocabulary: str  # digest
    vocabulary_size: int
    signature: Signature

    @property
    def perplexity(self) -> float:
        """Over all events, unknown words included."""
        return self.scores.perplexity

    @property
    def bits_per_character(self) -> float:
        """Comparable between models of different vocabularies, as long as no word is unknown."""
        return -float(self.scores.log_prob.sum()) / math.log(2) / self.text.characters

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "perplexity": self.scores.perplexity,
            "perplexity_known": self.scores.perplexity_known,
            "bits_per_character": self.bits_per_character,
            "tokens": self.scores.tokens,
            "unknown": int(self.scores.unknown.sum()),
            "signature": str(self.signature),
        }


def evaluate(
    model: LanguageModel, text: HeldOutText | Source, name: str | None = None, closed: bool = False
) -> Evaluation:
    """Score `text` with `model`. A source that is not prepared yet is prepared as the model's training text was.

    `closed`: words outside the vocabulary are scored as <unk> also by a model that could spell them, so that it is
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
    return Evaluation(name or model.kind, text, scores, model.order, vocabulary.digest, len(vocabulary), signature)


def summary(evaluations: Sequence[Evaluation], title: str = "Perplexity") -> Table:
    """One row a model. Models that know other words are refused: their perplexities say nothing about each other."""
    comparable(evaluations)
    columns = [
        Column("model"),
        Column("order", "d"),
        Column("perplexity", ".2f"),
        Column("known words", ".2f"),
        Column("bits per character", ".4f"),
        Column("tokens", ",d"),
        Column("unknown", ",d"),
    ]
    rows = []
    for e in evaluations:
        f = e.to_dict()
        rows.append(
            [
                e.name,
                e.order,
                *(f[k] for k in ("perplexity", "perplexity_known", "bits_per_character", "tokens", "unknown")),
            ]
        )
    return Table(title, columns, rows, signature_of(evaluations), chart=Chart("bars", "model", ["perplexity"]))


def by_order(evaluations: Sequence[Evaluation]) -> Table:
    """Perplexity by order, one column a model name; each evaluation is of one order."""
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
    """Points (series, x, y) as a table with one row an x and one column a series, drawn as lines."""
    series = list(dict.fromkeys(name for name, _, _ in points))
    values = {(name, place): value for name, place, value in points}
    rows = [[place, *(values.get((name, place)) for name in series)] for place in sorted({p for _, p, _ in points})]
    form = "+.2f" if "change" in y else ".2f"
    columns = [Column(x, ",d"), *(Column(name, form) for name in series)]
    return Table(title, columns, rows, signature, chart=Chart("lines", x, series, y_title=y, log_x=log_x))


def comparable(evaluations: Sequence[Evaluation]) -> None:
    """Raise unless all are of the same events over the same vocabulary."""
    for other in evaluations[1:]:
        first = evaluations[0]
        if other.text.digest != first.text.digest:
            raise InputError(
                f"{first.name} and {other.name} were evaluated on different words; "
                "evaluate both on the same text, with models trained with the same preparation"
            )
        if other.vocabulary != first.vocabulary:
            raise InputError(
                f"{first.name} knows {first.vocabulary_size:,} words and {other.name} {other.vocabulary_size:,}, not the same "
                "ones, so their perplexities cannot be compared: train both with the same --vocabulary FILE "
                "(or look at bits per character, where no word is unknown)"
            )


def signature_of(evaluations: Sequence[Evaluation]) -> str:
    """The signature of an evaluation; of several, one a line, after the name of the model."""
    if len(evaluations) == 1:
        return str(evaluations[0].signature)
    return "\n".join(dict.fromkeys(f"{e.name}: {e.signature}" for e in evaluations))


def bits(log_prob: NDArray[np.float64]) -> float:
    """Cross-entropy in bits an event; NaN for no events."""
    return -float(np.mean(log_prob)) / math.log(2) if len(log_prob) else math.nan
