"""Rule extraction against the definition of Chiang 2007, read literally, on random sentence pairs."""

import math
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binyan.translation import Alignments, Bitext, ExtractionLimits, extract_rules


def initial_phrases(n, m, links, span):
    """All (i, j, a, b), tight: source [i, j], target [a, b], inclusive."""
    found = []
    for i in range(n):
        for j in range(i, min(n, i + span)):
            inside = [t for s, t in links if i <= s <= j]
            if not inside:
                continue
            a, b = min(inside), max(inside)
            if b - a + 1 > span or any(a <= t <= b and not i <= s <= j for s, t in links):
                continue
            if {i, j} <= {s for s, _ in links}:
                found.append((i, j, a, b))
    return found


def rules_of_pair(source, target, links, limits):
    """(source side, target side) -> fractional count, and how often seen; source side -> spans it was extracted from."""
    phrases = initial_phrases(len(source), len(target), links, limits.max_span)
    shares, seen, spans = Counter(), Counter(), Counter()
    for i, j, a, b in phrases:
        inner = [p for p in phrases if i <= p[0] and p[1] <= j and p[:2] != (i, j)]
        rules = []
        for count in range(limits.max_gaps + 1):
            for holes in combinations(sorted(inner), count):
                if any(y[0] <= x[1] + 1 for x, y in pairwise(holes)):
                    continue
                left, right, aligned, k = [], [], 0, i
                while k <= j:
                    hole = next((g for g, h in enumerate(holes, 1) if h[0] == k), None)
                    if hole:
                        left.append(hole)
                        k = holes[hole - 1][1] + 1
                    else:
                        left.append(source[k])
                        aligned += any(s == k for s, _ in links)
                        k += 1
                k = a
                while k <= b:
                    hole = next((g for g, h in enumerate(holes, 1) if h[2] == k), None)
                    right.append(hole or target[k])
                    k = holes[hole - 1][3] + 1 if hole else k + 1
                if len(left) <= limits.max_symbols and aligned:
                    rules.append((tuple(left), tuple(right)))
        for rule in rules:
            shares[rule] += 1 / len(rules)
            seen[rule] += 1
        spans.update({left for left, _ in rules})
    return shares, seen, spans


def matches(side, words):
    """Whether a source side matches these words: a gap is one word or more."""
    if not side or not words:
        return not side and not words
    if isinstance(side[0], int):
        return any(matches(side[1:], words[k:]) for k in range(1, len(words) + 1))
    return side[0] == words[0] and matches(side[1:], words[1:])


def spans_matched(side, sentence, span):
    """How many spans of a sentence a source side matches."""
    ends = [(i, j) for i in range(len(sentence)) for j in range(i + 1, min(len(sentence), i + span) + 1)]
    return sum(matches(side, sentence[i:j]) for i, j in ends)


@st.composite
def pairs(draw):
    source = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7))
    target = draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=7))
    grid = [(s, t) for s in range(len(source)) for t in range(len(target))]
    return source, target, sorted(draw(st.sets(st.sampled_from(grid), max_size=9)))


LIMITS = st.builds(
    ExtractionLimits, max_span=st.integers(1, 8), max_symbols=st.integers(1, 6), max_gaps=st.integers(0, 2)
)


@given(st.lists(pairs(), min_size=1, max_size=4), LIMITS)
def test_extraction_is_the_definition(bitext, limits):
    shares, seen, spans = Counter(), Counter(), Counter()
    for source, target, links in bitext:
        for total, more in zip((shares, seen, spans), rules_of_pair(source, target, links, limits), strict=True):
            total.update(more)
    grammar = extract_rules(
        Bitext([p[0] for p in bitext], [p[1] for p in bitext]), Alignments.of(p[2] for p in bitext), limits
    )
    ours = {(r.source, r.target): r.features for r in grammar.rules()}
    assert ours.keys() == shares.keys()
    of_source, of_target, source_seen = Counter(), Counter(), Counter()
    for (s, t), share in shares.items():
        of_source[s] += share
        of_target[t] += share
        source_seen[s] += seen[s, t]
    for rule, values in ours.items():
        expected = [math.log(shares[rule] / of_source[rule[0]]), math.log(shares[rule] / of_target[rule[1]])]
        np.testing.assert_allclose(values[:2], np.minimum(0, expected), atol=1e-4)
        assert values[4] == pytest.approx(math.log(seen[rule]), abs=1e-5)
        assert values[5] == (seen[rule] == 1)
        assert values[6] == pytest.approx(math.log(source_seen[rule[0]]), abs=1e-5)
        assert values[7] == (source_seen[rule[0]] == 1)
        matched = sum(spans_matched(rule[0], source, limits.max_span) for source, _, _ in bitext)
        assert values[8] == pytest.approx(math.log(spans[rule[0]] / matched), abs=1e-5)


@given(st.lists(pairs(), min_size=1, max_size=4), pairs())
def test_extraction_for_sentences_is_the_restricted_grammar(bitext, wanted):
    """Extracting only what a sentence can use, with its second pass for p(s|t), equals extracting all and restricting."""
    text = Bitext([p[0] for p in bitext], [p[1] for p in bitext])
    alignments = Alignments.of(p[2] for p in bitext)
    whole = extract_rules(text, alignments).restricted([wanted[0]])
    direct = extract_rules(text, alignments, only_for=[wanted[0]]).restricted([wanted[0]])
    as_dict = lambda g: {(r.source, r.target): tuple(np.round(r.features, 4)) for r in g.rules()}  # noqa: E731
    assert as_dict(whole) == as_dict(direct)


@given(st.lists(st.tuples(pairs(), st.integers(0, 7)), min_size=1, max_size=4))
def test_several_alignments_are_the_bitext_repeated(bitext):
    """The second alignment lacks a link of the first here and there."""
    text = Bitext([p[0] for p, _ in bitext], [p[1] for p, _ in bitext])
    first = [p[2] for p, _ in bitext]
    second = [[link for i, link in enumerate(p[2]) if i != lost] for p, lost in bitext]
    together = extract_rules(text, [Alignments.of(first), Alignments.of(second)])
    repeated = extract_rules(Bitext(text.source * 2, text.target * 2), Alignments.of(first + second))
    as_list = lambda g: [(r.source, r.target, *r.features) for r in g.rules()]  # noqa: E731
    assert as_list(together) == as_list(repeated)
