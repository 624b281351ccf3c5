"""The translation that agrees best with the others: a worked example, and expected counts by their definition."""

import math
from collections import Counter

import numpy as np
import pytest

from binyan import _core
from binyan.errors import SettingsError
from binyan.translation import Decoder, DecoderSettings, read_rules


def chosen(hypotheses, scores, sentence=None):
    offsets = np.cumsum([0, *map(len, hypotheses)]).astype(np.uint64)
    words = np.array([w for h in hypotheses for w in h], np.uint32)
    sentence = [0] * len(hypotheses) if sentence is None else sentence
    return _core.consensus(words, offsets, np.array(sentence, np.uint32), np.array(scores, float)).tolist()


def test_the_best_gives_way_to_two_that_agree():
    """Half of what is likely begins with 1 2 3 4: together two hypotheses outweigh the best, which shares nothing with them."""
    hypotheses = [[5, 6, 7, 8, 9], [1, 2, 3, 4, 8], [1, 2, 3, 4, 9]]
    assert chosen(hypotheses, np.log([0.4, 0.35, 0.25])) == [1]
    assert chosen(hypotheses, np.log([0.9, 0.06, 0.04])) == [0]


def test_each_sentence_is_chosen_for_itself():
    assert chosen([[1], [2], [], [1], [1]], [0.0, 0.0, 5.0, 0.0, 0.0], [0, 0, 3, 3, 4]) == [0, 3, 4]
    assert chosen([], []) == []


def expected_choice(hypotheses, scores):
    p = np.exp(scores) / np.exp(scores).sum()
    grams = [Counter(tuple(h[i : i + n]) for n in range(1, 5) for i in range(len(h) - n + 1)) for h in hypotheses]
    expected, length = Counter(), sum(q * len(h) for q, h in zip(p, hypotheses, strict=True))
    for q, counts in zip(p, grams, strict=True):
        for gram, count in counts.items():
            expected[gram] += q * count
    bleus = []
    for h, counts in zip(hypotheses, grams, strict=True):
        log_bleu = min(0.0, 1 - length / len(h))
        for n in range(1, 5):
            found = sum(min(c, expected[g]) for g, c in counts.items() if len(g) == n)
            log_bleu += math.log((found + (n > 1)) / (max(0, len(h) - n + 1) + (n > 1))) / 4
        bleus.append(log_bleu)
    return bleus


@pytest.mark.parametrize("seed", range(20))
def test_the_choice_has_the_highest_bleu_against_expected_counts(seed):
    random = np.random.default_rng(seed)
    hypotheses = [random.integers(0, 4, random.integers(1, 9)).tolist() for _ in range(12)]
    scores = random.normal(size=12)
    bleus = expected_choice(hypotheses, scores)
    (choice,) = chosen(hypotheses, scores)
    assert bleus[choice] == pytest.approx(max(bleus), abs=1e-12)


def test_in_the_decoder(tmp_path):
    targets = {"x y": 0.4, "a b c d e": 0.35, "a b c d f": 0.25}
    lines = [f"[X] ||| s ||| {t} ||| p={math.log(p)}" for t, p in targets.items()]
    (tmp_path / "g").write_text("\n".join(lines))
    grammar = read_rules(tmp_path / "g")
    one, several = (
        Decoder(grammar, weights={"p": 1.0, "Glue": 0.0, "Words": 0.0}, settings=DecoderSettings(consensus=k))
        for k in (1, 10)
    )
    assert [" ".join(h.words) for h in one.translate([["s"], []])] == ["x y", ""]
    assert [" ".join(h.words) for h in several.translate([["s"], []])] == ["a b c d e", ""]
    with pytest.raises(SettingsError, match="consensus"):
        DecoderSettings(consensus=0)
