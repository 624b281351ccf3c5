"""The notation of grammars: what each line expands to, and the formats of other tools."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from binyan.errors import GrammarError
from binyan.grammar.library import shipped_grammars
from binyan.grammar.notation import examine_grammar, load_grammar, read_grammar
from binyan.grammar.py_cfg import recognise
from binyan.grammar.rules import ANY, Adaptation, Rule, Variable

TAIL = "\nChar -> <any>\n"


def rules(text: str) -> list[str]:
    grammar, problems = examine_grammar(text, "test", thorough=False)
    assert grammar is not None, problems
    return [str(rule) for rule in grammar.rules]


EXPANSIONS = [
    ("W -> 'ab' | \"'\"", ["W -> 'a' 'b'", 'W -> "\'"']),
    ("W -> A 'x' A\nA -> 'a'", ["W(a'x'b) -> A(a) A(b)", "A -> 'a'"]),
    ("W -> A+\nA -> 'a'", ["§A+(ab) -> §A+(a) A(b)", "§A+(a) -> A(a)", "W(a) -> §A+(a)", "A -> 'a'"]),
    ("W -> A? B\nA -> 'a'\nB -> 'b'", ["W(a) -> B(a)", "W(ab) -> A(a) B(b)", "A -> 'a'", "B -> 'b'"]),
    ("A | B -> 'x'", ["A -> 'x'", "B -> 'x'"]),
    ("W -> (A | B) A\nA -> 'a'\nB -> 'b'", ["W(ab) -> A(a) A(b)", "W(ab) -> B(a) A(b)", "A -> 'a'", "B -> 'b'"]),
    (
        "W(abc) -> P(a,c) A(b)\nP(a,b) -> A(a) A(b)\nA -> 'x'",
        ["W(abc) -> P(a,c) A(b)", "P(a,b) -> A(a) A(b)", "A -> 'x'"],
    ),
    ("W(ab) -> C(a,b)\nC('ke','an') -> eps", ["W(ab) -> C(a,b)", "C('k''e','a''n') ->"]),
    ("W(a1 a2) -> P(a1,a2)\nP(x,y) -> A(x) A(y)\nA -> 'x'", ["W(ab) -> P(a,b)", "P(a,b) -> A(a) A(b)", "A -> 'x'"]),
    ("W('x' a 'y') -> A(a)\nA -> 'a'", ["W('x'a'y') -> A(a)", "A -> 'a'"]),
    ("W -> <any of 'ab'>", ["W -> 'a'", "W -> 'b'"]),
    ('W -> <any but "ab">', ['W -> <any but "ab">']),
    ("W -> A # a comment\n  | 'x' # '#' is not one in quotes\nA -> '#'", ["W(a) -> A(a)", "W -> 'x'", "A -> '#'"]),
    ("W → 'é'", ["W -> 'é'"]),  # an e with a combining accent is one character
    ("W -> _H\n_H -> 'a'", ["W(a) -> §H(a)", "§H -> 'a'"]),
]


@pytest.mark.parametrize(("text", "expected"), EXPANSIONS, ids=[text.splitlines()[0] for text, _ in EXPANSIONS])
def test_a_line_expands_to(text: str, expected: list[str]) -> None:
    assert rules(text) == expected


@pytest.mark.parametrize(
    ("left", "right", "count"), [(3, 1, 4), (3, 2, 10), (3, 3, 20), (3, 4, 35), (4, 4, 70), (5, 4, 126)]
)
def test_sharing_gives_every_order_preserving_way(left: int, right: int, count: int) -> None:
    def tuple_of(name: str, arity: int) -> str:
        letters = "abcdefgh"[:arity]
        return f"{name}({','.join(letters)}) -> {' '.join(f'Char({v})' for v in letters)}\n"

    text = "W -> R(*) T(*)\n" + tuple_of("R", left) + tuple_of("T", right) + "Char -> <any>"
    made = [rule for rule in read_grammar(text).rules if rule.lhs == "W"]
    assert len(made) == len({rule.arguments for rule in made}) == count
    for rule in made:
        owners = [part for argument in rule.arguments for part in argument]
        assert [v for v in owners if v[0] == 0] == [(0, i) for i in range(left)]
        assert [v for v in owners if v[0] == 1] == [(1, i) for i in range(right)]


def test_sharing_between_twins_counts_each_split_once() -> None:
    made = read_grammar("W -> X(*) X(*)\nX(a,b) -> C(a) C(b)\nC -> <any>").rules
    assert sum(rule.lhs == "W" for rule in made) == 3


def test_sharing_among_three() -> None:
    made = read_grammar("W -> X(*) C(*) D(*)\nX(a,b) -> C(a) C(b)\nC -> <any>\nD -> <any>").rules
    assert sum(rule.lhs == "W" for rule in made) == 12


def test_marks_settings_and_weights() -> None:
    grammar = read_grammar("W -> S [w=0.5] | @S2[a=0.2, b=3]\n@S -> Char+\nS2 -> Char" + TAIL)
    assert grammar.adapted == {"S": Adaptation(), "S2": Adaptation(0.2, 3.0)}
    assert [rule.weight for rule in grammar.rules if rule.lhs == "W"] == [0.5, 1.0]
    assert read_grammar("adapt W[b=2]\nW -> Char" + TAIL).adapted == {"W": Adaptation(None, 2.0)}


def test_terminals_are_filled_in_from_the_data() -> None:
    grammar = read_grammar("W -> C+\nC -> <any> [w=0.1] | D\nD -> <any but 'a'>").with_terminals("abc")
    assert [str(rule) for rule in grammar.rules if not rule.rhs] == [
        "C -> 'a'",
        "C -> 'b'",
        "C -> 'c'",
        "D -> 'b'",
        "D -> 'c'",
    ]
    assert not grammar.open_terminals
    assert {rule.weight for rule in grammar.rules if rule.lhs == "C" and not rule.rhs} == {0.1}


def test_include_adds_to_a_grammar(tmp_path: Path) -> None:
    (tmp_path / "base.grammar").write_text("W -> A\nA -> 'a'\n", encoding="utf-8")
    (tmp_path / "more.grammar").write_text("include base.grammar\nA -> 'b'\nadapt A\n", encoding="utf-8")
    grammar = load_grammar(tmp_path / "more.grammar")
    assert [str(rule) for rule in grammar.rules] == ["W(a) -> A(a)", "A -> 'a'", "A -> 'b'"]
    assert grammar.start == "W" and set(grammar.adapted) == {"A"} and grammar.name == "more"


@pytest.mark.parametrize("name", [grammar.name for grammar in shipped_grammars()])
def test_every_shipped_grammar_is_free_of_errors(name: str) -> None:
    grammar = load_grammar(name)
    assert grammar.arity(grammar.start) == 1 and grammar.open_terminals and grammar.adapted


# The stem rules the thesis's grammars imply: Char+, R3, and the ways to share out R3 with T1 to T4 and R4 with T4.
STEM_RULES = {
    "concat": 1,
    "tpl": 36,
    "tpl3ch": 36,
    "tpl+t4": 71,
    "tplr4": 141,
    "mtpl": 36,
    "mtpl3ch": 36,
    "mtpl+t4": 71,
    "tpl-apart": 16,
    "tpl3ch-apart": 16,
    "tpl+t4-apart": 17,
    "tplr4-apart": 48,
    "tplr4-apart-t4": 22,
}


@pytest.mark.parametrize(("name", "count"), STEM_RULES.items())
def test_the_grammars_of_the_thesis_have_the_permuted_rules(name: str, count: int) -> None:
    grammar = load_grammar(name)
    assert len(grammar.rules_of["Stem"]) == count
    assert {"Pre", "Stem", "Suf"} <= set(grammar.adapted) and not {"T1", "T3", "Word"} & set(grammar.adapted)
    assert len(grammar.rules_of["Word"]) == (7 if name.startswith("m") else 4)


@pytest.mark.parametrize("name", ["tpl", "tpl3ch", "tpl+t4", "tplr4"])
def test_apart_leaves_out_the_templates_whose_characters_touch(name: str) -> None:
    def touches(rule: Rule) -> bool:
        owners = [element.child for element in rule.arguments[0] if isinstance(element, Variable)]
        return len(rule.rhs) == 2 and (1, 1) in pairwise(owners)

    every, apart = load_grammar(name), load_grammar(f"{name}-apart")
    left = [rule for rule in every.rules if rule.lhs != "Stem" or not touches(rule)]
    more = {str(rule) for rule in apart.rules} - {str(rule) for rule in left}
    assert len(apart.rules) == len(left) + len(more) and apart.adapted == every.adapted
    assert not any(touches(rule) for rule in apart.rules if rule.lhs == "Stem")
    # R4 alone, and one templatic character in each of 1, 2 or 3 of its five gaps.
    assert len(more) == (1 + 5 + 10 + 10 if name == "tplr4" else 0)


PY_SRCAG = """1 1 Word --> Stem Suf   # a comment
Stem(abc) --> R2(*) T(*)
0.5 Stem(ab) --> R2(a,b)
R2(a,b) --> Char(a) Char(b)
1 1 T(x) --> Char(x)
0 0.3 20 Suf --> Char
"""


def test_py_srcag_is_recognised_and_read() -> None:
    assert recognise(PY_SRCAG) == "py-srcag"
    grammar = read_grammar(PY_SRCAG)
    assert [str(rule) for rule in grammar.rules] == [
        "Word(ab) -> Stem(a) Suf(b)",
        "Stem(abc) -> R2(a,b) T(c)",
        "Stem(abc) -> R2(a,c) T(b)",
        "Stem(abc) -> R2(b,c) T(a)",
        "Stem(ab) -> R2(a,b)",
        "R2(a,b) -> Char(a) Char(b)",
        "T(a) -> Char(a)",
        "Suf(a) -> Char(a)",
        "Char -> <any>",
    ]
    assert grammar.adapted == {"Stem": Adaptation(), "R2": Adaptation(), "Suf": Adaptation(0.3, 20.0)}
    assert Counter(rule.weight for rule in grammar.rules) == {1.0: 8, 0.5: 1}


def test_py_srcag_preprocessed_is_read() -> None:
    text = """1 1 X (((0 0)) ((0 1))) --> Y Z # X(ab) --> Y(a) Z(b)
1 1 X (((0 0) (0 2)) ((0 1))) --> V Z
V (((0 0)) ((1 0))) --> Y Z
1 1 Y (((0 0))) --> t
1 1 Z (((0 0))) --> Y
"""
    assert recognise(text) == "py-srcag-final"
    assert rules(text) == [
        "X(ab) -> Y(a) Z(b)",
        "X(abc) -> V(a,c) Z(b)",
        "V(a,b) -> Y(a) Z(b)",
        "Y -> 't'",
        "Z(a) -> Y(a)",
    ]


def test_py_cfg_is_recognised_and_read() -> None:
    text = "1 1 Sentence --> Words\n1 1 Words --> Word Words\n1 1 Words --> Word\nWord --> Ph Ph\n1 1 Ph -->aa\n1 1 Ph --> \\#\n"
    assert recognise(text) == "py-cfg"
    grammar = read_grammar(text)
    assert [str(rule) for rule in grammar.rules][-3:] == ["Word(ab) -> Ph(a) Ph(b)", "Ph -> 'aa'", "Ph -> '#'"]
    assert set(grammar.adapted) == {"Word"} and grammar.start == "Sentence"


def test_a_name_that_is_none_is_told() -> None:
    with pytest.raises(GrammarError, match="no grammar is called nonesuch"):
        load_grammar("nonesuch")


def test_placeholder_of_the_core_contract() -> None:
    assert read_grammar("W -> C\nC -> <any>").rules[-1].arguments == ((ANY,),)
