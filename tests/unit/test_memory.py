"""Training that does not fit into memory is refused before it begins, and what it is said to need is about what it takes."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from binyan import memory
from binyan.errors import NoMemoryError
from binyan.memory import available_memory, distinct_ngrams
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey

ON_LINUX = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peak memory is read from /proc")

MEASURE = """
import sys, warnings
from pathlib import Path
import numpy as np
from binyan.memory import compound_bytes, hpylm_bytes, kneser_ney_bytes
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey
from binyan.sampling import Schedule
from binyan.text import Corpus

warnings.simplefilter("ignore")
kind, tokens = sys.argv[1], int(sys.argv[2])
random = np.random.default_rng(1)
words = random.zipf(1.3, tokens) % 20_000
for i in range(1, tokens):  # two words in three depend on the one before, so that n-grams are repeated
    if words[i] % 3:
        words[i] = (words[i - 1] * 7 + words[i] % 5) % 20_000
text = [" ".join(f"w{w}" for w in words[i : i + 20]) for i in range(0, tokens, 20)]
corpus = Corpus.read(text, progress=False)

def status(field):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024

Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
if kind == "mkn":
    estimate = kneser_ney_bytes(corpus.words, 4)
    KneserNey(4).fit(corpus, progress=False)
elif kind == "hpylm":
    estimate = hpylm_bytes(corpus.words, 3, 2, 2)
    HPYLM(3, schedule=Schedule(sweeps=4, samples=2, chains=2)).fit(corpus, progress=False)
else:
    estimate = compound_bytes(corpus.words, 3, 2, 2)
    table = {f"w{w}": f"w{str(w)[:2]} {str(w)[2:]}" for w in range(100, 20_000, 2)}
    schedule = Schedule(sweeps=4, samples=2, chains=2)
    CompoundHPYLM(3, segmentation=table, both_ways=kind == "hpylm+g", schedule=schedule).fit(corpus, progress=False)
print(estimate, status("VmHWM") - before)
"""


@ON_LINUX
@pytest.mark.parametrize(
    ("kind", "tokens"),
    [*product(["mkn", "hpylm"], [60_000, 300_000]), *product(["hpylm+c", "hpylm+g"], [60_000, 150_000])],
)
def test_estimates_are_within_a_factor_of_two(kind: str, tokens: int) -> None:
    process = subprocess.run(
        [sys.executable, "-c", MEASURE, kind, str(tokens)], capture_output=True, text=True, check=True
    )
    estimate, taken = map(int, process.stdout.split())
    assert taken / 2 <= estimate <= taken * 2


@pytest.mark.parametrize(
    "model",
    [
        KneserNey(3),
        HPYLM(3, sweeps=4, samples=1, chains=1),
        CompoundHPYLM(3, segmentation={"w12": "w1 2"}, sweeps=4, samples=1, chains=1),
    ],
)
def test_what_would_fit_is_said(monkeypatch: pytest.MonkeyPatch, model: KneserNey | HPYLM | CompoundHPYLM) -> None:
    text = [" ".join(f"w{(i * j) % 1009}" for j in range(20)) for i in range(2_000)]
    monkeypatch.setattr(memory, "available_memory", lambda: 3_000_000)
    with pytest.raises(
        NoMemoryError, match=r"of order 3 needs about \d+ MB of memory, and 2 MB are available"
    ) as error:
        model.fit(text, progress=False)
    assert "what would fit: " in str(error.value) and "of the 40,000 words of text" in str(error.value)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    model.fit(text[:20], progress=False)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process is compared with what /proc says it has")
def test_the_limit_of_the_process_counts() -> None:
    script = (
        "import resource; from binyan.memory import available_memory; before = available_memory();"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)); assert available_memory() <= before;"
        "from pathlib import Path; taken = next(int(line.split()[1]) * 1024 for line in "
        "Path('/proc/self/status').read_text().splitlines() if line.startswith('VmSize'));"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + 50_000_000, taken + 50_000_000)); print(available_memory())"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 40_000_000 < int(process.stdout) < 60_000_000
    assert available_memory() is not None


def test_counts_of_ngrams_are_exact_for_small_texts_and_grow_for_large_ones() -> None:
    words = np.array([1, 2, 1, 2, 3], np.uint32)
    assert distinct_ngrams(words, 3) == [3, 3, 3]
    assert distinct_ngrams(np.zeros(0, np.uint32), 2) == [0, 0]
    random = np.random.default_rng(2).integers(0, 50, 400_000).astype(np.uint32)
    unigrams, bigrams, trigrams = distinct_ngrams(random, 3)
    assert unigrams == 50 and bigrams == 2500 and 110_000 < trigrams < 160_000


@ON_LINUX
def test_less_memory_may_be_allowed():
    text = [f"a{i} b{i % 7} c{i % 11}" for i in range(2000)]
    with memory.allowed_memory(1), pytest.raises(NoMemoryError, match=r"needs about .* 0 MB are available"):
        KneserNey(3).fit(text, progress=False)
    before = available_memory()
    with memory.allowed_memory(1 << 60):
        assert available_memory() == pytest.approx(before, rel=0.1)
        KneserNey(3).fit(text, progress=False)
