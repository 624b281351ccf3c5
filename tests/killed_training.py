"""A training that is killed at random moments and taken up again."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np


def resumes_bit_for_bit(folder: Path, training: str) -> bool:
    """Kill the process at moments drawn from a fixed seed; whether what is resumed in the end equals a run nobody disturbed.

    `training` is Python that makes `model` with checkpoints in `checkpoint`, a path or None.
    """
    script = folder / "train.py"
    head = "import sys\ncheckpoint = sys.argv[1] if len(sys.argv) > 1 else None\n"
    script.write_text(head + training + "\nmodel.save(sys.argv[2] if checkpoint else 'whole')\n")
    random = np.random.default_rng(8)
    checkpoint = folder / "checkpoint"
    kills = 0
    for attempt in range(20):
        process = subprocess.Popen([sys.executable, str(script), str(checkpoint), "resumed"], cwd=folder)
        while attempt < 3 and not checkpoint.exists() and process.poll() is None:
            time.sleep(0.005)
        try:
            process.wait(timeout=float(random.uniform(0.01, 0.4)) if attempt < 3 else 120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        if process.returncode == 0:
            break
    assert kills >= 1 and process.returncode == 0
    subprocess.run([sys.executable, str(script)], cwd=folder, check=True)
    return (folder / "resumed").read_bytes() == (folder / "whole").read_bytes()
