"""Makes the golden files: `python make_texts.py LMPLZ`, where LMPLZ is KenLM's estimator. Texts are drawn from seeded word lists."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def text(seed: int, sentences: int, types: int) -> str:
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(types)]
    weights = [1 / (i + 1) for i in range(types)]
    lines = []
    for _ in range(sentences):
        line = rng.choices(words, weights, k=rng.randint(1, 9))
        lines.append(" ".join(line + line[:2] if rng.random() < 0.3 else line))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for seed, (sentences, types, order, options) in enumerate(
        [
            (40, 30, 3, []),
            (60, 50, 2, []),
            (30, 12, 4, ["--discount_fallback"]),
            (200, 150, 3, ["--prune", "0", "0", "1"]),
        ]
    ):
        name = HERE / f"{seed}-order{order}{''.join(options[:1])}"
        source = text(seed, sentences, types)
        name.with_suffix(".txt").write_text(source)
        command = [sys.argv[1], "-o", str(order), "-S", "100M", *options]
        arpa = subprocess.run(command, input=source.encode(), capture_output=True, check=True).stdout
        name.with_suffix(".arpa").write_bytes(arpa)
