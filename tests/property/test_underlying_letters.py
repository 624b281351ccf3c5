"""Letters that a word does not show: the core's parser and its trees against enumeration of derivations."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from binyan import _core
from binyan.errors import GrammarError, InputError
from binyan.grammar.notation import examine_grammar, read_grammar
from binyan.grammar.parser import Parser
from binyan.grammar.problems import InvalidGrammar
from binyan.grammar.rules import Grammar, Rule, Underlying, Variable
from binyan.grammar.tree import Leaf, Tree, parse_tree
from binyan.morphology.storage import grammar_fields, grammar_of
from reference.parser import base_probability, enumerate_derivations, spell

CHARS = "C -> 'a' | 'b' [w=2] | 'w' | 'y'"
WEAK = (
    "W -> S | C S\nS -> C+\nS(abc) -> R(a,b,c)\nS(ab) -> R(a,'w',b) | R('w',a,b) | R(a,b,'y') [w=3] | R(a,b,b)\n"
    f"S(a 'a' c) -> R(a,'w',c)\nR(a,b,c) -> C(a) C(b) C(c)\n{CHARS}"
)
WORLDS = {
    "weak roots": WEAK,
    "template": f"W(abcd) -> R(a,'w',c) T(b,d)\nW(abc) -> R(a,c,c) T(b,'w')\nR(a,b,c) -> C(a) C(b) C(c)\nT(a,b) -> C(a) C(b)\n{CHARS}",
    "endings": f"W(x 'a' s) -> S(x 'y') F(s)\nW(s x) -> F(s) S('bw' x)\nW -> S F\nS -> C+\nF -> C | C C\n{CHARS}",
    "rank four": f"W(abcd) -> F(a) P(b,b,c) F(d) Q('w','y')\nP(a,b,c) -> C(a) C(b) S(c)\nQ(a,b) -> C(a) C(b)\nF | S -> C+\n{CHARS}",
    "given below": f"W(ab) -> R('w',a,b)\nR('w',b,c) -> C(b) S(c)\nR(a,b,c) -> C(a) C(b) C(c)\nS -> C+\n{CHARS}",
    "classes": f"W(ab) -> R(a,<weak>,b)\nW(a<weak>) -> R(a,'a',<weak>)\nR(a,b,c) -> C(a) C(b) C(c)\n{CHARS}\nletters weak w y",
}


def grammar_of_world(world: str) -> Grammar:
    return read_grammar(WORLDS[world]).with_terminals("abwy")


@pytest.mark.parametrize("world", WORLDS)
def test_derivations_and_sums_equal_enumeration(world: str) -> None:
    grammar, parsed = grammar_of_world(world), 0
    parser = Parser(grammar, alphabet="abwy")
    for length in (1, 2, 3, 4):
        for letters in product("abwy", repeat=length):
            word = "".join(letters)
            expected = {tuple(d.rules()): base_probability(grammar, d) for d in enumerate_derivations(grammar, letters)}
            assert parser.derivations(word) == len(expected)
            parses = parser.best(word, 1000)
            assert {p.derivation: pytest.approx(p.probability) for p in parses} == expected
            total = sum(expected.values())
            assert parser.log_inside(word) == (pytest.approx(math.log(total)) if expected else -math.inf)
            parsed += bool(expected)
    assert parsed > 4


@pytest.mark.parametrize("world", WORLDS)
def test_trees_show_the_word_and_keep_what_is_not_shown(world: str) -> None:
    grammar = grammar_of_world(world)
    parser = Parser(grammar, alphabet="abwy")
    for letters in product("abwy", repeat=3):
        word = "".join(letters)
        for derivation in enumerate_derivations(grammar, letters):
            assert spell(grammar, derivation) == (letters,)
            assert parser.compiled.strings(derivation.rules()) == (word,)
            tree = parser.compiled.tree(derivation.rules(), letters)
            assert tree.word() == word
            assert parse_tree(tree.discbracket()) == tree
            for child in derivation.children:
                below = spell(grammar, child)
                assert below is not None
                here = [t for t in tree.subtrees() if t.symbol == grammar.rules[child.rule].lhs]
                texts = {t.underlying() for t in here} | {t.word() for t in here}
                assert "".join(c for string in below for c in string) in texts


def test_a_variable_of_several_symbols() -> None:
    """The notation refuses this, the core does not: a variable that two of three symbols need."""
    v = Variable
    top = Rule(
        "W",
        ((v(0, 0), v(1, 0), v(2, 0)),),
        ("P", "C", "Q"),
        underlying=(Underlying(0, 1, (v(2, 0),)), Underlying(2, 1, (v(0, 0), "a"))),
    )
    pairs = [Rule(s, ((v(0, 0),), (v(1, 0),)), ("C", "S")) for s in "PQ"]
    texts = ["S -> C+", "C -> 'a' | 'b'"]
    grammar = Grammar("test", "W", (top, *pairs, *read_grammar("\n".join(texts)).rules))
    parser = Parser(grammar)
    for letters in product("ab", repeat=3):
        expected = {tuple(d.rules()): base_probability(grammar, d) for d in enumerate_derivations(grammar, letters)}
        assert {p.derivation: pytest.approx(p.probability) for p in parser.best("".join(letters), 100)} == expected
        assert expected


def test_sampling_follows_the_probabilities() -> None:
    grammar = grammar_of_world("weak roots")
    parser, random = Parser(grammar, alphabet="abwy"), _core.Random(3, 0, 0)
    derivations = parser.best("ab", 100)
    total = math.exp(parser.log_inside("ab"))
    draws = [parser.sample("ab", random) for _ in range(4000)]
    for parse in derivations:
        share = np.mean([tree == parse.tree for tree in draws])
        assert share == pytest.approx(parse.probability / total, abs=0.04)


def test_a_silent_radical_is_a_leaf_that_is_not_shown() -> None:
    tree = Parser(read_grammar(WEAK), alphabet="ab").best("ab")[0].tree
    assert tree.find("R")[0].underlying() == "aby"
    assert tree.find("R")[0].underlying_leaves()[-1] == Leaf(1, "y", shown=False)
    assert tree.word() == "ab" and tree.find("R")[0].positions() == (0, 1)
    assert "[y]" in str(tree) and "[y]" in tree.svg()
    with pytest.raises(InputError, match="does not show"):
        tree.bracket()


def test_a_letter_before_the_word_has_a_place() -> None:
    tree = parse_tree("(S (R -1+=w 0=a 1=b))")
    assert tree == Tree("S", (Tree("R", (Leaf(-1, "w", False), Leaf(0, "a"), Leaf(1, "b"))),))
    assert tree.underlying() == "wab" and tree.word() == "ab"


@pytest.mark.parametrize("world", WORLDS)
def test_grammars_are_stored_with_what_is_not_shown(world: str) -> None:
    grammar = read_grammar(WORLDS[world])
    assert grammar_of(grammar_fields(grammar)).same_rules(grammar)
    again = "\n".join(str(rule) for rule in grammar.rules if not rule.lhs.startswith("§"))
    assert "'w'" in again or "<weak>" in again


def test_a_rule_shows_its_underlying_arguments() -> None:
    rules = [str(rule) for rule in read_grammar(WEAK).rules]
    assert "S(ab) -> R(a,'w',b)" in rules and "S(ab) -> R(a,b,b)" in rules and "S(a'a'b) -> R(a,'w',b)" in rules
    assert "W(a'a'b) -> S(a 'y') F(b)" in [str(rule) for rule in read_grammar(WORLDS["endings"]).rules]


def test_a_class_without_a_letter_in_the_words_makes_no_rule() -> None:
    grammar = read_grammar("W(ab) -> R(a,<weak>,b)\nW -> C+\nR(a,b,c) -> C(a) C(b) C(c)\nC -> <any>\nletters weak w y")
    assert Parser(grammar, ["ab"]).derivations("ab") == 1
    assert Parser(grammar, ["ab"], alphabet="w").derivations("ab") == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("W(ab) -> R(a b)\nR -> C+\nC -> <any>", "right-argument"),
        ("W(a) -> R(a 'w')\nR(ab) -> W(a) C(b)\nR -> C\nC -> <any>", "underlying-recursion"),
        ("W(ab) -> R(a,'w')\nR(a,b) -> C(a) C(b)\nC -> <any>", "variable-never-used"),
        ("W(ab) -> C(a) C(b) C(a)\nC -> <any>", "variable-twice"),
        ("W(a) -> R(a,'w' b)\nR(a,b) -> C(a) C(b)\nC -> <any>", "variable-not-left"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, code: str) -> None:
    assert code in [problem.code for problem in examine_grammar(text)[1]]
    with pytest.raises(InvalidGrammar):
        read_grammar(text)


V = Variable
C = Rule("C", (("a",),), ())


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule("W", ((V(0, 0),),), ("R",), underlying=(Underlying(0, 1, (V(0, 3),)),)), "not on the left"),
        (Rule("W", ((V(0, 0),),), ("R",), underlying=(Underlying(0, 1, ()),)), "empty"),
        (Rule("W", ((V(0, 0),),), ("R",), underlying=(Underlying(0, 0, ("a",)),)), "exactly once"),
        (Rule("W", ((V(0, 0), V(-2, 0)),), ("R",), underlying=(Underlying(0, 1, ("a",)),)), "no right-hand argument"),
        (
            Rule("W", ((V(0, 0),),), ("R",), underlying=(Underlying(0, 1, (V(0, 0), V(0, 0))),)),
            "more than one variable",
        ),
    ],
)
def test_the_core_refuses_rules_that_are_not_sound(rule: Rule, message: str) -> None:
    root = Rule("R", ((V(0, 0),), (V(1, 0),)), ("C", "C"))
    with pytest.raises(GrammarError, match=message):
        Parser(Grammar("test", "W", (rule, root, C)), alphabet="a")
