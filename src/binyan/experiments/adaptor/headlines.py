"""Which figures of chapter 5's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.adaptor.runs import WHOLE_LIST, AdaptorExperiment
from binyan.experiments.headline import Headline, Keys

_GUESSERS = {"uniform 3": "uniform guesser", "doubly constrained 3": "doubly constrained"}


def headlines(experiment: AdaptorExperiment) -> list[Headline]:
    """Accuracies of guessers; or F1 of segment borders, and accuracies of roots where there are roots.

    The thesis's figures are of whole word lists, and stand beside ours of whole lists alone.
    """
    method = experiment.method
    if experiment.measure == "guessers":
        return [
            Headline(f"roots, {row}, %", ("accuracy", key), _thesis(experiment, "root_accuracy_triliteral", row))
            for key, row in _GUESSERS.items()
        ]
    borders = _thesis(experiment, "segment_border_f1", method.thesis_name)
    listed = [Headline("borders, F1", ("segmentation", "f1"), borders)]
    if method.finds_roots:
        for way in ("A", "B"):
            roots = _thesis(experiment, "root_accuracy_triliteral", f"{way} {method.thesis_name}")
            listed.append(Headline(f"roots of 3, method {way}, %", (f"roots_3_{way}", "accuracy"), roots))
    return listed


def _thesis(experiment: AdaptorExperiment, table: str, row: str | None) -> Keys:
    return ("adaptor", table, str(row), experiment.dataset) if experiment.size == WHOLE_LIST else ()
