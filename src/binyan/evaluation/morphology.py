"""A learnt morphology against a gold standard: segment borders, roots, lexica."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from binyan.errors import InputError, SettingsError
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.lexicon import LexiconScore, area_under, gold_lexicon, roc_curve, score_lexicon
from binyan.evaluation.roots import RootScore, score_roots
from binyan.evaluation.segmentation import BorderScore, Granularity, score_segmentation
from binyan.grammar.tree_segments import LABELS, Segment
from binyan.grammar.tree import Tree

Method = Literal["A", "B"]


class WordAnalysis(Protocol):
    """What is needed of an analysis (see `morphology.Analysis`)."""

    @property
    def word(self) -> str:
        """The word."""

    @property
    def tree(self) -> Tree:
        """Its tree."""

    @property
    def probability(self) -> float:
        """Its posterior probability."""

    @property
    def segments(self) -> list[Segment]:
        """The contiguous pieces of the word."""

    def roots(self, length: int, method: Method) -> list[str]:
        """Root candidates."""


class Analyser(Protocol):
    """Anything that analyses words (see `morphology.Segmenter`)."""

    def analyses(self, word: str, n: int) -> Sequence[WordAnalysis]:
        """The most probable analyses, best first."""


@dataclass(frozen=True)
class Analysed:
    """The most probable tree of each gold word: what segmentation, roots and lexica of MAP trees are read off."""

    gold: Sequence[GoldWord]
    best: Mapping[str, WordAnalysis]

    @classmethod
    def of(cls, analyser: Analyser, gold: Sequence[GoldWord]) -> Analysed:
        """Analyse every gold word, seen in training or not."""
        best = {word.word: found[0] for word in gold if (found := analyser.analyses(word.word, 1))}
        if not best:
            raise InputError("the model analyses none of the gold words; was it learnt from another language?")
        return cls(gold, best)

    @property
    def pieces(self) -> dict[str, list[tuple[str, str]]]:
        """Text and label of the pieces of each word."""
        return {word: [(s.text, s.label) for s in analysis.segments] for word, analysis in self.best.items()}

    def segmentation(self, granularity: Granularity = "fine", least_morphemes: int = 1) -> BorderScore:
        """Segment borders."""
        return score_segmentation(self.pieces, self.gold, granularity, least_morphemes)

    def root_candidates(self, length: int, method: Method) -> dict[str, list[str]]:
        """The roots read off the trees."""
        return {word: analysis.roots(length, method) for word, analysis in self.best.items()}

    def roots(self, length: int = 3, method: Method = "A", roots_that_are_stems: bool = True) -> RootScore:
        """Exact matches of roots."""
        return score_roots(self.root_candidates(length, method), self.gold, length, roots_that_are_stems)

    def lexicon(self, category: str) -> dict[str, float]:
        """The strings of a category in the best trees, by how many trees have them (thesis, section 5.7.5.1)."""
        counts: Counter[str] = Counter()
        for analysis in self.best.values():
            counts.update(strings(analysis, category))
        return {string: count / len(self.best) for string, count in counts.items()}

    def lexicon_score(self, category: str, ranking: Mapping[str, float] | None = None) -> LexiconScore:
        """The lexicon of the best trees as a set; the area under the ROC curve of `ranking`, or of the same lexicon."""
        truth = gold_lexicon(self.gold, category)
        score = score_lexicon(self.lexicon(category), truth)
        if ranking is None:
            return score
        area = area_under(roc_curve(ranking, truth))
        return LexiconScore(score.precision, score.recall, score.f1, area, score.entries, score.gold)


def strings(analysis: WordAnalysis, category: str) -> list[str]:
    """What an analysis has of a category: a label of segments (pre, stem, suf) or a root (root3, root4).

    A constituent with gaps is one string.
    """
    if category.startswith("root"):
        return analysis.roots(int(category.removeprefix("root") or 3), "A")
    symbols = [symbol for symbol, label in LABELS.items() if label == category]
    if not symbols:
        known = ", ".join([*dict.fromkeys(LABELS.values()), "root3", "root4"])
        raise SettingsError(f"no category {category!r}; there are {known}")
    return [tree.word() for tree in analysis.tree.find(*symbols)]


def sampled_lexicon(
    analyser: Analyser, words: Iterable[str], category: str, analyses_per_word: int = 10
) -> dict[str, float]:
    """P(string, category): how often the category governs the string, over words and their sampled analyses
    (thesis, section 5.7.5.2)."""
    sums: dict[str, float] = {}
    count = 0
    for word in words:
        count += 1
        for analysis in analyser.analyses(word, analyses_per_word):
            for string in strings(analysis, category):
                sums[string] = sums.get(string, 0.0) + analysis.probability
    return {string: value / max(count, 1) for string, value in sums.items()}
