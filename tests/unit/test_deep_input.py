"""Nothing that is nested in the input decides how deep our own calls go: it is walked step by step, or refused plainly."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from binyan import _core
from binyan.errors import GrammarError, InputError
from binyan.grammar import Grammar
from binyan.grammar.notation import read_grammar
from binyan.grammar.tree import Leaf, Tree, parse_tree
from binyan.grammar.tree_segments import owners, roots, segmentation, simplified
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.gold import recursive

DEEP = 50_000


def deep_tree(depth: int) -> str:
    return "(X " * depth + "0=a" + ")" * depth


@pytest.mark.parametrize("depth", [3_000, 100_000])
@pytest.mark.parametrize("closing", [True, False])
def test_brackets_in_a_grammar(depth: int, closing: bool) -> None:
    for opening, end in (("(", ")"), ("('a' ", ")?"))[: 1 if depth > 3_000 else 2]:
        text = "Word -> " + opening * depth + "'a'" + (end * depth if closing else "")
        with pytest.raises(GrammarError, match="brackets stand more than 50 deep"):
            read_grammar(text)


def test_fifty_brackets_are_read() -> None:
    assert len(read_grammar("Word -> " + "(" * 50 + "'a'" + ")" * 50).rules) == 1


@pytest.mark.parametrize("depth", [3_000, DEEP])
def test_deep_trees_are_read_written_and_compared(depth: int) -> None:
    line = deep_tree(depth)
    tree = parse_tree(line)
    assert tree.discbracket() == line
    assert tree.bracket() == line.replace("0=", "")
    assert (
        tree == parse_tree(line) and hash(tree) == hash(parse_tree(line)) and tree != parse_tree(deep_tree(depth - 1))
    )
    assert repr(tree) == f"<Tree {line}>"
    assert tree.word() == "a" and sum(1 for _ in tree.subtrees()) == depth and not tree.discontiguous()
    assert tree.collapse(lambda symbol: symbol == "X") == Tree("X", (Leaf(0, "a"),))
    with pytest.raises(InputError, match="is not closed"):
        parse_tree(line[:-1])


def test_deep_trees_are_read_off_and_not_drawn() -> None:
    tree, grammar = parse_tree(deep_tree(DEEP)), Grammar.load("tpl")
    assert [leaves for _, leaves in owners(tree, {"X"})] == [[Leaf(0, "a")]]
    assert [part.text for part in segmentation(tree, {"X": "x"})] == ["a"]
    assert roots(tree, grammar) == [] and simplified(tree, grammar).word() == "a"
    for draw in (str, Tree.svg):
        with pytest.raises(InputError, match="more than 3,000 levels"):
            draw(tree)


def test_trees_of_many_levels_are_drawn() -> None:
    tree = parse_tree(deep_tree(400))
    assert str(tree).count("X") == 400 and tree.svg().count(">X<") == 400


@pytest.mark.parametrize("bracket", ["(", ")"])
def test_brackets_without_end_are_no_tree(bracket: str) -> None:
    with pytest.raises(InputError):
        parse_tree(bracket * 100_000)


def test_chains_of_symbols() -> None:
    def chain(length: int) -> str:
        return "\n".join([*(f"S{i} -> S{i + 1}" for i in range(length - 1)), f"S{length - 1} -> 'a'"])

    with pytest.raises(GrammarError, match="100,000 symbols have rules; at most 10,000"):
        read_grammar(chain(100_000))
    assert len(read_grammar(chain(800)).rules) == 800


def test_right_sides_without_number_are_refused() -> None:
    for text in ("Word -> 'b' " + "'a'? " * 60, "Word -> (" + "('a'|'b') " * 60 + ")"):
        with pytest.raises(GrammarError, match="more than 100000"):
            read_grammar(text)
    names = ",".join(f"v{i}" for i in range(200))
    shared = f"Word -> A(*)\nA({names}) -> B({names})\nB({','.join(['x'] * 200)}) -> C(x)\nC -> 'a'"
    with pytest.raises(GrammarError, match="at most 100 can be"):
        read_grammar(shared)


def test_includes_are_bounded(tmp_path) -> None:
    for i in range(40):
        (tmp_path / f"g{i}").write_text(f"include g{i + 1}\nWord -> 'a'\n" if i < 39 else "Word -> 'a'\n")
    with pytest.raises(GrammarError, match="more than 20 deep"):
        Grammar.load(tmp_path / "g0")


def test_gold_compounds_split_to_any_depth() -> None:
    rows = [Segmentation.parse("a" * n, f"{'a' * (n - 1)} a") for n in range(2, 900)]
    assert len(list(recursive(SegmentationTable(rows))["a" * 899])) == 899


def test_the_search_for_the_best_goes_as_deep_as_forests_may_be() -> None:
    """Each symbol of a long chain has two rules for the next one, so ranks below the first are asked for all the way down."""
    length, answers = 2_500, []
    rules = [(i, [[(0, 0)]], [i + 1], 1.0) for i in range(length - 1) for _ in range(2)] + [
        (length - 1, [[(-1, 0)]], [], 1.0)
    ]
    grammar = _core.CompiledGrammar(length, 1, 0, rules, [False] * length)
    parser = _core.PosteriorParser(grammar, 1 << 28)
    none = np.zeros(0, dtype=np.uint32)
    parser.add([0] * len(rules), [], none, none.astype(np.uint64), none, none, none)

    def ask() -> None:
        answers.extend(parser.best([0], 8, 64))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(answers) >= 8
