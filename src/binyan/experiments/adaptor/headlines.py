"""Which figures of chapter 5's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.adaptor.runs import WHOLE_LIST, AdaptorExperiment
from binyan.experiments.adaptor.stemmers import PACKAGES
from binyan.experiments.adaptor.word_lists import SWAPPED_LISTS
from binyan.experiments.headline import Headline, Keys

_GUESSERS = {
    "uniform": "uniform guesser",
    "stem-constrained": "stem-constrained",
    "character-constrained": "character-constrained",
    "doubly constrained": "doubly constrained",
}
_ON_FRONT = ("uniform", "doubly constrained")
_STATISTICS = {
    "words": "words",
    "stems": "stems",
    "roots": "roots",
    "mean_morphemes": "morphemes_per_word",
    "mean_characters": "characters_per_word",
}
_TABLES = {3: "root_accuracy_triliteral", 4: "root_accuracy_quadriliteral"}


def headlines(experiment: AdaptorExperiment) -> list[Headline]:
    """Accuracies of guessers; or F1 of segment borders, and accuracies of roots where there are roots.

    The thesis's figures are of whole word lists, and stand beside ours of whole lists alone.
    """
    method = experiment.method
    if experiment.measure == "guessers":
        return _guessers(experiment)
    if experiment.measure == "stemmers":
        return [Headline(f"roots of 3, {name}, %", (name, "accuracy")) for name in PACKAGES]
    if experiment.measure in ("sweeps", "subsets"):
        grammars = experiment.model["grammars"].split()
        return [Headline(f"borders, F1 of {name}, mean of seeds", ("f1", name)) for name in grammars]
    borders = _thesis(experiment, "segment_border_f1", method.thesis_name)
    listed = [Headline("borders, F1", ("segmentation", "f1"), borders)]
    if experiment.measure == "adaptor":
        listed += _segmentation(experiment)
    if method.finds_roots:
        for way in ("A", "B"):
            roots = _thesis(experiment, _TABLES[3], f"{way} {method.thesis_name}")
            listed.append(Headline(f"roots of 3, method {way}, %", (f"roots_3_{way}", "accuracy"), roots))
        listed += _roots(experiment)
    return listed


def _guessers(experiment: AdaptorExperiment) -> list[Headline]:
    listed = [
        Headline(
            f"roots of {length}, {row}, %",
            ("accuracy", f"{name} {length}"),
            _thesis(experiment, table, row),
            front=length == 3 and name in _ON_FRONT,
        )
        for length, table in _TABLES.items()
        for name, row in _GUESSERS.items()
    ]
    return listed + [
        Headline(f"list: {theirs}", (ours,), _thesis(experiment, "data", theirs), front=False)
        for ours, theirs in _STATISTICS.items()
    ]


def _segmentation(experiment: AdaptorExperiment) -> list[Headline]:
    """Lexica of affixes and stems, and what the thesis says of the Quran."""
    name = experiment.method.thesis_name
    listed = [
        Headline(
            f"lexicon of {part}, F1",
            ("lexicon", part, "f1"),
            (*keys, str(place)) if (keys := _thesis(experiment, "lexicon_f1", name)) else (),
            front=False,
        )
        for place, part in enumerate(("pre", "stem", "suf"))
    ]
    for place, score in enumerate(("precision", "recall")):
        stated = ("adaptor", "stem_lexicon", f"{name} {experiment.dataset}", str(place))
        theirs = stated if experiment.size == WHOLE_LIST else ()
        listed.append(Headline(f"lexicon of stem, {score}", ("lexicon", "stem", score), theirs, front=False))
    for figure, what in (("segmentation_coarse", "coarse"), ("segmentation_of_3_or_more", "three morphemes and more")):
        is_compared = experiment.dataset == "QU'" and experiment.size == WHOLE_LIST
        keys = ("adaptor", "quran", f"{name}, {what}") if is_compared else ()
        listed.append(Headline(f"borders, {what}, F1", (figure, "f1"), keys, front=False))
    return listed


def _roots(experiment: AdaptorExperiment) -> list[Headline]:
    """Roots of four, words whose stem is not the root, and lexica of roots, as the thesis scores them of Tpl."""
    name, is_tpl = experiment.method.thesis_name, experiment.method.thesis_name == "Tpl"
    listed = [
        Headline(
            f"roots of 4, method {way}, %",
            (f"roots_4_{way}", "accuracy"),
            _thesis(experiment, _TABLES[4], f"{way} {name}"),
            front=False,
        )
        for way in ("A", "B")
    ]
    without = _thesis(experiment, "root_accuracy_without_bare_roots", f"A {name}")
    listed.append(
        Headline("roots of 3 that are not stems, %", ("roots_3_A_not_stems", "accuracy"), without, front=False)
    )
    for symbol, figure in (("R3", "root_lexicon"), ("T3", "root_lexicon_t3")):
        keys = _thesis(experiment, "root_lexicon", symbol) if is_tpl else ()
        for place, score in enumerate(("precision", "recall", "f1")):
            theirs = (*keys, str(place)) if keys else ()
            listed.append(Headline(f"lexicon of {symbol}, {score}", (figure, score), theirs, front=False))
    symbol, figure = ("T3", "root_lexicon_t3") if experiment.dataset in SWAPPED_LISTS else ("R3", "root_lexicon")
    area = ("adaptor", "root_auc", experiment.dataset) if is_tpl and experiment.size == WHOLE_LIST else ()
    return [*listed, Headline(f"lexicon of {symbol}, area", (figure, "auc"), area, front=False)]


def _thesis(experiment: AdaptorExperiment, table: str, row: str | None) -> Keys:
    return ("adaptor", table, str(row), experiment.dataset) if experiment.size == WHOLE_LIST else ()
