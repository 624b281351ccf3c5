"""A small made-up bitext, English to something like Hebrew: adjectives follow their nouns, and the script runs from right to left."""

from __future__ import annotations

import itertools
from pathlib import Path

from binyan import Translator

WORDS = {"the": "ה־", "a": "איזה", "old": "זקן", "green": "ירוק", "dog": "כלב", "house": "בית", "king": "מלך"}
WORDS |= {"sees": "רואה", "guards": "שומר"}
ORDER = (0, 2, 1, 3, 4, 6, 5)  # the source word that each target word of a sentence translates


def pairs() -> list[tuple[str, str, str]]:
    """Sentences, their translations and their links in the Pharaoh format."""
    phrases = list(itertools.product(("the", "a"), ("old", "green"), ("dog", "house", "king")))
    links = " ".join(f"{s}-{t}" for t, s in enumerate(ORDER))
    made = []
    for i, (subject, verb) in enumerate(itertools.product(phrases, ("sees", "guards"))):
        source = [*subject, verb, *phrases[(5 * i + 3) % len(phrases)]]
        made.append((" ".join(source), translated(source), links))
    return made


def translated(source: list[str]) -> str:
    """The one right translation of a sentence of the bitext's kind."""
    return " ".join(WORDS.get(source[s], source[s]) for s in ORDER)


def system(folder: Path, order: int = 3) -> Translator:
    """A system in `folder`/system, made of the bitext."""
    source, target, links = zip(*pairs(), strict=True)
    (folder / "links").write_text("\n".join(links) + "\n")
    return Translator(order=order).fit(
        source, target, folder / "system", alignment_files=folder / "links", progress=False
    )
