"""Knowledge applied to a grammar and a word list: what the core takes, and what contradicts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.morphology.knowledge.knowledge import Contradiction, Knowledge
from binyan.morphology.knowledge.morpheme_symbols import Seed, seeds
from binyan.morphology.knowledge.shared_stems import SharedStemTuple, shared_stems
from binyan.morphology.knowledge.word_evidence import EvidenceTuple, WordEvidence
from binyan.morphology.word_list import WordList

_LISTED = 20


@dataclass(frozen=True)
class AppliedKnowledge:
    """What the core takes: labels of symbols, evidence of words by their number, known morphemes, and words that share a stem."""

    labels: Sequence[int] = ()
    evidence: Mapping[int, EvidenceTuple] = field(default_factory=dict)
    seeds: Sequence[Seed] = ()
    shared_stems: Sequence[SharedStemTuple] = ()
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def uses_beforehand(self) -> dict[tuple[str, tuple[str, ...]], int]:
        """How many uses the known morphemes count for, by symbol and strings."""
        uses: dict[tuple[str, tuple[str, ...]], int] = {}
        for seed in self.seeds:
            uses[seed.symbol, seed.strings] = uses.get((seed.symbol, seed.strings), 0) + seed.copies
        return uses

    def never_used(self, uses: Callable[[str], Collection[tuple[str, ...]]]) -> list[str]:
        """The known morphemes that no word uses, as they were given; `uses` has the strings of a symbol that words use."""
        used: dict[str, bool] = {}
        strings = {symbol: uses(symbol) for symbol in dict.fromkeys(seed.symbol for seed in self.seeds)}
        for seed in self.seeds:
            used[seed.morpheme] = used.get(seed.morpheme, False) or seed.strings in strings[seed.symbol]
        return [morpheme for morpheme, is_used in used.items() if not is_used]

    def report(self) -> None:
        """Warn of all contradictions. Raises InputError where nothing that was given can be used."""
        if not self.contradictions:
            return
        listed = "\n".join(f"  {contradiction}" for contradiction in self.contradictions[:_LISTED])
        more = len(self.contradictions) - _LISTED
        listed += f"\n  and {more} more" if more > 0 else ""
        if not (self.evidence or self.seeds or self.shared_stems):
            raise InputError(f"nothing of what is given as known can be used:\n{listed}")
        warnings.warn(
            f"{len(self.contradictions)} of the things given as known cannot be used and are left out:\n{listed}",
            stacklevel=4,
        )


def apply_knowledge(knowledge: Knowledge, compiled: Compiled, words: WordList) -> AppliedKnowledge:
    """What `knowledge` says of the words of a list, as far as the grammar can derive it."""
    if not knowledge:
        return AppliedKnowledge()
    evidence = WordEvidence(compiled, words)
    for known in knowledge.words:
        evidence.add(known)
    evidence.check()
    stems, no_stems = shared_stems(knowledge.words, evidence)
    seated, unseated = seeds(knowledge, compiled, words)
    contradictions = (*evidence.contradictions, *no_stems, *unseated)
    return AppliedKnowledge(evidence.labels, evidence.tuples, seated, stems, contradictions)
