"""The held-out n-grams two models disagree on most (thesis, section 3.4.4.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation.perplexity import Evaluation, comparable, signature_of
from binyan.evaluation.table import Cell, Column, Table
from binyan.language_model import BEGIN, END


def largest_differences(
    one: Evaluation,
    other: Evaluation,
    top: int = 20,
    only: NDArray[np.bool_] | None = None,
    show: Callable[[str], str] = str,
) -> Table:
    """The `top` n-grams where `one` gives its last word most more probability than `other`, then the reverse.

    `only` limits the events (compounds, say); `show` is how the last word is written (with its parts, say). An n-gram that
    occurs several times is listed once.
    """
    comparable([one, other])
    first, second = np.exp(one.scores.log_prob), np.exp(other.scores.log_prob)
    delta = first - second
    allowed = np.ones(len(delta), bool) if only is None else only
    order = max(one.order, other.order)
    columns = [
        Column("better"),
        Column("n-gram"),
        Column("Δ", ".4f"),
        Column(one.name, ".2e"),
        Column(other.name, ".2e"),
    ]
    rows: list[list[Cell]] = []
    for better, sign in ((one, 1.0), (other, -1.0)):
        seen: set[str] = set()
        for event in np.argsort(-sign * delta, kind="stable"):
            if len(seen) == top or sign * delta[event] <= 0:
                break
            context, word = _ngram(one, int(event), order)
            ngram = " ".join([*context, show(word)])
            if allowed[event] and ngram not in seen:
                seen.add(ngram)
                rows.append([better.name, ngram, sign * float(delta[event]), float(first[event]), float(second[event])])
    title = f"Where {one.name} and {other.name} differ most"
    note = "Δ: difference of the probabilities the two models give to the last word after the others."
    return Table(title, columns, rows, signature_of([one, other]), note)


def _ngram(evaluation: Evaluation, event: int, order: int) -> tuple[list[str], str]:
    words = evaluation.text.words
    context = words[max(0, event - order + 1) : event]
    if END in context:  # the sentence begins inside the window
        context = [BEGIN, *context[len(context) - context[::-1].index(END) :]]
    elif event < order - 1:
        context = [BEGIN, *context]
    return context, words[event]
