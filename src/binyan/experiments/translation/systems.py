"""Translation systems are made, tuned and scored. Finished steps stay in the folder of the bitext."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from binyan.evaluation.translation import compound_score, compound_words, translation_scores
from binyan.experiments.experiment import Outcome, Workspace
from binyan.experiments.translation import bitexts
from binyan.experiments.translation.models import ORDER, SAMPLING, TargetText, german_compounds
from binyan.experiments.translation.runs import TranslationExperiment
from binyan.files import replacing
from binyan.signature import digest
from binyan.text import Preparation
from binyan.translation.bitext import read_words
from binyan.translation.translator import Translator
from binyan.translation.tuning import mean_and_deviation


def measure_bleu(experiment: TranslationExperiment, workspace: Workspace) -> Outcome:
    """Train, tune three times, translate the test text with each, score. Finished steps stay in the folder of the bitext."""
    data, model = experiment.data, experiment.model
    folder = bitext_folder(experiment, workspace)
    texts = {part: bitexts.files(data, part, folder, workspace) for part in ("train", "tune", "test")}
    system = _system(experiment, folder, texts, workspace)
    target = TargetText(folder, experiment.target, texts["train"][1], texts["tune"][1])
    models = [target.model(name, workspace) for name in str(model["models"]).split()]
    name = f"weights-{experiment.settings_digest}"
    tuned = system.tune(
        *texts["tune"],
        models=models,
        name=name,
        repetitions=model["repetitions"],
        pop_limit=model["tuning_pop_limit"],
        progress=workspace.progress,
        **{setting: model[setting] for setting in ("method", "k", "rounds", "length", "seed")},
    )
    outputs = [
        _translated(system.using(models, system.folder / f"{name}-{n}.json"), f"{name}-{n}", experiment, workspace)
        for n in range(1, model["repetitions"] + 1)
    ]
    references = _references(texts["test"][1], experiment.target)
    figures, signature = _quality(outputs, references)
    figures = {"tuned_bleu": tuned.bleu, **figures}
    if "compounds" in data:
        figures |= _compounds(outputs, references, workspace)
    best = outputs[int(np.argmax(tuned.bleu))]
    arrays = {"best": np.array(best), "references": np.array(references)}
    return Outcome(figures, f"{system.signature()}|{signature}", arrays)


def _system(
    experiment: TranslationExperiment, folder: Path, texts: Mapping[str, tuple[Path, Path]], workspace: Workspace
) -> Translator:
    """The system of a bitext. Alignments are drawn: systems with other numbers have other ones."""
    data = experiment.data
    languages = {"source_language": data["source"], "target_language": data["target"], "lowercase": True}
    return Translator(**languages, alignments=data["alignments"]).fit(
        *texts["train"],
        folder / f"system-{experiment.model['system']}",
        only_for=(texts["tune"][0], texts["test"][0]),
        progress=workspace.progress,
    )


def bitext_folder(experiment: TranslationExperiment, workspace: Workspace) -> Path:
    """The folder of all that is made of a bitext: texts, language models, systems."""
    key = digest(repr(sorted({**experiment.data, "order": ORDER, **SAMPLING}.items())).encode())
    return workspace.cache / f"mt.{experiment.dataset}.{experiment.language_pair}.{key}"


def _translated(system: Translator, name: str, experiment: TranslationExperiment, workspace: Workspace) -> list[str]:
    """The translation of the test text by a tuned system, kept in its folder under this name."""
    path = system.folder / f"{name}.out"
    if not path.exists():
        text, _ = bitexts.files(experiment.data, "test", bitext_folder(experiment, workspace), workspace)
        decoding = {setting: experiment.model[setting] for setting in ("pop_limit", "consensus")}
        lines = system.translate(text, progress=workspace.progress, **decoding)
        with replacing(path) as unfinished:
            unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path.read_text(encoding="utf-8").splitlines()


def _references(path: Path, language: str) -> list[str]:
    return [" ".join(words) for words in read_words(path, Preparation(tokenise=language, lowercase=True))]


def _quality(outputs: Sequence[Sequence[str]], references: Sequence[str]) -> tuple[dict[str, Any], str]:
    """BLEU and chrF of each output, their means and deviations, words per word of the references; and the signature of BLEU."""
    scores = [translation_scores(output, [references]) for output in outputs]
    figures: dict[str, Any] = {}
    for i, measure in enumerate(("bleu", "chrf")):
        values = [s[i].score for s in scores]
        mean, deviation = mean_and_deviation(values)
        figures |= {measure: values, f"{measure}_mean": mean, f"{measure}_deviation": deviation}
    words = sum(len(line.split()) for line in references)
    figures["length"] = sum(len(line.split()) for output in outputs for line in output) / (len(outputs) * max(1, words))
    return figures, str(scores[0][0].signature)


def _compounds(outputs: Sequence[Sequence[str]], references: Sequence[str], workspace: Workspace) -> dict[str, Any]:
    """Precision, recall and F of German compounds in the outputs, in per cent."""
    compounds = compound_words(german_compounds(workspace))
    scores = [compound_score(split(output), split(references), compounds) for output in outputs]
    figures: dict[str, Any] = {}
    for kind in ("precision", "recall", "f_score"):
        mean, deviation = mean_and_deviation([100 * getattr(score, kind) for score in scores])
        figures |= {f"compound_{kind}": mean, f"compound_{kind}_deviation": deviation}
    return {**figures, "compounds_in_reference": scores[0].in_reference}


def split(lines: Sequence[str]) -> list[list[str]]:
    """The words of each line."""
    return [line.split() for line in lines]
