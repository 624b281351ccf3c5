"""The memory that training a log-bilinear model is said to need is about what it takes; too much is refused before it begins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from binyan import memory
from binyan.errors import NoMemoryError
from binyan.log_bilinear.memory_needed import training_bytes
from binyan.log_bilinear.settings import Shape, TrainingSettings
from binyan.log_bilinear.training_task import TrainingTask
from binyan.text import Corpus

ON_LINUX = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peak memory is read from /proc")

MEASURE = """
import sys, warnings
from pathlib import Path
import numpy as np
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.memory_needed import training_bytes
from binyan.log_bilinear.settings import Shape, TrainingSettings
from binyan.log_bilinear.training import use_threads
from binyan.log_bilinear.training_task import TrainingTask
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

warnings.simplefilter("ignore")
use_threads(1)
shape = Shape(variant=sys.argv[1], order=4, dim=int(sys.argv[3]))
tokens, batch = int(sys.argv[2]), int(sys.argv[4])

def task(shape, words):
    text = [[f"w{w}" for w in words[i : i + 20]] for i in range(0, len(words), 20)]
    corpus = Corpus.read(text, progress=False)
    vocabulary = corpus.vocabulary
    table = SegmentationTable.of_any({f"w{w}": f"w{str(w)[:2]} {str(w)[2:]}" for w in range(100, 20_000)})
    factors = FactorMap.from_segmentations(table, vocabulary, ()) if shape.variant.additive else None
    classes = (np.arange(len(vocabulary)) % 100).astype(np.uint32) if shape.variant.classes else None
    return TrainingTask(corpus, Corpus.encode(text[:100], vocabulary), shape, factors, classes)

def status(field):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024

small = task(Shape(variant=shape.variant, order=2, dim=2), np.arange(200))  # PyTorch loads much of itself when it is first used
small(TrainingSettings(batch=10, epochs=1)).run(progress=False)
settings = TrainingSettings(batch=batch, epochs=1)
whole = task(shape, np.random.default_rng(1).zipf(1.2, tokens) % 20_000)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
whole(settings).run(progress=False)
print(training_bytes(shape, settings, whole.sizes), status("VmHWM") - before)
"""


@ON_LINUX
@pytest.mark.parametrize(
    ("variant", "tokens", "dim", "batch"),
    [
        ("clbl", 100_000, 50, 1000),
        ("nclbl", 20_000, 100, 8000),
        ("clbl++", 20_000, 100, 2000),
    ],
)
def test_estimates_are_within_a_factor_of_two(variant: str, tokens: int, dim: int, batch: int) -> None:
    process = subprocess.run(
        [sys.executable, "-c", MEASURE, variant, str(tokens), str(dim), str(batch)],
        capture_output=True,
        text=True,
        check=True,
    )
    estimate, taken = map(int, process.stdout.split())
    assert taken / 2 <= estimate <= taken * 2


def test_what_would_fit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.read([["a", "b"], ["b", "c"]] * 500, progress=False)
    classes = np.zeros(len(corpus.vocabulary), np.uint32)
    task = TrainingTask(corpus, corpus, Shape(variant="clbl", order=3, dim=400), None, classes)
    settings = TrainingSettings(batch=1000, epochs=1)
    monkeypatch.setattr(memory, "available_memory", lambda: 21 << 20)
    with pytest.raises(
        NoMemoryError, match=r"clbl with vectors of 400 dimensions needs about \d+ MB of memory"
    ) as error:
        task(settings)
    assert "what would fit: vectors of " in str(error.value) and "or minibatches of " in str(error.value)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(NoMemoryError, match="take a machine with more memory"):
        task(settings)
    monkeypatch.setattr(memory, "available_memory", lambda: training_bytes(task.shape, settings, task.sizes))
    task(settings)
