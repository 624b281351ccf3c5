"""The tree value: text forms, gaps, hidden symbols."""

from __future__ import annotations

import pytest

from binyan.errors import InputError
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Leaf, Tree, parse_tree

KITAB = "(Word (Pre 0=w 1=a) (Stem (R3 2=k 4=t 6=b) (T2 3=i 5=A)) (Suf 7=i))"


def test_numbered_form_is_read_back() -> None:
    tree = parse_tree(KITAB)
    assert tree.discbracket() == KITAB
    assert tree.word() == "wakitAbi"
    root = tree.find("R3")[0]
    assert (root.word(), root.pieces(), root.ranges()) == ("ktb", ("k", "t", "b"), ((2, 3), (4, 5), (6, 7)))
    assert tree.find("Suf", "Pre")[0].symbol == "Pre"
    assert tree.discontiguous() and not tree.find("Pre")[0].discontiguous()


def test_plain_brackets_number_leaves_from_the_left() -> None:
    tree = parse_tree("(Word (Pre w a) (Stem k t b))")
    assert tree.discbracket() == "(Word (Pre 0=w 1=a) (Stem 2=k 3=t 4=b))"
    assert tree.bracket() == "(Word (Pre w a) (Stem k t b))"
    with pytest.raises(InputError, match="numbered form"):
        parse_tree(KITAB).bracket()


def test_brackets_as_characters_survive() -> None:
    tree = Tree("Word", (Leaf(0, "("), Leaf(1, "="), Leaf(2, ")"), Leaf(3, " ")))
    assert parse_tree(tree.discbracket()) == tree


def test_hidden_symbols_give_way_to_their_children() -> None:
    tree = parse_tree("(Word (§Pre+ (§Pre+ (Pre (§Char+ (Char 0=a)))) (Pre 1=b)) (Stem 2=c))")
    assert tree.collapse(Grammar.hidden).discbracket() == "(Word (Pre (Char 0=a)) (Pre 1=b) (Stem 2=c))"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Word", "starts with a bracket"),
        ("(Word (A 0=a)", "not closed"),
        ("(Word)", "nothing below"),
        ("((A 0=a))", "without a symbol"),
        ("(W 0=a) x", "after the end"),
        ("(W 0=a 0=b)", "share a position"),
    ],
)
def test_what_is_no_tree_is_told(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_tree(text)
