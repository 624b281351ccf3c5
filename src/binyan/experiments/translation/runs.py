"""The experiments of the translation study, and how they are measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from binyan.errors import InputError
from binyan.evaluation.translation import (
    compound_differences,
    compound_score,
    compound_words,
    paired_bootstrap,
    translation_scores,
)
from binyan.experiments.experiment import Experiment, Measure, Outcome, Workspace
from binyan.experiments.results import Results
from binyan.experiments.translation import bitexts
from binyan.experiments.translation.bitexts import CORPORA
from binyan.experiments.translation.models import (
    GERMAN_COMPOUNDS,
    ORDER,
    SAMPLING,
    SYSTEMS,
    SystemModels,
    TargetText,
    german_compounds,
)
from binyan.files import replacing
from binyan.signature import digest
from binyan.text import Preparation
from binyan.translation.bitext import read_words
from binyan.translation.decoder import TranslationSettings
from binyan.translation.translator import Translator
from binyan.translation.tuning import TuningSettings, mean_and_deviation

BASELINE = "mkn"
COMPARED = "neighbours"
REPETITIONS = 3  # tunings
TUNING_POP_LIMIT = 80  # less than the default, to save time
ALIGNED_AGAIN = ("multi30k", "en-de"), (2, 3)  # the bitext whose baseline has further systems with other alignments
EXAMPLES = 3  # as many as the thesis shows


@dataclass(frozen=True, kw_only=True)
class TranslationExperiment(Experiment):
    """A translation system with certain language models on a bitext, or a comparison of all of them."""

    study: str = "translation"
    measure: str = "bleu"

    @property
    def target(self) -> str:
        """The target language."""
        return str(self.data["target"])

    @property
    def language_pair(self) -> str:
        """Source and target language, such as `en-de`."""
        return f"{self.data['source']}-{self.target}"

    @property
    def system_models(self) -> SystemModels | None:
        """The language models of the system; None for a further alignment or a comparison."""
        return SYSTEMS.get(self.label)

    @property
    def steps(self) -> tuple[str, ...]:
        """The bitext, the language pair and the label."""
        return self.dataset, self.language_pair, self.label

    @property
    def source(self) -> str:
        """The bitext."""
        return self.dataset

    @property
    def is_analysis(self) -> bool:
        """Whether it compares what other experiments translated."""
        return self.measure == COMPARED


def experiments() -> list[TranslationExperiment]:
    """Small bitexts first."""
    return [
        experiment
        for corpus, bitext in CORPORA.items()
        for pair in bitext.pairs
        for experiment in _of_bitext(corpus, pair, bitexts.settings(corpus, pair))
    ]


def _of_bitext(corpus: str, pair: str, data: dict[str, Any]) -> list[TranslationExperiment]:
    tuning, decoding = TuningSettings(), TranslationSettings()
    common = {
        "order": ORDER,
        "repetitions": REPETITIONS,
        **{name: getattr(tuning, name) for name in ("method", "k", "rounds", "length", "seed")},
        "tuning_pop_limit": TUNING_POP_LIMIT,
        "pop_limit": decoding.pop_limit,
        "consensus": decoding.consensus,
    }
    if data["target"] == "de":
        data = {**data, "compounds": GERMAN_COMPOUNDS}
    listed = [
        TranslationExperiment(
            dataset=corpus,
            label=label,
            data=data,
            model={**common, "system": 1, "models": " ".join(models.names), **models.settings},
        )
        for label, models in SYSTEMS.items()
    ]
    bitext, numbers = ALIGNED_AGAIN
    if (corpus, pair) == bitext:
        for number in numbers:
            model = {**listed[0].model, "system": number}
            listed.append(replace(listed[0], label=f"{BASELINE}-alignment-{number}", model=model))
    compared = {**common, "models": " ".join(SYSTEMS), "samples": 1000}
    return [*listed, TranslationExperiment(dataset=corpus, label=COMPARED, data=data, model=compared, measure=COMPARED)]


def measure_bleu(experiment: TranslationExperiment, workspace: Workspace) -> Outcome:
    """Train, tune three times, translate the test text with each, score. Finished steps stay in the folder of the bitext."""
    data, model = experiment.data, experiment.model
    folder = bitext_folder(experiment, workspace)
    texts = {part: bitexts.files(data, part, folder, workspace) for part in ("train", "tune", "test")}
    # Alignments are drawn: systems that are made anew have other ones.
    languages = {"source_language": data["source"], "target_language": data["target"], "lowercase": True}
    system = Translator(**languages, alignments=data["alignments"]).fit(
        *texts["train"],
        folder / f"system-{model['system']}",
        only_for=(texts["tune"][0], texts["test"][0]),
        progress=workspace.progress,
    )
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
        _translated(system, models, f"{name}-{n}", texts["test"][0], workspace)
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


def bitext_folder(experiment: TranslationExperiment, workspace: Workspace) -> Path:
    """The folder of all that is made of a bitext: texts, language models, systems."""
    key = digest(repr(sorted({**experiment.data, "order": ORDER, **SAMPLING}.items())).encode())
    return workspace.cache / f"mt.{experiment.dataset}.{experiment.language_pair}.{key}"


def _translated(
    system: Translator, models: Sequence[Path], weights: str, text: Path, workspace: Workspace
) -> list[str]:
    """The translation of a text with some weights, kept beside them."""
    path = system.folder / f"{weights}.out"
    if not path.exists():
        tuned = system.using(models, system.folder / f"{weights}.json")
        lines = tuned.translate(text, progress=workspace.progress)
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
    scores = [compound_score(_split(output), _split(references), compounds) for output in outputs]
    figures: dict[str, Any] = {}
    for kind in ("precision", "recall", "f_score"):
        mean, deviation = mean_and_deviation([100 * getattr(score, kind) for score in scores])
        figures |= {f"compound_{kind}": mean, f"compound_{kind}_deviation": deviation}
    return {**figures, "compounds_in_reference": scores[0].in_reference}


def _split(lines: Sequence[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def measure_neighbours(experiment: TranslationExperiment, workspace: Workspace) -> Outcome:
    """Each system against the one before it in `SYSTEMS`: paired bootstrap, and sentences where their compounds differ.

    What is compared are the translations with the weights that tuned best.
    """
    texts, references = _best_translations(experiment, workspace)
    p_values = {
        label: paired_bootstrap(texts[before], texts[label], [references], samples=experiment.model["samples"])[
            0
        ].p_value
        for before, label in pairwise(SYSTEMS)
    }
    figures: dict[str, Any] = {"p": p_values}
    if "compounds" in experiment.data:
        compounds = compound_words(german_compounds(workspace))
        of_compounds = [label for label in SYSTEMS if label.startswith("hpylm+c")]
        figures["examples"] = {
            label: _examples(texts[BASELINE], texts[label], references, compounds) for label in of_compounds
        }
    return Outcome(figures, str(experiment.signature))


def _best_translations(
    experiment: TranslationExperiment, workspace: Workspace
) -> tuple[dict[str, list[str]], list[str]]:
    """What each system wrote with the weights that tuned best, and the references."""
    results, names = Results(workspace.results), [replace(experiment, label=label).name for label in SYSTEMS]
    texts: dict[str, list[str]] = {}
    references: list[str] = []
    for e in (e for e in experiments() if e.name in names):
        if (result := results.get(e)) is None:
            raise InputError(f"{experiment.name} compares what {e.name} translated: run it first")
        arrays = result.kept_arrays()
        texts[e.label], references = arrays["best"].tolist(), arrays["references"].tolist()
    return texts, references


def _examples(
    baseline: Sequence[str], system: Sequence[str], references: Sequence[str], compounds: Collection[str]
) -> list[dict[str, str]]:
    """The first sentences where a system writes compounds of the reference that the baseline does not, and no others."""
    found = compound_differences(_split(baseline), _split(system), _split(references), compounds)
    right = (d.sentence for d in found if d.only_second and set(d.only_second) <= set(d.reference))
    return [{"baseline": baseline[i], "system": system[i], "reference": references[i]} for i in islice(right, EXAMPLES)]


MEASURES: Mapping[str, Measure] = {"bleu": measure_bleu, COMPARED: measure_neighbours}
