"""What a grammar has learnt, kept to find the factors of words that it has not seen: morphemes, root and template."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from binyan import _core, model_file
from binyan.errors import InputError
from binyan.morphology.analysis import Analysis
from binyan.morphology.posterior import Posterior
from binyan.morphology.storage import KIND
from binyan.morphology.word_list import WordList
from binyan.segmentation import Segmentation

LONGEST_WORD = 40
"""Characters; longer words are not analysed."""


def is_analysable(word: str) -> bool:
    """Whether a word is one to analyse: it has a letter, is no mark such as <unk>, and is not too long."""
    return len(word) <= LONGEST_WORD and any(c.isalpha() for c in word) and not word.startswith("<")


class FrozenGrammar:
    """Analyses words by the states that were kept of a grammar; it learns nothing more.

    What the words it has learnt from are is forgotten: a table has these.
    """

    def __init__(self, posterior: Posterior) -> None:
        like = posterior.words
        none = WordList((), (), like.preparation, like.unit, like.letters)
        self._posterior = replace(posterior, words=none, samples=_core.Samples(), unparsable=())

    def segmentation(self, word: str) -> Segmentation | None:
        """The segmentation of the most probable tree of a word; None where the grammar cannot derive it."""
        best = self._best(word)
        return None if best is None else best.segmentation

    def factors(self, word: str) -> tuple[str, ...]:
        """The morphemes, roots and template of the most probable tree of a word; none where there is no tree."""
        best = self._best(word)
        return () if best is None else analysis_factors(best)

    def _best(self, word: str) -> Analysis | None:
        if not is_analysable(word):
            return None
        try:
            trees = self._posterior.trees(word, 1)
        except InputError:  # its derivations take more memory than one word may have
            return None
        return Analysis(word, *trees[0], self._posterior.compiled.source) if trees else None

    def to_bytes(self) -> bytes:
        """As stored in a model file."""
        return model_file.to_bytes(KIND, *self._posterior.contents())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The inverse of `to_bytes`."""
        return cls(Posterior.from_file(model_file.from_bytes(data)))


def analysis_factors(analysis: Analysis) -> tuple[str, ...]:
    """The morphemes of an analysis with their labels, without one that is the bare word; then its roots and template.

    Morphemes are named as `Segmentation.morphemes` names them: `un/pre`; roots and templates as `root=ktb`, `template=–i–A–`.
    """
    parts = [m for m in analysis.segmentation.morphemes if m != analysis.word]
    roots = [f"root={root}" for root in analysis.roots()]
    return (*parts, *roots, *([f"template={analysis.template}"] if analysis.template is not None else []))
