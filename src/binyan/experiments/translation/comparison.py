"""The systems of a bitext are compared with each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from binyan.errors import InputError
from binyan.evaluation.translation import compound_differences, compound_words, paired_bootstrap
from binyan.experiments.experiment import Outcome, Workspace
from binyan.experiments.results import Results
from binyan.experiments.translation.models import german_compounds
from binyan.experiments.translation.runs import BASELINE, TranslationExperiment, experiments
from binyan.experiments.translation.systems import split

EXAMPLES = 3  # as many as the thesis shows


def measure_neighbours(experiment: TranslationExperiment, workspace: Workspace) -> Outcome:
    """Each system against the one before it: paired bootstrap, and sentences where their compounds differ.

    What is compared are the translations with the weights that tuned best.
    """
    texts, references = _best_translations(experiment, workspace)
    tests = {
        label: paired_bootstrap(texts[before], texts[label], [references], samples=experiment.model["samples"])
        for before, label in pairwise(experiment.compared)
    }
    figures: dict[str, Any] = {"p": {label: bleu.p_value for label, (bleu, _) in tests.items()}}
    if "compounds" in experiment.data:
        compounds = compound_words(german_compounds(workspace))
        of_compounds = [label for label in experiment.compared if label.startswith("hpylm+c")]
        figures["examples"] = {
            label: _examples(texts[BASELINE], texts[label], references, compounds) for label in of_compounds
        }
    return Outcome(figures, str(experiment.signature))


def _best_translations(
    experiment: TranslationExperiment, workspace: Workspace
) -> tuple[dict[str, list[str]], list[str]]:
    """What each system wrote with the weights that tuned best, and the references."""
    results, names = (
        Results(workspace.results),
        [replace(experiment, label=label).name for label in experiment.compared],
    )
    texts: dict[str, list[str]] = {}
    references: list[str] = []
    for e in (e for e in experiments() if e.name in names):
        if (result := results.get(e)) is None:
            raise InputError(f"{experiment.name} needs the translations of {e.name}: run that first")
        arrays = result.kept_arrays()
        texts[e.label], references = arrays["best"].tolist(), arrays["references"].tolist()
    return texts, references


def _examples(
    baseline: Sequence[str], system: Sequence[str], references: Sequence[str], compounds: Collection[str]
) -> list[dict[str, str]]:
    """The first sentences where a system writes compounds of the reference that the baseline does not, and no others."""
    found = compound_differences(split(baseline), split(system), split(references), compounds)
    right = (d for d in found if d.only_second and set(d.only_second) <= set(d.reference))
    return [
        {"baseline": baseline[d.sentence], "system": system[d.sentence], "right": " ".join(d.only_second)}
        for d in islice(right, EXAMPLES)
    ]
