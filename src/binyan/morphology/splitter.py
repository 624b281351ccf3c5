"""Learning and splitting in the manner of scikit-learn: `fit`, `transform`, parameters by name. It can stand in a Pipeline."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any, Self

from binyan.errors import SettingsError
from binyan.grammar.notation import load_grammar
from binyan.morphology.adaptor import learn
from binyan.morphology.segmenter import Segmenter
from binyan.morphology.word_list import WordList


class MorphemeSplitter:
    """Learns a morphology from words and turns words into their morphemes, each with its label.

    >>> splitter = MorphemeSplitter(grammar="concat", sweeps=50, seed=1)
    >>> words = ["walks", "walked", "walking", "talks", "talked", "talking", "jumps", "jumped", "jumping"]
    >>> split = splitter.fit(words).transform(["walked", "jumping"])
    >>> ["".join(morpheme.split("/")[0] for morpheme in word) for word in split]
    ['walked', 'jumping']
    >>> splitter
    MorphemeSplitter(grammar='concat', sweeps=50, chains=1, seed=1)
    """

    def __init__(self, grammar: str = "mconcat", sweeps: int = 500, chains: int = 1, seed: int = 1) -> None:
        self.grammar, self.sweeps, self.chains, self.seed = grammar, sweeps, chains, seed

    def fit(self, words: Iterable[str], y: Any = None) -> Self:
        """Learn from words; `y` is not looked at. What was learnt is `segmenter_`."""
        self.segmenter_: Segmenter = learn(
            WordList.of(words), load_grammar(self.grammar), sweeps=self.sweeps, chains=self.chains, seed=self.seed
        )
        return self

    def transform(self, words: Iterable[str]) -> list[list[str]]:
        """The morphemes of each word's best segmentation; a word that the grammar cannot derive is its own only part."""
        if not hasattr(self, "segmenter_"):
            raise SettingsError("the splitter has not learnt yet: call fit first")
        found = []
        for word in words:
            best = self.segmenter_.segment(word, 1)
            found.append(list(best[0][0].morphemes) if best else [word])
        return found

    def fit_transform(self, words: Iterable[str], y: Any = None) -> list[list[str]]:
        """Learn from words and split them."""
        listed = list(words)
        return self.fit(listed).transform(listed)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; they count from the next `fit` on."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise SettingsError(
                    f"MorphemeSplitter has no parameter {name!r}; it has {', '.join(self.get_params())}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"MorphemeSplitter({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"
