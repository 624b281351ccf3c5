"""What new words do for a text: how many are offered, written and right, and how many unknown words stay untranslated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.errors import SettingsError
from binyan.signature import Signature
from binyan.translation.decoder import Decoder
from binyan.translation.new_rules import COMPOUND, FORM, PARTS, RELATED, TRANSLITERATION, NewRule
from binyan.translation.new_word_decoder import NewWordDecoder

KINDS = {COMPOUND: "compounds", FORM: "forms", RELATED: "related", PARTS: "parts", TRANSLITERATION: "transliterated"}


@dataclass(frozen=True)
class NewWordCounts:
    """Words of one kind, each counted once per sentence: offered to it, written in its translation, and right (in a reference)."""

    offered: int = 0
    written: int = 0
    right: int = 0
    right_offered: int = 0


@dataclass(frozen=True)
class NewWordExample:
    """A new word in a translation: the sentence (from 0), its source span, the kind, and whether a reference has it."""

    sentence: int
    source: str
    target: str
    kind: str
    right: bool


@dataclass(frozen=True)
class NewWordReport:
    """Counts by kind, examples, and the source words that no extracted rule translates: all, and those left as they were."""

    sentences: int
    kinds: Mapping[str, NewWordCounts]
    unknown: int
    untranslated: int
    examples: tuple[NewWordExample, ...]
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        kinds = {name: vars(counts) for name, counts in self.kinds.items()}
        unknown = {"words": self.unknown, "untranslated_before": self.unknown, "untranslated": self.untranslated}
        examples = [vars(example) for example in self.examples]
        return {"sentences": self.sentences, "kinds": kinds, "unknown": unknown, "examples": examples} | {
            "signature": str(self.signature)
        }

    def __str__(self) -> str:
        lines = [f"New words in {self.sentences:,} sentences"]
        lines += [
            f"  {name}: {c.offered:,} offered ({c.right_offered:,} in a reference), {c.written:,} written, {c.right:,} right"
            for name, c in self.kinds.items()
        ]
        share = 100 * self.untranslated / max(self.unknown, 1)
        lines.append(
            f"  source words without a rule: {self.unknown:,}; left as they are: {self.unknown:,} without new words, "
            f"{self.untranslated:,} ({share:.0f}%) with them"
        )
        for e in self.examples:
            lines.append(
                f"  {e.sentence + 1}: {e.source} -> {e.target} ({e.kind}, {'right' if e.right else 'not in the reference'})"
            )
        return "\n".join([*lines, str(self.signature)])


def new_word_report(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    threads: int = 1,
    examples: int = 20,
) -> NewWordReport:
    """Translate prepared sentences, each with one prepared reference or more, and count.

    A word counts as written where the translation has it and used a synthetic rule of its kind.
    """
    if not isinstance(decoder, NewWordDecoder):
        raise SettingsError("the system makes no new words, or its weights were tuned without them")
    hypotheses = decoder.translate(sentences, threads)
    totals: defaultdict[str, Counter[str]] = defaultdict(Counter)
    found = list[NewWordExample]()
    unknown = untranslated = 0
    for n, (sentence, hypothesis) in enumerate(zip(sentences, hypotheses, strict=True)):
        right = {word for reference in references[n] for word in reference}
        values = dict(zip(decoder.feature_names, hypothesis.features.tolist(), strict=True))
        for (kind, target), rule in _offered(decoder.new_rules([sentence])).items():
            is_right, is_written = right >= set(target), values[kind] > 0 and _has(hypothesis.words, target)
            totals[kind].update(offered=1, right_offered=is_right, written=is_written, right=is_right and is_written)
            if is_written:
                example = " ".join(rule.source), " ".join(target), KINDS[kind], is_right
                found.append(NewWordExample(n, *example))
        missing = [
            w for w in sentence if any(c.isalpha() for c in w) and not decoder.maker.translations.is_translated(w)
        ]
        unknown += len(missing)
        untranslated += sum(word in hypothesis.words for word in missing)
    kinds = {name: NewWordCounts(**totals[kind]) for kind, name in KINDS.items()}
    signature = decoder.rules.signature()
    return NewWordReport(len(sentences), kinds, unknown, untranslated, tuple(found[:examples]), signature)


def _offered(rules: Sequence[NewRule]) -> dict[tuple[str, tuple[str, ...]], NewRule]:
    """Target sides by the first of their kinds."""
    offered: dict[tuple[str, tuple[str, ...]], NewRule] = {}
    for rule in rules:
        if rule.kinds[0] in KINDS:
            offered.setdefault((rule.kinds[0], rule.target), rule)
    return offered


def _has(words: Sequence[str], target: tuple[str, ...]) -> bool:
    return any(tuple(words[i : i + len(target)]) == target for i in range(len(words)))
