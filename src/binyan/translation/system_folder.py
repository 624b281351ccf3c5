"""The folder of a translation system: alignment, rules, language model and weights, each made once and kept.

Files: settings.json (how it was made), alignment-N (Pharaoh), grammar.binyan, language_model.binyan, new_words.binyan (where
new words are to be made), and after tuning weights.json, weights-N.json and weights-N.tuning (the state of repetition N).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, write_json
from binyan.language_model import LanguageModel
from binyan.number_text import finite_values
from binyan.progress import ProgressOption
from binyan.settings import Settings, setting
from binyan.text import Preparation
from binyan.translation.alignment import Alignments, AlignmentSettings, align
from binyan.translation.bitext import Bitext, BitextSettings, read_words
from binyan.translation.bitext_cleaning import NO_CLEANING, CleaningReport, CleaningSettings, clean, without_emptied
from binyan.translation.new_word_learning import NewWordRecipe, learn_new_words
from binyan.translation.rule_extraction import ExtractionLimits, extract_rules
from binyan.translation.rule_table import RuleTable
from binyan.translation.tuning import TunedWeights, TuningSettings

SETTINGS, ALIGNMENT, RULES, LANGUAGE_MODEL = "settings.json", "alignment", "grammar.binyan", "language_model.binyan"
NEW_WORDS = "new_words.binyan"
WEIGHTS = "weights"


@dataclass(frozen=True)
class SystemSettings(Settings):
    """What a system is made of beside its rules."""

    order: int = setting(4, "Order of the Kneser-Ney model of the target text.")
    alignments: int = setting(3, "How many times eflomal aligns (its runs differ); rules are counted over all of them.")

    def __post_init__(self) -> None:
        if self.alignments < 1:
            raise SettingsError("a bitext is aligned once or more")


@dataclass(frozen=True)
class SystemRecipe:
    """All settings that a system is made with."""

    bitext: BitextSettings = field(default_factory=BitextSettings)
    alignment: AlignmentSettings = field(default_factory=AlignmentSettings)
    system: SystemSettings = field(default_factory=SystemSettings)
    limits: ExtractionLimits = field(default_factory=ExtractionLimits)
    cleaning: CleaningSettings = field(default_factory=CleaningSettings)

    def to_dict(self) -> dict[str, Any]:
        """As stored in the folder."""
        return {
            "source_preparation": self.bitext.source.to_dict(),
            "target_preparation": self.bitext.target.to_dict(),
            "symmetrisation": self.alignment.symmetrisation,
            "limits": self.limits.to_dict(),
            "order": self.system.order,
            "alignments": self.system.alignments,
            "cleaning": self.cleaning.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> SystemRecipe:
        """The inverse of `to_dict`."""
        source, target = (Preparation.from_dict(stored[f"{side}_preparation"]) for side in ("source", "target"))
        return cls(
            BitextSettings(source_preparation=source, target_preparation=target),
            AlignmentSettings(stored["symmetrisation"]),
            SystemSettings(stored["order"], stored.get("alignments", 1)),
            ExtractionLimits.from_dict(stored["limits"]),
            CleaningSettings.from_dict(stored.get("cleaning", NO_CLEANING.to_dict())),
        )

    def with_alignments(self, number: int) -> SystemRecipe:
        """The recipe with another number of alignments."""
        return replace(self, system=replace(self.system, alignments=number))


class SystemFolder:
    """A folder that holds a system, or that one is made in. `recipe` and `bitext` (a digest) say what it is made of.

    `words_ratio`: target words per source word of the bitext; None in folders of earlier versions.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        if not (self.path / SETTINGS).exists():
            kind = "is a folder; name a file in it, or" if self.path.is_dir() else "is not"
            raise InputError(
                f"{path}: {kind} the folder of a translation system (which has {SETTINGS}); 'binyan mt train' makes one"
            )
        try:
            stored = json.loads((self.path / SETTINGS).read_text(encoding="utf-8"))
            self.recipe, self.bitext = SystemRecipe.from_dict(stored["settings"]), str(stored["bitext"])
            self.only_for: list[str] = [str(name) for name in stored.get("only_for", [])]
            ratio = stored.get("words_ratio")
            self.words_ratio = None if ratio is None else float(ratio)
            self.monolingual = str(stored.get("monolingual", ""))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"{self.path / SETTINGS}: not the settings of a translation system ({error}); make the system again"
            ) from error

    @classmethod
    def create(
        cls, path: PathLike, recipe: SystemRecipe, bitext: Bitext, only_for: Sequence[PathLike], monolingual: str = ""
    ) -> SystemFolder:
        """The folder for a system of this bitext and recipe; where it holds one already, it must be the same.

        `monolingual`: the digest of text in the target language that the language model is also learnt from.
        """
        place, names = Path(path), [Path(p).name for p in only_for]
        place.mkdir(parents=True, exist_ok=True)
        if not (place / SETTINGS).exists():
            content: dict[str, Any] = {"settings": recipe.to_dict(), "bitext": bitext.digest, "only_for": names}
            content["words_ratio"] = clean(bitext, recipe.cleaning)[0].words_ratio
            content |= {"monolingual": monolingual} if monolingual else {}
            write_json(place / SETTINGS, content)
        folder = cls(place)
        stored = folder.recipe.to_dict(), folder.bitext, folder.only_for, folder.monolingual
        if stored != (recipe.to_dict(), bitext.digest, names, monolingual):
            raise SettingsError(
                f"{path}: holds a system made of other text or with other settings; choose another folder"
            )
        return folder

    def make(
        self,
        bitext: Bitext,
        alignment_files: Sequence[PathLike],
        only_for: Sequence[PathLike],
        progress: ProgressOption,
        monolingual: Sequence[Sequence[str]] = (),
        new_words: NewWordRecipe | bool = False,
    ) -> CleaningReport:
        """Make everything that the folder does not have yet. Rules are of the pairs that cleaning keeps, the model of all."""
        from binyan.ngram.kneser_ney import KneserNey

        cleaned, report = clean(bitext, self.recipe.cleaning)
        files = alignment_files or self._aligned(cleaned)
        if not self.rules.exists():
            prepare = self.recipe.bitext.source
            texts = [s for path in only_for for s in read_words(path, prepare)] if only_for else None
            links = [without_emptied(Alignments.read(path), cleaned) for path in files]
            extract_rules(cleaned, links, self.recipe.limits, texts, progress).save(self.rules)
        if not self.language_model.exists():
            model = KneserNey(self.recipe.system.order).fit([s for s in (*bitext.target, *monolingual) if s])
            model.save(self.language_model)
        if new_words and not self.new_words.exists():
            how = NewWordRecipe() if isinstance(new_words, bool) else new_words
            rules = RuleTable.load(self.rules)
            aligned = without_emptied(Alignments.read(files[0]), cleaned)
            learn_new_words(cleaned, aligned, rules, monolingual, how, progress).save(self.new_words)
        return report

    def _aligned(self, bitext: Bitext) -> list[Path]:
        """The files of the alignments, made where they are missing."""
        paths = [self.path / f"{ALIGNMENT}-{n}" for n in range(1, self.recipe.system.alignments + 1)]
        for path in paths:
            if not path.exists():
                align(bitext.source, bitext.target, self.recipe.alignment.symmetrisation).write(path)
        return paths

    @property
    def rules(self) -> Path:
        """The file of the packed rules."""
        return self.path / RULES

    @property
    def new_words(self) -> Path:
        """The file of what is needed to make new words."""
        return self.path / NEW_WORDS

    @property
    def language_model(self) -> Path:
        """The file of the system's own language model."""
        return self.path / LANGUAGE_MODEL

    def weights(self, name: str = WEIGHTS) -> Path:
        """The file of weights called `name`."""
        return self.path / f"{name}.json"

    def tuning_state(self, name: str) -> Path:
        """The file that the tuning of the weights called `name` is resumed from."""
        return self.path / f"{name}.tuning"

    def save_weights(
        self,
        name: str,
        tuned: TunedWeights,
        settings: TuningSettings,
        paths: Sequence[PathLike],
        models: Sequence[LanguageModel],
        new_words: bool = False,
    ) -> None:
        """Write weights with the models they were tuned with; no `paths` stand for the system's own model."""
        content = {
            "weights": tuned.weights,
            "models": [str(Path(p).resolve()) for p in paths],
            "signatures": [str(m.signature()) for m in models],
            "bleu": tuned.bleu,
            "history": tuned.history,
            "lengths": tuned.lengths,
            "tuning": asdict(settings),
        } | ({"new_words": True} if new_words else {})
        write_json(self.weights(name), content)


def read_weights(path: PathLike) -> dict[str, Any]:
    """A file of weights as written by tuning: "weights" by feature, "models" they were tuned with, and more."""
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        stored["weights"] = finite_values(stored["weights"], "weights")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: not a file of weights: {error}") from error
    return {"models": [], "new_words": False, **stored}
