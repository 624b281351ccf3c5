"""How many uses known morphemes should count for.

Words held back say how far knowledge can be trusted, not how far it helps: on fifteen lists the borders got better with the strength up
to 30 or 100, while held-back words were most probable with 1 to 10 and not much less so beyond. So the choice is the greatest strength
that costs little: at most ten per cent more bits per character than the best strength above 0. A tolerance of ten to fifteen per cent
was best for each list by the other lists, also when half of the affixes were wrong (`benchmarks/known_words.py`).
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from binyan.grammar.rules import Grammar
from binyan.morphology.knowledge.knowledge import Knowledge
from binyan.morphology.settings import MorphologySettings
from binyan.morphology.word_list import WordList

STRENGTHS = (0, 1, 3, 10, 30, 100)
WITHOUT_CHOICE = 10
"""Where there are too few words to hold some back."""

_LEAST_WORDS, _MOST_WORDS, _MOST_HELD_BACK = 200, 3000, 500
_SWEEPS, _KEPT = 40, 10
_TOLERANCE = 1.10


def with_strength(knowledge: Knowledge, grammar: Grammar, words: WordList, settings: MorphologySettings) -> Knowledge:
    """The knowledge with the strength of its morphemes chosen, where that is not given."""
    if not knowledge.needs_strength:
        return knowledge
    if len(words) < _LEAST_WORDS:
        return replace(knowledge, strength=WITHOUT_CHOICE)
    bits = strength_bits(knowledge, grammar, words, settings)
    best = chosen_strength(bits)
    listed = ", ".join(f"{strength}: {value:.4f}" for strength, value in bits.items())
    logging.getLogger("binyan").info("known morphemes count %d times (bits per character: %s)", best, listed)
    return replace(knowledge, strength=best, strength_bits=bits)


def chosen_strength(bits: Mapping[int, float]) -> int:
    """The greatest strength under which held-back words take at most ten per cent more bits than under the best one above 0.

    >>> chosen_strength({0: 3.54, 1: 3.62, 10: 3.64, 100: 3.69}), chosen_strength({0: 2.7, 1: 2.5, 10: 2.52, 100: 2.8})
    (100, 10)
    """
    above = {strength: value for strength, value in bits.items() if strength > 0}
    allowed = min(above.values()) * _TOLERANCE
    return max(strength for strength, value in above.items() if value <= allowed)


def strength_bits(
    knowledge: Knowledge,
    grammar: Grammar,
    words: WordList,
    settings: MorphologySettings,
    strengths: Sequence[int] = STRENGTHS,
) -> dict[int, float]:
    """Bits per character of words held back, by strength: one short chain for each."""
    from binyan.morphology.adaptor import AdaptorSampler
    from binyan.morphology.posterior import Posterior

    order = list(range(len(words)))
    random.Random(settings.seed).shuffle(order)
    order = order[:_MOST_WORDS]
    back = [words.words[i] for i in order[: min(len(order) // 5, _MOST_HELD_BACK)]]
    learnt = sorted(order[len(back) :])
    kept = replace(words, words=tuple(words.words[i] for i in learnt), counts=tuple(words.counts[i] for i in learnt))
    quick = replace(
        settings, sweeps=_SWEEPS, burn_in=_SWEEPS - _KEPT, chains=1, thin=1, snapshots=_KEPT, anneal_sweeps=0,
        unparsable="skip",
    )  # fmt: skip
    bits = {}
    for strength in strengths:
        morphemes = replace(knowledge, words=(), strength=strength)
        sampler = AdaptorSampler(grammar, kept, quick, morphemes, quiet=True)
        sampler.run(progress=False)
        posterior = Posterior.of(sampler)
        scores = [(posterior.log_probability(word), len(words.atoms(word))) for word in back]
        finite = [(score, length) for score, length in scores if math.isfinite(score)]
        bits[strength] = -sum(score for score, _ in finite) / math.log(2) / max(sum(n for _, n in finite), 1)
    return bits
