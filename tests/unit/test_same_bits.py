"""The same seed gives the same bits whichever instructions the C library and NumPy choose at run time."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

SHORT_RUNS = """
import hashlib, warnings
warnings.simplefilter("ignore")
from binyan.morphology import Morphology
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey
from binyan.sampling import Schedule
from binyan.segmentation import Segmentation, SegmentationTable

text = ["der hofhund sah den schulhof", "der hund am hof sah den mond", "die schul am mondhof", "der hund schlief"] * 8
table = SegmentationTable(Segmentation.parse(w, p) for w, p in
                          (("hofhund", "hof hund"), ("schulhof", "schul hof"), ("mondhof", "mond hof")))
schedule = Schedule(sweeps=30, samples=2, chains=2)
words = ["kitab", "katab", "wakatab", "kutub", "wakitab", "maktab", "malak", "milk", "wamilk"]
models = {
    "hpylm": HPYLM(3, schedule=schedule).fit(text, progress=False),
    "hpylm+g": CompoundHPYLM(3, schedule=schedule, segmentation=table, both_ways=True).fit(text, progress=False),
    "adaptor": Morphology("tpl", sweeps=30, burn_in=20, chains=2, snapshots=2).fit(words, progress=False),
}
for name, model in models.items():
    print(name, *[hashlib.sha256(trace.tobytes()).hexdigest() for trace in model.trace])
    print(name, hashlib.sha256(model.to_bytes()).hexdigest())
print("mkn", hashlib.sha256(KneserNey(3).fit(text, progress=False).to_bytes()).hexdigest())
print("analyses", [a.probability.hex() for a in models["adaptor"].analyses("wamaktab")])
"""


def digests(**environment: str) -> list[str]:
    """What the short runs print in a process of their own."""
    process = subprocess.run(
        [sys.executable, "-c", SHORT_RUNS], capture_output=True, text=True, env=os.environ | environment
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told which instructions not to use")
def test_traces_do_not_depend_on_the_instructions_of_the_processor() -> None:
    plain = digests()
    assert len(plain) == 8
    assert digests(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable") == plain
