"""The experiments of the translation study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from binyan.experiments.experiment import Experiment
from binyan.experiments.translation import bitexts
from binyan.experiments.translation.bitexts import CORPORA
from binyan.experiments.translation.models import GERMAN_COMPOUNDS, OF_CHAPTER_4, ORDER, SYSTEMS, SystemModels
from binyan.translation.decoder import TranslationSettings
from binyan.translation.tuning import TuningSettings

BASELINE = "mkn"
COMPARED = "neighbours"
REPETITIONS = 3  # tunings
TUNING_POP_LIMIT = 80  # less than the default, to save time
ALIGNED_AGAIN = ("multi30k", "en-de"), (2, 3)  # the bitext whose baseline has further systems with other alignments


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
    def compared(self) -> tuple[str, ...]:
        """The systems of the bitext, each of which is compared with the one before."""
        return systems_of(self.dataset)

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


def systems_of(corpus: str) -> tuple[str, ...]:
    """The systems of a bitext: all on the large one; otherwise those of the thesis's chapter 4."""
    return tuple(SYSTEMS) if corpus == "europarl" else OF_CHAPTER_4


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
    labels = systems_of(corpus)
    listed = [
        TranslationExperiment(
            dataset=corpus,
            label=label,
            data=data,
            model={**common, "system": 1, "models": " ".join(SYSTEMS[label].names), **SYSTEMS[label].settings},
        )
        for label in labels
    ]
    bitext, numbers = ALIGNED_AGAIN
    if (corpus, pair) == bitext:
        for number in numbers:
            model = {**listed[0].model, "system": number}
            listed.append(replace(listed[0], label=f"{BASELINE}-alignment-{number}", model=model))
    compared = {**common, "models": " ".join(labels), "samples": 1000}
    return [*listed, TranslationExperiment(dataset=corpus, label=COMPARED, data=data, model=compared, measure=COMPARED)]
