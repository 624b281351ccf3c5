"""The questions that the page asks; none of them changes anything. Each is a function of the workbench and a small JSON object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from binyan import __version__
from binyan.errors import InputError
from binyan.grammar.drawing import runs_right_to_left
from binyan.grammar.notation import grammar_text
from binyan.grammar.roles import ROLES, WITHIN_STEMS
from binyan.studio import decisions, fields, grammars
from binyan.studio.accuracy import accuracy
from binyan.studio.comparison import changed_words
from binyan.studio.fields import Question
from binyan.studio.learning import RunPlan
from binyan.studio.project import WordPreparation
from binyan.studio.results import DOWNLOADS
from binyan.studio.word_queries import MOST_ROWS
from binyan.studio.word_store import describe_words, prepared_counts
from binyan.studio.workbench import Workbench

_EXAMPLES = 30
_MOST_DESCRIBED = 200_000
_VERSIONED = ("title", "language", "preparation")


def project(bench: Workbench, question: Question) -> dict[str, Any]:
    """What the project is: settings with their versions, sources, figures."""
    p = bench.project
    used = p.facts.all("source")
    versions = p.facts.versions("source", list(used))
    sources = [
        {**s, "used": used.get(str(s["id"]), {}).get("used", True), "version": versions.get(str(s["id"]), 0)}
        for s in p.words.sources()
    ]
    first = p.database.row("SELECT text FROM words ORDER BY count DESC, id LIMIT 1")
    return {
        "title": p.setting("title", "") or p.folder.resolve().name,
        "language": p.setting("language", ""),
        "preparation": asdict(p.word_preparation),
        "versions": p.facts.versions("setting", list(_VERSIONED)),
        "sources": sources,
        "words": len(p.words),
        "sentences": p.database.number("SELECT count(*) FROM sentences"),
        "decided": p.database.number("SELECT count(*) FROM facts WHERE entity = 'decision' AND value IS NOT NULL"),
        "direction": "rtl" if first is not None and runs_right_to_left(first["text"]) else "ltr",
        "run": bench.run,
        "version": __version__,
        "downloads": list(DOWNLOADS),
    }


def describe(bench: Workbench, question: Question) -> dict[str, Any]:
    """The words as they are now: characters, scripts, odd ones."""
    rows = bench.project.database.rows("SELECT text, count FROM words ORDER BY count DESC LIMIT ?", _MOST_DESCRIBED)
    return describe_words({row["text"]: row["count"] for row in rows})


def preview(bench: Workbench, question: Question) -> dict[str, Any]:
    """What another preparation would do: how many words there would be, and some that would change."""
    given = question.get("preparation")
    if not isinstance(given, dict):
        raise InputError("the request lacks the preparation")
    prepare = WordPreparation.read(given).preparation()
    counts = bench.project.words.counts()
    some = dict(counts.most_common(_MOST_DESCRIBED))
    changed = [(word, after) for word in some if (after := prepare(word)) != [word]]
    return {
        "read": len(some),
        "words": len(prepared_counts(some, prepare)),
        "changed": len(changed),
        "examples": [{"before": before, "after": " ".join(after)} for before, after in changed[:_EXAMPLES]],
    }


def words(bench: Workbench, question: Question) -> dict[str, Any]:
    """A page of the table of words."""
    morpheme = None
    if "morpheme" in question:
        morpheme = fields.text(question, "morpheme"), fields.text(question, "label", 40)
    return bench.queries.page(
        bench.run,
        fields.text(question, "show", 20, "all"),
        fields.text(question, "order", 20, "count"),
        fields.number(question, "offset", 0, 10_000_000, 0),
        fields.number(question, "limit", 1, MOST_ROWS, 50),
        fields.text(question, "contains", default=""),
        morpheme,
    )


def offered(bench: Workbench, question: Question) -> dict[str, Any]:
    """The words that are most worth a person's time."""
    run, limit = bench.run, fields.number(question, "limit", 1, MOST_ROWS, 20)
    return bench.queries.offered(run, limit) | {"run": run}


def word(bench: Workbench, question: Question) -> dict[str, Any]:
    """All there is on one word: analyses, decision and its history, note."""
    text = fields.text(question, "word")
    row = bench.queries.word(bench.run, text)
    if row is None:
        raise InputError(f"{text!r} is not a word of this project")
    p = bench.project
    newest, note = p.facts.newest(decisions.ENTITY, text), p.facts.newest("note", text)
    return {
        **row,
        "decided_by": None if newest is None else newest.to_dict(),
        "note": "" if note is None or note.value is None else note.value["text"],
        "note_version": 0 if note is None else note.version,
        "direction": "rtl" if runs_right_to_left(text) else "ltr",
        "atoms": p.word_list(1).atoms(text),
        "labels": labels(bench),
    }


def labels(bench: Workbench) -> list[str]:
    """The labels that parts can have, by the grammar of the run."""
    if bench.run is None:
        return ["pre", "stem", "suf"]
    plan = bench.project.runs.get(bench.run).settings
    if plan.get("grammar") == "auto" and not plan.get("text"):
        return ["pre", "stem", "suf"]
    grammar = RunPlan.read(plan).made_grammar()
    within = {ROLES[role] for role in WITHIN_STEMS} if grammar.with_role("stem") else set()
    return [label for label in dict.fromkeys(grammar.segment_labels.values()) if label not in within]


def trees(bench: Workbench, question: Question) -> dict[str, Any]:
    """The best analyses of a word with their trees."""
    return {"trees": bench.models.trees(bench.run, fields.text(question, "word", 100))}


def search(bench: Workbench, question: Question) -> dict[str, Any]:
    """Words, morphemes, roots or templates that contain a text or match a regular expression."""
    return bench.queries.search(
        bench.run,
        fields.text(question, "query"),
        fields.text(question, "place", 20, "words"),
        fields.flag(question, "pattern"),
        fields.number(question, "offset", 0, 10_000_000, 0),
        fields.number(question, "limit", 1, MOST_ROWS, 50),
    )


def lexicon(bench: Workbench, question: Question) -> dict[str, Any]:
    """Morphemes (or roots, templates) of the run, with glosses."""
    place = fields.text(question, "place", 20, "morphemes")
    if place not in ("morphemes", "roots", "templates"):
        raise InputError("a lexicon is of morphemes, roots or templates")
    entries = bench.queries.lexicon(bench.run, place)
    label, contains = fields.text(question, "label", 40, ""), fields.text(question, "contains", default="")
    kept = [e for e in entries if (not label or e["label"] == label) and contains in e["text"]]
    offset, limit = (
        fields.number(question, "offset", 0, 10_000_000, 0),
        fields.number(question, "limit", 1, MOST_ROWS, 50),
    )
    rows = kept[offset : offset + limit]
    keys = [f"{e['text']}/{e['label']}" for e in rows]
    glosses, versions = bench.project.facts.all("gloss"), bench.project.facts.versions("gloss", keys)
    listed = [
        {
            **e,
            "gloss": glosses.get(k, {}).get("gloss", ""),
            "note": glosses.get(k, {}).get("note", ""),
            "version": versions[k],
        }
        for e, k in zip(rows, keys, strict=True)
    ]
    return {"total": len(kept), "rows": listed, "labels": sorted({e["label"] for e in entries})}


def runs(bench: Workbench, question: Question) -> dict[str, Any]:
    """All runs, newest first, and the one that is shown."""
    return {"runs": [run.to_dict() for run in bench.project.runs.all()], "current": bench.run}


def changed(bench: Workbench, question: Question) -> dict[str, Any]:
    """What a run sees differently than the one before: the effect of the corrections in between."""
    run = bench.run
    before = None if run is None else bench.project.runs.before(run)
    if run is None or before is None:
        return {"run": run, "before": None, "compared": 0, "changed": 0, "words": [], "patterns": []}
    return changed_words(bench.project, run, before)


def quality(bench: Workbench, question: Question) -> dict[str, Any]:
    """Accuracy on words held back, run by run."""
    history = [
        {"run": run.id, "known": run.result.get("known", 0), **run.result["accuracy"]}
        for run in reversed(bench.project.runs.all())
        if run.result.get("accuracy")
    ]
    now = {} if bench.run is None else accuracy(bench.project, bench.run)
    return {"history": history, "now": now}


def shipped_grammars(bench: Workbench, question: Question) -> dict[str, Any]:
    """The shipped grammars, and the kinds of the gallery."""
    return {"shipped": grammars.shipped(), "gallery": [entry.name for entry in grammars.GALLERY]}


def gallery(bench: Workbench, question: Question) -> dict[str, Any]:
    """What one kind of grammar sees in the project's words."""
    return bench.gallery(fields.text(question, "name", 40))


def grammar(bench: Workbench, question: Question) -> dict[str, Any]:
    """The text of a shipped grammar."""
    name = fields.text(question, "name", 60)
    if name not in {g["name"] for g in grammars.shipped()}:
        raise InputError(f"there is no shipped grammar {name!r}")
    return {"name": name, "text": grammar_text(name)[1]}


def check(bench: Workbench, question: Question) -> dict[str, Any]:
    """The problems of a grammar, and the parses of some words by it."""
    return grammars.check_text(fields.text(question, "text", grammars.LONGEST_TEXT), fields.texts(question, "words", 6))


def paradigms(bench: Workbench, question: Question) -> dict[str, Any]:
    """Words by stem or root, laid out by affixes or templates."""
    model = bench.models.of_run(bench.run)
    base = fields.text(question, "base", default="")
    limit = fields.number(question, "limit", 1, 100, 20)
    return model.paradigm(base, None, limit).to_dict() if base else model.paradigms(None, limit).to_dict()


def interlinear(bench: Workbench, question: Question) -> dict[str, Any]:
    """Sentences by the Leipzig rules."""
    return {"sentences": bench.results.interlinear(bench.run, fields.text(question, "text", 20_000, ""))}


def commands(bench: Workbench, question: Question) -> dict[str, Any]:
    """The same on the command line."""
    return {"commands": bench.results.commands(bench.run)}


def history(bench: Workbench, question: Question) -> dict[str, Any]:
    """The last changes, newest first."""
    kinds = (decisions.ENTITY, "gloss", "note", "setting", "source")
    changes = bench.project.facts.history(kinds, fields.number(question, "limit", 1, 200, 50))
    return {"changes": [change.to_dict() for change in changes]}


def models(bench: Workbench, question: Question) -> dict[str, Any]:
    """The models that were added for the explorer, and whether the run has one."""
    return {"added": bench.explorer.added, "run": bench.run}


QUESTIONS: dict[str, Callable[[Workbench, Question], Any]] = {
    "project": project,
    "describe": describe,
    "preview": preview,
    "words": words,
    "offered": offered,
    "word": word,
    "trees": trees,
    "search": search,
    "lexicon": lexicon,
    "runs": runs,
    "changed": changed,
    "quality": quality,
    "grammars": shipped_grammars,
    "gallery": gallery,
    "grammar": grammar,
    "check": check,
    "paradigms": paradigms,
    "interlinear": interlinear,
    "commands": commands,
    "history": history,
    "models": models,
}
