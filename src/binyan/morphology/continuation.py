"""Learning that goes on after more became known of some words, or words were added: it begins with the trees of before."""

from __future__ import annotations

from binyan.errors import SettingsError
from binyan.morphology.adaptor import AdaptorSampler


def begin_from(sampler: AdaptorSampler, before: AdaptorSampler) -> float:
    """Begin with the trees and hyperparameters that another sampler has now; the share of words that keep their tree.

    Words whose tree does not agree with what is known of them now, and new ones, are drawn given all others. Raises SettingsError where
    the other sampler has another grammar or alphabet, or has not begun.
    """
    if before.compiled.grammar.rules != sampler.compiled.grammar.rules or not before.states:
        raise SettingsError("learning goes on with the same grammar and letters only: learn anew")
    places = {word: i for i, word in enumerate(before.words.words)}
    kept = 0
    for chain in range(sampler.settings.chains):
        old = before.states[chain % len(before.states)].core
        adaptors = [
            (a, b, *priors[2:]) for (a, b, _, _), priors in zip(old.adaptors, sampler.compiled.adaptors(), strict=True)
        ]
        state = sampler.empty(chain, adaptors)
        kept += state.core.initialise_from(
            [old.derivation(places[word]) if word in places else [] for word in sampler.words.words]
        )
        state.begun = True
        sampler.states.append(state)
    return kept / max(1, sampler.settings.chains * (len(sampler.words) - len(sampler.unparsable)))
