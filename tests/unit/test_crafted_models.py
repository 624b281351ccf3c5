"""A model file with valid checksums never crashes or hangs: it is refused, or gives numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from binyan.morphology import Morphology
from binyan.translation.rule_text import read_rules

TESTS = Path(__file__).parent.parent
FILES = sorted(
    [
        *TESTS.glob("golden/models/*.binyan"),
        *TESTS.glob("golden/log_bilinear/*.binyan"),
        *TESTS.glob("golden/morphology/*.binyan"),
        *TESTS.glob("golden/compounds/*.splitter"),
    ]
)
RULES = """[X] ||| a ||| A ||| f=-1
[X] ||| b ||| B C ||| f=-2
[X] ||| a [X,1] ||| [X,1] A ||| f=-0.5
[X] ||| [X,1] b [X,2] ||| [X,2] B [X,1] ||| f=-0.25
[X] ||| a [X,1] c ||| C [X,1] ||| f=-0.125
"""

pytestmark = pytest.mark.posix


def check_all_mutations(path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(TESTS / "crafted_models.py"), str(path), "1"],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    tail = "\n".join(run.stdout.splitlines()[-1:])
    assert run.returncode == 0, f"{path.name} after {tail}: exit {run.returncode}\n{run.stderr[-2000:]}"
    assert tail.startswith("tried ")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_crafted_files_of_every_kind(path):
    if path.parent.name == "log_bilinear":
        pytest.importorskip("torch")
    check_all_mutations(path)


def test_crafted_rule_tables(tmp_path):
    (tmp_path / "rules").write_text(RULES)
    read_rules(tmp_path / "rules").save(tmp_path / "table")
    check_all_mutations(tmp_path / "table")


def test_crafted_chains_of_an_adaptor_grammar(tmp_path):
    words = ["kataba", "maktab", "katib", "daras", "madras", "daris", "kutub", "maktabun"]
    Morphology("tpl", sweeps=4, burn_in=2, chains=1).fit(words, progress=False, checkpoint=tmp_path / "model")
    check_all_mutations(tmp_path / "model")
