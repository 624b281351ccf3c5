"""Classes of letters that are guessed from the script of the words."""

from __future__ import annotations

import pytest

from binyan.errors import GrammarError
from binyan.grammar.notation import read_grammar
from binyan.grammar.script_letters import SCRIPT_LETTERS, guessed_letters, script_of

GRAMMAR = "W(ab) -> R(a,<weak>,b)\nW -> C+\nR(a,b,c) -> C(a) C(b) C(c)\nC -> <consonant>"


@pytest.mark.parametrize(
    ("letters", "script"),
    [
        ("كتبوا", "arabic"),
        ("שמרוי", "hebrew"),
        ("ktb>*$w", "buckwalter"),
        ("walks", None),
        ("ወለደ", "ethiopic"),
        ("", None),
    ],
)
def test_a_script_is_recognised(letters: str, script: str | None) -> None:
    assert script_of(list(letters)) == script


def test_classes_have_only_letters_that_occur() -> None:
    assert guessed_letters(list("كتبو")) == {"vowel": (), "weak": ("و",), "changed": ()}
    assert all(set(classes) == {"vowel", "weak", "changed"} for classes in SCRIPT_LETTERS.values())


def test_a_grammar_takes_the_letters_of_the_script_unless_others_are_given() -> None:
    grammar = read_grammar(GRAMMAR)
    rules = [str(rule) for rule in grammar.with_terminals("قالو").rules]
    assert "W(ab) -> R(a,'و',b)" in rules and "C -> 'ا'" not in rules and "C -> 'ق'" in rules
    given = [str(rule) for rule in grammar.with_letters({"weak": "ل"}).with_terminals("قالو").rules]
    assert "W(ab) -> R(a,'ل',b)" in given and "W(ab) -> R(a,'و',b)" not in given


def test_letters_of_a_script_that_is_not_known_must_be_given() -> None:
    with pytest.raises(GrammarError, match="--letters"):
        read_grammar("W -> <weak>").with_terminals("abc")
