"""`lm train best` within a budget, against models and mixtures put together by hand without one.

    python benchmarks/best_model.py --texts language_models/1m --out results --cases hu:40000:1 cs:100000:2 de:200000:4

A case is LANGUAGE:TOKENS:MINUTES. The texts are those of `language_model_table.py`: LANGUAGE/train.txt, of which the first tokens are learnt from,
and dev.in.txt, test.in.txt (blocks of the same novels), dev.out.txt and test.out.txt (other novels). All models have the same vocabulary, that of
the training text, and to all the same model of where unknown words come is added, so that perplexities are over the same events.
Models are trained by their commands with default settings; what is chosen by hand is decided on the development text, which training
stops and mixtures are fitted on as well. A run that was interrupted goes on with what is missing.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from language_model_table import command

import binyan
from binyan.best_model.unknown_words import unknown_words_model
from binyan.files import replacing
from binyan.language_model import LanguageModel
from binyan.mixture import Mixture
from binyan.text import Corpus, Preparation

BLOCK, TRAINING_BLOCKS = 200, 8  # sentences of a block; of ten blocks, eight are training text
ROWS = {
    "mkn": False,
    "hpylm": False,
    "hpylm+i": False,
    "clbl++": True,
    "lstm++": True,
}  # whether development text is given
MIXTURES = (
    ("mkn", "lstm++"),
    ("hpylm", "clbl++"),
    ("hpylm+i", "clbl++"),
    ("hpylm", "clbl++", "lstm++"),
    ("hpylm+i", "clbl++", "lstm++"),
)
PARTS = ("dev", "test.in", "test.out")


class Case:
    """A text with its budget, in a folder of its own."""

    def __init__(self, name: str, texts: Path, out: Path) -> None:
        self.name = name
        self.language, tokens, minutes = name.split(":")
        self.tokens, self.minutes = int(tokens), float(minutes)
        self.folder, self.source = out / f"{self.language}-{tokens}", texts / self.language

    def path(self, name: str) -> Path:
        """A file of the case."""
        return self.folder / name

    def prepare(self) -> None:
        """The first tokens of the training text, and what is held out of and beside it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lines, left = [], self.tokens
        for line in (self.source / "train.txt").read_text().splitlines(keepends=True):
            left -= len(line.split()) + 1
            lines.append(line)
            if left <= 0:
                break
        held_out = max(1, round(len(lines) / TRAINING_BLOCKS / BLOCK)) * BLOCK
        self.path("train.txt").write_text("".join(lines))
        for part in ("dev.in", "dev.out", "test.in", "test.out"):
            text = (self.source / f"{part}.txt").read_text().splitlines(keepends=True)[:held_out]
            self.path(f"{part}.txt").write_text("".join(text))
        both = "".join(self.path(f"dev.{part}.txt").read_text() for part in ("in", "out"))
        self.path("dev.txt").write_text(both)

    def once(self, name: str, make: Callable[[], dict]) -> dict:
        """What `make` gives, kept in a file."""
        path = self.path(f"{name}.json")
        if not path.exists():
            result = make()
            with replacing(path) as part:
                part.write_text(json.dumps(result, indent=1))
            print(self.name, name, json.dumps(result.get("perplexity")), flush=True)
        return json.loads(path.read_text())

    def measured(self, model: LanguageModel) -> dict[str, float]:
        """Perplexity on each part of the held-out text."""
        return {part: round(model.perplexity(self.path(f"{part}.txt")), 2) for part in PARTS}

    def best(self) -> dict:
        """`lm train best` within its minutes."""
        text, out = str(self.path("train.txt")), self.path("best.binyan")
        words = ["--minutes", f"{self.minutes:g}", "--dev", str(self.path("dev.txt")), "--out", str(out), "--json"]
        printed, clock, processor = command("lm", "train", "best", "--text", text, *words)
        times = {"minutes": clock, "cpu_minutes": processor}
        return {**json.loads(printed), **times, "perplexity": self.measured(binyan.load(out))}

    def row(self, kind: str) -> dict:
        """A model with default settings."""
        words = ["--text", str(self.path("train.txt")), "--out", str(self.path(f"{kind}.binyan"))]
        words += ["--dev", str(self.path("dev.txt"))] if ROWS[kind] else []
        _, clock, processor = command("lm", "train", kind, *words)
        return {"minutes": clock, "cpu_minutes": processor, "perplexity": self.measured(self.mixture([kind]))}

    def mixture(self, kinds: Sequence[str]) -> Mixture:
        """Models, and that of unknown words, mixed by context."""
        models = [binyan.load(self.path(f"{kind}.binyan")) for kind in kinds]
        unknown = unknown_words_model(Corpus.read(self.path("train.txt"), progress=False), Preparation())
        every = [*models, *([unknown] if unknown else [])]
        return Mixture(every, by_context=True).fit(self.path("dev.txt"), progress=False)

    def mixed(self, kinds: Sequence[str]) -> dict:
        """A mixture of models trained before."""
        return {"of": list(kinds), "perplexity": self.measured(self.mixture(kinds))}


def by_hand(case: Case, kinds: Sequence[str]) -> dict[str, dict]:
    """Every row and every mixture of rows, measured."""
    rows = {kind: case.once(kind, lambda kind=kind: case.row(kind)) for kind in kinds}
    for parts in MIXTURES:
        if all(part in rows for part in parts):
            rows[", ".join(parts)] = case.once(", ".join(parts), lambda parts=parts: case.mixed(parts))
    return rows


def page(results: Sequence[tuple[Case, dict, dict[str, dict]]]) -> str:
    """The table of all cases, as Markdown."""
    lines = [
        "| text | model | processor minutes | development | in domain | other novels |",
        "|---|---|---|---|---|---|",
    ]

    def line(case: Case, name: str, minutes: float | None, figures: dict[str, float]) -> str:
        shown = [f"{figures[part]:.1f}" for part in PARTS]
        time = "" if minutes is None else f"{minutes:.1f}"
        return " | ".join([f"| {case.language}, {case.tokens:,}", name, time, *shown]) + " |"

    for case, best, rows in results:
        name = f"**best, {case.minutes:g} min: {best['chosen']}**"
        lines.append(line(case, name, best["processor_seconds"] / 60, best["perplexity"]))
        for kind, row in rows.items():
            lines.append(line(case, kind, row.get("cpu_minutes"), row["perplexity"]))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cases", nargs="+", default=["hu:40000:1", "cs:100000:2", "de:200000:4"])
    parser.add_argument("--by-hand", nargs="*", default=list(ROWS), choices=list(ROWS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of discounts of small texts
    results = []
    for case in (Case(name, options.texts, options.out) for name in options.cases):
        case.prepare()
        results.append((case, case.once("best", case.best), by_hand(case, options.by_hand)))
    path = options.out / "best_model.md"
    path.write_text(page(results))
    print(path)


if __name__ == "__main__":
    main()
