"""What a grammar sketch says, as values: affixes, templates, roots, and what is uncertain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from binyan.morphology.paradigm.families import Families, WordReading
from binyan.morphology.paradigm.frame import REST, Affix, Frame, Slot

_EXAMPLES = 4
_OF_PIECES = frozenset({"circ", "redup"})
SURE = 0.6
"""Words whose best analysis is less probable than this are called uncertain."""


@dataclass(frozen=True)
class AffixFact:
    """An affix: words and stems it is seen with, what it stands next to on the side of the stem, its mean probability, examples."""

    text: str
    kind: str
    words: int
    stems: int
    next_to: tuple[tuple[str, int], ...]
    certainty: float
    examples: tuple[str, ...]


@dataclass(frozen=True)
class TemplateFact:
    """A template: how many roots and words have it, and roots with a word each."""

    text: str
    roots: int
    words: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RootFact:
    """A root: its words, and the templates they have."""

    text: str
    words: tuple[str, ...]
    templates: tuple[str, ...]


@dataclass(frozen=True)
class UncertainWord:
    """A word whose analyses split: the best two with their probabilities."""

    word: str
    analyses: tuple[tuple[str, float], ...]


def affix_facts(words: Sequence[WordReading]) -> list[AffixFact]:
    """The affixes of the words in their best analyses, those of most words first."""
    uses: dict[tuple[str, str], list[tuple[WordReading, str]]] = defaultdict(list)
    for word in words:
        for kind, text, neighbour in _affixes(word.best.affixes):
            uses[kind, text].append((word, neighbour))
    facts = []
    for (kind, text), seen in uses.items():
        shown = sorted(
            dict.fromkeys(word for word, _ in seen), key=lambda w: (-round(w.certainty, 1), len(w.word), w.word)
        )
        facts.append(
            AffixFact(
                text,
                kind,
                len({word.word for word, _ in seen}),
                len({word.best.stem for word, _ in seen}),
                tuple(Counter(neighbour for _, neighbour in seen).most_common(3)),
                mean(word.certainty for word, _ in seen),
                tuple(w.best.affixes.spelt(w.best.stem) for w in shown[:_EXAMPLES]),
            )
        )
    return sorted(facts, key=lambda fact: (-fact.words, fact.kind, fact.text))


def _affixes(frame: Frame) -> list[tuple[str, str, str]]:
    """Kind, text and neighbour towards the stem of each affix, "" for the stem itself; one of several pieces is one affix."""
    parts = frame.parts
    first = min(i for i, part in enumerate(parts) if isinstance(part, Slot))
    copies = [part for part in parts if isinstance(part, Slot) and part.copied]
    rows = []
    pieces: dict[str, list[str]] = defaultdict(list)
    for i, part in enumerate(parts):
        if isinstance(part, Affix) and part.label in _OF_PIECES:
            pieces[part.label].append(frame.written(i))
        elif isinstance(part, Affix) and part.label != "stem":
            inner = parts[i + 1] if i < first else parts[i - 1]
            rows.append((part.label, frame.written(i), inner.text if isinstance(inner, Affix) else ""))
    rows += [(label, REST.join(written), "") for label, written in pieces.items()]
    if copies:
        letters = max(part.end or 0 for part in copies)
        rows.append(("redup", f"[{','.join(map(str, range(1, letters + 1)))}]~", ""))
    return rows


def template_facts(roots: Families) -> list[TemplateFact]:
    """The templates, those of most roots first."""
    facts = []
    for text, affixes in roots.widespread:
        if affixes:
            continue
        members = [m for base in roots.bases_with[text, ""] for m in roots.members[base] if str(m.template) == text]
        members.sort(key=lambda m: (len(m.word), m.word))
        examples: dict[str, str] = {}
        for member in members:
            examples.setdefault("".join(member.base), member.word)
        facts.append(TemplateFact(text, len(examples), len(members), tuple(examples.items())[:_EXAMPLES]))
    return facts


def root_facts(roots: Families) -> list[RootFact]:
    """The roots, those of most words first."""
    facts = []
    for base, members in roots.members.items():
        words = tuple(sorted({m.word for m in members}, key=lambda word: (len(word), word)))
        facts.append(RootFact("".join(base), words, tuple(dict.fromkeys(str(m.template) for m in members))))
    return sorted(facts, key=lambda fact: (-len(fact.templates), -len(fact.words), fact.text))


def uncertain_words(words: Sequence[WordReading]) -> list[UncertainWord]:
    """The words whose best analysis has a probability below `SURE`, the least certain first."""
    unsure = sorted((word for word in words if word.certainty < SURE), key=lambda word: (word.certainty, word.word))
    return [UncertainWord(w.word, tuple((r.affixes.spelt(r.stem), p) for r, p in w.alternatives()[:2])) for w in unsure]
