"""Words drawn from a learnt grammar have the probabilities that its parser gives them.

Each test compares frequencies with exact probabilities over a whole tiny world by a chi-square test at level 1e-4, with fixed seeds.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from scipy.stats import chisquare

import binyan
from binyan.morphology import Morphology
from binyan.morphology.paradigm.random_words import RandomWords

LEVEL = 1e-4
DRAWS = 20_000
# All words of these grammars can be listed: at most two letters in a stem, one in an affix.
CONCATENATIVE = """
Word -> Stem | Stem Suf
@Stem -> C | C C
@Suf[a=0.3, b=2] -> C
C -> 'a' | 'b' | 'c'
"""
LACED = """
Word -> Stem | 'c' Stem
@Stem(abc) -> R2(a,c) T(b)
@Stem -> C
@R2(a,b) -> C(a) C(b)
@T -> C
C -> 'a' | 'b'
"""
OPEN = """
Word -> Stem | Stem Suf
@Stem -> C | C C
@Suf -> C
C -> <any>
"""


def learnt(grammar: str, words: list[str]) -> Morphology:
    made = Morphology(binyan.Grammar.from_text(grammar), sweeps=30, burn_in=20, chains=2, snapshots=4, seed=3)
    return made.fit(words, progress=False)


def world(letters: str, longest: int) -> list[str]:
    return ["".join(w) for n in range(1, longest + 1) for w in itertools.product(letters, repeat=n)]


@pytest.mark.parametrize(
    ("grammar", "words", "letters", "longest"),
    [
        (CONCATENATIVE, ["ab", "abc", "aba", "ba", "bac", "c", "cc"], "abc", 3),
        (LACED, ["aab", "aba", "caba", "bab", "bbb", "a", "cb"], "abc", 4),
        (OPEN, ["ab", "abc", "aba", "ba", "bac", "c", "cc"], "abc", 3),
    ],
)
def test_frequencies_are_probabilities(grammar, words, letters, longest):
    m = learnt(grammar, words)
    probabilities = {w: math.exp(m.log_probability(w)) for w in world(letters, longest)}
    total = sum(probabilities.values())
    if grammar is OPEN:
        assert 0.5 < total < 1.0  # the rest has letters that were not seen; such words are drawn again
    else:
        assert total == pytest.approx(1.0)
    source = RandomWords(m.posterior, seed=5)
    drawn = Counter(source.draw() for _ in range(DRAWS))
    assert set(drawn) <= {w for w, p in probabilities.items() if p > 0}
    expected = {w: p / total * DRAWS for w, p in probabilities.items() if p > 0}
    frequent = [w for w, n in expected.items() if n >= 5]
    rare = sum(n for w, n in expected.items() if w not in frequent)
    observed = [drawn[w] for w in frequent] + ([DRAWS - sum(drawn[w] for w in frequent)] if rare >= 1 else [])
    hoped = [expected[w] for w in frequent] + ([rare] if rare >= 1 else [])
    scale = sum(observed) / sum(hoped)
    assert chisquare(observed, [n * scale for n in hoped]).pvalue > LEVEL


def test_known_morphemes_are_drawn_as_often_as_they_count():
    grammar = CONCATENATIVE.replace("Word ->", "role stem Stem\nrole suffix Suf\nWord ->")
    settings = {"sweeps": 30, "burn_in": 20, "chains": 1, "seed": 3, "affixes": ["-a"], "affix_strength": 20}
    m = Morphology(binyan.Grammar.from_text(grammar), **settings).fit(["ab", "bb", "bab", "c"], progress=False)
    words = world("abc", 3)
    probabilities = [math.exp(m.log_probability(w)) for w in words]
    assert sum(probabilities) == pytest.approx(1.0)
    source = RandomWords(m.posterior, seed=8)
    drawn = Counter(source.draw() for _ in range(DRAWS))
    frequent = [(drawn[w], p * DRAWS) for w, p in zip(words, probabilities, strict=True) if p * DRAWS >= 5]
    observed, hoped = zip(*frequent, strict=True)
    scale = sum(observed) / sum(hoped)
    assert chisquare(observed, [n * scale for n in hoped]).pvalue > LEVEL
    assert "1 morphemes, each counting for 20 uses" in str(m.sketch())


def test_a_wrong_law_is_noticed():
    """The test above can fail: the probabilities of the base grammar alone are not those of the draws."""
    m = learnt(CONCATENATIVE, ["ab"] * 1 + ["abc", "aba", "ba", "bac", "c", "cc"])
    drawn = Counter(RandomWords(m.posterior, seed=5).draw() for _ in range(DRAWS // 10))
    flat = DRAWS // 10 / 39
    assert chisquare([drawn[w] for w in world("abc", 3)], [flat] * 39).pvalue < LEVEL


def test_made_forms_have_the_parsers_probabilities_and_sum_to_one():
    """All stems of the tiny world in all its frames: what they add up to is everything."""
    m = learnt(
        CONCATENATIVE.replace("Word ->", "role stem Stem\nrole suffix Suf\nWord ->"), ["ab", "abc", "ba", "bac", "c"]
    )
    forms = {}
    for stem in world("abc", 2):
        for affixes in ("", "-a", "-b", "-c"):
            [form] = m.generate(stem=stem, affixes=affixes)
            forms[form.form] = form.probability
            assert form.probability == pytest.approx(math.exp(m.log_probability(form.form)))
            assert 0.0 < form.analysed_so <= 1.0 + 1e-9
    assert sum(forms.values()) == pytest.approx(1.0)


def test_the_same_seed_draws_the_same_words():
    m = learnt(CONCATENATIVE, ["ab", "abc", "ba"])
    one, two, other = ([f.form for f in m.generate(random=30, seed=s)] for s in (1, 1, 2))
    assert one == two != other
    new = [f.form for f in m.generate(random=20, new=True)]
    assert len(set(new)) == len(new) and not set(new) & {"ab", "abc", "ba"}
