"""What the page changes: settings, sources, decisions, glosses, notes, runs. Every action has an author."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from binyan.errors import InputError
from binyan.morphology.exports.analysed_words import AnalysedWords
from binyan.studio import fields
from binyan.studio.archive import open_archive
from binyan.studio.facts import LONGEST_AUTHOR
from binyan.studio.fields import Question
from binyan.studio.imports import read_upload
from binyan.studio.learning import MOST_SWEEPS, RunPlan
from binyan.studio.word_store import describe_words
from binyan.studio.workbench import Workbench

MOST_DECISIONS = 5_000
"""Decisions that are made together."""

_LAST_VERSION = 1_000_000_000


def _author(question: Question) -> str:
    return fields.text(question, "author", LONGEST_AUTHOR, "me")


def _base(question: Question) -> int:
    return fields.number(question, "base", 0, _LAST_VERSION)


def set_setting(bench: Workbench, question: Question) -> dict[str, Any]:
    """The title of the project, or the code of its language."""
    name, value = fields.text(question, "name", 20), fields.text(question, "value", 100).strip()
    if name not in ("title", "language"):
        raise InputError("the settings are title and language")
    if name == "language" and value:
        AnalysedWords((), value)
    return bench.project.facts.put("setting", name, value, _author(question), _base(question)).to_dict()


def prepare(bench: Workbench, question: Question) -> dict[str, Any]:
    """Prepare the words in another way."""
    given = question.get("preparation")
    if not isinstance(given, dict):
        raise InputError("the request lacks the preparation")
    return {"words": bench.project.set_preparation(given, _author(question), _base(question))}


def use_source(bench: Workbench, question: Question) -> dict[str, Any]:
    """Take the words of a source in, or leave them out."""
    source = fields.number(question, "source", 1, _LAST_VERSION)
    found = [s for s in bench.project.words.sources() if s["id"] == source]
    if not found:
        raise InputError(f"there is no source {source}")
    value = {"used": fields.flag(question, "used"), "name": found[0]["name"]}
    with bench.project.database.writing():
        bench.project.facts.put("source", str(source), value, _author(question), _base(question))
        return {"words": bench.project.rebuild()}


def decide(bench: Workbench, question: Question) -> dict[str, Any]:
    """Decisions on words, all or none."""
    given = fields.items(question, "items", MOST_DECISIONS)
    for item in given:
        fields.text(item, "word")
        fields.text(item, "segmentation", 10_000, "")
    changes = bench.project.decide(given, _author(question))
    return {"batch": changes[0].batch if changes else None, "versions": {c.key: c.version for c in changes}}


def decide_all(bench: Workbench, question: Question) -> dict[str, Any]:
    """Accept what the run says of all words with a morpheme that nobody decided on."""
    text, label = fields.text(question, "morpheme"), fields.text(question, "label", 40)
    rows = bench.project.database.rows(
        "SELECT w.text, a.segmentation, a.root, coalesce(d.version, 0) AS version FROM morphemes m JOIN words w ON w.id = m.word_id"
        " JOIN analyses a ON a.run_id = m.run_id AND a.word_id = w.id"
        " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
        " WHERE m.run_id = ? AND m.text = ? AND m.label = ? AND d.value IS NULL ORDER BY w.count DESC LIMIT ?",
        *(-1 if bench.run is None else bench.run, text, label, MOST_DECISIONS),
    )
    given = [
        {
            "word": r["text"],
            "segmentation": r["segmentation"],
            "root": r["root"],
            "base": r["version"],
            "kind": "accept",
        }
        for r in rows
    ]
    changes = bench.project.decide(given, _author(question))
    return {"batch": changes[0].batch if changes else None, "decided": len(changes)}


def undo(bench: Workbench, question: Question) -> dict[str, Any]:
    """Undo a batch of changes."""
    with bench.project.database.writing():
        changes = bench.project.facts.undo(fields.number(question, "batch", 1, _LAST_VERSION), _author(question))
        if any(change.entity in ("source", "setting") for change in changes):
            bench.project.rebuild()
    return {"undone": len(changes), "batch": changes[0].batch}


def gloss(bench: Workbench, question: Question) -> dict[str, Any]:
    """The gloss of a morpheme, and a note on it."""
    text, label = fields.text(question, "morpheme"), fields.text(question, "label", 40)
    if not text or "\t" in text or "\n" in text:
        raise InputError("a morpheme is missing")
    given = {
        "gloss": fields.text(question, "gloss", 200).strip(),
        "note": fields.text(question, "note", 2_000, "").strip(),
    }
    if any(c in given["gloss"] for c in "\t\n\r"):
        raise InputError("a gloss is one line")
    value = given if any(given.values()) else None
    return bench.project.facts.put("gloss", f"{text}/{label}", value, _author(question), _base(question)).to_dict()


def note(bench: Workbench, question: Question) -> dict[str, Any]:
    """A note on a word."""
    word = fields.text(question, "word")
    if bench.project.words.number(word) is None:
        raise InputError(f"{word!r} is not a word of this project")
    text = fields.text(question, "text", 2_000).strip()
    value = {"text": text} if text else None
    return bench.project.facts.put("note", word, value, _author(question), _base(question)).to_dict()


def learn(bench: Workbench, question: Question) -> dict[str, Any]:
    """A new run of learning, with all decisions so far as evidence; `again`: with the grammar of the last one."""
    if not len(bench.project.words):
        raise InputError("the project has no words yet: add a file first")
    again = fields.flag(question, "again")
    before = next((run.settings for run in bench.project.runs.all() if again and run.kind == "learn"), {})
    given = {
        name: value for name, value in question.items() if name in ("sweeps", "chains", "seed", "fresh") or not again
    }
    plan = RunPlan.read({**before, **given})
    return {"run": bench.project.runs.add("learn", plan.to_dict(), _author(question))}


def choose(bench: Workbench, question: Question) -> dict[str, Any]:
    """A run that finds out which grammar suits the words."""
    if not len(bench.project.words):
        raise InputError("the project has no words yet: add a file first")
    seed = fields.number(question, "seed", 0, 2**63 - 1, 1)
    return {"run": bench.project.runs.add("choose", RunPlan(seed=seed).to_dict(), _author(question))}


def stop(bench: Workbench, question: Question) -> dict[str, Any]:
    """End a run; what it has learnt stays."""
    bench.project.runs.stop(fields.number(question, "run", 1, _LAST_VERSION))
    return {}


def go_on(bench: Workbench, question: Question) -> dict[str, Any]:
    """Go on with a run that has ended."""
    number = fields.number(question, "run", 1, _LAST_VERSION)
    run = bench.project.runs.get(number)
    more = fields.number(question, "sweeps", 0, MOST_SWEEPS, 0)
    if run.state == "done" and not more:
        raise InputError(f"run {number} is done: say how many sweeps more")
    RunPlan.read({**run.settings, "sweeps": int(run.settings.get("sweeps", 0)) + more})
    bench.project.runs.go_on(number, more)
    return {"run": number}


def drop_model(bench: Workbench, question: Question) -> dict[str, Any]:
    """Take a model away that was added for the explorer."""
    bench.explorer.drop(fields.text(question, "name", 60))
    return {}


ACTIONS: dict[str, Callable[[Workbench, Question], Any]] = {
    "set": set_setting,
    "prepare": prepare,
    "use-source": use_source,
    "decide": decide,
    "decide-all": decide_all,
    "undo": undo,
    "gloss": gloss,
    "note": note,
    "learn": learn,
    "choose": choose,
    "stop": stop,
    "go-on": go_on,
    "drop-model": drop_model,
}


def upload(bench: Workbench, question: Question, content: bytes) -> dict[str, Any]:
    """Add a file to the project, and say what was read."""
    column = fields.text(question, "column", 100, "") or None
    reading = read_upload(
        fields.text(question, "name", 300), content, fields.text(question, "format", 20, "auto"), column
    )
    source = bench.project.add_reading(reading, _author(question))
    return {
        "source": source, "format": reading.format, "notes": reading.notes, "sentences": len(reading.sentences),
        "known": len(reading.known), "words": describe_words(reading.counts),
    }  # fmt: skip


def open_project(bench: Workbench, question: Question, content: bytes) -> dict[str, Any]:
    """Fill the empty project with an archive."""
    open_archive(io.BytesIO(content), bench.project)
    return {"words": len(bench.project.words)}


def add_model(bench: Workbench, question: Question, content: bytes) -> dict[str, Any]:
    """Add a model for the explorer: a language model, vectors, or another morphology."""
    return {"name": bench.explorer.add(fields.text(question, "name", 300), content)}


UPLOADS: dict[str, Callable[[Workbench, Question, bytes], Any]] = {
    "upload": upload,
    "open": open_project,
    "add-model": add_model,
}
