"""Which figures of chapter 5's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.adaptor.runs import AdaptorExperiment
from binyan.experiments.headline import Headline

_GUESSERS = {"uniform 3": "uniform guesser", "doubly constrained 3": "doubly constrained"}


def headlines(experiment: AdaptorExperiment) -> list[Headline]:
    """Accuracies of guessers; or F1 of segment borders, and accuracies of roots where there are roots."""
    dataset, method = experiment.dataset, experiment.method
    if experiment.measure == "guessers":
        return [
            Headline(f"roots, {row}, %", ("accuracy", key), ("adaptor", "root_accuracy_triliteral", row, dataset))
            for key, row in _GUESSERS.items()
        ]
    borders = ("adaptor", "segment_border_f1", method.thesis_name, dataset)
    listed = [Headline("borders, F1", ("segmentation", "f1"), borders)]
    if method.finds_roots:
        for way in ("A", "B"):
            roots = ("adaptor", "root_accuracy_triliteral", f"{way} {method.thesis_name}", dataset)
            listed.append(Headline(f"roots of 3, method {way}, %", (f"roots_3_{way}", "accuracy"), roots))
    return listed
