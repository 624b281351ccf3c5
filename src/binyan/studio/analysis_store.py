"""What a run says of every word, in the database: so that tables, queues and searches need no model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from binyan.morphology import Morphology
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.analysis import Analysis
from binyan.studio.database import Database
from binyan.studio.review_order import ReviewOrder

ALTERNATIVES = 5
_TREES = 12  # of a word, summed by what they say of its parts
_OFFERED = 1000  # words, in an order of their own
_TOGETHER = 500  # words of one transaction: others may write in between


@dataclass(frozen=True)
class WordAnalysis:
    """The best analysis of a word, how sure it is, and the others. `agree`: whether all chains find the same one."""

    word: str
    segmentation: str | None
    probability: float = 0.0
    root: str | None = None
    template: str | None = None
    agree: bool = True
    alternatives: Sequence[dict[str, Any]] = ()
    morphemes: Sequence[tuple[str, str]] = field(default_factory=tuple)

    def worth(self, count: int) -> float:
        """How much a person's decision on the word is worth: the more, the less sure it is and the oftener it occurs."""
        if self.segmentation is None:
            return 0.5
        doubt = 1.0 - self.probability + (0.0 if self.agree else 0.2)
        return doubt * (1.0 + 0.25 * math.log1p(count))


def analyse_words(morphology: Morphology, words: Iterable[str]) -> Iterator[WordAnalysis]:
    """What a morphology says of words, one after the other."""
    disagreement = Disagreement(morphology)
    for word in words:
        yield summarise(word, morphology.analyses(word, _TREES), not disagreement.on(word))


def summarise(word: str, analyses: Sequence[Analysis], agree: bool = True) -> WordAnalysis:
    """Trees summed by segmentation and root."""
    sums: dict[tuple[str, str | None], list[Any]] = {}
    for analysis in analyses:
        roots = analysis.roots()
        key = str(analysis.segmentation), roots[0] if roots else None
        entry = sums.setdefault(key, [0.0, analysis])
        entry[0] += analysis.probability
    ranked = sorted(sums.items(), key=lambda item: -item[1][0])[:ALTERNATIVES]
    if not ranked:
        return WordAnalysis(word, None)
    listed = [{"segmentation": text, "root": root, "probability": round(p, 4)} for (text, root), (p, _) in ranked]
    (text, root), (probability, best) = ranked[0]
    template = best.template
    morphemes = {(part.text, part.label) for part in best.segmentation}
    morphemes |= {(root, "root")} if root else set()
    morphemes |= {(template, "template")} if template else set()
    return WordAnalysis(word, text, probability, root, template, agree, listed, sorted(morphemes))


class Disagreement:
    """On which training words the chains of a morphology disagree."""

    def __init__(self, morphology: Morphology) -> None:
        self._sampler: AdaptorSampler | None = morphology._sampler
        self._places = {word: i for i, word in enumerate(morphology.words.words)}

    def on(self, word: str) -> bool:
        """Whether the most frequent trees of a word differ between the chains."""
        place = self._places.get(word)
        if self._sampler is None or place is None or len(self._sampler.states) < 2:
            return False
        best = [self._best(state, place) for state in self._sampler.states]
        return any(tree != best[0] for tree in best)

    def _best(self, state: Any, place: int) -> list[int]:
        collected: list[tuple[list[int], int]] = state.samples.of(place) if state.samples.kept else []
        derivation: list[int] = collected[0][0] if collected else state.core.derivation(place)
        return derivation


class AnalysisStore:
    """The analyses of runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, run: int, analyses: Iterable[WordAnalysis], decided: Iterable[str] = ()) -> int:
        """Store the analyses of a run in place of those it had of the same words; how many. Words that are gone are left out.

        Pages show them when all are stored, with the words to review first and the lexicon. `decided`: words that were reviewed.
        """
        written, waiting, order = 0, list[WordAnalysis](), ReviewOrder()
        for analysis in analyses:
            waiting.append(analysis)
            order.add(analysis.word, analysis.alternatives)
            if len(waiting) == _TOGETHER:
                written += self._write(run, waiting)
                waiting.clear()
        written += self._write(run, waiting)
        self._finish(run, order.first(_OFFERED, decided))
        return written

    def _finish(self, run: int, offered: Sequence[str]) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE analyses SET offered = NULL WHERE run_id = ? AND offered IS NOT NULL", (run,))
            connection.executemany(
                "UPDATE analyses SET offered = ? WHERE run_id = ? AND word_id = (SELECT id FROM words WHERE text = ?)",
                ((place, run, word) for place, word in enumerate(offered)),
            )
            connection.execute("DELETE FROM lexicon WHERE run_id = ?", (run,))
            connection.execute(
                "INSERT INTO lexicon SELECT m.run_id, m.text, m.label, count(*), sum(w.count) FROM morphemes m"
                " JOIN words w ON w.id = m.word_id WHERE m.run_id = ? GROUP BY m.text, m.label",
                (run,),
            )
            connection.execute("UPDATE runs SET answers = answers + 1 WHERE id = ?", (run,))

    def _write(self, run: int, analyses: Sequence[WordAnalysis]) -> int:
        if not analyses:
            return 0
        marks = ",".join("?" * len(analyses))
        with self._database.writing() as connection:
            rows = self._database.rows(
                f"SELECT id, text, count FROM words WHERE text IN ({marks})", *(a.word for a in analyses)
            )
            words = {row["text"]: (row["id"], row["count"]) for row in rows}
            kept = [(a, *words[a.word]) for a in analyses if a.word in words]
            connection.executemany(
                "DELETE FROM morphemes WHERE word_id = ? AND run_id = ?", ((number, run) for _, number, _ in kept)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO analyses VALUES (?,?,?,?,?,?,?,?,?,NULL)",
                (
                    (run, number, a.segmentation, a.probability, a.root, a.template, int(a.agree), a.worth(count),
                     json.dumps(list(a.alternatives), ensure_ascii=False))
                    for a, number, count in kept
                ),
            )  # fmt: skip
            connection.executemany(
                "INSERT OR IGNORE INTO morphemes VALUES (?,?,?,?)",
                ((run, text, label, number) for a, number, _ in kept for text, label in a.morphemes),
            )
            return len(kept)
