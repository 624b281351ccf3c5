"""The models an explorer shows: loaded once, when it starts; what later happens to their files does not matter."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from binyan import model_file
from binyan.errors import InputError, ModelFileError
from binyan.explore.related import Index
from binyan.grammar.roles import WITHIN_STEMS
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import character_classes
from binyan.language_model import LanguageModel
from binyan.model import KINDS, from_model_file
from binyan.morphology import Morphology, WordAnalyses

if TYPE_CHECKING:
    from binyan.log_bilinear.vectors import Vectors

ANALYSES = 5  # of a word
_REMEMBERED = 1024  # words
_ON_THE_MAP = 300  # vectors


class ExploredMorphology:
    """A learnt morphology, with an index from morphemes to the training words that have them."""

    def __init__(self, segmenter: Morphology) -> None:
        self.segmenter = segmenter
        grammar = segmenter.grammar
        self.categories = [s for s in grammar.symbols if s in grammar.adapted and not grammar.hidden(s)]
        self.known = frozenset(segmenter.words.words)
        self._classes = character_classes(grammar)
        morphemes = {s for s in grammar.segment_labels if grammar.role(s) not in WITHIN_STEMS}
        trees = ((a.word, self.simplified(a.tree)) for a in segmenter.best())
        self.index = Index(trees, grammar, {*self.categories, *morphemes})
        self.lexicon = lru_cache(len(self.categories))(segmenter.lexicon)
        self.analyses = lru_cache(_REMEMBERED)(self._analyses)
        segmenter.log_probability(segmenter.words.words[0])  # the states are made ready now, not by the first question

    def _analyses(self, word: str) -> WordAnalyses:
        return self.segmenter.analyses(word, ANALYSES)

    def simplified(self, tree: Tree) -> Tree:
        """The tree without symbols that stand for single characters."""
        grammar = self.segmenter.grammar
        return tree.collapse(lambda symbol: grammar.hidden(symbol) or symbol in self._classes)


class Space:
    """The word and morpheme vectors of a log-bilinear model, and a map of them."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self._lock = threading.Lock()

    def map(self) -> list[dict[str, Any]]:
        """Morphemes (words, where the model has no morphemes) with their places in the unit square."""
        with self._lock:  # made once, when it is first looked at
            return self._points

    @cached_property
    def _points(self) -> list[dict[str, Any]]:
        from binyan.log_bilinear import vector_map

        names, matrix = vector_map.chosen(self.vectors, _ON_THE_MAP, morphemes=bool(self.vectors.morphemes))
        return vector_map.points(names, vector_map.plane(matrix))


@dataclass
class Shelf:
    """Models by the name of their file, by what they can do."""

    language_models: dict[str, LanguageModel] = field(default_factory=dict)
    morphologies: dict[str, ExploredMorphology] = field(default_factory=dict)
    spaces: dict[str, Space] = field(default_factory=dict)

    @classmethod
    def load(cls, paths: Iterable[str | os.PathLike[str]]) -> Shelf:
        """Load every model. Two files of one name are told apart by a number."""
        shelf = cls()
        for path in paths:
            file = model_file.load(path)
            name = shelf._free_name(Path(path).stem)
            model = from_model_file(file) if file.kind in KINDS else None
            if isinstance(model, LanguageModel):
                shelf.language_models[name] = model
            elif isinstance(model, Morphology):
                shelf.morphologies[name] = ExploredMorphology(model)
            else:
                raise ModelFileError(f"{path}: holds a {file.kind!r} model, which the explorer cannot show")
            if file.kind == "log-bilinear":
                from binyan.log_bilinear.vectors import Vectors

                shelf.spaces[name] = Space(Vectors(shelf.language_models[name], guess=True))  # type: ignore[arg-type]
        if not shelf.language_models and not shelf.morphologies:
            raise InputError("name at least one model file to explore")
        return shelf

    def _free_name(self, name: str) -> str:
        taken = {*self.language_models, *self.morphologies}
        return next(n for n in (name, *(f"{name} ({i})" for i in range(2, 1000))) if n not in taken)
