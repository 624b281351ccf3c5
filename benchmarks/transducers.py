"""Transducers of learnt morphologies: agreement with the parser on learnt and unseen words, states, arcs, words per second.

    python benchmarks/transducers.py finnish.tsv:affixes arabic.tsv:root-template tagalog.tsv:infix --markdown

Each argument is a word list (the first column of a file, packed or not) and a grammar. Words are drawn from the list at random; as
many as --unseen are held back. A transducer of a grammar of roots and templates holds the stems that were seen.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import binyan
from binyan.errors import BinyanError
from binyan.morphology.transducer import Transducer
from binyan.text.reading import read_lines

_OPENED = 20  # words looked up by other programs, the shortest: they follow one way after the other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", metavar="WORDS:GRAMMAR")
    parser.add_argument("--words", type=int, default=3000)
    parser.add_argument("--unseen", type=int, default=300)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stems", default="seen")
    parser.add_argument("--lift-schema", type=Path, help="RELAX NG schema of LIFT 0.13")
    parser.add_argument("--max-states", type=int, default=5_000_000)
    options = parser.parse_args()
    print("| list | grammar | kept states | states | arcs | seconds | AT&T MB | learnt | unseen | off by | words/s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    notes: list[str] = []
    for given in options.lists:
        path, _, grammar = given.rpartition(":")
        learnt, unseen = chosen(Path(path), options)
        model = binyan.Morphology(grammar, sweeps=options.sweeps, seed=options.seed).fit(learnt, progress=False)
        for states in ("average", "best"):
            print(row(Path(path).name, model, states, learnt, unseen, options), flush=True)
        short = sorted(learnt[: options.unseen], key=len)[:_OPENED]
        notes.append(f"{Path(path).name}: {opened(model, short)}; {validated(model, options.lift_schema)}")
    print("\nOne kept state, no new morphemes, learnt words:", *notes, sep="\n")


def chosen(path: Path, options: argparse.Namespace) -> tuple[list[str], list[str]]:
    words = sorted({line.split("\t")[0] for _, line in read_lines(path)} - {""})
    random.Random(options.seed).shuffle(words)
    unseen = min(options.unseen, len(words) // 10)
    return words[unseen : unseen + options.words], words[:unseen]


def row(
    name: str, model: binyan.Morphology, states: str, learnt: list[str], unseen: list[str], options: argparse.Namespace
) -> str:
    began = time.process_time()
    try:
        fst = model.to_fst(states=states, stems=options.stems, max_states=options.max_states)
    except BinyanError as error:
        return f"| {name} | {model.grammar.name} | {states} | refused: {error} |"
    seconds = time.process_time() - began
    known = random.Random(options.seed).sample(learnt, min(len(unseen), len(learnt)))
    same_learnt, _, _ = compared(model, fst, known)
    same_unseen, off, speed = compared(model, fst, unseen)
    with tempfile.TemporaryDirectory() as folder:
        att = Path(folder) / "model.att"
        fst.save(att)
        size = att.stat().st_size / 1e6
    return (
        f"| {name} | {model.grammar.name} | {states} | {fst.states:,} | {fst.arcs:,} | {seconds:.1f} | {size:.1f} | "
        f"{same_learnt:.1%} | {same_unseen:.1%} | {off:.2g} | {speed:,.0f} |"
    )


def compared(model: binyan.Morphology, fst: object, words: list[str]) -> tuple[float, float, float]:
    """The share of words whose best segmentation is that of the parser; the largest difference of log P(word); words per second.

    The best tree of a learnt word is the one sampled most, so learnt words are compared by the parser as unseen ones are.
    """
    began = time.process_time()
    mine = {word: fst.segmentations(word, 1) for word in words}
    seconds = time.process_time() - began
    same, off = 0, 0.0
    for word in words:
        theirs = parsed(model, word)
        same += [s.parts for s in mine[word]] == [s.parts for s in theirs]
        log_p, log_q = model.log_probability(word), fst.log_probability(word)
        if math.isfinite(log_p):
            off = max(off, abs(log_p - log_q))
    return same / max(1, len(words)), off, len(words) / seconds


def parsed(model: binyan.Morphology, word: str) -> list[object]:
    """The best segmentation by the kept states of the grammar."""
    from dataclasses import replace

    from binyan.morphology import Analysis, WordList

    posterior = parsed.cache.setdefault(
        id(model), replace(model.posterior, words=WordList(("\0",), (1,), model.words.preparation, model.words.unit))
    )  # type: ignore[attr-defined]
    sums: dict[object, float] = {}
    for tree, p in posterior.trees(word, 25):
        segmentation = Analysis(word, tree, p, model.grammar).segmentation
        sums[segmentation] = sums.get(segmentation, 0.0) + p
    return sorted(sums, key=lambda s: -sums[s])[:1]


parsed.cache = {}  # type: ignore[attr-defined]


def opened(model: binyan.Morphology, words: list[str]) -> str:
    """Whether other programs read the AT&T file, and for how many words their best way is our best analysis.

    They list ways one by one, so theirs is the transducer of one kept state that spells no new morphemes.
    """
    fst = model.to_fst(states="best", new="none", max_states=5_000_000)
    best = {word: found[0].text for word in words if (found := fst.analyse(word, 1))}
    with tempfile.TemporaryDirectory() as folder:
        att = Path(folder) / "model.att"
        fst.save(att)
        results = [f"{fst.states:,} states"]
        for name, open_fst in (("pyfoma", in_pyfoma), ("hfst", in_hfst)):
            try:
                look_up = open_fst(att)
            except ImportError:
                continue
            began = time.process_time()
            same = sum(look_up(word) == text for word, text in best.items())
            speed = len(best) / (time.process_time() - began)
            results.append(f"{name} {same}/{len(best)}, {speed:,.0f} words/s")
    return "; ".join(results)


def validated(model: binyan.Morphology, schema: Path | None) -> str:
    """Whether the LIFT file is valid by its schema, and the CLDF data set by pycldf, which refuses one that is not."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        words = len(model.words)
        if schema is not None:
            from lxml import etree

            model.to_lift(Path(folder) / "model.lift")
            relax_ng = etree.RelaxNG(etree.parse(str(schema)))
            valid = relax_ng.validate(etree.parse(str(Path(folder) / "model.lift")))
            results.append(f"LIFT of {words:,} words {'valid' if valid else f'not valid: {relax_ng.error_log}'}")
        try:
            model.to_cldf(Path(folder) / "cldf")
            results.append(f"CLDF of {words:,} words valid")
        except ImportError:
            results.append("no pycldf")
    return ", ".join(results)


def in_pyfoma(att: Path) -> Callable[[str], str]:
    fst = Transducer.read(att).to_pyfoma()
    return lambda word: next(fst.generate(word), "")


def in_hfst(att: Path) -> Callable[[str], str]:
    import hfst

    with open(att, encoding="utf-8") as source:
        fst = hfst.AttReader(source, "@0@").read()
    known = sorted(fst.get_alphabet(), key=len)
    tokens = hfst.HfstTokenizer()
    for symbol in known:
        tokens.add_multichar_symbol(symbol)

    def look_up(word: str) -> str:
        ways = hfst.tokenized_fst(tokens.tokenize_one_level(word))
        ways.compose(fst)
        ways.n_best(1)
        paths = ways.extract_paths(output="dict")
        return next((found[0][0] for found in paths.values()), "").replace("@_EPSILON_SYMBOL_@", "")

    return look_up


if __name__ == "__main__":
    main()
