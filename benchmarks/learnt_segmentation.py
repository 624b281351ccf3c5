"""Segmentation learnt with the language model (`hpylm+i --learn-segmentation`) against gold, and against the map that is fixed.

    python benchmarks/learnt_segmentation.py --texts language_models/1m --data DATA --out results --tokens 60000

Perplexity is that of development text from the same novels and from others, for the languages of `--languages`; the texts are those of
`language_model_table.py`. German words of the text that GermaNet splits are compared at their boundaries with the map that our own morphology
learns and with the frequency splitter, which needs no gold list either; linking elements belong to the part on their left. GermaNet splits a compound once, in
two, and never a suffix off, so that precision is low for whatever cuts endings: recall and the share of words with that cut say more.
The Turkish words of Morpho Challenge have no text and no frequencies: each is a sentence of one word, and the model is of order 1. A list of
compounds from GermaNet and their parts is learnt from in the same way. A run that was interrupted goes on with what is missing.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from language_model_table import command

import binyan
from binyan.evaluation.compounds import evaluate_splits
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.gold import read_gold as read_gold_words
from binyan.evaluation.segmentation import score_segmentation
from binyan.files import replacing
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.frequencies import word_frequencies
from binyan.segmentation.gold import read_gold
from binyan.signature import Signature

KAPPA = "0.2"
LISTED = 2000  # compounds of the list
WAYS = {"fixed": (), "learnt": ("--learn-segmentation",)}
GERMAN_LINKS = "s es n en e er"


class Text:
    """A training text in a folder, and what was learnt from it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def train(self) -> Path:
        """The training text."""
        return self.folder / "train.txt"

    def take(self, source: Path, tokens: int) -> None:
        """The first tokens of a text."""
        lines = []
        for line in source.read_text().splitlines(keepends=True):
            tokens -= len(line.split()) + 1
            lines.append(line)
            if tokens <= 0:
                break
        self.train.write_text("".join(lines))

    def trained(self, way: str, held_out: Mapping[str, Path]) -> dict:
        """The model, its segmentation written beside it, and its perplexities; what exists is kept."""
        path, model = self.folder / f"{way}.json", self.folder / f"{way}.binyan"
        if not path.exists():
            words = ["--text", str(self.train), "--out", str(model), "--learnt", str(self.folder / f"{way}.tsv")]
            _, clock, processor = command("lm", "train", "hpylm+i", *words, *WAYS[way], *self.options)
            trained = binyan.load(model)
            perplexity = {part: trained.perplexity(text) for part, text in held_out.items()}
            result = {"minutes": clock, "cpu_minutes": processor, "perplexity": perplexity}
            with replacing(path) as part:
                part.write_text(json.dumps(result, indent=1))
            print(path, json.dumps(result), flush=True)
        return json.loads(path.read_text())

    def segmentations(self) -> dict[str, SegmentationTable]:
        """The fixed and the learnt segmentation, and that of the frequency splitter."""
        counts = word_frequencies(self.train, progress=False)
        splitter = CompoundSplitter(links=GERMAN_LINKS).fit(text=counts)
        tables = {way: SegmentationTable.read(self.folder / f"{way}.tsv") for way in WAYS}
        return {"frequency splitter": splitter.split_words(counts, progress=False), **tables}


def german(text: Text, gold: SegmentationTable) -> list[str]:
    """Boundaries of the GermaNet compounds that stand in the text."""
    every = text.segmentations()
    table = SegmentationTable(row for word, row in gold.items() if word in every["fixed"])
    name = f"German compounds in {text.folder.name} ({len(table):,} words)"
    lines = ["", f"| {name} | precision | recall | F | words right |", "|---|---|---|---|---|"]
    for way, predicted in every.items():
        found = evaluate_splits(predicted, table, Signature({}))
        right, guessed, given = found.merged_left
        figures = right / max(guessed, 1), right / given, found.f1_merged_left, found.correct_words / found.words
        lines.append(f"| {way} | " + " | ".join(f"{100 * x:.1f}" for x in figures) + " |")
    return lines


def listed_compounds(text: Text, gold: SegmentationTable) -> list[str]:
    """Boundaries of some GermaNet compounds that are learnt from as a list, with their parts as words beside them."""
    some = [gold[word] for word in sorted(gold)[:: max(1, len(gold) // LISTED)]]
    words = dict.fromkeys(w for row in some for w in (row.word, *(p.text for p in row if not p.linking)))
    text.train.write_text("".join(f"{word}\n" for word in words if word.isalpha()))
    for way in WAYS:
        text.trained(way, {})
    return german(text, SegmentationTable(some))


def lowered(row: Segmentation) -> Segmentation:
    """A gold row in lowercase."""
    return Segmentation(row.word.lower(), tuple(replace(part, text=part.text.lower()) for part in row))


def turkish(text: Text, gold: Path) -> list[str]:
    """Boundaries of all words of a Morpho Challenge list."""
    words: list[GoldWord] = read_gold_words(gold)
    text.train.write_text("".join(f"{word.word}\n" for word in words))
    for way in WAYS:
        text.trained(way, {})
    lines = ["", f"| Turkish words ({len(words):,}) | precision | recall | F |", "|---|---|---|---|"]
    for way in WAYS:
        score = score_segmentation(SegmentationTable.read(text.folder / f"{way}.tsv"), words)
        lines.append(f"| {way} | {score.precision:.1f} | {score.recall:.1f} | {score.f1:.1f} |")
    return lines


def main() -> None:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=60_000)
    parser.add_argument("--languages", nargs="*", default=["de", "hu", "cs"])
    parser.add_argument("--lists", nargs="*", default=["turkish", "german"], choices=["turkish", "german"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = ["| perplexity | in domain | other novels | processor minutes |", "|---|---|---|---|"]
    gold: list[str] = []
    splits = read_gold(options.data / "compounds" / "germanet18_splits.tsv.xz").table
    compounds = SegmentationTable({row.word: row for row in map(lowered, splits.values())}.values())
    for language in options.languages:
        text, source = Text(options.out / f"{language}-{options.tokens}", "--kappa", KAPPA), options.texts / language
        text.take(source / "train.txt", options.tokens)
        held_out = {part: source / f"{part}.txt" for part in ("dev.in", "dev.out")}
        for way in WAYS:
            result = text.trained(way, held_out)
            figures = " | ".join(f"{result['perplexity'][part]:.1f}" for part in held_out)
            lines.append(f"| {language}, {way} | {figures} | {result['cpu_minutes']:.1f} |")
        if language == "de":
            gold += german(text, compounds)
    if "turkish" in options.lists:
        list_of_words = options.data / "words" / "morpho_challenge" / "mc2010_tur.tsv"
        gold += turkish(Text(options.out / "tr", "--order", "1"), list_of_words)
    if "german" in options.lists:
        gold += listed_compounds(Text(options.out / "list", "--order", "1"), compounds)
    path = options.out / "learnt_segmentation.md"
    path.write_text("\n".join([*lines, *gold]) + "\n")
    print(path.read_text())


if __name__ == "__main__":
    main()
