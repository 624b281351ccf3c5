"""Successive halving of candidate grammars: few sweeps on few words for all, more of both for the survivors."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.grammar.composition import LetterClasses, Recipe
from binyan.morphology.analysis import Analysis
from binyan.morphology.border_agreement import border_f1, borders
from binyan.morphology.grammar_trial import Split, bits_of, learn_briefly, splits_of
from binyan.morphology.posterior import Posterior
from binyan.morphology.word_list import WordList
from binyan.progress import Progress, ProgressOption


@dataclass(frozen=True)
class Round:
    """One round of trials: the words sampled, the splits, the sweeps, and how many candidates go on to the next."""

    words: int
    splits: int
    sweeps: int
    survivors: int = 1


ROUNDS = (Round(600, 1, 20, 6), Round(1000, 1, 40, 3), Round(1500, 2, 60))
_CLOSE_ERRORS = 2.0  # standard errors
_CLOSE_SHARE = 0.015  # of the bits of the best: also of large lists, on which small differences are certain, and say little about borders
_HOPELESS = 8.0  # standard errors behind the best after which a candidate is not tried again


@dataclass(eq=False)
class Standing:
    """A candidate and how it did in the last round that it took part in."""

    recipe: Recipe
    bits: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    posteriors: list[Posterior] = field(default_factory=list)
    round: int = 0
    per_letter: float = math.inf
    behind: float = 0.0
    error: float = 0.0
    f1: float | None = None

    def segmentation(self, word: str) -> str | None:
        """The best segmentation of a word, by what was learnt without it where there is such a trial."""
        for posterior in sorted(self.posteriors, key=lambda posterior: posterior.is_known(word)):
            for tree, probability in posterior.trees(word, 1):
                analysis = Analysis(word, tree, probability, posterior.compiled.source)
                return str(analysis.segmentation.contiguous())
        return None


@dataclass(frozen=True)
class Search:
    """The trials of candidates on one word list."""

    words: WordList
    classes: LetterClasses
    analysed: Mapping[str, frozenset[int]]
    seed: int
    threads: int | None
    memory_mb: int

    def run(self, recipes: Sequence[Recipe], rounds: Sequence[Round], progress: ProgressOption) -> list[Standing]:
        """All candidates, best first; those of later rounds before those of earlier ones."""
        alive, dropped = [Standing(recipe) for recipe in recipes], list[Standing]()
        total = _trial_count(len(recipes), rounds)
        with (
            Progress("trials of grammars", total, progress) as bar,
            ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool,
        ):
            for number, plan in enumerate(rounds, 1):
                self._play(alive, plan, pool, bar)
                for standing in alive:
                    standing.round = number
                if number < len(rounds):
                    kept = survivors(alive, plan.survivors)
                    dropped = [standing for standing in alive if standing not in kept] + dropped
                    alive = kept
        for standing in alive if self.analysed else ():
            standing.f1 = self._f1(standing)
        return alive + dropped

    def _play(self, alive: list[Standing], plan: Round, pool: ThreadPoolExecutor, bar: Progress) -> None:
        """One round; the candidates are sorted by it."""
        splits = splits_of(self.words, plan.words, plan.splits, self.seed)
        jobs = [(standing.recipe, split) for standing in alive for split in splits]
        results = []
        for result in pool.map(lambda job: self._trial(job[0], job[1], plan.sweeps), jobs):
            results.append(result)
            bar.advance()
        letters = np.concatenate([split.letters for split in splits])
        for i, standing in enumerate(alive):
            mine = results[i * len(splits) : (i + 1) * len(splits)]
            standing.bits = np.concatenate([bits for bits, _ in mine])
            standing.posteriors = [posterior for _, posterior in mine if posterior is not None]
            standing.per_letter = float(standing.bits.sum() / letters.sum())
        alive.sort(key=lambda standing: standing.per_letter)
        for standing in alive:
            standing.behind, standing.error = paired_difference(standing.bits, alive[0].bits, letters)

    def _trial(self, recipe: Recipe, split: Split, sweeps: int) -> tuple[NDArray[np.float64], Posterior | None]:
        try:
            grammar = recipe.grammar(self.classes)
            posterior = learn_briefly(grammar, split.learnt, sweeps, self.seed, self.memory_mb)
            return bits_of(posterior, split), posterior
        except InputError:  # no word can be derived, or the analyses take too much memory
            return np.full(len(split.held), np.inf), None

    def _f1(self, standing: Standing) -> float:
        guesses = [standing.segmentation(word) for word in self.analysed]
        return border_f1(
            [frozenset() if guess is None else borders(plain_parts(guess)) for guess in guesses],
            list(self.analysed.values()),
        )


def close_to(first: Standing, others: Sequence[Standing]) -> list[Standing]:
    """Those that predict words about as well as the first: the ones that assume least before the others."""
    near = [
        s for s in others if s.behind - first.behind <= max(_CLOSE_ERRORS * s.error, _CLOSE_SHARE * first.per_letter)
    ]
    return sorted(near, key=lambda s: (s.recipe.complexity, s.behind))


def survivors(ranked: Sequence[Standing], count: int) -> list[Standing]:
    """The best half by bits, the simplest of those that are close to the best, and the first whose stems have no inner structure."""
    hopeful = [s for s in ranked if s.behind <= _HOPELESS * s.error]
    simple = [s for s in ranked if s.recipe.stem == "plain"][:1]
    order = dict.fromkeys([*hopeful[: (count + 1) // 2], *close_to(ranked[0], hopeful), *hopeful])
    return list(dict.fromkeys([*list(order)[:count], *simple]))


def plain_parts(segmentation: str) -> list[str]:
    """The parts of a written segmentation without their labels."""
    return [part.rpartition("/")[0] or part for part in segmentation.split(" ")]


def paired_difference(
    bits: NDArray[np.float64], best: NDArray[np.float64], letters: NDArray[np.float64]
) -> tuple[float, float]:
    """How many bits per letter one candidate is behind another on the same words, and the standard error of it.

    >>> paired_difference(np.array([9.0, 13.0]), np.array([8.0, 12.0]), np.array([4.0, 4.0]))
    (0.25, 0.0)
    """
    if not np.isfinite(bits).all() or not np.isfinite(best).all():
        return (0.0 if bits is best else math.inf), 0.0
    behind = bits - best
    rate = float(behind.sum() / letters.sum())
    residual = behind - rate * letters
    return rate, float(np.sqrt((residual**2).sum()) / letters.sum())


def _trial_count(candidates: int, rounds: Sequence[Round]) -> int:
    counts = [candidates, *(min(candidates, plan.survivors + 1) for plan in rounds[:-1])]
    return sum(n * plan.splits for n, plan in zip(counts, rounds, strict=True))
