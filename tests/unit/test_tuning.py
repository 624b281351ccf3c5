"""Tuning: the exact line search against a grid, BLEU statistics against sacrebleu, tuning of a toy system, resuming."""

import numpy as np
import pytest

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.translation import Decoder, DecoderSettings, TunedWeights, TuningSettings, read_rules, tune
from binyan.translation.decoder import HypothesisLists, start_weights
from binyan.translation.hypothesis_pool import HypothesisPool, References, bleu_of, with_reference_lengths
from binyan.translation.tuning import length_factor
from binyan.translation.weight_search import mira, pro


def random_lists(random, sentences=12, k=8, width=3):
    """Hypotheses with random features, and statistics as a sentence of 10 words might have."""
    features = random.normal(size=(sentences * k, width))
    matches = np.sort(random.integers(1, 10, size=(sentences * k, 4)), axis=1)[:, ::-1]
    length = random.integers(9, 13, size=(sentences * k, 1))
    statistics = np.concatenate([matches, length - np.arange(4), length, np.full_like(length, 10)], axis=1)
    offsets = np.arange(0, sentences * k + 1, k)
    return features.reshape(-1), statistics.astype(np.int64).reshape(-1), offsets.astype(np.uint64)


@pytest.mark.parametrize("seed", range(10))
def test_line_search_finds_what_a_grid_finds(seed):
    random = np.random.default_rng(seed)
    lists = random_lists(random)
    origin, direction = random.normal(size=(2, 3))
    step, best = _core.search_line(*lists, origin, direction)
    grid = [_core.bleu_at(*lists, origin + s * direction) for s in np.linspace(-8, 8, 4001)]
    assert best >= max(grid) - 1e-9
    assert _core.bleu_at(*lists, origin + step * direction) == pytest.approx(best, abs=1e-12)


def test_line_search_stays_where_nothing_is_better():
    features = np.array([1.0, 0.0, 0.0, 1.0])
    row = [3, 2, 1, 1, 4, 3, 2, 1, 4, 4]
    step, _ = _core.search_line(
        features, np.array(row * 2), np.array([0, 2], np.uint64), np.array([1.0, 0.0]), np.array([0.0, 1.0])
    )
    assert step == 0.0


def lists_of(hypotheses, sentence):
    words = sorted({w for h in hypotheses for w in h})
    flat = np.array([words.index(w) for h in hypotheses for w in h], np.uint32)
    offsets = np.cumsum([0, *map(len, hypotheses)]).astype(np.uint64)
    return HypothesisLists(
        np.array(sentence, np.uint32), np.zeros(len(hypotheses)), flat, offsets, np.zeros((len(hypotheses), 1)), words
    )


def test_bleu_is_that_of_sacrebleu():
    sacrebleu = pytest.importorskip("sacrebleu")
    random = np.random.default_rng(5)
    draw = lambda: list("abcd"[i] for i in random.integers(0, 4, random.integers(5, 14)))  # noqa: E731
    hypotheses = [draw() for _ in range(30)]
    references = [[draw(), draw()] for _ in range(30)]
    sums = References(references).statistics(lists_of(hypotheses, range(30))).sum(axis=0)
    streams = [[" ".join(r[i]) for r in references] for i in range(2)]
    theirs = sacrebleu.corpus_bleu(
        [" ".join(h) for h in hypotheses], streams, tokenize="none", smooth_method="none"
    ).score
    assert 100 * bleu_of(sums) == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("search", [mira, pro])
def test_length_itself_is_not_rewarded(search):
    """Of two hypotheses with the same matches the shorter, not below the reference's length, has the higher BLEU."""
    short, long = [8, 6, 5, 4, 10, 9, 8, 7, 10, 10], [8, 6, 5, 4, 12, 11, 10, 9, 12, 10]
    pool = HypothesisPool([np.array([[1.0, 0.0], [0.0, 1.0]])] * 20, [np.array([short, long])] * 20)
    weights = search(pool, np.array([0.5, 0.5]), np.random.default_rng(1))
    assert weights[0] > weights[1] + 0.1


def separable_pool(random, wanted, sentences=30, k=12):
    """Hypotheses whose matches grow with their score under `wanted`."""
    features = [random.normal(size=(k, len(wanted))) for _ in range(sentences)]
    ranks = [np.argsort(np.argsort(f @ wanted)) for f in features]
    rows = [np.stack([[r + 1, r, r, r, 14, 13, 12, 11, 14, 14] for r in rank]) for rank in ranks]
    return HypothesisPool(features, rows)


@pytest.mark.parametrize("search", [mira, pro])
def test_the_direction_is_found_whatever_the_scale(search):
    wanted = np.array([1.0, -0.5, 0.25])
    pool = separable_pool(np.random.default_rng(3), wanted)
    scale = np.array([1.0, 100.0, 0.01])
    scaled = HypothesisPool([f * scale for f in pool.features], pool.statistics)
    weights, others = np.ones(3), 1 / scale
    for turn in range(8):
        weights = search(pool, weights, np.random.default_rng(turn))
        others = search(scaled, others, np.random.default_rng(turn))
    assert weights @ wanted > 0.95 * np.linalg.norm(weights) * np.linalg.norm(wanted)
    assert others * scale == pytest.approx(weights, rel=1e-3)


@pytest.mark.parametrize("search", [mira, pro])
def test_a_feature_that_does_not_vary_keeps_its_weight(search):
    pool = separable_pool(np.random.default_rng(3), np.array([1.0, -0.5]))
    constant = HypothesisPool([np.insert(f, 1, 2.0, axis=1) for f in pool.features], pool.statistics)
    weights = search(constant, np.array([0.1, -0.7, 0.1]), np.random.default_rng(1))
    assert weights[1] == -0.7 and weights[0] > 0.1 and weights[0] > weights[2]


def test_pairwise_ranking_without_pairs_stays():
    one = HypothesisPool([np.ones((1, 2))], [np.array([[3, 2, 1, 1, 4, 3, 2, 1, 4, 4]])])
    assert pro(one, np.array([0.3, 0.7]), np.random.default_rng(1)).tolist() == [0.3, 0.7]


def test_the_start_belongs_to_no_language():
    start = start_weights(("TargetGivenSource", "LogCount", "Glue", "Words", "New", "LanguageModel1", "LanguageModel2"))
    assert start["LanguageModel1"] == start["LanguageModel2"] == 0.25
    assert start["LogCount"] == start["Glue"] == start["New"] == 0.0 < start["TargetGivenSource"] < start["Words"]


def test_what_a_tuning_says():
    tuned = TunedWeights({}, 0.25, (0.2, 0.25, 0.24), (0.9, 1.012, 1.0), 1)
    assert str(tuned) == "BLEU 25.00 (round 1 of 3), +1.2 % words against the references"
    assert "the start: no round was better" in str(TunedWeights({}, 0.2, (0.2, 0.1), (1.0, 1.0)))


def test_references_count_as_longer_or_shorter():
    rows = np.tile(np.array([3, 2, 1, 1, 9, 8, 7, 6, 9, 10]), (1000, 1))
    for factor in (0.95, 1.0, 1.03):
        changed = with_reference_lengths(rows, np.arange(1000, dtype=np.uint32), factor)
        assert changed[:, 9].sum() == pytest.approx(10_000 * factor, abs=10) and (changed[:, :9] == rows[:, :9]).all()
        assert np.abs(changed[:, 9] - 10 * factor).max() <= 1


@pytest.mark.parametrize(
    ("ratio", "length", "factor"),
    [(0.98, "bitext", 0.98), (0.98, "references", 1), (None, "bitext", 1), (0.8, "bitext", 1), (1.2, "bitext", 1)],
)
def test_translations_get_the_length_of_the_bitext_unless_texts_are_of_different_kinds(ratio, length, factor):
    text = [["a"] * 50, ["b"] * 50]
    references = [[["A"] * 49, ["B"] * 51], [["C"] * 50]]
    assert length_factor(text, references, TuningSettings(length=length), ratio) == pytest.approx(factor)
    with pytest.raises(SettingsError, match="bitext or the references"):
        TuningSettings(length="long")


def test_lengths_follow_the_bitext(toy):
    """BLEU itself is shown, whatever lengths are aimed at."""
    decoder, references = toy
    tuned, shorter = (
        tune(decoder, SOURCE, references, TuningSettings(k=50, rounds=4), words_ratio=r) for r in (None, 1.0)
    )
    assert tuned.history[0] == shorter.history[0] and tuned.lengths[0] == shorter.lengths[0]


GRAMMAR = """\
[X] ||| a ||| A ||| right=1
[X] ||| a ||| B ||| wrong=1
[X] ||| b ||| B ||| right=1
[X] ||| b ||| C C ||| wrong=1
[X] ||| c [X,1] ||| [X,1] C ||| right=1
[X] ||| c [X,1] ||| C [X,1] ||| wrong=1
[X] ||| c ||| C ||| right=1
"""
SOURCE = [list("abcaab"), list("cabab"), list("bbcab"), list("aacb")]


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "grammar").write_text(GRAMMAR)
    grammar = read_rules(tmp_path / "grammar")
    settings = DecoderSettings(max_span=6)
    ideal = Decoder(grammar, weights={"right": 1.0, "wrong": -1.0, "Words": 0.0}, settings=settings)
    references = [[h.words] for h in ideal.translate(SOURCE)]
    return Decoder(grammar, weights={"right": -0.1, "wrong": 0.2, "Words": 0.0}, settings=settings), references


@pytest.mark.parametrize("method", ["mert", "mira", "pro"])
def test_tuning_recovers_the_references(toy, method):
    decoder, references = toy
    tuned = tune(decoder, SOURCE, references, TuningSettings(method=method, k=50, rounds=6))
    assert tuned.history[0] < 0.7
    assert tuned.bleu == pytest.approx(1.0)
    assert [h.words for h in decoder.changed(tuned.weights).translate(SOURCE)] == [r[0] for r in references]


@pytest.mark.parametrize("method", ["mert", "mira", "pro"])
def test_a_stopped_tuning_ends_as_one_that_was_not(toy, method, tmp_path):
    decoder, references = toy
    settings = TuningSettings(method=method, k=10, rounds=4, least_new=0, restarts=2)
    whole = tune(decoder, SOURCE, references, settings)

    def interrupt(done, total, figures):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(decoder, SOURCE, references, settings, state=tmp_path / "state", progress=interrupt)
    resumed = tune(decoder, SOURCE, references, settings, state=tmp_path / "state")
    assert isinstance(resumed, TunedWeights) and resumed == whole
    other = TuningSettings(method=method, k=11, rounds=4, least_new=0, restarts=2)
    with pytest.raises(InputError, match="other texts, models or settings"):
        tune(decoder, SOURCE, references, other, state=tmp_path / "state")


@pytest.mark.parametrize("method", ["mert", "mira", "pro"])
def test_a_feature_left_out_has_weight_0(toy, method):
    decoder, references = toy
    settings = TuningSettings(method=method, k=10, rounds=3, left_out=("right",))
    tuned = tune(decoder.changed({"right": 1.0}), SOURCE, references, settings)
    assert tuned.weights["right"] == 0.0 and tuned.weights["wrong"] != 0.0


def test_unequal_numbers_and_wrong_method(toy):
    decoder, references = toy
    with pytest.raises(InputError, match="4 sentences to tune on and 3"):
        tune(decoder, SOURCE, references[:3])
    with pytest.raises(SettingsError, match="mira, mert, pro"):
        TuningSettings(method="guess")
