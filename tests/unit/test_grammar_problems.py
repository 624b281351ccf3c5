"""Every problem a grammar can have, one row each: the text, the code, the line, and words of the message."""

from __future__ import annotations

import pytest

from binyan.errors import GrammarError
from binyan.grammar.notation import examine_grammar, read_grammar

ERRORS = [
    ("W -> §x", "syntax", 1, "cannot read '§x'"),
    ("start W W\nW -> 'a'", "syntax", 1, "'start' takes one name"),
    ("start W\nstart V\nW -> 'a'", "two-starts", 2, "already W"),
    ("W 'a'", "no-arrow", 1, "needs an arrow"),
    ("W -> (A B\nA -> 'a'\nB -> 'b'", "brackets", 1, "not closed"),
    ("W(a -> A(a)\nA -> 'a'", "brackets", 1, "not closed"),
    ("W -> 'a' |", "empty", 1, "nothing stands on the right side"),
    ("W -> A?\nA -> 'a'", "empty", 1, "W could be nothing"),
    ("W -> A\nA -> eps", "empty", 2, "A derives nothing"),
    ("W -> 'a' [w=0]", "weight", 1, "above 0"),
    ("W -> 'a' [v=2]", "settings", 1, "[w=1]"),
    ("@W[a=1.5] -> 'a'", "settings", 1, "below 1"),
    ("@W[b=-1] -> 'a'", "settings", 1, "above 0"),
    ("W[a=0.5] -> 'a'", "settings", 1, "@W[a=0.5]"),
    ("@W[a=0.5] -> 'a'\n@W[a=0.6] -> 'b'", "settings", 2, "set twice"),
    ("W(ab) -> P(ab)\nP(a) -> A(a)\nA -> 'a'", "right-argument", 1, "one variable, not 'ab'"),
    ("W(a,) -> A(a)\nA -> 'a'", "variable", 1, "an argument is empty"),
    ("W(aab) -> P(a,b)\nP(a,b) -> A(a) A(b)\nA -> 'a'", "variable-twice", 1, "a stands twice on the left"),
    ("W(ab) -> A(a) A(a) A(b)\nA -> 'a'", "variable-twice", 1, "a stands twice on the right"),
    ("W(abc) -> A(a) A(b)\nA -> 'a'", "variable-never-used", 1, "c stands on the left and never on the right"),
    ("W(a) -> A(a) A(b)\nA -> 'a'", "variable-not-left", 1, "b stands on the right and never on the left"),
    ("W -> A(a) A(b)\nA -> 'a'", "no-left-variables", 1, "W(...)"),
    ("W(ab) -> A(a) A\nA -> 'a'", "no-right-variables", 1, "A needs its variables"),
    ("W(a) -> A(a) 'x'\nA -> 'a'", "given-on-right", 1, "on the left side"),
    ("W(a) -> A+(a)\nA -> 'a'", "repetition-with-variables", 1, "Chars -> A+"),
    ("W(ab) -> A(a) A(b)+\nA -> 'a'", "repetition-with-variables", 1, "define a symbol"),
    ("W(abc) -> P(*) A(c)\nP(a,b) -> A(a) A(b)\nA -> 'a'", "sharing", 1, "every symbol on the right"),
    (
        "W(ab) -> P(*) A(*)\nP(a,b) -> A(a) A(b)\nA -> 'a'",
        "sharing",
        1,
        "W has 2 variables, but P takes 2 and A takes 1",
    ),
    ("W -> P(*) Q(*)\nP(a,b) -> A(a) A(b)\nA -> 'a'", "undefined", 1, "Q has no rule"),
    ("include nonesuch\nW -> 'a'", "include", 1, "no grammar is called"),
    ("# nothing", "no-rules", 0, "not one rule"),
    ("W -> A\nA(a,b) -> B(a) B(b)\nB -> 'b'", "arity", 2, "A has 2 arguments here and 1 in the rule of line 1"),
    ("start V\nW -> 'a'", "start-undefined", 0, "start symbol V has no rule"),
    ("W(a,b) -> A(a) A(b)\nA -> 'a'", "start-arity", 1, "a word is one piece"),
    ("W -> Stem\nstem -> 'a'", "undefined", 1, "did you mean stem?"),
    ("W -> A\nA -> A 'a'", "unproductive", 1, "W never ends"),
    ("W -> Pres 'x'\n@Pres -> Pres 'a' | 'a'", "adapted-recursion", 2, "Pres -> Pres"),
    ("W -> @A\nA -> B\nB -> A 'x' | 'y'", "adapted-recursion", 2, "A -> B -> A"),
    ("W -> A\nA -> B | 'a'\nB -> A", "cycle", 2, "endlessly many"),
    ("W(abc) -> P(c,a) A(b)\nP(a,b) -> A(a) A(b)\nA -> 'a'", "order", 1, "another order"),
    ("W -> 'a'\nW -> 'b'\nW -> 'a'", "duplicate-rule", 3, "also by line 1"),
    ("W -> A* B | B\nA -> 'a'\nB -> 'b'", "duplicate-rule", 1, "W(a) -> B(a)"),
    ("W -> A* A* B\nA -> 'a'\nB -> 'b'", "duplicate-rule", 1, "W(ab) -> §A+(a) B(b)"),
    ("W(ab) -> A(a) B(b) | B(b) A(a)\nA -> 'a'\nB -> 'b'", "duplicate-rule", 1, "is there twice"),
    ("W -> <any> <any>", "two-any", 1, "Char -> <any>"),
    ("1 1 W -->", "empty", 1, "W derives nothing"),
    ("1 1 W --> A\nA\nA --> a", "syntax", 2, "py-cfg"),
    ("W (((0 0) (0 0))) --> A\nA (((0 0))) --> t", "variable-not-left", 1, "never stands on the left"),
]

WARNINGS = [
    ("W -> 'a'\nV -> 'b'", "unreachable", 2, "V is in no analysis"),
    ("W -> _A+ _A+\n_A -> 'a'", "ambiguity", 1, "W derives some pieces of 3 characters twice"),
    ("W -> _A 'b' | 'a' _B\n_A -> 'a'\n_B -> 'b'", "ambiguity", 1, "pieces of 2 characters"),
    ("W -> Char+\nChar -> <any> | 'a'", "any-overlap", 2, "covers 'a' as well"),
    ("1 1 W --> a\nW --> b", "settings", 1, "not adapted in this rule"),
    ("1 0.5 W --> a\n1 0.2 W --> b", "settings", 2, "the last is taken, as by py-cfg"),
    ("1 1 W --> a\n2 1 W --> a", "repeated", 2, "the weights are added, as by py-cfg"),
    ("1 1 W --> ^^^ Char $$$", "open", 1, "every character of the words, as in MorphAGram"),
]


@pytest.mark.parametrize(("text", "code", "line", "words"), ERRORS, ids=[f"{e[1]}: {e[0][:30]}" for e in ERRORS])
def test_an_error_names_rule_and_line(text: str, code: str, line: int, words: str) -> None:
    _, problems = examine_grammar(text, "my.grammar")
    matching = [p for p in problems if p.code == code and p.line == line and words in p.message]
    assert matching, "\n".join(map(str, problems))
    assert matching[0].severity == "error"
    if line:
        assert matching[0].rule and f"my.grammar:{line}: error: " in str(matching[0])
    with pytest.raises(GrammarError, match="my.grammar"):
        read_grammar(text, "my.grammar")


@pytest.mark.parametrize(("text", "code", "line", "words"), WARNINGS)
def test_a_warning_names_rule_and_line_and_does_not_stop(text: str, code: str, line: int, words: str) -> None:
    grammar, problems = examine_grammar(text, "my.grammar")
    assert [(p.code, p.line, p.severity) for p in problems] == [(code, line, "warning")], "\n".join(map(str, problems))
    assert words in problems[0].message and grammar is not None
    assert read_grammar(text, "my.grammar").rules == grammar.rules


def test_all_problems_are_listed_at_once() -> None:
    text = "W -> A B\nA(ab) -> C(a)\nB -> 'b' [w=-1]"
    _, problems = examine_grammar(text)
    assert [(p.code, p.line) for p in problems] == [("variable-never-used", 2), ("weight", 3)]


def test_a_rule_of_an_included_grammar_is_named_with_its_file() -> None:
    _, problems = examine_grammar("include concat\nWord -> Stem", "mine.grammar")
    assert [str(p).splitlines()[0] for p in problems] == [
        "mine.grammar:2: error: Word(a) -> Stem(a) is there twice, also by line 2 of concat: remove one "
        "(see optional parts, too) [duplicate-rule]"
    ]
