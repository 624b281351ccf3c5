"""The core's parser against enumeration of derivations: counts, trees, inside sums, n-best order, sampling."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import pytest

from binyan import _core
from binyan.errors import GrammarError
from binyan.grammar.notation import load_grammar
from binyan.grammar.notation import read_grammar as grammar
from binyan.grammar.parser import Parser
from binyan.grammar.rules import Grammar, Rule, Variable
from reference.parser import base_probability, enumerate_derivations

COPY = "W(ab) -> C(a,b)\nC(ac,bd) -> C(a,b) L(c,d)\nC(a,b) -> L(a,b)\nL('a','a') -> eps\nL('b','b') -> eps"
COUNTING = (
    "W(abc) -> T(a,b,c)\nT(ax,by,cz) -> T(a,b,c) A(x) B(y) C(z) [w=3]\nT(a,b,c) -> A(a) B(b) C(c)\n"
    "A -> 'a'\nB -> 'b'\nC -> 'c'"
)
ROOTS = (
    "W(abcde) -> R(a,c,e) T(b,d)\nW -> Char+\nR(a,b,c) -> Char(a) Char(b) Char(c)\nT(a,b) -> Char(a) Char(b)\n"
    "Char -> 'k' [w=2]\nChar -> 't' | 'b' | 'i' | 'A'"
)
INFIX = (
    "W(abc) -> S(a,c) I(b)\nW -> Char+\nS(a,b) -> Char(a) Cs(b)\nI -> 'um' | Char\nCs -> Char+\n"
    "Char -> 's' | 'u' | 'l' | 'a' | 't' | 'm'"
)
CIRCUMFIX = (
    "W(abc) -> Circ(a,c) S(b)\nCirc('ke','an') -> eps\nCirc(a,b) -> S(a) S(b)\nS -> Char+\nChar -> "
    + " | ".join(f"'{c}'" for c in "kepcryan")
)
RANK_FOUR = "W(abcdef) -> P(a,d) Q(b) P(c,f) Q(e)\nP(a,b) -> Q(a) Q(b)\nQ -> 'x' | 'y' | Q 'x'"

CASES = [
    ("copy", COPY, ["abab", "aa", "abbabb", "abba", "aba"], [1, 1, 1, 0, 0]),
    ("counting", COUNTING, ["abc", "aabbcc", "aaabbbccc", "aabbc", "abcabc"], [1, 1, 1, 0, 0]),
    ("root and template", ROOTS, ["kitAb", "kit", "ktbbbb"], [2, 1, 1]),
    ("infix", INFIX, ["sumulat", "sul"], None),
    ("circumfix", CIRCUMFIX, ["kepercayaan", "kean", "kpn"], None),
    ("rank four", RANK_FOUR, ["xyxyxy", "xxxxxxx", "yxxyxyxx", "xyz"], None),
]
WORDS = [pytest.param(text, word, id=f"{name} {word}") for name, text, words, _ in CASES for word in words]


@pytest.mark.parametrize(("text", "words", "counts"), [(t, w, c) for _, t, w, c in CASES if c])
def test_languages_with_known_derivations(text: str, words: list[str], counts: list[int]) -> None:
    parser = Parser(grammar(text), alphabet="xyz" + "abc")
    assert [parser.derivations(word) for word in words] == counts


@pytest.mark.parametrize(("text", "word"), WORDS)
def test_trees_and_probabilities_equal_enumeration(text: str, word: str) -> None:
    g = grammar(text)
    expected = {tuple(d.rules()): base_probability(g, d) for d in enumerate_derivations(g, tuple(word))}
    parser = Parser(g)
    assert parser.derivations(word) == len(expected)
    found = parser.best(word, 100_000)
    assert {p.derivation for p in found} == set(expected)
    for parse in found:
        assert parse.probability == pytest.approx(expected[parse.derivation], rel=1e-12)
        assert parse.tree.word() == word
    ordered = [p.log_probability for p in found]
    assert ordered == sorted(ordered, reverse=True)
    total = math.exp(parser.log_inside(word))
    assert total == pytest.approx(sum(expected.values()), rel=1e-12)


def test_every_derivation_of_short_words_for_a_shipped_grammar() -> None:
    g = load_grammar("tpl3ch").with_terminals("ab")
    parser = Parser(g)
    for length in range(1, 7):
        word = "ab" * 3
        word = word[:length]
        expected = enumerate_derivations(g, tuple(word))
        assert parser.derivations(word) == len(expected) > 0
        assert math.exp(parser.log_inside(word)) == pytest.approx(sum(base_probability(g, d) for d in expected))


def test_probabilities_of_all_words_sum_to_one() -> None:
    g = grammar("W(abcd) -> P(a,c) Q(b,d)\nP(a,b) -> L(a) L(b)\nQ(a,b) -> L(b) L(a)\nL -> 'a' [w=3]\nL -> 'b'")
    parser = Parser(g)
    assert sum(math.exp(parser.log_inside("".join(w))) for w in product("ab", repeat=4)) == pytest.approx(1.0)


def test_best_is_a_prefix_of_all() -> None:
    parser = Parser(grammar(CIRCUMFIX))
    everything = parser.best("kepercayaan", 1000)
    assert len(everything) > 10
    few = parser.best("kepercayaan", 5)
    assert [p.log_probability for p in few] == [p.log_probability for p in everything[:5]]


def test_samples_follow_the_probabilities() -> None:
    parser = Parser(grammar(RANK_FOUR))
    everything = parser.best("xyxxyxx", 1000)
    total = math.exp(parser.log_inside("xyxxyxx"))
    random = _core.Random(5)
    draws = 4_000
    found = Counter(parser.sample("xyxxyxx", random) for _ in range(draws))
    trees: Counter = Counter()
    for parse in everything:
        trees[parse.tree] += parse.probability / total  # type: ignore[assignment]
    assert len(everything) > 2 and set(found) <= set(trees)
    statistic = sum((found[t] - draws * p) ** 2 / (draws * p) for t, p in trees.items())
    assert statistic < 3 * len(trees) + 20  # far beyond the 0.1 per cent point


def test_words_longer_than_a_machine_word_and_than_a_double() -> None:
    parser = Parser(load_grammar("concat"), alphabet="abcdefghijklmnopqrstuvwxyz")
    short, long = parser.log_inside("abc" * 30), parser.log_inside("abc" * 100)
    assert math.isfinite(long) and long < short < 0
    assert parser.derivations("abc" * 100) > 1e4
    tree = parser.best("abc" * 100, 1)[0].tree
    assert tree.word() == "abc" * 100


def test_unparsable_words_and_unknown_characters_have_no_parse() -> None:
    parser = Parser(grammar(COPY))
    assert parser.derivations("zz") == 0 and parser.best("zz") == [] and parser.log_inside("ab") == -math.inf


V = Variable
FAULTY = [
    (Rule("W", ((V(0, 0),),), ("W",)), "derives itself"),
    (Rule("W", ((V(0, 0), V(0, 0)),), ("A",)), "exactly once"),
    (Rule("W", ((), (V(0, 0),)), ("A",)), "number of arguments"),
    (Rule("W", (("a", V(0, 1)),), ("A",)), "no right-hand argument"),
    (Rule("W", (("a",),), (), weight=0.0), "weight"),
]


@pytest.mark.parametrize(("rule", "message"), FAULTY)
def test_the_core_refuses_rules_that_are_not_simple(rule: Rule, message: str) -> None:
    good = (Rule("W", ((V(0, 0),),), ("A",)), Rule("A", (("a",),), ()))
    with pytest.raises(GrammarError, match=message):
        Parser(Grammar("faulty", "W", (*good, rule)))
