"""How translations are made: which rule covers and writes what, and which words answer each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.translation.decoder import Decoder, DerivationLists, HypothesisLists
from binyan.translation.rule_words import RuleWords

LONGEST = 1000  # words of a sentence
MOST_TRANSLATIONS = 100  # of a sentence

Span = tuple[int, int]


@dataclass(frozen=True)
class DerivationStep:
    """One rule where it was used; `rule` is its place in the rule table, if it is from there.

    `kind` is "rule", "copy" for a word that no rule translates, or "glue", which joins the other steps in their order. Gaps of the two
    sides are written as their numbers, from 1; `parts[n - 1]` is the step that fills gap n. Spans are [first, last) in words of
    the sentence and of the translation. `score` is what this step adds to the score of the translation: the sum of its `features` times
    their weights. Features that are 0 are left out.
    """

    kind: str
    rule: int | None
    source: tuple[str | int, ...]
    target: tuple[str | int, ...]
    source_span: Span
    target_span: Span
    parts: tuple[int, ...]
    score: float
    features: Mapping[str, float]


@dataclass(frozen=True)
class ExplainedTranslation:
    """A translation, its score, which source word answers which target word, and the steps that made it, the glue first."""

    words: tuple[str, ...]
    score: float
    features: Mapping[str, float]
    alignment: tuple[tuple[int, int], ...]
    steps: tuple[DerivationStep, ...]

    @property
    def text(self) -> str:
        """The words with spaces between them."""
        return " ".join(self.words)

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        steps = [asdict(step) for step in self.steps]
        own = {"text": self.text, "score": self.score, "features": dict(self.features)}
        return {**own, "alignment": self.alignment, "steps": steps}


@dataclass(frozen=True)
class Explanation:
    """A prepared sentence and its translations. The first is what `translate` writes; the others follow by their scores."""

    words: tuple[str, ...]
    translations: tuple[ExplainedTranslation, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it; an empty sentence has an empty translation and no steps."""
        best = self.translations[0].text if self.translations else ""
        translations = [one.to_dict() for one in self.translations]
        return {"words": self.words, "translation": best, "translations": translations}


class Explainer:
    """Translates sentences with a decoder and tells how. Keep one object for a text; it may be asked from several threads."""

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self._links = RuleWords(decoder.rules)

    def explain(self, sentence: Sequence[str], n: int = 1) -> Explanation:
        """The n best translations of a prepared sentence, all different."""
        if not 1 <= n <= MOST_TRANSLATIONS:
            raise SettingsError(f"1 to {MOST_TRANSLATIONS} translations of a sentence are explained, not {n}")
        if len(sentence) > LONGEST:
            raise InputError(
                f"a line of {len(sentence):,} words: translations of at most {LONGEST:,} are explained; split it into sentences"
            )
        if not sentence:
            return Explanation((), ())
        k = self.decoder.settings.consensus
        best = self.decoder.derivations(sentence, max(n, k))
        first = _agreeing(best.lists, k)
        chosen = [first, *(h for h in range(len(best.lists.score)) if h != first)][:n]
        return Explanation(tuple(sentence), tuple(self._explained(sentence, best, h) for h in chosen))

    def _explained(self, sentence: Sequence[str], best: DerivationLists, h: int) -> ExplainedTranslation:
        lists, names = best.lists, self.decoder.feature_names
        words, steps = lists.text(h), _Steps(self.decoder, sentence, best, h)
        links = [link for i in range(len(steps.rule)) for link in steps.links(i, words, self._links)]
        return ExplainedTranslation(
            words, float(lists.score[h]), _named(names, lists.features[h]), tuple(sorted(links)), steps.listed()
        )


class _Steps:
    """The steps of one derivation, as columns; step 0 stands for all edges that only join."""

    def __init__(self, decoder: Decoder, sentence: Sequence[str], best: DerivationLists, h: int) -> None:
        self._sentence, self._names, self._in_table = sentence, decoder.feature_names, len(decoder.rules)
        own = slice(int(best.offsets[h]), int(best.offsets[h + 1]))
        edges = [best.graph.edge(e) for e in best.edges[own].tolist()]
        # Heads first and tails left to right: the goal and the glue come first, then the parts they join, each whole.
        glue = next(i for i, (_, _, rule, _) in enumerate(edges) if rule == _core.GLUE_FIRST) + 1
        inner = edges[glue:]
        self.rule = [_core.GLUE_FIRST, *(rule for _, _, rule, _ in inner)]
        self.span = [(0, len(sentence)), *(best.graph.node(head)[:2] for head, _, _, _ in inner)]
        self.score = [sum(edge[3] for edge in edges[:glue]), *(edge[3] for edge in inner)]
        values = best.features[own]
        self.features = np.vstack([values[:glue].sum(axis=0), values[glue:]])
        self.parts = _parts([glue - 1, *(len(tails) for _, tails, _, _ in inner)])
        sides = [best.target_side(e) for e in range(own.start + glue, own.stop)]
        self.target = [tuple(range(1, glue)), *sides]
        self.target_span = _target_spans(self.target, self.parts)

    def source_positions(self, i: int) -> list[int]:
        """The positions in the sentence of the words of step i's source side."""
        inside = {p for part in self.parts[i] for p in range(*self.span[part])}
        return [p for p in range(*self.span[i]) if p not in inside]

    def target_positions(self, i: int) -> list[int]:
        """The positions in the translation of the words of step i's target side."""
        inside = {p for part in self.parts[i] for p in range(*self.target_span[part])}
        return [p for p in range(*self.target_span[i]) if p not in inside]

    def links(self, i: int, words: Sequence[str], rule_words: RuleWords) -> list[tuple[int, int]]:
        """The links between the words of a step, as positions in sentence and translation."""
        if i == 0:
            return []
        left, right = self.source_positions(i), self.target_positions(i)
        pairs = rule_words.links([self._sentence[p] for p in left], [words[p] for p in right])
        return [(left[s], right[t]) for s, t in pairs]

    def listed(self) -> tuple[DerivationStep, ...]:
        """The steps as objects."""
        return tuple(self._step(i) for i in range(len(self.rule)))

    def _step(self, i: int) -> DerivationStep:
        rule, span, target_span = self.rule[i], self.span[i], self.target_span[i]
        kind = {_core.GLUE_FIRST: "glue", _core.PASS_THROUGH: "copy"}.get(rule, "rule")
        starts = {self.span[part][0]: number for number, part in enumerate(self.parts[i], 1)}
        own = {} if i == 0 else dict.fromkeys(self.source_positions(i))
        source = [starts.get(p, self._sentence[p]) for p in range(*span) if p in starts or p in own]
        return DerivationStep(
            kind,
            rule if kind == "rule" and rule < self._in_table else None,
            tuple(source),
            self.target[i],
            span,
            target_span,
            tuple(self.parts[i]),
            float(self.score[i]),
            _named(self._names, self.features[i]),
        )


def _agreeing(lists: HypothesisLists, k: int) -> int:
    """The one of the k best translations of a sentence that agrees best with the others."""
    k = min(k, len(lists.score))
    words = lists.words[: int(lists.offsets[k])]
    return int(_core.consensus(words, lists.offsets[: k + 1], lists.sentence[:k], lists.score[:k])[0])


def _parts(arity: Sequence[int]) -> list[list[int]]:
    """The steps below each step, where steps come heads first and each has `arity` below it."""
    parts: list[list[int]] = [[] for _ in arity]
    waiting: list[int] = []
    for i, number in enumerate(arity):
        if waiting:
            parts[waiting[-1]].append(i)
            if len(parts[waiting[-1]]) == arity[waiting[-1]]:
                waiting.pop()
        if number:
            waiting.append(i)
    return parts


def _target_spans(sides: Sequence[Sequence[str | int]], parts: Sequence[Sequence[int]]) -> list[Span]:
    """The words of a translation that each step covers, whose target sides and parts these are."""
    length = [0] * len(sides)
    for i in reversed(range(len(sides))):
        length[i] = sum(length[parts[i][s - 1]] if isinstance(s, int) else 1 for s in sides[i])
    first = [0] * len(sides)
    for i, side in enumerate(sides):
        at = first[i]
        for symbol in side:
            if isinstance(symbol, int):
                first[parts[i][symbol - 1]] = at
                at += length[parts[i][symbol - 1]]
            else:
                at += 1
    return [(at, at + size) for at, size in zip(first, length, strict=True)]


def _named(names: Sequence[str], values: NDArray[np.float64]) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names, values, strict=True) if value}
