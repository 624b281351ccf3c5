"""Data-parallel training by torchrun on two processes of this machine equals training in one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")

PROGRAM = """
import json, sys
import torch
torch.set_num_threads(1)
from binyan.clustering import brown
from binyan.log_bilinear.settings import Shape, TrainingSettings, Variant
from binyan.log_bilinear.training import Trainer
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.log_bilinear.factor_map import FactorMap
from binyan.text import Corpus

text = [f"haus{a} hof{b} geh{a} lauf{b}" for a in ("en", "st", "t") for b in ("en", "st", "t")] * 4
corpus = Corpus.read(text)
words = corpus.vocabulary.words[3:]
table = SegmentationTable(Segmentation.parse(w, f"{w[:3]}/STM {w[3:]}/SUF") for w in words)
settings = TrainingSettings(epochs=2, batch=40, patience=9, l2=0.0)
class_of = brown(corpus, 3).ids(corpus.vocabulary)
trainer = Trainer(
    corpus, corpus, Shape(Variant.parse("clbl++"), 3, 4), settings, FactorMap.from_segmentations(table, corpus.vocabulary), class_of
)
course = trainer.run(progress=False)
if trainer.processes.first:
    with open(sys.argv[1], "w") as out:
        json.dump({"perplexity": course.perplexity, "size": trainer.processes.size}, out)
"""


def test_two_processes_equal_one(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    found = []
    launch = ["-m", "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1", "--nproc-per-node", "2"]
    for arguments in ([], launch):
        out = tmp_path / f"{len(arguments)}.json"
        command = [sys.executable, *arguments, str(tmp_path / "program.py"), str(out)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        found.append(json.loads(out.read_text()))
    assert [f["size"] for f in found] == [1, 2]
    assert found[1]["perplexity"] == pytest.approx(found[0]["perplexity"], rel=1e-4)
