"""The BLEU that weights are tuned towards equals sacrebleu's, with one reference and with several."""

from __future__ import annotations

import numpy as np
import pytest

from binyan import _core
from binyan.translation.hypothesis_pool import bleu_of

sacrebleu = pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: make peers")


def texts(random: np.random.Generator, sentences: int) -> list[list[int]]:
    return [random.integers(0, 9, random.integers(4, 15)).tolist() for _ in range(sentences)]


@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize("seed", range(10))
def test_bleu_of_a_text(references: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    sources = [texts(random, 20) for _ in range(references)]
    hypotheses = [
        [w if random.random() < 0.8 else int(random.integers(0, 9)) for w in sources[0][i]] for i in range(20)
    ]
    flat = [sources[j][i] for i in range(20) for j in range(references)]
    statistics = _core.bleu_statistics(
        *arrays(hypotheses), np.arange(20, dtype=np.uint32), *arrays(flat), np.arange(21, dtype=np.uint64) * references
    ).reshape(-1, _core.BLEU_WIDTH)
    lines = [[" ".join(map(str, s)) for s in source] for source in sources]
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    expected = metric.corpus_score([" ".join(map(str, h)) for h in hypotheses], lines).score
    assert 100 * bleu_of(statistics.sum(axis=0)) == pytest.approx(expected, abs=1e-9)
    assert expected > 10


def arrays(sentences: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    words = np.array([w for s in sentences for w in s], np.uint32)
    return words, np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
