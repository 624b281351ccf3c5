"""A morphology in the manner of scikit-learn: it can stand in a Pipeline, and its settings are parameters by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Self

from binyan.files import PathLike
from binyan.grammar.rules import Grammar
from binyan.morphology.knowledge.knowledge import KnowledgeSettings
from binyan.morphology.settings import MorphologySettings, WordSettings
from binyan.segmentation import Segmentation
from binyan.settings import names
from binyan.text import Preparation


class MorphemeTransformer:
    """Turns words into their morphemes, each with its label."""

    settings: MorphologySettings
    preparation: Preparation
    _word_settings: WordSettings
    _known: KnowledgeSettings
    _given_grammar: str | PathLike | Grammar

    @property
    @abstractmethod
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""

    @abstractmethod
    def fit(self, words: Any, y: Any = None, **run: Any) -> Self:
        """Learn from words; `y` is ignored."""

    @abstractmethod
    def segmentations(self, word: str, n: int = 5) -> list[Segmentation]:
        """The n most probable segmentations of a word."""

    def transform(self, words: Iterable[str]) -> list[list[str]]:
        """The morphemes of each word, with labels; a word that the grammar cannot derive is its own only part."""
        best = (self.segmentations(word, 1) or [Segmentation.simplex(word)] for word in words)
        return [list(segmentations[0].morphemes) for segmentations in best]

    def fit_transform(self, words: Iterable[str], y: Any = None) -> list[list[str]]:
        """Learn from words and take them apart."""
        listed = list(words)
        return self.fit(listed).transform(listed)

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn: a transformer of a list of strings."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
            no_validation=True,
        )

    def __sklearn_is_fitted__(self) -> bool:
        """For scikit-learn: whether there is something to transform with."""
        return self.is_fitted

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Grammar and settings by name."""
        groups = self.settings, self._word_settings, self.preparation, self._known
        settings = {name: getattr(group, name) for group in groups for name in names(type(group))}
        return {"grammar": self._given_grammar, **settings}

    def set_params(self, **parameters: Any) -> Self:
        """Change settings; they count from the next `fit` on."""
        changed = type(self)(**{**self.get_params(), **parameters})
        for name in ("_given_grammar", "grammar", "settings", "_word_settings", "preparation", "_known", "knowledge"):
            if hasattr(changed, name):  # no grammar yet where it will be chosen
                setattr(self, name, getattr(changed, name))
        return self
