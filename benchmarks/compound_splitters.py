"""Compound splitters on the same German words: ours, trained and untrained, and those found on PyPI.

    python benchmarks/compound_splitters.py --data DATA --text DATA/text/europarl_de/de_mono.train*.xz [--deep]

Peers are measured where they can be imported (pip install compound-split split-words); they mark no linking elements, so
the common figure is F with linking elements merged to the left. Ours learn from the GecoDB sample (with --deep also from
GermaNet, parts of parts split in turn) without any development word. Nothing is tuned on the development set.

Simplex words are two lists: the parts of training compounds that no list splits, seen 100 times or more in the text, a tenth
of all such parts (by a digest of the word) being kept from training for this; and the function words, verbs and adverbs of
the German PUD treebank. The first still holds compounds that the lists lack, so its figure is an upper bound.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from binyan.evaluation.compounds import evaluate_splits
from binyan.evaluation.table import Column, Table
from binyan.segmentation import Part, Segmentation, SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.frequencies import word_frequencies
from binyan.segmentation.gold import read_gold, recursive, simplex_words
from binyan.signature import Signature
from binyan.text import Preparation, read_lines, read_tagged

Split = Callable[[Iterable[str]], SegmentationTable]
GERMAN_LINKS = ["s", "es", "n", "en", "e", "er"]


def peers() -> dict[str, Split]:
    """Splitters of PyPI; the best split of each is taken where its score is above zero, as its authors do."""
    found: dict[str, Split] = {}
    try:
        from compound_split import char_split

        found["compound-split"] = _binary(char_split.split_compound)
    except ImportError:
        print("compound-split is not installed")
    try:
        from split_words import Splitter

        found["split-words"] = _binary(Splitter().split_compound)
    except ImportError:
        print("split-words is not installed")
    return found


def _binary(split_compound: Callable[[str], list[tuple[float, str, str]]]) -> Split:
    def segment(word: str) -> Segmentation:
        score, left, _ = split_compound(word)[0]
        if score <= 0 or len(left) >= len(word):
            return Segmentation.simplex(word)
        return Segmentation(word, (Part(word[: len(left)]), Part(word[len(left) :])))

    return lambda words: SegmentationTable(map(segment, words))


def kept_from_training(word: str) -> bool:
    """Whether a simplex word is for evaluation: a tenth are."""
    return zlib.crc32(word.encode()) % 10 == 0


def main() -> None:
    """Train, split, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--text", type=Path, nargs="*", default=[])
    parser.add_argument("--counts", type=Path, help="words and their counts, separated by a tab, instead of --text")
    parser.add_argument("--deep", action="store_true", help="learn from GermaNet too, parts of parts split in turn")
    parser.add_argument("--splitter", type=Path, help="where the trained splitter is kept; used if it is there")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    compounds = options.data / "compounds"
    dev = read_gold(compounds / "gecodb_dev_1000.tsv").table
    lists = ["germanet18_links.tsv.xz"] * options.deep + ["gecodb_train_50000.tsv.xz"]
    rows: dict[str, Segmentation] = {}
    for name in lists:
        for row in read_gold(compounds / name).table.values():
            if row.word not in dev:
                rows.setdefault(row.word, row)
    gold = SegmentationTable(rows.values())
    if options.deep:
        gold = recursive(gold)
    simplex = [word for word in simplex_words(gold) if word not in dev]
    frequencies = word_frequencies(options.text, Preparation(punctuation=True, tokenise="de"))
    if options.counts:
        for _, line in read_lines(options.counts):
            word, count = line.split("\t")
            frequencies[word.lower()] += int(count)

    if options.splitter and options.splitter.exists():
        ours = CompoundSplitter.load(options.splitter)
    else:
        train = [word for word in simplex if not kept_from_training(word)]
        ours = CompoundSplitter(iterations=options.iterations).fit(gold, frequencies, simplex=train)
        if options.splitter:
            ours.save(options.splitter)

    parts = {part.text for row in gold.values() for part in row if not part.linking}
    known = [row for row in dev.values() if all(p.linking or p.text in parts for p in row)]
    germanet = read_gold(compounds / "germanet18_links.tsv.xz").table
    never_split = [w for w in simplex if kept_from_training(w) and frequencies[w] >= 100 and w not in germanet]
    tags = ("ADP", "ADV", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", "VERB")
    treebank = options.data / "text" / "ud_pud" / "de_pud.conllu.gz"
    tagged = {w.lower() for s in read_tagged(treebank) for w, t in zip(s.words, s.tags, strict=True) if t in tags}
    together = SegmentationTable([*dev.values(), *(row for row in germanet.values() if row.word not in dev)])
    deep_dev = recursive(together)
    sets = {
        "dev": dev,
        "dev, all parts seen": SegmentationTable(known),
        "dev, a part unseen": SegmentationTable(row for row in dev.values() if row not in known),
        "dev, parts split by GermaNet": SegmentationTable(deep_dev[word] for word in dev),
        "simplex parts": SegmentationTable(map(Segmentation.simplex, never_split)),
        "simplex, treebank": SegmentationTable(Segmentation.simplex(w) for w in sorted(tagged) if w.isalpha()),
    }
    splitters: dict[str, Split] = {
        "binyan" + (", deep" if options.deep else ""): ours.split_words,
        "binyan, frequencies only": CompoundSplitter(links=" ".join(GERMAN_LINKS)).fit(text=frequencies).split_words,
        **peers(),
    }
    cells = []
    for name, split in splitters.items():
        for title, words in sets.items():
            result = evaluate_splits(split(words), words, Signature({"task": "compounds"}))
            strict = 100 * result.f1 if name.startswith("binyan") and not result.simplex else None
            left = None if result.simplex else 100 * result.f1_merged_left
            wrong = 100 * result.simplex_split / result.simplex if result.simplex else None
            cells.append((name, title, len(words), strict, left, wrong))
    columns = [Column("splitter"), Column("words of"), Column("number", "d")]
    columns += [Column(name, ".2f") for name in ("F with link", "F merged left", "simplex split")]
    signature = Signature(
        {"task": "compounds", "dev": dev.digest, "gold": gold.digest, "words": sum(frequencies.values())}
    )
    table = Table("Compound splitters on German, per cent", columns, cells, str(signature))
    print(table.terminal(140))
    if options.json:
        options.json.write_text(json.dumps(table.to_dict(), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
