"""Names in another script: a model of which letters write which, learnt from pairs of words."""

import math
import random
from collections import defaultdict

import numpy as np
import pytest

from binyan.errors import InputError
from binyan.translation.transliteration import SHAPES, Transliterator, _expect

CYRILLIC = {
    "sh": "ш",
    "zh": "ж",
    "a": "а",
    "n": "н",
    "i": "и",
    "o": "о",
    "k": "к",
    "r": "р",
    "t": "т",
    "m": "м",
    "l": "л",
    "s": "с",
    "d": "д",
    "e": "е",
    "v": "в",
}


def name_pairs(count, seed=1):
    draw = random.Random(seed)
    for _ in range(count):
        pieces = [draw.choice(list(CYRILLIC)) for _ in range(draw.randint(3, 6))]
        yield "".join(pieces), "".join(CYRILLIC[p] for p in pieces)


def test_transliteration_is_learnt_with_digraphs_and_noise():
    pairs = list(name_pairs(150))
    noise = [("table", "дверь"), ("window", "стол"), ("garden", "окно")] * 3
    learnt = Transliterator.learn(pairs + noise)
    assert (learnt.source_script, learnt.target_script) == ("latin", "cyrillic")
    fresh = [pair for pair in name_pairs(40, seed=2) if pair not in pairs and "sh" not in pair[0].replace("sh", "")]
    assert np.mean([learnt(source) == target for source, target in fresh]) > 0.9
    assert learnt("shanin") == "шанин" and "sh\tш" in learnt.table
    again = Transliterator.from_dict(learnt.to_dict())
    assert [again(s) for s, _ in fresh] == [learnt(s) for s, _ in fresh]
    with pytest.raises(InputError, match="script greek; a transliteration was learnt from latin to cyrillic"):
        learnt("αθήνα")
    with pytest.raises(InputError, match="letters that no pair"):
        learnt("xyz")
    with pytest.raises(InputError, match="too few"):
        Transliterator.learn(pairs[:3])


def test_expected_pieces_are_those_of_all_divisions():
    weights = {("a", "x"): 0.3, ("b", "y"): 0.2, ("ab", "x"): 0.1, ("", "y"): 0.05, ("a", "xy"): 0.1, ("b", ""): 0.25}

    def divisions(source, target):
        if not source and not target:
            yield ()
        for m, n in SHAPES:
            if m <= len(source) and n <= len(target):
                piece = source[:m], target[:n]
                yield from ((piece, *rest) for rest in divisions(source[m:], target[n:]))

    chances = {d: math.prod(weights.get(p, 0.0) for p in d) for d in divisions("ab", "xy")}
    total = sum(chances.values())
    expected = defaultdict(float)
    _expect("ab", "xy", weights, expected)
    for piece in weights:
        assert expected[piece] == pytest.approx(sum(c * d.count(piece) for d, c in chances.items()) / total)
