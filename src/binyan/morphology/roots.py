"""The roots of words as the posterior has them: every root with its probability, "no root" being one of the outcomes.

A radical that the word does not show is inferred: it is written in square brackets, with the probability of that letter in its place and
with words that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import Method, radicals, root_constituents
from binyan.morphology.analysis import Analysis

NO_ROOT = "_"
"""What stands for "no root" in tables, as in gold files."""

_SHOWN_IN = 3  # words listed per inferred root


@dataclass(frozen=True)
class RootCandidate:
    """A root that a word may have, with its probability; `written` has the radicals that are inferred in square brackets.

    `letter_probability` is the probability of the inferred letters, given the radicals that the word shows; 1 where it shows all.
    """

    root: str
    radicals: int
    probability: float
    written: str
    letter_probability: float = 1.0

    @property
    def inferred(self) -> bool:
        """Whether a radical is not shown by the word."""
        return self.written != self.root


@dataclass(frozen=True)
class RootOutcomes:
    """The candidates of one word, best first, and the probability that it has no root."""

    candidates: tuple[RootCandidate, ...]
    none: float

    @property
    def best(self) -> RootCandidate | None:
        """The most probable outcome; None where that is to have no root."""
        first = self.candidates[0] if self.candidates else None
        return first if first is not None and first.probability >= self.none else None

    def answer(self, length: int | None = None) -> RootCandidate | None:
        """The most probable outcome, if it is a root of `length` radicals (of any number)."""
        best = self.best
        return best if best is not None and length in (None, best.radicals) else None

    def root(self, length: int | None = None) -> str | None:
        """The text of the answer; None where there is none."""
        answer = self.answer(length)
        return None if answer is None else answer.root

    def of_length(self, length: int | None) -> dict[str, float]:
        """The candidates of `length` radicals, or of any number, with their probabilities, best first."""
        return {c.root: c.probability for c in self.candidates if length in (None, c.radicals)}


def root_outcomes(analyses: Iterable[Analysis], grammar: Grammar, method: Method = "A") -> RootOutcomes:
    """The marginal over analyses: what roots a word has, and with which probability it has none."""
    sums: dict[tuple[str, int], float] = {}
    writings: dict[tuple[str, int], dict[str, float]] = {}
    none = 0.0
    for analysis in analyses:
        roots = {
            (node.underlying(), radicals(node, grammar)): _written(node)
            for node in root_constituents(analysis.tree, grammar, method)
        }
        for root, written in roots.items():
            sums[root] = sums.get(root, 0.0) + analysis.probability
            by_writing = writings.setdefault(root, {})
            by_writing[written] = by_writing.get(written, 0.0) + analysis.probability
        if not roots:
            none += analysis.probability
    usual = {root: max(by_writing, key=lambda w: by_writing[w]) for root, by_writing in writings.items()}
    patterns: dict[str, float] = {}
    for root, written in usual.items():
        patterns[_pattern(written)] = patterns.get(_pattern(written), 0.0) + sums[root]
    candidates = [
        RootCandidate(text, n, p, usual[text, n], p / patterns[_pattern(usual[text, n])])
        for (text, n), p in sorted(sums.items(), key=lambda item: -item[1])
    ]
    return RootOutcomes(tuple(candidates), none)


def _written(root: Tree) -> str:
    return "".join(leaf.atom if leaf.shown else f"[{leaf.atom}]" for leaf in root.underlying_leaves())


def _pattern(written: str) -> str:
    """A written root with inferred letters left open; the written form itself where all are shown."""
    pattern, inside = "", False
    for char in written:
        inside = char == "[" if not inside else char != "]"
        pattern += char if not inside or char == "[" else ""
    return pattern


def words_that_show(roots: Iterable[str], analyses: Iterable[Analysis]) -> dict[str, tuple[str, ...]]:
    """For each root, some words whose analysis has it with all its radicals shown."""
    wanted: dict[str, list[str]] = {root: [] for root in roots}
    for analysis in analyses:
        for node in root_constituents(analysis.tree, analysis.grammar, "A"):
            words = wanted.get(node.underlying())
            if words is not None and len(words) < _SHOWN_IN and all(leaf.shown for leaf in node.underlying_leaves()):
                words.append(analysis.word)
    return {root: tuple(dict.fromkeys(words)) for root, words in wanted.items()}


@dataclass(frozen=True, repr=False)
class WordRoots(Mapping[str, dict[str, float]]):
    """The roots of many words: of each word its root candidates of `length` radicals with their probabilities, best first.

    `answers` has the most probable outcome of each word, which may be to have no root.
    """

    outcomes: Mapping[str, RootOutcomes]
    length: int | None
    method: str
    signature: str
    shown_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        outcomes: Mapping[str, RootOutcomes],
        length: int | None,
        method: str,
        signature: str,
        best: Callable[[], Iterable[Analysis]],
    ) -> Self:
        """The roots of these outcomes; where radicals are inferred, words that show them are looked for among the `best` analyses."""
        answers = (outcome.answer(length) for outcome in outcomes.values())
        inferred = {answer.root for answer in answers if answer is not None and answer.inferred}
        return cls(outcomes, length, method, signature, words_that_show(inferred, best()) if inferred else {})

    def __getitem__(self, word: str) -> dict[str, float]:
        return self.outcomes[word].of_length(self.length)

    def __iter__(self) -> Iterator[str]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        with_root = sum(answer is not None for answer in self.answers.values())
        return f"<WordRoots: {len(self):,} words, {with_root:,} with a root>"

    @property
    def answers(self) -> dict[str, RootCandidate | None]:
        """The root of each word; None where it is more probable to have none, or one of another length."""
        return {word: outcomes.answer(self.length) for word, outcomes in self.outcomes.items()}

    @property
    def warning(self) -> str:
        """How many words have no root, in a sentence; empty where all have one."""
        without = sum(answer is None for answer in self.answers.values())
        if not without:
            return ""
        why = "" if without < len(self) else "; does its grammar have roots? root-template and tpl+t4 do"
        of_length = "" if self.length is None else f" of {self.length} radicals"
        return f"no root{of_length} for {without} of {len(self)} words{why}"

    def __str__(self) -> str:
        """One word per line: word, root, probability; for inferred radicals how it is written, their probability, words that show them."""
        return "\n".join(self._line(word, answer) for word, answer in self.answers.items())

    def _line(self, word: str, answer: RootCandidate | None) -> str:
        if answer is None:
            return f"{word}\t{NO_ROOT}\t{self._probability_of_none(word):.4f}"
        line = f"{word}\t{answer.root}\t{answer.probability:.4f}"
        if answer.inferred:
            words = " ".join(self.shown_in.get(answer.root, ())) or NO_ROOT
            line += f"\t{answer.written}\t{answer.letter_probability:.4f}\t{words}"
        return line

    def _probability_of_none(self, word: str) -> float:
        """That a word has no root of this length."""
        outcomes = self.outcomes[word]
        others = sum(c.probability for c in outcomes.candidates if self.length not in (None, c.radicals))
        return min(1.0, outcomes.none + others)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        inferred = {
            word: {
                "root": answer.root,
                "written": answer.written,
                "letter_probability": answer.letter_probability,
                "shown_in": list(self.shown_in.get(answer.root, ())),
            }
            for word, answer in self.answers.items()
            if answer is not None and answer.inferred
        }
        return {
            "roots": {word: self[word] for word in self},
            "answers": {word: None if answer is None else answer.root for word, answer in self.answers.items()},
            "none": {word: self._probability_of_none(word) for word in self},
            "inferred": inferred,
            "length": self.length,
            "method": self.method,
            "signature": self.signature,
        }
