"""The questions the explorer answers: each is a function of the loaded models and a small JSON object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from binyan.errors import InputError
from binyan.explore import translation_view
from binyan.explore.loaded_models import LoadedModels, MorphologyView
from binyan.grammar.drawing import draw_svg, runs_right_to_left

LONGEST_TEXT = 2_000  # characters per sentence
LONGEST_WORD = 100  # characters per word to analyse
MOST_RELATED = 12  # words per morpheme
MOST_ROWS = 200  # of a lexicon, on the page
NEIGHBOURS = 12
SUGGESTIONS = 10

Question = Mapping[str, Any]
Model = TypeVar("Model")


def list_models(models: LoadedModels) -> dict[str, Any]:
    """The models there are to explore."""
    return {
        "language_models": [
            {
                "name": name,
                "kind": m.kind,
                "order": m.order,
                "words": len(m.vocabulary),
                "signature": str(m.signature()),
            }
            for name, m in models.language_models.items()
        ],
        "segmenters": [
            {
                "name": name,
                "words": len(m.known),
                "some": list(m.words[:3]),
                "categories": m.categories,
                "signature": m.signature,
            }
            for name, m in models.morphologies.items()
        ],
        "spaces": [
            {"name": name, "words": len(s.vectors.vocabulary), "morphemes": len(s.vectors.morphemes)}
            for name, s in models.vector_spaces.items()
        ],
        "systems": [{"name": name, **view.describe(models.language_models)} for name, view in models.systems.items()],
    }


# ---- language models


def sentence(models: LoadedModels, question: Question) -> list[dict[str, Any]]:
    """Each word's probability under each language model, and how it was made."""
    text = _text(question, "text", LONGEST_TEXT)
    answer = []
    for name, model in models.language_models.items():
        words = model.explain(text)
        answer.append({"model": name, "log_prob": sum(w.log_prob for w in words), "words": [asdict(w) for w in words]})
    return answer


def next_words(models: LoadedModels, question: Question) -> list[dict[str, Any]]:
    """The most probable words after a text, under each language model."""
    text = _text(question, "text", LONGEST_TEXT, empty=True)
    answer = []
    for name, model in models.language_models.items():
        chances = model.distribution(model.state_after(text))
        best = np.argsort(-chances, kind="stable")[:SUGGESTIONS]
        words = [{"word": model.vocabulary.words[i], "probability": float(chances[i])} for i in best]
        answer.append({"model": name, "words": words})
    return answer


# ---- morphology


def analyse(models: LoadedModels, question: Question) -> dict[str, Any]:
    """The analyses of a word with their probabilities, best first."""
    morphology = _chosen(models.morphologies, question)
    word = _word(morphology, question)
    analyses = morphology.analyses(word)
    note = ""
    if not analyses:
        note = "The grammar has no analysis of this word."
    elif word not in morphology.known:
        note = "The model did not learn from this word: it is parsed with what was learnt."
    listed = [
        {
            "probability": one.probability,
            "parts": [{"text": part.text, "label": part.label} for part in one.segmentation],
        }
        for one in analyses
    ]
    return {"word": word, "direction": _direction(word), "note": note, "analyses": listed, "covered": analyses.covered}


def analysis(models: LoadedModels, question: Question) -> dict[str, Any]:
    """One of the analyses of a word, by its rank: the picture of its tree, and the words that share its morphemes."""
    morphology = _chosen(models.morphologies, question)
    word = _word(morphology, question)
    analyses = morphology.analyses(word)
    rank = _field(question, "rank")
    if not isinstance(rank, int) or not 0 <= rank < len(analyses):
        raise InputError("the word has no analysis of this rank")
    tree = morphology.simplified(analyses[rank].tree)
    related = [
        {"kind": morpheme.kind, "text": morpheme.text, "words": words, "total": total}
        for morpheme, words, total in morphology.index.sharing(word, tree, MOST_RELATED)
    ]
    return {"svg": draw_svg(tree), "related": related}


def lexicon(models: LoadedModels, question: Question) -> dict[str, Any]:
    """The morphemes of a category, filtered and sorted."""
    category = _text(question, "category", LONGEST_WORD)
    morphology = _chosen(models.morphologies, question)
    if category not in morphology.categories:
        raise InputError(f"the model has no category {category!r}; it has {', '.join(morphology.categories)}")
    contains = _text(question, "contains", LONGEST_WORD, empty=True)
    rows = [
        {"text": "…".join(e.strings), "count": round(e.uses), "probability": e.probability}
        for e in morphology.lexicon(category)
        if contains in e.text
    ]
    if question.get("sort") == "text":
        rows.sort(key=lambda row: str(row["text"]))
    elif question.get("sort") == "length":
        rows.sort(key=lambda row: -len(str(row["text"])))
    return {"total": len(rows), "rows": rows if question.get("all") else rows[:MOST_ROWS]}


def _word(morphology: MorphologyView, question: Question) -> str:
    return morphology.prepared(_text(question, "word", LONGEST_WORD))


def _direction(word: str) -> str:
    return "rtl" if runs_right_to_left(word) else "ltr"


def measure(models: LoadedModels, name: str, question: Question) -> Any:
    """What decides how long a question takes; None for most.

    For analyses of new words it is the model and the number of atoms, for translations the system and about the length of the text.
    """
    if name == "translate":
        return translation_view.measure(models.systems, models.language_models, question)
    if name not in ("analyse", "analysis"):
        return None
    morphology = _chosen(models.morphologies, question)
    word = _word(morphology, question)
    return id(morphology), 0 if morphology.is_ready(word) else len(morphology.morphology.words.atoms(word))


# ---- vectors


def neighbours(models: LoadedModels, question: Question) -> dict[str, Any]:
    """The words and morphemes nearest to a word, also one never seen, or to a morpheme."""
    vectors = _chosen(models.vector_spaces, question).vectors
    query = _text(question, "query", LONGEST_WORD).strip()
    known, morphemes = True, list[str]()
    if query in vectors.morphemes:
        vector = vectors.morpheme(query)
    else:
        prepared = vectors.model.preparation(query)
        query = prepared[0] if len(prepared) == 1 else query
        known = query in vectors.vocabulary
        morphemes = vectors.known_morphemes(query)
        if not known and not morphemes:
            raise InputError(f"{query!r} is not in the vocabulary, and cannot be made of morphemes the model knows")
        vector = vectors[query]

    def nearest(of_morphemes: bool) -> list[dict[str, Any]]:
        neighbours = vectors.neighbours(vector, NEIGHBOURS, of_morphemes, {query})
        return [{"name": name, "cosine": cosine} for name, cosine in neighbours]

    return {
        "query": query,
        "known": known,
        "made_of": morphemes,
        "words": nearest(False),
        "morphemes": nearest(True) if vectors.morphemes else [],
    }


def vector_map(models: LoadedModels, question: Question) -> list[dict[str, Any]]:
    """The places of the most used morphemes (or words) on the map."""
    return _chosen(models.vector_spaces, question).map()


# ---- translation


def translate(models: LoadedModels, question: Question) -> dict[str, Any]:
    """The best translations of a sentence and how they were made, under the language models and weights that are asked for."""
    return translation_view.translate(models.systems, models.language_models, question)


def _chosen(by_name: Mapping[str, Model], question: Question) -> Model:
    name = _field(question, "model")
    if not isinstance(name, str) or name not in by_name:
        raise InputError("no such model is open here")
    return by_name[name]


def _field(question: Question, key: str) -> Any:
    if key not in question:
        raise InputError(f"the request lacks {key!r}")
    return question[key]


def _text(question: Question, key: str, longest: int, empty: bool = False) -> str:
    value = _field(question, key)
    if not isinstance(value, str):
        raise InputError(f"{key} must be text")
    if len(value) > longest:
        raise InputError(f"{key} has {len(value):,} characters; at most {longest:,} are allowed here")
    if not empty and not value.strip():
        raise InputError(f"{key} is empty")
    return value


QUESTIONS: dict[str, Callable[[LoadedModels, Question], Any]] = {
    "sentence": sentence,
    "next-words": next_words,
    "analyse": analyse,
    "analysis": analysis,
    "lexicon": lexicon,
    "neighbours": neighbours,
    "vector-map": vector_map,
    "translate": translate,
}
