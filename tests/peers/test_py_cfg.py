"""A grammar in py-cfg's format and the same in ours, beside NLTK's own chart parser and the enumeration of all trees.

With no word seen, the probability of a rule is its weight over the weights of its symbol: a probabilistic grammar, which NLTK parses.
Compared: P(word) of every word up to five characters.
"""

from __future__ import annotations

import math
from itertools import product

import pytest

from binyan import _core
from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import read_grammar
from reference.parser import ReferenceAdaptor, enumerate_derivations

PY_CFG = """\
2 1 1 Word --> Stem
1 1 1 Word --> Stem Suffix
1 1 1 Stem --> Chars
3 1 1 Suffix --> Chars
1 1 1 Chars --> Char
2 1 1 Chars --> Char Chars
1 1 1 Char --> x
3 1 1 Char --> y
"""
WORDS = ["".join(letters) for n in range(1, 6) for letters in product("xy", repeat=n)]


def probabilities() -> dict[str, float]:
    """By our parser."""
    compiled = Compiled(read_grammar(PY_CFG), "xy")
    parser = _core.PosteriorParser(compiled.core, 1 << 26)
    empty = _core.Chain(_core.WordForests(compiled.core, [], 1 << 20), compiled.adaptors(), 1, 0)
    trees = empty.cached_trees()
    arrays = [trees[name] for name in ("rules", "ends", "adapted", "customers", "tables")]
    parser.add([0] * len(compiled.grammar.rules), compiled.adaptors(), *arrays)
    return {word: math.exp(parser.log_probability(compiled.encode(list(word)))) for word in WORDS}


def test_probabilities_equal_the_sum_over_all_trees() -> None:
    grammar = read_grammar(PY_CFG)
    fresh = ReferenceAdaptor(grammar, {})
    for word, probability in probabilities().items():
        total = math.fsum(fresh.snapshot(d) for d in enumerate_derivations(grammar, tuple(word)))
        assert probability == pytest.approx(total, rel=1e-9), word


def test_probabilities_equal_those_of_nltk() -> None:
    nltk = pytest.importorskip("nltk", reason="NLTK is not installed: make peers")
    sums: dict[str, float] = {}
    rules = [(float(line.split()[0]), *line.split(None, 3)[3].split(" --> ")) for line in PY_CFG.splitlines()]
    for weight, left, _ in rules:
        sums[left] = sums.get(left, 0.0) + weight
    text = "\n".join(
        f"{left} -> {repr(right) if right in 'xy' else right} [{weight / sums[left]!r}]"
        for weight, left, right in rules
    )
    parser = nltk.InsideChartParser(nltk.PCFG.fromstring(text))
    for word, probability in probabilities().items():
        total = math.fsum(tree.prob() for tree in parser.parse(list(word)))
        assert probability == pytest.approx(total, rel=1e-9), word
