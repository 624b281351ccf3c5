"""A translation system in a folder: alignment, grammar, language model and weights, each made once and kept.

Files: settings.json (how it was made), alignment-N (Pharaoh), grammar.binyan, language_model.binyan, and after tuning
weights.json, weights-N.json and weights-N.tuning (the state of repetition N).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from binyan import language_model
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.progress import ProgressOption
from binyan.signature import Signature
from binyan.text import Preparation
from binyan.translation.alignment import Alignments, align
from binyan.translation.bitext import Bitext, read_words
from binyan.translation.decoder import Decoder, DecoderSettings
from binyan.translation.grammar import ExtractionLimits, Grammar
from binyan.translation.tuning import Tuned, TuningSettings, tune

SETTINGS, ALIGNMENT, GRAMMAR, LANGUAGE_MODEL = "settings.json", "alignment", "grammar.binyan", "language_model.binyan"


@dataclass(frozen=True)
class SystemSettings:
    """How a system is made from a bitext. `order`: of the Kneser-Ney model of the target side. `alignments`: how often eflomal
    aligns it; rules are counted over all of them."""

    source_preparation: Preparation = field(default_factory=Preparation)
    target_preparation: Preparation = field(default_factory=Preparation)
    symmetrisation: str = "grow-diag-final-and"
    limits: ExtractionLimits = field(default_factory=ExtractionLimits)
    order: int = 4
    alignments: int = 1

    def __post_init__(self) -> None:
        if self.alignments < 1:
            raise SettingsError("a bitext is aligned once or more")

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> SystemSettings:
        """The inverse of `dataclasses.asdict`."""
        parts = [Preparation.from_dict(fields[f"{side}_preparation"]) for side in ("source", "target")]
        rest = {"limits": ExtractionLimits(**fields["limits"]), "alignments": fields.get("alignments", 1)}
        return cls(parts[0], parts[1], fields["symmetrisation"], order=fields["order"], **rest)


class System:
    """A folder that holds a trained system."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / SETTINGS).exists():
            raise InputError(f"{folder}: is not a translation system (no {SETTINGS}); make one with 'binyan mt train'")
        stored = json.loads((self.folder / SETTINGS).read_text(encoding="utf-8"))
        self.settings, self.bitext = SystemSettings.from_dict(stored["settings"]), stored["bitext"]

    @classmethod
    def train(
        cls,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        folder: str | os.PathLike[str],
        settings: SystemSettings | None = None,
        alignments: Sequence[str | os.PathLike[str]] = (),
        only_for: Sequence[str | os.PathLike[str]] = (),
        progress: ProgressOption = None,
    ) -> System:
        """Make all steps that the folder does not have yet.

        `alignments`: Pharaoh files to use instead of eflomal. `only_for`: source texts; only rules they can use are kept,
        which saves memory where the bitext is large.
        """
        from binyan.ngram.kneser_ney import KneserNey

        settings = settings or SystemSettings()
        bitext = Bitext.read(source, target, settings.source_preparation, settings.target_preparation)
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        wanted = {"settings": asdict(settings), "bitext": bitext.digest, "only_for": [Path(p).name for p in only_for]}
        if (place / SETTINGS).exists():
            found = json.loads((place / SETTINGS).read_text(encoding="utf-8"))
            if found != json.loads(json.dumps(wanted)):
                raise SettingsError(
                    f"{folder}: holds a system made of other text or with other settings; choose another folder"
                )
        else:
            _write_json(place / SETTINGS, wanted)
        links = [Alignments.read(path) for path in alignments or _aligned(bitext, settings, place)]
        if not (place / GRAMMAR).exists():
            texts = (
                [s for path in only_for for s in read_words(path, settings.source_preparation)] if only_for else None
            )
            Grammar.extract(bitext, links, settings.limits, texts, progress).save(place / GRAMMAR)
        if not (place / LANGUAGE_MODEL).exists():
            KneserNey(settings.order, preparation=Preparation()).fit([s for s in bitext.target if s]).save(
                place / LANGUAGE_MODEL
            )
        return cls(place)

    def grammar(self) -> Grammar:
        """The packed grammar."""
        return Grammar.load(self.folder / GRAMMAR)

    def models(self, paths: Sequence[str | os.PathLike[str]] = ()) -> list[LanguageModel]:
        """Language models from files; without any, the one trained with the system."""
        return [language_model.load(p) for p in paths or [self.folder / LANGUAGE_MODEL]]

    def tune(
        self,
        source: Sequence[Sequence[str]],
        references: Sequence[Sequence[Sequence[str]]],
        models: Sequence[str | os.PathLike[str]] = (),
        settings: TuningSettings | None = None,
        decoder_settings: DecoderSettings | None = None,
        repetitions: int = 1,
        threads: int = 1,
        name: str = "weights",
        progress: ProgressOption = None,
    ) -> list[Tuned]:
        """Tune `repetitions` times, with seeds that follow each other; what is done already is not done again.

        Writes NAME-N.json for each, and NAME.json with the one of the best BLEU, which `decoder` takes.
        """
        settings = settings or TuningSettings()
        if repetitions < 1:
            raise SettingsError("tuning is repeated once or more")
        loaded = self.models(models)
        grammar = self.grammar().restricted(source, (decoder_settings or DecoderSettings()).max_span)
        decoder = Decoder(grammar, loaded, settings=decoder_settings)
        results = []
        for n in range(1, repetitions + 1):
            own = TuningSettings(**{**asdict(settings), "seed": settings.seed + n - 1})
            state = self.folder / f"{name}-{n}.tuning"
            results.append(tune(decoder, source, references, own, state, threads, progress))
            self._save_weights(f"{name}-{n}.json", results[-1], models, loaded, own)
        best = max(range(repetitions), key=lambda i: results[i].bleu)
        self._save_weights(
            f"{name}.json",
            results[best],
            models,
            loaded,
            TuningSettings(**{**asdict(settings), "seed": settings.seed + best}),
        )
        return results

    def decoder(
        self,
        weights: str | os.PathLike[str] | None = None,
        models: Sequence[str | os.PathLike[str]] = (),
        settings: DecoderSettings | None = None,
        grammar: Grammar | None = None,
    ) -> Decoder:
        """A decoder with tuned weights and the models they were tuned with (or `models` in their place)."""
        path = Path(weights) if weights is not None else self.folder / "weights.json"
        stored: dict[str, Any] = {"weights": None, "models": []}
        if path.exists():
            stored = read_weights(path)
        elif weights is not None:
            raise InputError(f"{path}: there are no such weights")
        return Decoder(grammar or self.grammar(), self.models(models or stored["models"]), stored["weights"], settings)

    def signature(self) -> Signature:
        """How the system was made."""
        return Signature(
            {
                "bitext": self.bitext,
                **asdict(self.settings.limits),
                "symmetrisation": self.settings.symmetrisation,
                "alignments": self.settings.alignments,
            }
        )

    def _save_weights(
        self, name: str, tuned: Tuned, paths: Sequence[Any], models: list[LanguageModel], settings: TuningSettings
    ) -> None:
        content = {
            "weights": tuned.weights,
            "models": [str(Path(p).resolve()) for p in paths],
            "signatures": [str(m.signature()) for m in models],
            "bleu": tuned.bleu,
            "history": tuned.history,
            "tuning": asdict(settings),
        }
        _write_json(self.folder / name, content)


def _aligned(bitext: Bitext, settings: SystemSettings, folder: Path) -> list[Path]:
    """The files of the alignments, made where they are not there."""
    paths = [folder / f"{ALIGNMENT}-{n}" for n in range(1, settings.alignments + 1)]
    for path in paths:
        if not path.exists():
            align(bitext.source, bitext.target, settings.symmetrisation).write(path)
    return paths


def read_weights(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A file of weights as written by tuning."""
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        if not all(isinstance(v, (int, float)) for v in stored["weights"].values()):
            raise ValueError("a weight is not a number")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not a file of weights: {error}") from error
    return {"models": [], **stored}


def mean_and_deviation(results: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (0 for one result)."""
    return float(np.mean(results)), float(np.std(results, ddof=1)) if len(results) > 1 else 0.0


def batches(lines: Iterator[list[str]], size: int) -> Iterator[list[list[str]]]:
    """Sentences in lists of `size`, as they come."""
    if size < 1:
        raise SettingsError(f"a batch has one line or more, not {size}")
    batch: list[list[str]] = []
    for line in lines:
        batch.append(line)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_json(path: Path, content: dict[str, Any]) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path)
