"""Perplexity by subsets of the held-out events.

Hit length, frequency, part of speech, compounds (thesis, sections 3.4.4.3, 4.4.4.1 and 4.4.4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.evaluation.perplexity import Evaluation, bits, comparable, signature_of
from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.language_model import END, LanguageModel, perplexity

# word -> how many parts it has; a SegmentationTable's `lambda w: len(table.of(w))`, say
PartsOf = Callable[[str], int]


@dataclass(frozen=True)
class Grouping:
    """A partition of the events: event i is in group `group[i]`, whose label has one text per name."""

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    group: NDArray[np.int64]

    def __iter__(self) -> Any:
        """Groups that have events: label and mask."""
        for number, label in enumerate(self.labels):
            mask = self.group == number
            if mask.any():
                yield label, mask


def by_hit_length(evaluation: Evaluation) -> Grouping:
    """The length of the longest n-gram of the training text that ends in the word, from an n-gram model's scores."""
    if not evaluation.scores.matched.any():
        raise SettingsError(
            f"{evaluation.name} has no hit lengths; take them from an n-gram model of the same vocabulary"
        )
    lengths = range(1, max(evaluation.order, int(evaluation.scores.matched.max())) + 1)
    # A word that matches nothing, not even as a unigram, relies on the unigram distribution too.
    group = np.maximum(evaluation.scores.matched.astype(np.int64), 1) - 1
    return Grouping(("hit length",), tuple((str(n),) for n in lengths), group)


def by_frequency(evaluation: Evaluation, count_of: Callable[[str], int]) -> Grouping:
    """Bins [10^x, 10^(x+1)) of a word's count in the training text; unknown words are a bin of their own."""
    counts = np.array([count_of(word) for word in evaluation.text.words], np.int64)
    powers = [10**x for x in range(len(str(counts.max())))]
    labels = ["0", *(f"{low:,}–{10 * low - 1:,}" for low in powers)]
    group = np.where(evaluation.scores.unknown, 0, np.searchsorted(powers, counts, side="right") + 1)
    return Grouping(("training count",), (("unknown",), *((label,) for label in labels)), group)


def by_pos(evaluation: Evaluation) -> Grouping:
    """Part of speech, from a CoNLL-U text; most frequent first, sentence ends last."""
    tags = evaluation.text.tags
    if tags is None:
        raise InputError("the text has no parts of speech; give a CoNLL-U file (named .conllu)")
    events = [tag for sentence in tags for tag in (*sentence, END)]
    counts = {tag: events.count(tag) for tag in set(events) - {END}}
    return _labelled("part of speech", events, [*sorted(counts, key=lambda t: (-counts[t], t)), END])


def by_compound(evaluation: Evaluation, parts_of: PartsOf) -> Grouping:
    """Compound or not. Unknown words and sentence ends are not, as in the thesis."""
    events = ["compound" if n > 1 else "other" for n in _parts(evaluation, parts_of)]
    return _labelled("word", events, ["compound", "other"])


def by_parts(evaluation: Evaluation, parts_of: PartsOf) -> Grouping:
    """The number of parts of the word; unknown words and sentence ends have one."""
    events = _parts(evaluation, parts_of)
    return _labelled("parts", list(map(str, events)), [str(n) for n in range(1, max(events) + 1)])


def cross(one: Grouping, other: Grouping) -> Grouping:
    """Both partitions at once."""
    labels = tuple((*a, *b) for a in one.labels for b in other.labels)
    return Grouping((*one.names, *other.names), labels, one.group * len(other.labels) + other.group)


def grouping(
    name: str, evaluation: Evaluation, model: LanguageModel | None = None, parts_of: PartsOf | None = None
) -> Grouping:
    """The grouping called `name` on the command line; see GROUPINGS."""
    if name not in GROUPINGS:
        raise SettingsError(f"perplexity is broken down by {', '.join(GROUPINGS)}, not by {name!r}")
    return GROUPINGS[name](evaluation, model, parts_of)


def breakdown(evaluations: Sequence[Evaluation], groups: Grouping) -> Table:
    """Tokens, share, and perplexity and bits of each model, by group."""
    comparable(evaluations)
    several = len(evaluations) > 1
    names = [f"{e.name} " if several else "" for e in evaluations]
    figures = [column for n in names for column in (Column(f"{n}perplexity", ".2f"), Column(f"{n}bits", ".3f"))]
    rows: list[list[Cell]] = []
    for label, mask in groups:
        log_probs = [e.scores.log_prob[mask] for e in evaluations]
        rows.append([*label, *_size(mask), *(f(p) for p in log_probs for f in (perplexity, bits))])
    columns = [*map(Column, groups.names), Column("tokens", ",d"), Column("share", ".1%"), *figures]
    # Bits, not perplexity, are drawn: perplexities of subsets differ too much for one scale.
    chart = _chart(groups, [f"{n}bits" for n in names], "cross-entropy, bits per token")
    title = f"Perplexity by {' and '.join(groups.names)}"
    return Table(title, columns, rows, signature_of(evaluations), chart=chart)


def change(evaluations: Sequence[Evaluation], groups: Grouping) -> Table:
    """Relative change of cross-entropy from the first model to each of the others, by group; negative is better."""
    comparable(evaluations)
    others = evaluations[1:]
    rows: list[list[Cell]] = []
    for label, mask in groups:
        baseline, *after = (bits(e.scores.log_prob[mask]) for e in evaluations)
        rows.append([*label, *_size(mask), baseline, *after, *(100 * (b / baseline - 1) for b in after)])
    columns = [*map(Column, groups.names), Column("tokens", ",d"), Column("share", ".1%")]
    columns += [Column(f"{e.name} bits", ".3f") for e in evaluations]
    changes = ["change %"] if len(others) == 1 else [f"{e.name} change %" for e in others]
    columns += [Column(name, "+.2f") for name in changes]
    against = f"{' and '.join(e.name for e in others)} against {evaluations[0].name}"
    title = f"Cross-entropy of {against}, by {' and '.join(groups.names)}"
    chart = _chart(groups, changes, "change in cross-entropy, % (down is better)")
    return Table(title, columns, rows, signature_of(evaluations), chart=chart)


def _size(mask: NDArray[np.bool_]) -> tuple[int, float]:
    return int(mask.sum()), float(mask.mean())


def _chart(groups: Grouping, y: Sequence[str], y_title: str) -> Chart:
    series = groups.names[1] if len(groups.names) > 1 and len(y) == 1 else None
    return Chart("bars", groups.names[0], y, series=series, panel="share", y_title=y_title)


def _labelled(name: str, events: Sequence[str], labels: Sequence[str]) -> Grouping:
    index = {label: number for number, label in enumerate(labels)}
    group = np.fromiter((index[label] for label in events), np.int64, len(events))
    return Grouping((name,), tuple((label,) for label in labels), group)


def _parts(evaluation: Evaluation, parts_of: PartsOf) -> list[int]:
    unknown = evaluation.scores.unknown
    return [1 if unknown[i] or word == END else parts_of(word) for i, word in enumerate(evaluation.text.words)]


def _frequency(evaluation: Evaluation, model: LanguageModel | None, parts_of: PartsOf | None) -> Grouping:
    counts = model.training_counts() if model is not None else None
    if model is None or counts is None:
        raise SettingsError(f"{evaluation.name} does not know how often its words were seen in training")
    vocabulary, known = model.vocabulary, counts
    return by_frequency(evaluation, lambda word: int(known[vocabulary[word]]))


def _segmented(parts_of: PartsOf | None) -> PartsOf:
    if parts_of is None:
        raise SettingsError("to know compounds a segmentation is needed: a compound model, or --segmentation FILE")
    return parts_of


GROUPINGS: Mapping[str, Callable[[Evaluation, LanguageModel | None, PartsOf | None], Grouping]] = {
    "hit-length": lambda e, model, parts_of: by_hit_length(e),
    "frequency": _frequency,
    "pos": lambda e, model, parts_of: by_pos(e),
    "compound": lambda e, model, parts_of: by_compound(e, _segmented(parts_of)),
    "parts": lambda e, model, parts_of: by_parts(e, _segmented(parts_of)),
    "hit-length-compound": lambda e, model, parts_of: cross(by_hit_length(e), by_compound(e, _segmented(parts_of))),
}
