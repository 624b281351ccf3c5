"""The models an explorer shows: loaded once, when it starts; what later happens to their files does not matter.

What a model can do is asked of the model: whether it is a language model, analyses words, has vectors, or translates.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from binyan.errors import BinyanError, InputError, ModelFileError, SettingsError
from binyan.explore.shared_morphemes import MorphemeIndex
from binyan.explore.translation_view import TranslationView
from binyan.files import PathLike
from binyan.grammar.roles import WITHIN_STEMS
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import character_classes
from binyan.language_model import LanguageModel
from binyan.model import load

if TYPE_CHECKING:
    from binyan.log_bilinear.vectors import Vectors
    from binyan.morphology import Morphology, WordAnalyses
    from binyan.translation.translator import Translator

ANALYSES = 5  # per word
_MOST_BYTES = 1 << 24  # of the derivations of one word
_REMEMBERED = 1024  # words
_ON_THE_MAP = 300  # vectors
Capability = TypeVar("Capability")


class MorphologyView:
    """A model that analyses words, with an index from morphemes to the training words that have them."""

    def __init__(self, morphology: Morphology) -> None:
        # Forests of ordinary words have some hundred kilobytes; what is larger would keep others waiting.
        self.morphology = copy(morphology)
        self.morphology.posterior = replace(morphology.posterior, most_bytes=_MOST_BYTES)
        grammar = morphology.grammar
        self.categories = [s for s in grammar.symbols if s in grammar.adapted and not grammar.hidden(s)]
        self.words = morphology.words.words
        self.known = frozenset(self.words)
        self._classes = character_classes(grammar)
        trees = ((analysis.word, self.simplified(analysis.tree)) for analysis in morphology.best())
        whole = {s for s in grammar.segment_labels if grammar.role(s) not in WITHIN_STEMS}
        self.index = MorphemeIndex(trees, grammar, {*self.categories, *whole})
        self.lexicon = lru_cache(len(self.categories))(morphology.lexicon)
        self._remembered: OrderedDict[str, WordAnalyses | BinyanError] = OrderedDict()
        self._lock = threading.Lock()
        morphology.log_probability(self.words[0])  # makes the states ready now, not at the first question

    @property
    def signature(self) -> str:
        """How the model was made."""
        return str(self.morphology.signature())

    def prepared(self, word: str) -> str:
        """A word as the model sees it."""
        return self.morphology.prepared(word)

    def is_ready(self, word: str) -> bool:
        """Whether the analyses of a prepared word need no parsing."""
        return word in self._remembered or word in self.known

    def analyses(self, word: str) -> WordAnalyses:
        """The best analyses of a prepared word; remembered, as is the error where there are too many."""
        with self._lock:
            answer = self._remembered.pop(word, None)
        if answer is None:
            try:
                answer = self.morphology.analyses(word, ANALYSES)
            except BinyanError as error:
                answer = error.with_traceback(None)
        with self._lock:
            self._remembered[word] = answer
            if len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        if isinstance(answer, BinyanError):
            raise type(answer)(*answer.args)
        return answer

    def simplified(self, tree: Tree) -> Tree:
        """The tree without symbols that stand for single characters."""
        grammar = self.morphology.grammar
        return tree.collapse(lambda symbol: grammar.hidden(symbol) or symbol in self._classes)


class VectorSpace:
    """The word and morpheme vectors of a model, and a map of them."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self._lock = threading.Lock()

    def map(self) -> list[dict[str, Any]]:
        """Morphemes (words, where the model has no morphemes) with their places in the unit square; computed at the first call."""
        with self._lock:
            return self._points

    @cached_property
    def _points(self) -> list[dict[str, Any]]:
        from binyan.log_bilinear import vector_map

        names, matrix = vector_map.chosen(self.vectors, _ON_THE_MAP, morphemes=bool(self.vectors.morphemes))
        return vector_map.points(names, vector_map.plane(matrix))


@dataclass
class LoadedModels:
    """Models by the name of their file, by what they can do."""

    language_models: dict[str, LanguageModel] = field(default_factory=dict)
    morphologies: dict[str, MorphologyView] = field(default_factory=dict)
    vector_spaces: dict[str, VectorSpace] = field(default_factory=dict)
    systems: dict[str, TranslationView] = field(default_factory=dict)

    @classmethod
    def load(cls, paths: Iterable[PathLike]) -> LoadedModels:
        """Load every model, each file once. Files of one name are numbered."""
        models = cls()
        for path in paths:
            models.add(Path(path).stem, load(path), str(path))
        if not models.language_models and not models.morphologies and not models.systems:
            raise InputError("name at least one model file to explore")
        return models

    def add(self, name: str, model: Any, path: str = "<memory>") -> None:
        """Add a model under `name`, or, where that is taken, under the name with a number."""
        name = self._free_name(name)
        language_model: LanguageModel | None = _capability(lambda: model.as_language_model())
        morphology: Morphology | None = _capability(lambda: model.as_morphology())
        translator: Translator | None = _capability(lambda: model.as_translator())
        if translator is not None:
            self.systems[name] = TranslationView(translator)
            return
        if language_model is None and morphology is None:
            raise ModelFileError(f"{path}: holds a {type(model).__name__}, which the explorer cannot show")
        if morphology is not None:
            self.morphologies[name] = MorphologyView(morphology)
        if language_model is not None:
            self.language_models[name] = language_model
            vectors = _capability(lambda: language_model.vectors)
            if vectors is not None:
                self.vector_spaces[name] = VectorSpace(vectors)

    def _free_name(self, name: str) -> str:
        taken = {*self.language_models, *self.morphologies, *self.systems}
        return next(n for n in (name, *(f"{name} ({i})" for i in range(2, 1000))) if n not in taken)


def _capability(ask: Callable[[], Capability]) -> Capability | None:
    """What a model answers, or None where it refuses or knows no such question."""
    try:
        return ask()
    except (ModelFileError, SettingsError, AttributeError):
        return None
