"""What the explorer answers: each question is a function of the models and a small JSON object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from binyan.errors import InputError
from binyan.explore.shelf import Morphology, Shelf
from binyan.grammar.drawing import draw_svg, runs_right_to_left
from binyan.language_model import LanguageModel

LONGEST_TEXT = 2_000  # characters of a sentence
LONGEST_WORD = 100  # characters of a word to analyse
MOST_RELATED = 12  # words shown for a morpheme
MOST_ROWS = 200  # of a lexicon on the page


def models(shelf: Shelf) -> dict[str, Any]:
    """What is there to explore."""
    return {
        "language_models": [
            {
                "name": name,
                "kind": m.kind,
                "order": m.order,
                "words": len(m.vocabulary),
                "signature": str(m.signature()),
            }
            for name, m in shelf.language_models.items()
        ],
        "segmenters": [
            {
                "name": name,
                "words": len(m.segmenter.words.words),
                "categories": m.categories,
                "signature": m.segmenter.signature,
            }
            for name, m in shelf.morphologies.items()
        ],
    }


def sentence(shelf: Shelf, question: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each word's probability under each language model, and how it was made."""
    text = _text(question, "text", LONGEST_TEXT)
    found = []
    for name, model in shelf.language_models.items():
        words = model.explain(model.preparation(text))
        found.append({"model": name, "log_prob": sum(w.log_prob for w in words), "words": [asdict(w) for w in words]})
    return found


def next_words(shelf: Shelf, question: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The most probable words after a text, under each language model."""
    text = _text(question, "text", LONGEST_TEXT, empty=True)
    found = []
    for name, model in shelf.language_models.items():
        chances = model.next_words(_state_after(model, text))
        best = np.argsort(-chances, kind="stable")[:10]
        words = [{"word": model.vocabulary.words[i], "probability": float(chances[i])} for i in best]
        found.append({"model": name, "words": words})
    return found


def analyse(shelf: Shelf, question: Mapping[str, Any]) -> dict[str, Any]:
    """The analyses of a word with their probabilities and trees, and the words that share its morphemes."""
    morphology = _morphology(shelf, question)
    word = morphology.segmenter.prepared(_text(question, "word", LONGEST_WORD))
    analyses = morphology.segmenter.analyses(word, 5)
    note = (
        "" if word in morphology.known else "The model did not learn from this word: it is parsed with what was learnt."
    )
    if not analyses:
        note = "The grammar has no analysis of this word."
    found = []
    for analysis in analyses:
        related = {}
        for symbol, pieces in morphology.morphemes(analysis.tree):
            others = [w for w in morphology.words.get((symbol, pieces), ()) if w != word][:MOST_RELATED]
            related[f"{symbol} {'…'.join(pieces)}"] = others
        parts = [{"text": part.text, "label": part.label} for part in analysis.segmentation]
        svg = draw_svg(analysis.tree)
        found.append({"probability": analysis.probability, "parts": parts, "svg": svg, "related": related})
    direction = "rtl" if runs_right_to_left(word) else "ltr"
    return {"word": word, "direction": direction, "note": note, "analyses": found}


def lexicon(shelf: Shelf, question: Mapping[str, Any]) -> dict[str, Any]:
    """The morphemes of a category, filtered and sorted."""
    entries = list(_morphology(shelf, question).segmenter.lexicon(_text(question, "category", LONGEST_WORD)))
    contains = _text(question, "contains", LONGEST_WORD, empty=True)
    rows = [
        {"text": "…".join(e.strings), "count": round(e.uses), "probability": e.probability}
        for e in entries
        if contains in e.text
    ]
    if question.get("sort") == "text":
        rows.sort(key=lambda row: str(row["text"]))
    return {"total": len(rows), "rows": rows if question.get("all") else rows[:MOST_ROWS]}


def _morphology(shelf: Shelf, question: Mapping[str, Any]) -> Morphology:
    name = question["model"]
    if name not in shelf.morphologies:
        raise InputError("no such model is open here")
    return shelf.morphologies[name]


def _state_after(model: LanguageModel, text: str) -> Any:
    state = model.begin()
    for word in model.preparation(text):
        state = model.score(state, word).state
    return state


def _text(question: Mapping[str, Any], key: str, longest: int, empty: bool = False) -> str:
    value = question[key]
    if not isinstance(value, str):
        raise InputError(f"{key} must be text")
    if len(value) > longest:
        raise InputError(f"{key} has {len(value):,} characters; at most {longest:,} are allowed here")
    if not empty and not value.strip():
        raise InputError(f"{key} is empty")
    return value


QUESTIONS: dict[str, Callable[[Shelf, Mapping[str, Any]], Any]] = {
    "sentence": sentence,
    "next-words": next_words,
    "analyse": analyse,
    "lexicon": lexicon,
}
