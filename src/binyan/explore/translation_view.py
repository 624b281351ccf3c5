"""Translation systems in the explorer: a sentence under any of the system's weights and any language model that is open."""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from binyan.errors import BinyanError, InputError
from binyan.language_model import LanguageModel, load
from binyan.number_text import finite_value
from binyan.translation.derivation import Explainer
from binyan.translation.json_lines import FIELDS, TranslationRequest, answer, parse_request
from binyan.translation.system_folder import LANGUAGE_MODEL, SETTINGS, WEIGHTS, read_weights
from binyan.translation.translator import Translator

OWN = "the system's own"
UNTUNED = "untuned"
LONGEST_TEXT = 2_000  # characters
MOST_MODELS = 8  # language models at once
MOST_FACTOR = 100.0
_KEPT = 4  # decoders of a system
_FIELDS = (*FIELDS, "system", "models", "weights", "model_factor")
_OF_MODEL = re.compile(r"(?:LanguageModel|Unknown)([0-9]{1,9})")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoredWeights:
    """Weights as they are stored, the names of the language models that they were tuned with, and BLEU on the tuning text."""

    stored: Mapping[str, Any]
    models: tuple[str, ...]
    bleu: float | None = None


class Variant(NamedTuple):
    """What a sentence is translated with: language models and weights by name, and a factor of the weights of the former."""

    models: tuple[str, ...]
    weights: str
    model_factor: float


class TranslationView:
    """A translation system with all its weights and the language models they were tuned with, read once."""

    def __init__(self, translator: Translator) -> None:
        self.signature = str(translator.signature())
        self.preparation = translator.recipe.bitext.source
        self._translator = translator
        self.rules = translator.rules
        self.models: dict[str, LanguageModel] = {OWN: load(translator.folder / LANGUAGE_MODEL)}
        self.weights: dict[str, StoredWeights] = {}
        self._names: dict[Path, str] = {}
        # The first are those that `translate` takes.
        self._add_weights(translator.folder / f"{WEIGHTS}.json")
        self.weights.setdefault(UNTUNED, StoredWeights({"weights": {}}, (OWN,)))
        for path in sorted(translator.folder.glob("*.json")):
            if path.name != SETTINGS and path.stem not in self.weights:
                self._add_weights(path)
        self._explainers: OrderedDict[Variant, Explainer] = OrderedDict()
        self._lock = threading.Lock()
        self.explainer(self.variant({}, {}), {})  # ready for the first question

    def describe(self, others: Mapping[str, LanguageModel]) -> dict[str, Any]:
        """What there is to choose from; `others` are further language models."""
        weights = [{"name": name, "models": one.models, "bleu": one.bleu} for name, one in self.weights.items()]
        return {
            "rules": len(self.rules),
            "weights": weights,
            "models": list({**self.models, **others}),
            "signature": self.signature,
        }

    def variant(self, question: Mapping[str, Any], others: Mapping[str, LanguageModel]) -> Variant:
        """What a question asks for. Raises InputError where there is no such thing."""
        weights = question.get("weights", next(iter(self.weights)))
        if not isinstance(weights, str) or weights not in self.weights:
            raise InputError(f"'weights' is one of {', '.join(self.weights)}")
        models = question.get("models", list(self.weights[weights].models))
        known = {**others, **self.models}
        if not isinstance(models, (list, tuple)) or not all(isinstance(m, str) and m in known for m in models):
            raise InputError(f"'models' is a list of names; there are {', '.join(known)}")
        if len(models) > MOST_MODELS:
            raise InputError(f"at most {MOST_MODELS} language models at once")
        factor = question.get("model_factor", 1.0)
        try:
            factor = finite_value(factor, "'model_factor'")
        except ValueError as error:
            raise InputError(str(error)) from error
        if not 0 <= factor <= MOST_FACTOR:
            raise InputError(f"'model_factor' is 0 to {MOST_FACTOR:g}")
        return Variant(tuple(models), weights, factor)

    def explainer(self, variant: Variant, others: Mapping[str, LanguageModel]) -> Explainer:
        """What translates under a variant; a few are kept."""
        with self._lock:
            explainer = self._explainers.pop(variant, None) or self._made(variant, others)
            self._explainers[variant] = explainer
            if len(self._explainers) > _KEPT:
                self._explainers.popitem(last=False)
        return explainer

    def _made(self, variant: Variant, others: Mapping[str, LanguageModel]) -> Explainer:
        models = [self.models[name] if name in self.models else others[name] for name in variant.models]
        stored = self.weights[variant.weights].stored
        weights = {name: w for name, w in stored["weights"].items() if _model_number(name) <= len(models)}
        decoder = self._translator.decoder_for(models, {**stored, "weights": weights})
        if variant.model_factor != 1:
            of_models = {n: w for n, w in decoder.weights.items() if n.startswith("LanguageModel")}
            decoder = decoder.changed({name: variant.model_factor * w for name, w in of_models.items()})
        return Explainer(decoder)

    def _add_weights(self, path: Path) -> None:
        """Read a file of weights and the models it names; one that cannot be read is left out, and that is said."""
        if not path.exists():
            return
        try:
            stored = read_weights(path)
            models = tuple(self._model_name(Path(str(model))) for model in stored["models"]) or (OWN,)
            bleu = stored.get("bleu")
            self.weights[path.stem] = StoredWeights(stored, models, bleu if _is_number(bleu) else None)
        except (BinyanError, TypeError) as error:
            _log.warning("%s is left out: %s", path, error)

    def _model_name(self, path: Path) -> str:
        """The name of a language model that weights were tuned with, loaded if it is new."""
        if path not in self._names:
            model = load(path)
            names = (path.stem, *(f"{path.stem} ({i})" for i in range(2, 1000)))
            self._names[path] = next(name for name in names if name not in self.models)
            self.models[self._names[path]] = model
        return self._names[path]


def translate(
    systems: Mapping[str, TranslationView], others: Mapping[str, LanguageModel], question: Mapping[str, Any]
) -> dict[str, Any]:
    """The answer to a question: that of JSON lines, and what the sentence was translated with."""
    request, name, variant = _parsed(systems, others, question)
    view = systems[name]
    explainer = view.explainer(variant, others)
    return {
        **answer(explainer, view.preparation, request),
        "system": name,
        "models": variant.models,
        "weights": variant.weights,
        "model_factor": variant.model_factor,
        "tuned_with": view.weights[variant.weights].models,
        "feature_weights": explainer.decoder.weights,
    }


def measure(
    systems: Mapping[str, TranslationView], others: Mapping[str, LanguageModel], question: Mapping[str, Any]
) -> Any:
    """What decides how long a question takes: the system, what it translates with, and about how long the text is."""
    request, name, variant = _parsed(systems, others, question)
    return "translate", name, frozenset(variant.models), variant.weights, request.n > 1, len(request.text).bit_length()


def _parsed(
    systems: Mapping[str, TranslationView], others: Mapping[str, LanguageModel], question: Mapping[str, Any]
) -> tuple[TranslationRequest, str, Variant]:
    if not systems:
        raise InputError("no translation system is open here; name its folder when the explorer starts")
    request = parse_request(question, most=LONGEST_TEXT, names=_FIELDS)
    name = question.get("system", next(iter(systems)) if len(systems) == 1 else None)
    if not isinstance(name, str) or name not in systems:
        raise InputError(f"'system' is one of {', '.join(systems)}")
    return request, name, systems[name].variant(question, others)


def _model_number(feature: str) -> int:
    """Which language model a feature is of; 0 for all others."""
    match = _OF_MODEL.fullmatch(feature)
    return int(match[1]) if match else 0


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
