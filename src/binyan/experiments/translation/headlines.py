"""Which figures of the translation study stand beside which figures of the thesis."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from binyan.experiments.headline import Change, Headline, Keys
from binyan.experiments.translation.models import SYSTEMS
from binyan.experiments.translation.runs import BASELINE, TranslationExperiment

_BLEU = ("bleu_mean",)
_COMPOUNDS = ("compound_f_score",)


def headlines(experiment: TranslationExperiment) -> list[Headline]:
    """BLEU, and for German the F-score of compounds; of a comparison, its tests. The thesis translates other text, so its changes against MKN are shown."""
    if experiment.is_analysis:
        return [
            Headline(f"p of {label} against {before}", ("p", label)) for before, label in pairwise(experiment.compared)
        ]
    listed = [Headline("BLEU", _BLEU, change=bleu_change(experiment))]
    models = experiment.system_models
    if experiment.target == "de" and models is not None and models.thesis_chapter_3 is not None:
        listed.append(Headline("compounds, F", _COMPOUNDS, change=_change(experiment, _COMPOUNDS, "compound_f")))
    return listed


def bleu_change(experiment: TranslationExperiment) -> Change | None:
    """The change against Kneser-Ney beside the thesis's; None for Kneser-Ney itself."""
    return _change(experiment, _BLEU, "bleu")


def _change(experiment: TranslationExperiment, ours: Keys, of_chapter_3: str) -> Change | None:
    """Both figures of the thesis's change come from the same chapter: each has a Kneser-Ney system of its own."""
    if experiment.label == BASELINE:
        return None
    models, base = experiment.system_models, SYSTEMS[BASELINE]
    if models is None:
        return None
    thesis: tuple[Keys, Keys] | None = None
    if models.thesis_chapter_4 and base.thesis_chapter_4:
        rows, pair = ("lbl", "translation"), experiment.language_pair
        thesis = (*rows, models.thesis_chapter_4, pair), (*rows, base.thesis_chapter_4, pair)
    elif models.thesis_chapter_3 and base.thesis_chapter_3 and experiment.target == "de":
        table = ("hpylm", "translation", of_chapter_3)
        thesis = (*table, models.thesis_chapter_3), (*table, base.thesis_chapter_3)
    return Change(replace(experiment, label=BASELINE).name, ours, thesis, unit="points")
