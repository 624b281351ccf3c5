"""Which figures of the translation study stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.headline import Headline
from binyan.experiments.translation.runs import TranslationExperiment


def bleu_in_thesis(experiment: TranslationExperiment) -> tuple[str, ...]:
    """The thesis's BLEU: of chapter 4 where it has the system, else of chapter 3, which has English to German alone."""
    models = experiment.system_models
    if models.thesis_chapter_4 is not None:
        return "lbl", "translation", models.thesis_chapter_4, experiment.language_pair
    if models.thesis_chapter_3 is not None and experiment.target == "de":
        return "hpylm", "translation", "bleu", models.thesis_chapter_3
    return ()


def headlines(experiment: TranslationExperiment) -> list[Headline]:
    """BLEU; for German also the F-score of compounds."""
    listed = [Headline("BLEU", ("bleu_mean",), bleu_in_thesis(experiment))]
    row = experiment.system_models.thesis_chapter_3
    if experiment.target == "de" and row is not None:
        compounds = ("hpylm", "translation", "compound_f", row)
        listed.append(Headline("compounds, F", ("compound_f_score",), compounds))
    return listed
