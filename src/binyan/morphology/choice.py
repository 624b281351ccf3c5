"""The grammar is chosen: by how well each candidate predicts words that were held back, in bits per character.

`choose` composes candidates, tries all of them briefly and the better ones longer, and returns a `Choice` with its evidence.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence

from binyan.errors import InputError
from binyan.grammar.composition import LetterClasses, Recipe, candidates
from binyan.grammar.letter_classes import letter_classes, predictive_classes
from binyan.grammar.rules import Grammar
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.border_agreement import wholly_analysed
from binyan.morphology.choice_report import CandidateEvidence, Choice, Difference
from binyan.morphology.choice_search import ROUNDS, Round, Search, Standing, close_to
from binyan.morphology.grammar_trial import splits_of
from binyan.morphology.knowledge.known_words import KnownSource, read_known_words
from binyan.morphology.word_list import WordList, WordSource
from binyan.progress import ProgressOption
from binyan.settings import check_seed
from binyan.text import Preparation
from binyan.text.atoms import Unit

FEWEST_WORDS = 40
"""With fewer words there is nothing to hold back, and the simplest grammar with affixes is taken."""

_FALLBACK = Recipe("plain", "one")
_LETTERS_ONLY = Recipe("plain", "none").name
_LISTED = 5  # words that the runner-up sees differently
_SPELT = 20_000  # words that classes of letters are found in
_MEASURED = 300  # words whose analyses are built to see how much memory all of them take
_SHARE_OF_MEMORY = 0.7
_CLEAR_F1 = 3.0  # points of F1 on analysed words that decide against bits


def choose(
    words: WordSource,
    *,
    known: KnownSource = (),
    seed: int = 1,
    preparation: Preparation | None = None,
    unit: Unit = "grapheme",
    recipes: Sequence[Recipe] | None = None,
    rounds: Sequence[Round] | None = None,
    threads: int | None = None,
    memory_mb: int = 4096,
    progress: ProgressOption = None,
) -> Choice:
    """The grammar that best predicts words of the list that were held back, with the evidence for it.

    With `known`, a file of analysed words or words such as {"walked": "walk ed"}, the accuracy of borders in them decides among the candidates
    of the last round where it tells them apart. The same words and seed give the same choice at any number of threads.
    """
    began = time.monotonic()
    listed = WordList.of_any(words, preparation, unit)
    analysed = wholly_analysed(read_known_words(known))
    if len(listed) < FEWEST_WORDS:
        return _too_few(listed)
    rounds = rounds or ROUNDS
    classes = _classes(listed, seed)
    search = Search(listed, classes, analysed, check_seed(seed), threads, memory_mb)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        standings = search.run(tuple(recipes or candidates()), rounds, progress)
    if not math.isfinite(standings[0].per_letter):
        raise InputError("no candidate grammar can derive these words; name a grammar or give one of your own")
    chosen, close = _chosen([standing for standing in standings if standing.round == len(rounds)])
    text, smaller = _within_memory(chosen.recipe, classes, listed, memory_mb)
    table = tuple(_evidence(standing, rounds, len(listed)) for standing in standings)
    runner_up = next((s for s in standings if s is not chosen), None)
    return Choice(
        chosen.recipe.name,
        text,
        _reason(chosen, runner_up, close) + smaller,
        table,
        _differences(chosen, runner_up, listed),
        close,
        time.monotonic() - began,
    )


def compose(
    words: WordSource, *, seed: int = 1, preparation: Preparation | None = None, unit: Unit = "grapheme"
) -> dict[str, Grammar]:
    """The grammars that `choose` compares on a word list, by name, with the classes of letters that it finds there."""
    listed = WordList.of_any(words, preparation, unit)
    classes = _classes(listed, check_seed(seed))
    return {recipe.name: recipe.grammar(classes) for recipe in candidates()}


def _classes(words: WordList, seed: int) -> LetterClasses:
    return predictive_classes([words.atoms(word) for word in splits_of(words, _SPELT, 1, seed)[0].learnt.words])


def _too_few(words: WordList) -> Choice:
    reason = (
        f"{len(words)} words are too few to compare grammars by words held back ({FEWEST_WORDS} are needed): the simplest grammar "
        f"with affixes is taken, {_FALLBACK}. Give more words, or name a grammar."
    )
    return Choice(_FALLBACK.name, _FALLBACK.text(), reason)


def _within_memory(recipe: Recipe, classes: LetterClasses, words: WordList, memory_mb: int) -> tuple[str, str]:
    """The grammar with as many classes of letters as all words have room for, and what is to be said of it.

    Words that differ in the classes of their letters cannot share their analyses.
    """
    some = splits_of(words, _MEASURED, 1, 0)[0].learnt
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        megabytes = AdaptorSampler(recipe.grammar(classes), some).memory_mb * len(words) / len(some)
    if megabytes <= memory_mb * _SHARE_OF_MEMORY:
        return recipe.text(classes), ""
    two = letter_classes([words.atoms(word) for word in some.words], 2)
    return recipe.text(two), (
        f" Its strings tell letters apart by two classes only, since {len(words):,} words with a class for each letter would "
        f"take about {megabytes:,.0f} MB."
    )


def _chosen(finalists: Sequence[Standing]) -> tuple[Standing, bool]:
    """The chosen one of the last round, best first; and whether it was close.

    Analysed words decide where they clearly do; then bits; of those that predict words about equally well the simplest.
    """
    if finalists[0].f1 is not None:
        best_f1 = max(standing.f1 or 0.0 for standing in finalists)
        finalists = [standing for standing in finalists if (standing.f1 or 0.0) > best_f1 - _CLEAR_F1]
    near = close_to(finalists[0], finalists)
    return near[0], len(near) > 1


def _evidence(standing: Standing, rounds: Sequence[Round], words: int) -> CandidateEvidence:
    plan = rounds[standing.round - 1]
    return CandidateEvidence(
        standing.recipe.name,
        str(standing.recipe),
        standing.per_letter,
        standing.behind,
        standing.error,
        standing.round,
        min(plan.words, words),
        plan.sweeps,
        standing.f1,
    )


def _reason(chosen: Standing, runner_up: Standing | None, close: bool) -> str:
    name = f"{chosen.recipe.name} ({chosen.recipe})"
    if runner_up is None:
        return f"{name} is the only candidate."
    if chosen.f1 is not None and chosen.behind > 0.0 and not close:
        return f"{name} is chosen: it agrees best with the analysed words."
    if chosen.recipe.name == _LETTERS_ONLY:
        return f"{name}: no grammar with parts predicts words held back better, so the words show no parts that recur."
    if close:
        return (
            f"{name} is chosen, but it is a close call: {runner_up.recipe.name} ({runner_up.recipe}) predicts words held back about "
            "as well, and the one that assumes less is preferred. Analysed words would decide."
        )
    margin = f"{runner_up.behind:.3f} ± {runner_up.error:.3f} bits per character"
    return f"{name} is chosen: it predicts words held back best; next is {runner_up.recipe.name}, {margin} behind."


def _differences(chosen: Standing, runner_up: Standing | None, words: WordList) -> tuple[Difference, ...]:
    differences: list[Difference] = []
    if runner_up is None or not chosen.posteriors or not runner_up.posteriors:
        return ()
    for word in words.words[:500]:
        ours, theirs = chosen.segmentation(word), runner_up.segmentation(word)
        if ours is not None and theirs is not None and ours != theirs:
            differences.append(Difference(word, ours, theirs))
        if len(differences) == _LISTED:
            break
    return tuple(differences)
