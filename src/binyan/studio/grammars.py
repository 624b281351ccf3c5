"""Grammars on the page: what each kind sees in the project's own words, and checks as one types."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from binyan.errors import BinyanError, InputError
from binyan.grammar.composition import Recipe
from binyan.grammar.drawing import draw_svg
from binyan.grammar.library import shipped_grammars
from binyan.grammar.notation import examine_grammar
from binyan.grammar.parser import Parser
from binyan.grammar.rules import Grammar
from binyan.grammar.tree_segments import simplified
from binyan.morphology.analysis import Analysis
from binyan.morphology.grammar_trial import learn_briefly
from binyan.morphology.posterior import Posterior
from binyan.morphology.word_list import WordList
from binyan.studio.learning import refuse_includes

LONGEST_TEXT = 100_000
_WORDS, _SWEEPS, _MEMORY = 300, 30, 1024
_LONGEST_WORD = 16  # atoms, of words whose parses are shown
_EXAMPLES = 4
_MOST_PARSED = 6


@dataclass(frozen=True)
class GalleryEntry:
    """A kind of grammar: its name on the page, how it is composed, and the labels that only it gives."""

    name: str
    recipe: Recipe
    shows: tuple[str, ...]


GALLERY = (
    GalleryEntry("affixes", Recipe("plain", "sequences"), ("pre", "suf")),
    GalleryEntry("root", Recipe("root", "one"), ("root",)),
    GalleryEntry("root-vocalised", Recipe("root-vocalised", "one"), ("root",)),
    GalleryEntry("infix", Recipe("infix", "sequences"), ("inf", "redup")),
    GalleryEntry("circumfix", Recipe("circumfix", "one"), ("circ", "circumfix")),
    GalleryEntry("compound", Recipe("compound", "sequences", True), ("stem",)),
)


def gallery_entry(name: str) -> GalleryEntry:
    """The kind of this name. Raises InputError where there is none."""
    for entry in GALLERY:
        if entry.name == name:
            return entry
    raise InputError(f"the kinds of grammars are {', '.join(e.name for e in GALLERY)}, not {name[:40]!r}")


def pictures(entry: GalleryEntry, words: WordList) -> dict[str, Any]:
    """What a kind of grammar sees in words after a few sweeps: trees of those that show it best, and its text."""
    some = WordList(words.words[:_WORDS], words.counts[:_WORDS], words.preparation, words.unit)
    grammar = entry.recipe.grammar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            posterior = learn_briefly(grammar, some, _SWEEPS, 1, _MEMORY)
        examples = _examples(entry, posterior)
    except BinyanError as error:
        return {"name": entry.name, "text": entry.recipe.text(), "examples": [], "note": str(error)}
    return {"name": entry.name, "text": entry.recipe.text(), "examples": examples, "note": ""}


def _examples(entry: GalleryEntry, posterior: Posterior) -> list[dict[str, Any]]:
    grammar = posterior.compiled.source
    ranked: list[tuple[int, float, int, Analysis]] = []
    for place, word in enumerate(posterior.words.words):
        if len(posterior.words.atoms(word)) > _LONGEST_WORD:
            continue
        for tree, probability in posterior.trees(word, 1):
            analysis = Analysis(word, tree, probability, grammar)
            labels = [part.label for part in analysis.segmentation]
            kinds = len({label for label in labels if label in entry.shows}) + bool(
                entry.shows == ("root",) and analysis.roots()
            )
            kinds = labels.count("stem") - 1 if entry.name == "compound" else kinds
            ranked.append((-kinds, -probability, place, analysis))
    ranked.sort(key=lambda item: item[:3])
    return [_drawn(analysis, grammar) for _, _, _, analysis in ranked[:_EXAMPLES]]


def _drawn(analysis: Analysis, grammar: Grammar) -> dict[str, Any]:
    return {
        "word": analysis.word,
        "segmentation": str(analysis.segmentation),
        "root": next(iter(analysis.roots()), None),
        "svg": draw_svg(simplified(analysis.tree, grammar)),
    }


def check_text(text: str, words: Sequence[str]) -> dict[str, Any]:
    """The problems of a grammar that is being written, with their lines, and the best parse of some words by it."""
    if len(text) > LONGEST_TEXT:
        raise InputError(f"the grammar has more than {LONGEST_TEXT:,} characters")
    refuse_includes(text)
    grammar, problems = examine_grammar(text, "own", thorough=False)
    listed = [{"line": p.line, "severity": p.severity, "message": p.message} for p in problems[:100]]
    usable = grammar is not None and not any(p.severity == "error" for p in problems)
    parses: list[dict[str, Any]] = []
    if usable and grammar is not None and words:
        short = [word for word in words[:_MOST_PARSED] if 0 < len(word) <= _LONGEST_WORD]
        parser = Parser(grammar, words)
        parses = [_parse(parser, grammar, word) for word in short]
    return {"usable": usable, "problems": listed, "parses": parses}


def _parse(parser: Parser, grammar: Grammar, word: str) -> dict[str, Any]:
    best = parser.best(word, 1)
    if not best:
        return {"word": word, "segmentation": None, "svg": None, "derivations": 0}
    drawn = _drawn(Analysis(word, best[0].tree, math.exp(best[0].log_probability), grammar), grammar)
    return {**drawn, "derivations": parser.derivations(word)}


def shipped() -> list[dict[str, str]]:
    """The shipped grammars."""
    return [{"name": g.name, "summary": g.summary} for g in shipped_grammars()]
