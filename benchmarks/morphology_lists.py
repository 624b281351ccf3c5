"""Morphology on every gold list of a data folder: Morfessor, MorphAGram's grammar, the thesis's, ours, in one page.

Every system learns from the same words, without their analyses, and is scored on the report half of the gold words: F1 of
segment borders, and roots where the list has them. Each measurement is one small JSON file in the folder `runs` of --out; what is
there is not measured again, so a run that was stopped is resumed by the same command. A segmentation of any other program can
be added.

    python benchmarks/morphology_lists.py --data .../data --out lists --words 3000 --sweeps 100 --seeds 3
    python benchmarks/morphology_lists.py --data .../data --out lists --only finnish turkish --systems morfessor auto --candidates
    python benchmarks/morphology_lists.py --data .../data --out lists --only finnish --segmentation theirs=finnish.segmented
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from gold_lists import GOLD_FILES, GoldFile, GoldWords, read_gold_file
from morphology_page import write_page
from morphology_systems import SYSTEMS, Analysed, Learning, analyse, candidates, recall_choice

from binyan.evaluation.gold import GoldWord
from binyan.evaluation.roots import surface_realised
from binyan.evaluation.segmentation import score_segmentation
from binyan.files import write_text
from binyan.segmentation.segmentation_file import read_segmentations


def score(analysed: Analysed, words: GoldWords) -> dict:
    """Per cent, on the report half."""
    borders = score_segmentation(analysed.segmentations, words.report)
    figures = {"f1": borders.f1, "precision": borders.precision, "recall": borders.recall, "missing": borders.missing}
    roots = root_shares(analysed, words.report) if words.has_roots else {}
    return {**figures, **roots, "cpu_seconds": analysed.cpu_seconds, "seconds": analysed.seconds}


def root_shares(analysed: Analysed, gold: Sequence[GoldWord]) -> dict[str, float | int | None]:
    """The share of words with a triliteral root for which it is found: of all, of those whose stem shows it, of the others."""
    hits: dict[str, list[bool]] = {"all": [], "strong": [], "weak": []}
    for word in gold:
        roots = [root for root in word.roots if len(root) == 3]
        if roots:
            strong = any(surface_realised(root, word.stem) for root in roots)
            hit = analysed.roots.get(word.word) in roots
            for kind in ("all", "strong" if strong else "weak"):
                hits[kind].append(hit)
    shares = {f"roots_{kind}": 100 * sum(h) / len(h) if h else None for kind, h in hits.items()}
    return shares | {"roots_evaluated": len(hits["all"])}


def measured(path: Path, settings: dict) -> dict | None:
    """What a file holds, if it was measured with the same settings."""
    if not path.exists():
        return None
    stored = json.loads(path.read_text(encoding="utf-8"))
    return stored if stored["settings"] == settings else None


def measure(options: argparse.Namespace, gold_file: GoldFile, words: GoldWords) -> Iterator[dict]:
    """Every system on one list, seed by seed; those that were measured before are read."""
    learning = Learning(options.sweeps, options.chains, options.threads)
    about = {"learnt": len(words.learn), "scored": len(words.report), "left_out": words.left_out}
    for seed in range(1, options.seeds + 1):
        for system in [*options.systems, *(candidates() if options.candidates and seed == 1 else ())]:
            settings = {"words": options.words, "sweeps": options.sweeps, "chains": options.chains}
            path = options.out / "runs" / f"{gold_file.name}.{system.replace(':', '-')}.{seed}.json"
            if stored := measured(path, settings):
                recall_choice(system, gold_file, stored["grammar"], stored.get("chosen", ""))
                yield stored
                continue
            analysed = analyse(system, gold_file, words, learning, seed)
            if analysed is None:
                print(f"{system}: not in this version of Binyan; left out", file=sys.stderr)
                continue
            result = {"list": gold_file.name, "system": system, "seed": seed, "settings": settings, **about}
            result |= {
                **score(analysed, words),
                "grammar": analysed.grammar,
                "signature": analysed.signature,
                "chosen": analysed.chosen,
            }
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(result, ensure_ascii=False, indent=1))
            print(f"{gold_file.name} {system} seed {seed}: F1 {result['f1']:.1f}", file=sys.stderr, flush=True)
            yield result


def given(options: argparse.Namespace, gold_file: GoldFile, words: GoldWords) -> Iterator[dict]:
    """The segmentations of other programs, as far as they hold words of the list."""
    for name, path in options.segmentation:
        table = read_segmentations(path).table
        if any(word.word in table for word in words.report):
            about = {"learnt": None, "scored": len(words.report), "left_out": words.left_out, "grammar": ""}
            figures = score(Analysed(table), words) | {"cpu_seconds": None, "seconds": None}
            yield {"list": gold_file.name, "system": name, "seed": 1, **about, **figures, "signature": str(path)}


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise argparse.ArgumentTypeError(f"{text!r}: write NAME=FILE")
    return name, Path(path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the data folder; gold lists are in its folder words")
    parser.add_argument("--out", type=Path, required=True, help="the folder for measurements and for the page")
    parser.add_argument("--words", type=int, default=3000, help="words of each list, the same each time; 0: all")
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--chains", type=int, default=2)
    parser.add_argument("--threads", type=int, help="threads of each run; by default one for each chain")
    parser.add_argument("--seeds", type=int, default=3, help="so many runs of each system")
    parser.add_argument("--only", nargs="+", default=[], choices=[g.name for g in GOLD_FILES], metavar="LIST")
    parser.add_argument("--systems", nargs="+", default=SYSTEMS, help="systems to measure; by default all")
    parser.add_argument("--candidates", action="store_true", help="each grammar that the choice compares, first seed")
    parser.add_argument("--segmentation", action="append", default=[], type=_named, metavar="NAME=FILE")
    options = parser.parse_args(arguments)
    results = []
    for gold_file in GOLD_FILES:
        if options.only and gold_file.name not in options.only:
            continue
        if not (options.data / "words" / gold_file.file).exists():
            print(f"{gold_file.name}: no {gold_file.file} in {options.data / 'words'}; left out", file=sys.stderr)
            continue
        words = read_gold_file(options.data / "words", gold_file, options.words or None)
        results += [*measure(options, gold_file, words), *given(options, gold_file, words)]
        if results:
            write_page(options.out, results)
    print(*write_page(options.out, results), sep="\n")


if __name__ == "__main__":
    main()
