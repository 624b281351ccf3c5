"""The models an explorer shows: loaded once, when it starts; what later happens to their files does not matter."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from binyan import language_model, model_file
from binyan.errors import InputError, ModelFileError
from binyan.grammar.tree import Tree
from binyan.language_model import LanguageModel
from binyan.morphology.segmenter import Segmenter
from binyan.morphology.storage import KIND as SEGMENTER

Morpheme = tuple[str, tuple[str, ...]]  # symbol, and the pieces of it


class Morphology:
    """A segmenter, with an index from morphemes to the training words that have them."""

    def __init__(self, segmenter: Segmenter) -> None:
        self.segmenter = segmenter
        grammar = segmenter.grammar
        self.categories = [s for s in grammar.symbols if s in grammar.adapted and not grammar.hidden(s)]
        self.known = frozenset(segmenter.words.words)
        self.words: dict[Morpheme, list[str]] = defaultdict(list)
        for analysis in segmenter.best():
            for morpheme in self.morphemes(analysis.tree):
                self.words[morpheme].append(analysis.word)

    def morphemes(self, tree: Tree) -> list[Morpheme]:
        """The adapted constituents of a tree but the word itself, each once, largest first."""
        found = {(t.symbol, t.pieces()): None for t in tree.subtrees() if t.symbol in self.categories and t is not tree}
        return list(found)


@dataclass
class Shelf:
    """Models by the name of their file, by what they can do."""

    language_models: dict[str, LanguageModel] = field(default_factory=dict)
    morphologies: dict[str, Morphology] = field(default_factory=dict)

    @classmethod
    def load(cls, paths: Iterable[str | os.PathLike[str]]) -> Shelf:
        """Load every model. Two files of one name are told apart by a number."""
        shelf = cls()
        for path in paths:
            file = model_file.load(path)
            name = shelf._free_name(Path(path).stem)
            if file.kind in language_model.KINDS:
                shelf.language_models[name] = language_model.from_model_file(file)
            elif file.kind == SEGMENTER:
                shelf.morphologies[name] = Morphology(Segmenter.load(path))
            else:
                raise ModelFileError(f"{path}: holds a {file.kind!r} model, which the explorer cannot show")
        if not shelf.language_models and not shelf.morphologies:
            raise InputError("name at least one model file to explore")
        return shelf

    def _free_name(self, name: str) -> str:
        taken = {*self.language_models, *self.morphologies}
        return next(n for n in (name, *(f"{name} ({i})" for i in range(2, 1000))) if n not in taken)
