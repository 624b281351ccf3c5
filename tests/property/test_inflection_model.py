"""Properties of hpylm+i: equality with the reference, renormalisation, all words of a small world, invariants, state."""

from __future__ import annotations

import math

import numpy as np
import pytest

from binyan._core import GeneratorForest, GeneratorTree, InflectionHPYLM, InflectionQuery
from binyan.errors import InputError
from inflection_world import Spec, forest_of, ids, seating
from tiny_world import tree_of

# <unk> <s> </s>, then four stems with three endings each; word 14 is never seen.
WORDS = [(0, 0), (1, 0), (2, 0), *((3 + i, j) for i in range(4) for j in range(3))]
SIZE = len(WORDS)
ENDING_FIRST = [(b, a) for a, b in WORDS]
ENDINGS = [3, 4, 5, *(b for _, b in WORDS[3:])]
SPECS = {
    "stem first": [Spec(WORDS, range(SIZE))],
    "both": [Spec(WORDS, range(SIZE)), Spec(ENDING_FIRST, ENDINGS)],
    "whole after stems and endings": [
        Spec(WORDS, range(SIZE)),
        Spec([(i, 0) for i in range(SIZE)], [a for a, _ in WORDS]),
        Spec([(i, 0) for i in range(SIZE)], ENDINGS),
    ],
    "second in context": [Spec(WORDS, range(SIZE), 1), Spec(ENDING_FIRST, ENDINGS, 2)],
}


def text(seed: int, sentences: int = 60, length: int = 8) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [[min(3 + int(random.zipf(1.4)) - 1, SIZE - 2) for _ in range(length)] for _ in range(sentences)]


def chain(seed: int, order: int, specs: list[Spec], steps: int, sequential: bool = True):
    tree, trees, forest = forest_of(text(seed), order, specs)
    model = InflectionHPYLM(forest, seed)
    model.initialise(sequential)
    for _ in range(steps):
        model.step()
    return tree, trees, forest, model


def query(forest: GeneratorForest, *chains: InflectionHPYLM) -> InflectionQuery:
    samples = {name: np.zeros((rows, len(chains)), np.float32) for name, rows in chains[0].sample_rows().items()}
    for i, c in enumerate(chains):
        c.collect(samples, i)
    return InflectionQuery.of(forest, samples)


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("sequential", [False, True])
def test_all_hierarchies_hold_after_every_sweep(name: str, sequential: bool) -> None:
    *_, model = chain(1, 3, SPECS[name], 0, sequential)
    model.check()
    for _ in range(15):
        model.step()
        model.check()


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_equals_reference(order: int, name: str) -> None:
    """The same seating in the reference: the same likelihood, and the same probability of every word in every context."""
    tree, trees, forest, model = chain(2, order, SPECS[name], 6)
    ref = seating(model, tree, trees, SPECS[name])
    assert model.log_likelihood() == pytest.approx(ref.log_likelihood(), rel=1e-12)
    asked = query(forest, model)
    for sentence in [*text(3, sentences=12, length=5), [14, 13, 14]]:
        history = [1]
        for word in [*sentence, 2]:
            context = tuple(history[max(0, len(history) - order + 1) :]) if order > 1 else ()
            log_prob, _ = asked.score(context, asked.word(word), False)
            assert math.exp(log_prob) == pytest.approx(ref.prob(context, word), rel=1e-5)
            history.append(word)


HISTORIES = [[], [1], [3], [1, 3], [4, 3], [14, 3], [14, 14], [13, 2], [0, 5]]


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_renormaliser_equals_brute_force(order: int, name: str) -> None:
    """In contexts seen and never seen, for one sample and for two."""
    *_, forest, model = chain(5, order, SPECS[name], 5)
    *_, other = chain(5, order, SPECS[name], 9)
    for asked in (query(forest, model), query(forest, model, other)):
        for history in HISTORIES:
            brute = asked.distribution(history, False).sum()
            assert asked.vocabulary_mass(history) == pytest.approx(brute, abs=1e-6)
            assert 0.5 < brute < 1
            assert asked.distribution(history, True).sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", SPECS)
def test_all_pairs_of_tokens_sum_to_one(name: str) -> None:
    """The vocabulary, and every pair of tokens of every generator that is not a word of it, <s> among them."""
    *_, forest, model = chain(7, 2, SPECS[name], 5)
    asked, nothing = query(forest, model), 2**32 - 1
    for history in HISTORIES:
        total = asked.distribution(history, False).sum()
        for g, spec in enumerate(SPECS[name]):
            known = set(spec.words[:1]) | set(spec.words[2:])
            for first in range(max(a for a, _ in spec.words) + 1):
                for second in range(max(b for _, b in spec.words) + 1):
                    if (first, second) not in known:
                        tokens = [nothing] * (2 * len(SPECS[name]))
                        tokens[2 * g : 2 * g + 2] = first, second
                        total += math.exp(asked.score(history, asked.compose(tokens), False)[0])
        assert total == pytest.approx(1.0, abs=1e-6)


def test_batch_equals_single_scores_and_explanations() -> None:
    *_, forest, model = chain(8, 3, SPECS["both"], 5)
    asked = query(forest, model)
    sentences = text(9, sentences=20)
    others = [[3, 2, 2, 3], [6, 2, 2**32 - 1, 0]]
    sentences[3] = [3, SIZE, 4, SIZE + 1]
    words = ids([w for s in sentences for w in s])
    offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
    for renormalise in (False, True):
        one, matched = asked.score_sentences(words, offsets, others, renormalise, 1)
        three, _ = asked.score_sentences(words, offsets, others, renormalise, 3)
        np.testing.assert_array_equal(one, three)
        place = 0
        for sentence in sentences:
            history = [1]
            for w in [*sentence, 2]:
                word = asked.word(w) if w < SIZE else asked.compose(others[w - SIZE])
                log_prob, hit = asked.score(history[-2:], word, renormalise)
                assert (one[place], matched[place]) == (log_prob, hit)
                if not renormalise:
                    parts = asked.explain(history[-2:], word)
                    assert sum(map(sum, parts)) == pytest.approx(math.exp(log_prob), rel=1e-5)
                history.append(w if w < SIZE else 0)
                place += 1


def test_state_is_the_whole_state() -> None:
    *_, forest, model = chain(14, 3, SPECS["second in context"], 8)
    other = InflectionHPYLM(forest, seed=77)
    other.restore(model.state())
    for _ in range(5):
        assert other.step() == model.step()
    one, two = model.state(), other.state()
    assert all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(
    "name", ["words.1.tables", "generator.0.heads.0.customers", "generator.1.pairs.0.tables", "random", "weights"]
)
def test_refuses_a_damaged_state(name: str) -> None:
    *_, forest, model = chain(15, 2, SPECS["both"], 5)
    state = model.state()
    array = state[name].copy()
    damaged = state | {name: array[:-1] if name == "random" else array + array.dtype.type(1)}
    with pytest.raises(InputError):
        InflectionHPYLM(forest, seed=1).restore(damaged)


def test_refuses_what_does_not_fit() -> None:
    tree = tree_of([[3]], 2, 5)
    five = ids(range(5))
    with pytest.raises(InputError, match="every word"):
        GeneratorTree(tree, ids([0]), ids([0]), ids([0, 1]), five, 0)
    with pytest.raises(InputError, match="no analysis"):
        GeneratorTree(tree, five, five, ids([0, 1, 1, 2, 3, 5]), five, 0)
    with pytest.raises(InputError, match="another text"):
        GeneratorForest(tree, [GeneratorTree(tree_of([[3]], 3, 5), five, five, ids(range(6)), five, 0)])


def two_analyses(tree) -> GeneratorForest:
    """Every word may also be a stem of its own with the last ending; <s> aside."""
    pairs = [pair for w, own in enumerate(WORDS) for pair in (own, (7 + w, 2))]
    first, second = (ids([pair[i] for pair in pairs]) for i in range(2))
    offsets, words = ids(range(0, 2 * SIZE + 1, 2)), ids(range(SIZE))
    trees = [
        GeneratorTree(tree, first, second, offsets, words, 1),
        GeneratorTree(tree, second, first, offsets, ids(ENDINGS), 0),
    ]
    return GeneratorForest(tree, trees)


def test_analyses_are_drawn_and_sums_hold() -> None:
    """Words change their analysis; the seating stays whole, sums stay one, the state is the whole state."""
    tree = tree_of(text(16), 3, SIZE)
    forest = two_analyses(tree)
    model = InflectionHPYLM(forest, 1)
    model.initialise(True)
    seen, chains = set(), []
    for step in range(12):
        model.step()
        model.check()
        seen.add(tuple(model.analysis))
        if step in (5, 11):
            chains.append(InflectionHPYLM(forest, 9))
            chains[-1].restore(model.state())
    assert len(seen) > 6 and tuple(chains[0].analysis) != tuple(chains[1].analysis)
    for asked in (query(forest, model), query(forest, *chains)):
        for history in HISTORIES:
            assert asked.vocabulary_mass(history) == pytest.approx(asked.distribution(history, False).sum(), abs=1e-6)
            assert asked.distribution(history, True).sum() == pytest.approx(1.0, abs=1e-6)
    chains[1].restore(model.state())
    assert chains[1].step() == model.step() and tuple(chains[1].analysis) == tuple(model.analysis)
