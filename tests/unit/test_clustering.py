"""Brown clustering against the algorithm written out by brute force; classes in files."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan import _core
from binyan.clustering import (
    WordClasses,
    average_mutual_information,
    bigrams_of,
    brown,
    default_classes,
    frequency_bins,
)
from binyan.errors import InputError, SettingsError
from binyan.text import Corpus, Vocabulary

texts = st.lists(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=8), min_size=3, max_size=12)


def stream(sentences: list[list[str]]) -> list[str]:
    return ["</s>", *itertools.chain.from_iterable([*s, "</s>"] for s in sentences)]


def information(pairs: list[tuple[str, str]], where: dict[str, int]) -> float:
    """Mutual information of adjacent clusters in `where`; margins over the whole text, as in the windowed algorithm."""
    total = len(pairs)
    joint: dict[tuple[int, int], int] = {}
    margin: dict[int, int] = {}
    for _, b in pairs:
        if b in where:
            margin[where[b]] = margin.get(where[b], 0) + 1
    for a, b in pairs:
        if a in where and b in where:
            joint[where[a], where[b]] = joint.get((where[a], where[b]), 0) + 1
    return sum(n / total * math.log(n * total / (margin[a] * margin[b])) for (a, b), n in joint.items())


def windowed_by_brute_force(sentences: list[list[str]], classes: int) -> float:
    """What the greedy windowed algorithm keeps, trying every merge; NaN where the choice is a tie and paths may part."""
    words = stream(sentences)
    pairs = list(itertools.pairwise(words))
    counts = {w: sum(b == w for _, b in pairs) for w in dict.fromkeys(words)}
    order = Corpus.read([list(s) for s in sentences]).vocabulary.words
    entering = sorted((w for w in order if w in counts), key=lambda w: -counts[w])
    where: dict[str, int] = {}
    for fresh, word in enumerate(entering):
        where[word] = fresh
        if len(set(where.values())) > classes:
            kept = []
            for a, b in itertools.combinations(sorted(set(where.values())), 2):
                merged = {w: a if c == b else c for w, c in where.items()}
                kept.append((information(pairs, merged), merged))
            kept.sort(key=lambda k: -k[0])
            if len(kept) > 1 and kept[0][0] - kept[1][0] < 1e-6:
                return math.nan
            where = kept[0][1]
    return information(pairs, where)


@given(texts, st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_equals_brute_force(sentences: list[list[str]], classes: int) -> None:
    corpus = Corpus.read([list(s) for s in sentences])
    if len({w for s in sentences for w in s}) + 1 < classes:
        with pytest.raises(SettingsError, match="word types"):
            brown(corpus, classes)
        return
    found = brown(corpus, classes, exchange_passes=0)
    kept = average_mutual_information(corpus, found)
    expected = windowed_by_brute_force(sentences, classes)
    assert math.isnan(expected) or kept == pytest.approx(expected, abs=1e-9)
    assert kept == pytest.approx(
        information(list(itertools.pairwise(stream(sentences))), dict(found.class_of)), abs=1e-12
    )


@given(texts, st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_tables_never_drift(sentences: list[list[str]], classes: int) -> None:
    corpus = Corpus.read([list(s) for s in sentences])
    bigrams = bigrams_of(corpus)
    clustering = _core.BrownClustering(bigrams, min(classes, len({w for s in sentences for w in s})))
    assert clustering.tables_hold()
    while clustering.step(1):
        assert clustering.tables_hold()
    clustering.exchange()
    assert clustering.tables_hold()


def test_exchange_never_loses_information() -> None:
    random = np.random.default_rng(3)
    sentences = [[f"w{int(x)}" for x in random.zipf(1.4, 12) % 60] for _ in range(200)]
    corpus = Corpus.read(sentences)
    kept = [average_mutual_information(corpus, brown(corpus, 8, passes)) for passes in range(4)]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(kept))
    assert kept[1] > kept[0]


def test_finds_the_classes_that_made_the_text() -> None:
    random = np.random.default_rng(1)
    sentences = [[f"{'abc'[i % 3]}{random.integers(5)}" for i in range(9)] for _ in range(200)]
    found = brown(Corpus.read(sentences), 4)
    groups = {c: {w[0] for w, x in found.class_of.items() if x == c and w != "<unk>"} for c in range(4)}
    assert all(len(letters) == 1 for letters in groups.values())


def test_tree_and_paths_file(tmp_path: Path) -> None:
    corpus = Corpus.read(["the cat sat", "the dog sat", "a dog ran", "a cat ran", "the cow ran"])
    found = brown(corpus, 5)
    assert len(set(found.paths)) == 5 and not any(a != b and b.startswith(a) for a in found.paths for b in found.paths)
    assert sum(2.0 ** -len(p) for p in found.paths) == 1.0  # a full binary tree
    found.write(tmp_path / "paths", {"the": 3})
    assert "\tthe\t3\n" in (tmp_path / "paths").read_text()
    again = WordClasses.read(tmp_path / "paths")
    assert {w: again.paths[c] for w, c in again.class_of.items()} == {
        w: found.paths[c] for w, c in found.class_of.items()
    }
    assert again.digest == found.digest
    assert brown(corpus, 5) == found


def test_bad_files_and_settings(tmp_path: Path) -> None:
    corpus = Corpus.read(["a b c d"])
    with pytest.raises(SettingsError, match="0 classes"):
        brown(corpus, 0)
    with pytest.raises(InputError, match=r"have no class, among them d"):
        WordClasses({"a": 0, "b": 0, "c": 1}, ("0", "1")).ids(corpus.vocabulary)
    (tmp_path / "bad").write_text("01\tword\n01\n")
    with pytest.raises(InputError, match="bad:2"):
        WordClasses.read(tmp_path / "bad")
    (tmp_path / "twice").write_text("01\tword\n00\tword\n")
    with pytest.raises(InputError, match="twice:2"):
        WordClasses.read(tmp_path / "twice")


def test_peers_files_lack_the_specials() -> None:
    ids = WordClasses({"a": 0, "b": 1}, ("0", "1")).ids(Vocabulary(["a", "b"]))
    assert ids.tolist() == [2, 0, 3, 0, 1]


def test_frequency_bins_are_balanced() -> None:
    corpus = Corpus.read([" ".join(f"w{i}" for i in range(1, 40) for _ in range(40 // i))])
    found = frequency_bins(corpus, 5)
    mass = np.zeros(found.classes)
    for word, n in zip(corpus.vocabulary.words, bigrams_of(corpus).frequency, strict=True):
        if word in found.class_of:
            mass[found.class_of[word]] += n
    assert found.classes == 5 and mass.max() <= 2 * mass.min()
    assert default_classes(40_000) == 200
