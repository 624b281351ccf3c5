"""What a batch of corrections changed elsewhere: one run against the run before it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from binyan.studio.project import Project

_LISTED = 100
_PATTERNS = 20


def changed_words(project: Project, run: int, before: int) -> dict[str, Any]:
    """The words that nobody decided on and that a run analyses differently than another: how many, which, and what changed most."""
    rows = project.database.rows(
        "SELECT w.text, w.count, o.segmentation AS old, n.segmentation AS new, n.probability FROM analyses n"
        " JOIN analyses o ON o.word_id = n.word_id AND o.run_id = ? JOIN words w ON w.id = n.word_id"
        " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
        " WHERE n.run_id = ? AND n.segmentation IS NOT o.segmentation AND d.value IS NULL ORDER BY w.count DESC, w.id",
        *(before, run),
    )
    compared = project.database.number(
        "SELECT count(*) FROM analyses n JOIN analyses o ON o.word_id = n.word_id AND o.run_id = ? WHERE n.run_id = ?",
        *(before, run),
    )
    patterns: Counter[tuple[str, str]] = Counter()
    for row in rows:
        old, new = (set((row[name] or "").split()) for name in ("old", "new"))
        gone, come = _affixes(old - new), _affixes(new - old)
        if gone or come:
            patterns[" ".join(gone), " ".join(come)] += 1
    return {
        "run": run,
        "before": before,
        "compared": compared,
        "changed": len(rows),
        "words": [dict(row) for row in rows[:_LISTED]],
        "patterns": [{"gone": g, "come": c, "words": n} for (g, c), n in patterns.most_common(_PATTERNS)],
    }


def _affixes(parts: set[str]) -> list[str]:
    return sorted(part for part in parts if not part.endswith(("/stem", "/root")))
