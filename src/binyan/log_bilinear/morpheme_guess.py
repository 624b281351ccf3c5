"""The morphemes of an unseen word, guessed.

The guess is the most probable sequence of morphemes that a model knows, each by how often it is used.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

_FOLLOWERS = {  # label -> labels after it, as Morfessor FlatCat has them: a prefix is not the last, nor beside a suffix
    "^": ("PRE", "STM", ""),
    "PRE": ("PRE", "STM"),
    "STM": ("STM", "PRE", "SUF", "$"),
    "SUF": ("SUF", "STM", "PRE", "$"),
    "": ("", "+", "$"),
    "+": ("",),  # after a linking element
}


def guess_morphemes(word: str, uses: Mapping[str, int], links: Collection[str] = ()) -> list[str]:
    """The morphemes of `word`, linking elements left out; empty where it cannot be made of those in `uses`.

    `uses` has the morphemes with their labels (un/PRE, or without label) and how often each is used; `links` the elements
    that may stand between morphemes without a label.

    >>> guess_morphemes("unreading", {"un/PRE": 9, "read/STM": 3, "ing/SUF": 20, "un/STM": 1})
    ['un/PRE', 'read/STM', 'ing/SUF']
    >>> guess_morphemes("küchenhof", {"küche": 4, "hof": 7}, links=["n", "s"])
    ['küche', 'hof']
    """
    total = sum(uses.values())
    labels = sorted({"" if "/" not in m else m.rsplit("/", 1)[1] for m in uses}) or [""]
    best: list[dict[str, tuple[float, list[str]]]] = [{} for _ in range(len(word) + 1)]
    best[0]["^"] = (0.0, [])
    for start, here in enumerate(best[:-1]):
        for before, (score, parts) in here.items():
            for end in range(start + 1, len(word) + 1):
                text = word[start:end]
                for label in labels:
                    name = f"{text}/{label}" if label else text
                    if uses.get(name, 0) and label in _FOLLOWERS.get(before, labels):
                        _keep(best[end], label, score + math.log(uses[name] / total), [*parts, name])
                if text in links and "+" in _FOLLOWERS.get(before, ()):
                    _keep(best[end], "+", score, parts)
    complete = [guess for label, guess in best[-1].items() if "$" in _FOLLOWERS.get(label, ("$",))]
    return max(complete, key=lambda guess: guess[0])[1] if complete else []


def _keep(place: dict[str, tuple[float, list[str]]], label: str, score: float, parts: list[str]) -> None:
    if label not in place or place[label][0] < score:
        place[label] = (score, parts)
