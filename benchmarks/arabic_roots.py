"""Roots of Arabic words: a learnt morphology beside two rule-based root extractors, NLTK's ISRI stemmer and Tashaphyne.

The gold file is in Buckwalter's transliteration: word, segments, root. Words are given to the extractors in Arabic letters without marks. All
answers are compared with hamza on any seat, and alif, as one letter; strong, weak and geminate roots are counted apart. Some gold roots are
those of other words (bEd for bqr): with `--possible`, words are left out that lack a radical which is never silent. An extractor that
is not installed is left out (`pip install nltk tashaphyne`, in an environment of their own if need be: `--only isri --answers isri.json`
writes its answers there, and `--read isri.json` counts them here).

    python benchmarks/arabic_roots.py BW.tsv --model bw.binyan --half report
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from binyan.evaluation.gold import GoldWord

BUCKWALTER = dict(
    zip(
        "'|>&<}AbptvjHxd*rzs$SDTZEgfqklmnhwyY{",
        "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهويىٱ",
        strict=True,
    )
)
BACK = {arabic: latin for latin, arabic in BUCKWALTER.items()}


def to_arabic(word: str) -> str:
    """Buckwalter's letters as Arabic ones; marks are left out."""
    return "".join(BUCKWALTER.get(char, "") for char in word)


def to_buckwalter(root: str) -> str:
    """Arabic letters in Buckwalter's transliteration."""
    return "".join(BACK.get(char, char) for char in root)


def isri() -> Callable[[str], str]:
    """NLTK's stemmer, which cuts words down to their roots."""
    from nltk.stem.isri import ISRIStemmer

    return ISRIStemmer().stem


def tashaphyne() -> Callable[[str], str]:
    """Tashaphyne's light stemmer and its root."""
    from tashaphyne.stemming import ArabicLightStemmer

    stemmer = ArabicLightStemmer()

    def root(word: str) -> str:
        stemmer.light_stem(word)
        return str(stemmer.get_root())

    return root


EXTRACTORS: dict[str, Callable[[], Callable[[str], str]]] = {"isri": isri, "tashaphyne": tashaphyne}


def extracted(name: str, words: Iterable[str]) -> dict[str, str | None]:
    """The root that an extractor gives each word, in Buckwalter's transliteration."""
    root = EXTRACTORS[name]()
    return {word: to_buckwalter(root(to_arabic(word))) or None for word in words}


def is_possible(word: GoldWord) -> bool:
    """Whether a word shows, in order, all radicals of one of its roots but w, y, hamza and the second of two that are the same."""
    from binyan.evaluation.root_kinds import comparable
    from binyan.evaluation.roots import surface_realised

    def shown(root: str) -> str:
        root = comparable(root.split("(")[0])
        return "".join(r for i, r in enumerate(root) if r not in "wyء" and r != root[i - 1 : i])

    return not word.roots or any(surface_realised(shown(root), comparable(word.word)) for root in word.roots)


def column_of_words(path: Path) -> list[str]:
    """The first column of a gold file."""
    return [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--model", type=Path, action="append", default=[])
    parser.add_argument("--half", choices=("all", "development", "report"), default="report")
    parser.add_argument("--possible", action="store_true", help="leave out words that cannot have their gold root")
    parser.add_argument("--only", choices=tuple(EXTRACTORS), help="run this extractor and nothing else")
    parser.add_argument("--answers", type=Path, help="with --only: write its answers here")
    parser.add_argument("--read", type=Path, action="append", default=[], help="answers written before")
    args = parser.parse_args()
    if args.only:
        answers = {"name": args.only, "answers": extracted(args.only, column_of_words(args.gold))}
        (args.answers or Path(f"{args.only}.json")).write_text(
            json.dumps(answers, ensure_ascii=False), encoding="utf-8"
        )
        return

    import binyan
    from binyan.evaluation.gold import halves, read_gold
    from binyan.evaluation.root_kinds import score_root_answers

    gold = read_gold(args.gold)
    words = gold if args.half == "all" else halves(gold)[args.half == "report"]
    if args.possible:
        left = [word for word in words if is_possible(word)]
        print(f"{len(words) - len(left):,} of {len(words):,} words cannot have their gold root and are left out")
        words = left
    systems: dict[str, dict[str, str | None]] = {}
    for path in args.read:
        stored = json.loads(path.read_text(encoding="utf-8"))
        systems[stored["name"]] = stored["answers"]
    for path in args.model:
        model = binyan.Morphology.load(path)
        systems[path.stem] = {word.word: model.root(word.word) for word in words}
    for name in EXTRACTORS if not args.read else ():
        try:
            systems[name] = extracted(name, [word.word for word in words])
        except ImportError:
            print(f"{name} is not installed and left out")
    for name, answers in systems.items():
        print(f"\n{name}, {args.half} words")
        print(score_root_answers(answers, words, short_geminates=True).table("").terminal(), end="")


if __name__ == "__main__":
    main()
