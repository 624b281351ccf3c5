"""How good a run is on the words that people decided on and learning did not see."""

from __future__ import annotations

from typing import Any

from binyan.segmentation import Segmentation
from binyan.studio.decisions import Decision, borders_of, is_held_back
from binyan.studio.project import Project


def accuracy(project: Project, run: int) -> dict[str, Any]:
    """Precision, recall and F1 of borders, and the share of words and roots that are right, on words held back; empty without any."""
    held = {word: decision for word, decision in project.decisions().items() if is_held_back(word)}
    rows = project.database.rows(
        "SELECT words.text, segmentation, root FROM analyses JOIN words ON words.id = word_id WHERE run_id = ?"
        " AND words.text IN (SELECT key FROM facts WHERE entity = 'decision' AND value IS NOT NULL)",
        run,
    )
    return compare({row["text"]: (row["segmentation"], row["root"]) for row in rows if row["text"] in held}, held)


def compare(found: dict[str, tuple[str | None, str | None]], decided: dict[str, Decision]) -> dict[str, Any]:
    """The same for analyses and decisions of any words."""
    if not decided:
        return {}
    right = guessed = wanted = whole = roots = with_root = 0
    for word, decision in decided.items():
        text, root = found.get(word, (None, None))
        theirs = borders_of(decision.segmentation)
        ours = frozenset[int]() if text is None else borders_of(Segmentation.parse(word, text))
        right, guessed, wanted = right + len(ours & theirs), guessed + len(ours), wanted + len(theirs)
        whole += ours == theirs
        if decision.root is not None:
            with_root += 1
            roots += root == decision.root
    precision = right / guessed if guessed else 1.0
    recall = right / wanted if wanted else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    figures = {"words": len(decided), "precision": precision, "recall": recall, "f1": f1, "whole": whole / len(decided)}
    return figures | ({"roots": roots / with_root} if with_root else {})
