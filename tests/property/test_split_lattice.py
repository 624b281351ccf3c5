"""Lattices against enumeration of all paths, and the gradient of the splitter against finite differences."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan.segmentation import Segmentation
from binyan.segmentation.lattice import Lattices
from binyan.segmentation.lattice_engine import log_likelihood
from binyan.segmentation.part_counts import PartCounts
from binyan.segmentation.split_batch import SplitFeatures
from binyan.segmentation.table import SegmentationTable


def enumerate_paths(edges, length, place=0):
    """All paths from `place` to `length` over (index, source, target), as lists of indices."""
    if place == length:
        yield []
    for index, source, target in edges:
        if source == place:
            for rest in enumerate_paths(edges, length, target):
                yield [index, *rest]


@st.composite
def lattices_with_scores(draw):
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    edges = []
    for word, n in enumerate(lengths):
        edges += [
            (word, i, j) for i in range(n) for j in range(i + 1, n + 1) if (i, j) == (0, n) or draw(st.booleans())
        ]
        edges += [(word, 0, n)] * draw(st.integers(0, 1))  # two edges between the same nodes
    order = draw(st.permutations(edges))
    word, source, target = np.array(order).T
    scores = np.array([draw(st.floats(-5, 5)) for _ in order])
    return Lattices(np.array(lengths), word, source, target), scores


@given(lattices_with_scores())
@settings(max_examples=60, deadline=None)
def test_sums_marginals_and_best_paths_equal_enumeration(case):
    lattices, scores = case
    totals, marginals = lattices.marginals(scores)
    best = lattices.best(scores)
    for word, length in enumerate(lattices.lengths.tolist()):
        mine = np.flatnonzero(lattices.word == word)
        edges = [(int(e), int(lattices.source[e]), int(lattices.target[e])) for e in mine]
        paths = list(enumerate_paths(edges, length))
        values = {tuple(path): float(sum(scores[e] for e in path)) for path in paths}
        total = math.log(math.fsum(math.exp(v) for v in values.values()))
        assert math.isclose(totals[word], total, abs_tol=1e-9)
        assert math.isclose(lattices.log_partition(scores)[word], total, abs_tol=1e-9)
        for e in mine:
            expected = math.fsum(math.exp(v - total) for path, v in values.items() if e in path)
            assert math.isclose(marginals[e], expected, abs_tol=1e-9)
        ranked = sorted(values.values(), reverse=True)
        assert math.isclose(values[tuple(best[word])], ranked[0], abs_tol=1e-9)
        listed = lattices.best_of(word, scores, 4)
        assert np.allclose([score for score, _ in listed], ranked[:4])
        assert all(math.isclose(values[tuple(path)], score, abs_tol=1e-9) for score, path in listed)
        assert len({tuple(path) for _, path in listed}) == len(listed)


GOLD = [
    Segmentation.parse("küchentisch", "küche +n tisch"),
    Segmentation.parse("tischbein", "tisch bein"),
    Segmentation.parse("arbeitstisch", "arbeit +s tisch"),
    Segmentation.parse("tischbeinküche", "tisch bein küche"),
    Segmentation.simplex("küche"),
    Segmentation.simplex("beinen"),
]


def training_batch():
    part_counts = PartCounts.count(
        SegmentationTable(GOLD), {"tisch": 40, "küche": 9, "arbeit": 70, "arbeits": 1}, ("", "s", "n")
    )
    features = SplitFeatures(part_counts, "aeinstkühcbr", np.zeros(0, np.uint64))
    words = [row.word for row in GOLD]
    contexts, _, _ = features.context_counts(words, GOLD)
    features = SplitFeatures(part_counts, features.alphabet, contexts[contexts > 0])
    return features, features.batch(words, GOLD)


def test_gradient_equals_finite_differences():
    features, batch = training_batch()
    usable = np.ones(len(GOLD), bool)
    observed = batch.totals(batch.is_gold.astype(float), features.size)
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 0.5, features.size)
    weights[0] = 0.0
    _, gradient = log_likelihood(batch, weights, usable, observed)
    seen = np.flatnonzero(np.abs(gradient) > 1e-3)[1:]
    for place in rng.choice(seen, 25, replace=False):
        step = np.zeros(features.size)
        step[place] = 1e-5
        higher, _ = log_likelihood(batch, weights + step, usable, observed)
        lower, _ = log_likelihood(batch, weights - step, usable, observed)
        assert math.isclose((higher - lower) / 2e-5, gradient[place], rel_tol=1e-4, abs_tol=1e-6)


def test_merging_equal_rows_changes_nothing():
    features, batch = training_batch()
    weights = np.random.default_rng(2).normal(size=features.size)
    merged = batch.merged()
    assert len(merged.spans) < len(batch.spans)
    assert np.allclose(merged.scores(weights), batch.scores(weights))
    amounts = np.random.default_rng(3).random(len(batch.end))
    assert np.allclose(merged.totals(amounts, features.size), batch.totals(amounts, features.size))


def test_gold_edges_cover_their_words():
    _, batch = training_batch()
    for word, row in enumerate(GOLD):
        mine = np.flatnonzero(batch.is_gold & (batch.lattices.word == word))
        cuts = sorted((int(batch.lattices.source[e]), int(batch.end[e]), int(batch.lattices.target[e])) for e in mine)
        assert len(cuts) == len(row) and cuts[0][0] == 0 and cuts[-1][2] == len(row.word)
        assert {(end, after) for _, end, after in cuts[:-1]} == row.boundaries()


def test_a_word_is_described_without_its_own_analysis():
    """The counts behind a gold word's features are those of the other gold words."""
    features, batch = training_batch()
    others = SegmentationTable(row for row in GOLD if row.word != "arbeitstisch")
    counts = dict(zip(features.part_counts.strings, features.part_counts.corpus.tolist(), strict=True))
    part_counts = PartCounts.count(others, counts | {"arbeit": 70}, features.part_counts.links)
    alone = SplitFeatures(part_counts, features.alphabet, features.contexts).batch(["arbeitstisch"])
    mine = np.flatnonzero(batch.lattices.word == 2)
    whole = {
        tuple(row) for row in np.column_stack([batch.spans[batch.span_of[mine]], batch.links[batch.link_of[mine]]])
    }
    expected = {tuple(row) for row in np.column_stack([alone.spans[alone.span_of], alone.links[alone.link_of]])}
    assert whole == expected
