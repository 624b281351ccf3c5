"""The long-running commands, on text so small that each takes a few seconds."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STEMS = ("haus", "hof", "geh", "lauf", "schul", "baum", "bild", "wort")
SUFFIXES = ("en", "st", "t", "er")
LEXICON = {"the": "das", "a": "ein", "house": "haus", "dog": "hund", "sees": "sieht", "green": "grüne", "old": "alte"}


@dataclass(frozen=True)
class Command:
    """A command, what it adds to take up its work again, and the files it makes.

    `inputs` are models that other commands make. `checkpoint` is the file that holds the work done so far.
    """

    name: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    resume: tuple[str, ...] = ()
    checkpoint: str | None = None
    inputs: tuple[str, ...] = ()


def _command(name: str, arguments: str, *outputs: str, **more: object) -> Command:
    return Command(name, tuple(arguments.split()), outputs, **more)  # type: ignore[arg-type]


SAMPLED = {"resume": ("--resume",), "checkpoint": "out"}
COMMANDS = {
    c.name: c
    for c in (
        _command("lm train mkn", "lm train mkn --text text --order 4 --quiet --out out", "out"),
        _command(
            "lm train hpylm",
            "lm train hpylm --text text --order 3 --sweeps 40 --samples 4 --chains 2 --quiet --out out",
            "out",
            **SAMPLED,
        ),
        _command(
            "lm train hpylm+g",
            "lm train hpylm+g --text text --order 3 --segmentation segments --sweeps 30 --samples 3 --quiet --out out",
            "out",
            **SAMPLED,
        ),
        _command(
            "lm train clbl++",
            "lm train clbl++ --text text --dev dev --word-map segments --order 3 --dim 10 --batch 50 --epochs 8 --patience 9 -k 6 "
            "--checkpoint state --quiet --out out",
            "out",
            checkpoint="state",
        ),
        _command("lm mix", "lm mix mkn clbl --dev dev --by-context --out out", "out", inputs=("mkn", "clbl")),
        _command("classes train", "classes train --text text -k 12 --out out", "out"),
        _command(
            "morph learn",
            "morph learn words --grammar concat --sweeps 60 --burn-in 30 --chains 2 --quiet --out out",
            "out",
            **SAMPLED,
        ),
        _command(
            "mt train",
            "mt train --source en --target de --alignment links --order 3 --quiet --out system",
            "system/grammar.binyan",
            "system/language_model.binyan",
        ),
        _command(
            "mt tune",
            "mt tune system --source en --reference de --repetitions 2 --quiet",
            "system/weights.json",
            inputs=("system",),
        ),
        _command("reproduce run", "reproduce run small --data . --results results", "results"),
    )
}


def write_texts(folder: Path) -> None:
    """All that the commands read."""
    random = np.random.default_rng(5)
    words = [f"{stem}{suffix}" for stem in STEMS for suffix in SUFFIXES]
    weights = 1 / np.arange(1, len(words) + 1)
    for name, sentences in (("text", 400), ("dev", 60)):
        lines = (
            " ".join(random.choice(words, random.integers(2, 9), p=weights / weights.sum())) for _ in range(sentences)
        )
        _write(folder / name, lines)
    _write(folder / "segments", (f"{a}{b}\t{a} {b}" for a in STEMS for b in SUFFIXES))
    _write(folder / "words", (f"{a}{b}" for a in STEMS for b in SUFFIXES))
    sentences = list(
        itertools.product(("the", "a"), ("green", "old"), ("house", "dog"), ("the", "a"), ("house", "dog"))
    )
    source = [" ".join([d, adj, n, "sees", e, m]) for d, adj, n, e, m in sentences]
    _write(folder / "en", source)
    _write(folder / "de", (" ".join(LEXICON[w] for w in s.split()) for s in source))
    _write(folder / "links", ["0-0 1-1 2-2 3-3 4-4 5-5"] * len(source))


def _write(path: Path, lines: object) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")  # type: ignore[attr-defined]
