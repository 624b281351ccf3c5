"""The experiments of the translation study, and how they are measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from binyan.evaluation.translation import compound_score, compound_words, translation_scores
from binyan.experiments.experiment import Experiment, Measure, Outcome, Workspace
from binyan.experiments.hpylm import europarl
from binyan.experiments.translation import bitexts
from binyan.experiments.translation.bitexts import CORPORA
from binyan.experiments.translation.models import SYSTEMS, SystemModels, trained
from binyan.text import Corpus
from binyan.translation.bitext import read_words
from binyan.translation.decoder import TranslationSettings
from binyan.translation.translator import Translator
from binyan.translation.tuning import mean_and_deviation

# How to tune, the features of rules, the prior and the number of alignments, and consensus were decided on both halves of
# the tuning text, crosswise, and on multi30k's test text of 2017, never on that of 2016.
TUNING = {"method": "mira", "k": 60, "rounds": 4, "tuning_pop_limit": 60, "pop_limit": 200, "consensus": 100, "seed": 1}
BASELINE = "mkn"

Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class TranslationExperiment(Experiment):
    """A translation system with certain language models on a bitext."""

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
    def system_models(self) -> SystemModels:
        """The language models of the system."""
        return SYSTEMS[self.label]

    @property
    def steps(self) -> tuple[str, ...]:
        """The bitext, the language pair and the label."""
        return self.dataset, self.language_pair, self.label

    @property
    def source(self) -> str:
        """The bitext."""
        return self.dataset


def experiments() -> list[TranslationExperiment]:
    """Small bitexts first. Models that need German compounds are for German."""
    return [
        TranslationExperiment(
            dataset=corpus,
            label=label,
            data=bitexts.settings(corpus, target),
            model={
                "order": 4,
                "alignments": 3,
                "repetitions": 3,
                **TUNING,
                "models": " ".join(system.kinds),
                **system.settings,
            },
        )
        for corpus, bitext in CORPORA.items()
        for target in bitext.targets
        for label, system in SYSTEMS.items()
        if target == "de" or not system.needs_compounds
    ]


def measure_bleu(experiment: TranslationExperiment, workspace: Workspace) -> Outcome:
    """Train, tune three times, translate the test text with each, score. Finished steps stay in the folder of the system."""
    data, model = experiment.data, experiment.model
    paths = {part: bitexts.files(data, part, workspace) for part in ("train", "tune", "test")}
    folder = workspace.cache / f"mt.{data['corpus']}.{data['source']}-{data['target']}"
    languages = {"source_language": data["source"], "target_language": data["target"], "lowercase": True}
    system = Translator(**languages, alignments=model["alignments"]).fit(
        *paths["train"], folder, only_for=(paths["tune"][0], paths["test"][0]), progress=workspace.progress
    )
    models = [
        trained(kind, model, system, paths["train"][1], paths["tune"][1], workspace)
        for kind in experiment.system_models.kinds
    ]
    prepare = system.recipe.bitext.source, system.recipe.bitext.target
    tune, test = (
        [read_words(p, prep) for p, prep in zip(paths[part], prepare, strict=True)] for part in ("tune", "test")
    )
    name = f"weights-{experiment.signature.digest}"
    size = round(len(tune[0]) * data["tuned_on"])
    tuned = system.tune(
        tune[0][:size],
        tune[1][:size],
        models=models,
        name=name,
        pop_limit=model["tuning_pop_limit"],
        progress=workspace.progress,
        **{setting: model[setting] for setting in ("method", "k", "rounds", "seed", "repetitions")},
    )
    rules = system.rules.restricted(test[0], TranslationSettings().max_span)
    decoding = TranslationSettings(pop_limit=model["pop_limit"], consensus=model["consensus"])
    outputs = []
    for n in range(1, model["repetitions"] + 1):
        decoder = system.using(models, system.folder / f"{name}-{n}.json", rules).decoder(settings=decoding)
        outputs.append([list(h.words) for h in decoder.translate(test[0], progress=workspace.progress)])
    figures, signature = _quality(outputs, test[1])
    figures = {"tuned_bleu": tuned.bleu, **figures}
    if experiment.target == "de":
        figures |= _compounds(outputs, test[1], workspace)
    translations = {"translations": np.array([[" ".join(h) for h in o] for o in outputs])}
    return Outcome(figures, f"{system.signature()}|{signature}", translations)


MEASURES: Mapping[str, Measure] = {"bleu": measure_bleu}


def _quality(outputs: Sequence[Sentences], references: Sentences) -> tuple[dict[str, Any], str]:
    """BLEU and chrF of each output, their means and deviations, and the signature of BLEU."""
    joined = [[" ".join(r) for r in references]]
    scores = [translation_scores([" ".join(h) for h in output], joined) for output in outputs]
    figures: dict[str, Any] = {}
    for i, measure in enumerate(("bleu", "chrf")):
        values = [s[i].score for s in scores]
        mean, deviation = mean_and_deviation(values)
        figures |= {measure: values, f"{measure}_mean": mean, f"{measure}_deviation": deviation}
    return figures, str(scores[0][0].signature)


def _compounds(outputs: Sequence[Sentences], references: Sentences, workspace: Workspace) -> dict[str, Any]:
    """Precision, recall and F of German compounds in the outputs, in per cent."""
    vocabulary = Corpus.read([*references, *(h for output in outputs for h in output)]).vocabulary
    compounds = compound_words(europarl.segmentation(vocabulary, workspace))
    scores = [compound_score(output, references, compounds) for output in outputs]
    figures: dict[str, Any] = {}
    for kind in ("precision", "recall", "f_score"):
        mean, deviation = mean_and_deviation([100 * getattr(score, kind) for score in scores])
        figures |= {f"compound_{kind}": mean, f"compound_{kind}_deviation": deviation}
    return {**figures, "compounds_in_reference": scores[0].in_reference}
