"""Language models as their commands train them by default, on the same text and events: perplexity, minutes and size.

    python benchmarks/language_model_table.py --data eltec --out results --languages de cs --tokens 1000000

Each language needs LANGUAGE.train.txt.xz, LANGUAGE.dev.txt.xz and LANGUAGE.test.txt.xz. Of the training text, every tenth block of 200
sentences is held out: text that goes on in the novels learnt from. Development and test text each have two parts, these blocks and other novels.
Training stops and mixtures are fitted on both development parts together; `--second` names a folder with a further test text. A run that was
interrupted goes on with what is missing; the page `language_models.md` has the tables and the plot of all that was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from language_model_page import write_page

from binyan.files import replacing
from binyan.text import Preparation, read_sentences

BLOCK = 200  # sentences of a block
KAPPA = "0.2"  # the share of words seen once that the vocabulary leaves out
PARTS = {"in domain": "test.in.txt", "other novels": "test.out.txt", "second text": "test.second.txt"}


@dataclass(frozen=True)
class Row:
    """A model of the table: the kind that `lm train` trains and its options, or the rows that it mixes."""

    kind: str = ""
    options: Sequence[str] = ()
    needs_dev: bool = False
    mixes: Sequence[str] = ()


MODELS = {
    "mkn": Row("mkn"),
    "hpylm": Row("hpylm"),
    "hpylm+i": Row("hpylm+i"),
    "hpylm+i, learnt": Row("hpylm+i", ["--learn-segmentation"]),
    "clbl": Row("clbl", needs_dev=True),
    "clbl++": Row("clbl++", needs_dev=True),
    "lstm": Row("lstm", needs_dev=True),
    "lstm++": Row("lstm++", needs_dev=True),
    "hpylm, clbl++": Row(mixes=["hpylm", "clbl++"]),
    "mkn, lstm": Row(mixes=["mkn", "lstm"]),
    "hpylm, lstm++": Row(mixes=["hpylm", "lstm++"]),
    "hpylm, clbl++, lstm++": Row(mixes=["hpylm", "clbl++", "lstm++"]),
    "hpylm+i, clbl++, lstm++": Row(mixes=["hpylm+i", "clbl++", "lstm++"]),
}


class Texts:
    """The prepared texts of a language in a folder."""

    def __init__(self, folder: Path, language: str) -> None:
        self.folder, self.language = folder, language
        self.preparation = Preparation(tokenise=language, lowercase=True, digits=True)

    def prepare(self, data: Path, second: Path | None, tokens: int, held_out: int) -> None:
        """Write the training text and the parts of the development and test text; what exists is kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "train.txt").exists():
            self._split(read_sentences(data / f"{self.language}.train.txt.xz", self.preparation), tokens, held_out)
        for part in ("dev", "test"):
            self._copy(data / f"{self.language}.{part}.txt.xz", f"{part}.out.txt", held_out)
        if second and (second / f"{self.language}.test.txt.xz").exists():
            self._copy(second / f"{self.language}.test.txt.xz", "test.second.txt", held_out)
        both = [(self.folder / f"dev.{part}.txt").read_text() for part in ("in", "out")]
        (self.folder / "dev.txt").write_text("".join(both))

    def _split(self, sentences: Iterator[Sequence[str]], tokens: int, held_out: int) -> None:
        """Blocks 8, 18, 28 ... become development text, blocks 9, 19, 29 ... test text, while there is room for them."""
        counts = dict.fromkeys(("train", "dev.in", "test.in"), 0)
        lines: dict[str, list[str]] = {name: [] for name in counts}
        for number, sentence in enumerate(sentences):
            part = {8: "dev.in", 9: "test.in"}.get(number // BLOCK % 10, "train")
            if part != "train" and counts[part] >= held_out:
                part = "train"
            counts[part] += len(sentence) + 1
            lines[part].append(" ".join(sentence) + "\n")
            if counts["train"] >= tokens:
                break
        for name in ("dev.in", "test.in", "train"):
            with replacing(self.folder / f"{name}.txt") as path:
                path.write_text("".join(lines[name]))

    def _copy(self, source: Path, name: str, tokens: int) -> None:
        if (self.folder / name).exists():
            return
        lines = []
        for sentence in read_sentences(source, self.preparation):
            lines.append(" ".join(sentence) + "\n")
            tokens -= len(sentence) + 1
            if tokens <= 0:
                break
        with replacing(self.folder / name) as path:
            path.write_text("".join(lines))


def command(*words: str) -> tuple[str, float, float]:
    """What a command of the toolkit printed, and its minutes by the clock and of the processor."""
    before, started = os.times(), time.perf_counter()
    run = subprocess.run([sys.executable, "-m", "binyan", *words], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"binyan {' '.join(words)}:\n{run.stderr[-2000:]}")
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return run.stdout, (time.perf_counter() - started) / 60, used / 60


def train(name: str, texts: Texts, tokens: int) -> tuple[float, float]:
    """Train or mix a model of the table; its minutes by the clock and of the processor."""
    row, out, dev = MODELS[name], texts.folder / f"{name}.binyan", str(texts.folder / "dev.txt")
    if row.mixes:
        models = [str(texts.folder / f"{part}.binyan") for part in row.mixes]
        return command("lm", "mix", *models, "--dev", dev, "--by-context", "--out", str(out))[1:]
    script = ["--script", "cyrillic"] if texts.language == "ru" else []
    words = ["lm", "train", row.kind, "--text", str(texts.folder / "train.txt"), "--out", str(out)]
    words += [*row.options, *script, "--kappa", KAPPA, *(["--dev", dev] if row.needs_dev else [])]
    return command(*words)[1:]


def measure(name: str, texts: Texts, tokens: int) -> dict:
    """Train a model; its minutes, its size, and its perplexity on every part of the test text."""
    row, model = MODELS[name], texts.folder / f"{name}.binyan"
    minutes, cpu = train(name, texts, tokens)
    result: dict = {"language": texts.language, "model": name, "tokens": tokens, "mixes": list(row.mixes)}
    result |= {"minutes": minutes, "cpu_minutes": cpu}
    result["bytes"] = model.stat().st_size
    for part in ("dev.in.txt", "dev.out.txt", *PARTS.values()):
        if (texts.folder / part).exists():
            words = ["lm", "perplexity", str(model), "--text", str(texts.folder / part), "--json"]
            printed = json.loads(command(*words)[0])
            figures = printed if "perplexity" in printed else printed["perplexity"]
            result[part] = {k: figures[k] for k in figures if isinstance(figures[k], int | float | str)}
    return result


def main() -> None:
    """Measure what is missing, language by language, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--second", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", default=["de", "cs", "en", "es", "fr", "ru", "hu"])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--held-out", type=int, default=50_000, help="tokens of each part of the held-out text")
    options = parser.parse_args()
    for language in options.languages:
        texts = Texts(options.out / language, language)
        texts.prepare(options.data, options.second, options.tokens, options.held_out)
        for name in options.models:
            path = texts.folder / f"{name}.json"
            missing = [part for part in MODELS[name].mixes if not (texts.folder / f"{part}.binyan").exists()]
            if path.exists() or missing:
                continue
            try:
                result = measure(name, texts, options.tokens)
            except RuntimeError as problem:
                print(problem, flush=True)
                continue
            with replacing(path) as part:
                part.write_text(json.dumps(result, indent=1))
            print(language, name, f"{result['cpu_minutes']:.1f} min", flush=True)
    print(*write_page(options.out, list(MODELS), PARTS, "language_models"), sep="\n")


if __name__ == "__main__":
    main()
