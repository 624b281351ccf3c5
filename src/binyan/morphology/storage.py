"""What is learnt from, a grammar and words, in a model file of kind "adaptor"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.roles import BY_NAME
from binyan.grammar.rules import FREE, Adaptation, Grammar, Rule, Underlying, Variable
from binyan.model_file import ModelFile, Section
from binyan.morphology.knowledge import Knowledge
from binyan.morphology.word_list import WordList
from binyan.text.letters import Letters
from binyan.text.preparation import Preparation

KIND = "adaptor"
_MOST_ARGUMENTS = 10_000  # of a symbol


def source_contents(
    compiled: Compiled, words: WordList, knowledge: Knowledge | None = None
) -> tuple[dict[str, Any], dict[str, Section]]:
    """Settings and sections of a grammar, the words that it is learnt from, and what is known beforehand."""
    meta = {
        "grammar": grammar_fields(compiled.source),
        "atoms": list(compiled.atoms),
        "preparation": words.preparation.to_dict(),
        "unit": words.unit,
        **({"letters": words.letters.to_dict()} if words.letters else {}),
        **({"knowledge": knowledge.to_dict()} if knowledge else {}),
    }
    sections: dict[str, Section] = {
        "words": "\n".join(words.words).encode(),
        "counts": np.array(words.counts, np.uint64),
    }
    return meta, sections


def source_grammar(file: ModelFile) -> Grammar:
    """The grammar of a model file."""
    return grammar_of(file.meta["grammar"])


def source_knowledge(file: ModelFile) -> Knowledge:
    """What was known before learning."""
    return Knowledge.from_dict(file.meta.get("knowledge", {}))


def source_words(file: ModelFile) -> WordList:
    """The words of a model file."""
    words = tuple(file.blob("words").decode().split("\n"))
    counts = tuple(int(n) for n in file.array("counts"))
    letters = Letters.from_dict(file.meta.get("letters", {}))
    return WordList(words, counts, Preparation.from_dict(file.meta["preparation"]), file.meta["unit"], letters)


def grammar_fields(grammar: Grammar) -> dict[str, Any]:
    """A grammar as JSON."""
    return {
        "name": grammar.name,
        "start": grammar.start,
        "rules": [
            [
                r.lhs,
                [[list(e) if isinstance(e, Variable) else e for e in a] for a in r.arguments],
                r.rhs,
                r.weight,
                r.line,
                *([[_underlying_fields(u) for u in r.underlying]] if r.underlying else []),
            ]
            for r in grammar.rules
        ],
        "adapted": {s: [p.a, p.b] for s, p in grammar.adapted.items()},
        "roles": dict(grammar.roles),
        "assumed_roles": sorted(grammar.assumed),
        **({"letters": {name: list(atoms) for name, atoms in grammar.letters.items()}} if grammar.letters else {}),
    }


def grammar_of(fields: Mapping[str, Any]) -> Grammar:
    """The inverse of `grammar_fields`; grammars of version 0.1 have the roles of the traditional names."""
    rules = tuple(
        Rule(
            lhs,
            tuple(tuple(_element(e) for e in argument) for argument in arguments),
            tuple(rhs),
            weight,
            line,
            tuple(_underlying(u) for fields in underlying for u in fields),
        )
        for lhs, arguments, rhs, weight, line, *underlying in fields["rules"]
    )
    adapted = {s: Adaptation(a, b) for s, (a, b) in fields["adapted"].items()}
    roles = fields.get("roles", BY_NAME)
    letters = {name: tuple(atoms) for name, atoms in fields.get("letters", {}).items()}
    assumed = frozenset(fields.get("assumed_roles", ()))
    return Grammar(fields["name"], fields["start"], rules, adapted, roles, assumed, letters)


def _element(stored: Any) -> Variable | str:
    """A terminal, or a variable whose numbers a rule can have."""
    if isinstance(stored, str):
        return stored
    variable = Variable(*stored)
    lowest = (FREE, 0) if variable.child == FREE else (0, 0)
    if not all(isinstance(n, int) and least <= n < _MOST_ARGUMENTS for n, least in zip(variable, lowest, strict=True)):
        raise InputError(f"a rule of the grammar has the argument {list(variable)}, which no rule can have")
    return variable


def _underlying_fields(u: Underlying) -> list[Any]:
    return [u.child, u.argument, [list(part) if isinstance(part, Variable) else part for part in u.parts]]


def _underlying(fields: list[Any]) -> Underlying:
    child, argument, parts = fields
    place = _element([child, argument])
    assert isinstance(place, Variable)
    return Underlying(*place, tuple(_element(part) for part in parts))
