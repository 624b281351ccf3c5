"""Does an installed Binyan work? Run with the interpreter it is installed in, from any folder: `python tests/smoke.py`.

Needs nothing but the package: no extras, no test tools. The wheels are tested by this on every system and Python version.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

TEXT = "das alte haus steht am hof\nder hof ist groß\nein haus am see ist schön\n" * 5
WORDS = [stem + ending for stem in ("walk", "talk", "jump", "größ") for ending in ("", "s", "ed", "ing")]


def binyan(*arguments: str, folder: Path) -> str:
    """What a command prints; ends the program where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "binyan", *arguments], cwd=folder, capture_output=True, encoding="utf-8", timeout=300
    )
    if done.returncode != 0:
        sys.exit(f"binyan {' '.join(arguments)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def language_model(folder: Path) -> None:
    """Train, save, load, score, export and import a model; a model and its ARPA file agree."""
    (folder / "text").write_text(TEXT, encoding="utf-8")
    binyan("lm", "train", "mkn", "--text", "text", "--order", "3", "--out", "mkn.binyan", folder=folder)
    binyan("lm", "export", "mkn.binyan", "--arpa", "mkn.arpa.gz", folder=folder)
    binyan("lm", "import", "mkn.arpa.gz", "--out", "arpa.binyan", folder=folder)
    perplexities = [perplexity(model, folder) for model in ("mkn.binyan", "arpa.binyan")]
    assert 1 < perplexities[0] < 10 and abs(perplexities[0] - perplexities[1]) < 1e-3, perplexities


def perplexity(model: str, folder: Path) -> float:
    """The perplexity of the text by a model file."""
    figures: dict[str, Any] = json.loads(binyan("lm", "perplexity", model, "--text", "text", "--json", folder=folder))
    return float(figures["perplexity"])


def morphology(folder: Path) -> None:
    """Learn segments of words; the same seed gives the same file, and the segments spell the words."""
    (folder / "words").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
    for out in ("first.binyan", "second.binyan"):
        learn = ["morph", "learn", "words", "--grammar", "concat", "--sweeps", "20", "--seed", "3", "--quiet"]
        binyan(*learn, "--out", out, folder=folder)
    assert (folder / "first.binyan").read_bytes() == (folder / "second.binyan").read_bytes()
    rows = [
        line.split("\t") for line in binyan("morph", "segment", "first.binyan", "words", folder=folder).splitlines()
    ]
    spelt = {word: "".join(part.partition("/")[0] for part in parts.split()) for word, parts, *_ in rows}
    assert spelt == {word: word for word in WORDS}, rows


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert binyan("--version", folder=folder).split() == ["binyan", version("binyan")]
        assert "root-template" in binyan("grammar", "list", folder=folder)
        language_model(folder)
        morphology(folder)
    print(f"binyan {version('binyan')} works on {sys.platform} with Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
