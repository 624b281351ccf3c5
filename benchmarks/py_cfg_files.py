"""A grammar file of py-cfg or MorphAGram as it is, learnt by py-cfg (Mark Johnson) and by Binyan: probabilities, analyses, speed.

py-cfg is a program that the caller has built. It gets the file and the words in MorphAGram's encoding; Binyan gets the file and the
words as they are written. Compared are the probability of each word before anything is learnt, how often each analysis of a
word is sampled, and processor seconds.

    python benchmarks/py_cfg_files.py --py-cfg .../py-cfg --grammar traindev.cfg1.txt --words adyghe.txt --count 2000 --sweeps 20
    python benchmarks/py_cfg_files.py --py-cfg .../py-cfg --grammar small.txt --words few.txt --sweeps 20000 --analyses
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from adaptor_peers import OPTIONS
from adaptor_speed import sample_words
from children import run

from binyan.grammar.morphagram import decoded_word
from binyan.grammar.notation import load_grammar
from binyan.grammar.parser import Parser
from binyan.grammar.tree_segments import segmentation
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList


def encoded(word: str) -> str:
    """A word in MorphAGram's encoding."""
    return " ".join(["^^^", *(char.encode("utf-16").hex() for char in word), "$$$"])


def peer_probability(program: Path, grammar: Path, word: str) -> float:
    """The probability of a word by the rules alone: py-cfg shows it of the first word."""
    command = [program, *OPTIONS[:-2], "-d", "1000", "-n", "0", grammar]
    told = subprocess.run(
        list(map(str, command)), input=f"{encoded(word)}\n", capture_output=True, text=True, check=True
    )
    [probability] = re.findall(r"tprob = ([0-9.e+-]+)", told.stderr)
    return float(probability)


def peer_run(program: Path, grammar: Path, words: list[str], sweeps: int, keep: int) -> tuple[float, list[Counter]]:
    """Processor seconds, and how often each word had which morphs in the last sweeps."""
    with tempfile.TemporaryDirectory() as folder:
        text, parses = Path(folder) / "words", Path(folder) / "parses"
        text.write_text("".join(f"{encoded(word)}\n" for word in words))
        kept = ["-A", parses, "-N", keep] if keep else []
        command = [program, *OPTIONS, "-D", "-R", "-1", "-r", 1, "-n", sweeps, *kept, grammar]
        cost = run(list(map(str, command)), stdin=text)
        blocks = parses.read_text().strip().split("\n\n") if keep else []
    counts: list[Counter] = [Counter() for _ in words]
    for block in blocks:
        for counter, tree in zip(counts, block.splitlines(), strict=True):
            counter[morphs(tree)] += 1
    return cost.cpu, counts


def morphs(tree: str) -> tuple[str, ...]:
    """The morphs of a tree as py-cfg prints it."""
    found = []
    for match in re.finditer(r"\((?:PrefixMorph|Stem|SuffixMorph)(?:#\d+)? ", tree):
        depth, end = 0, match.start()
        while True:
            depth += {"(": 1, ")": -1}.get(tree[end], 0)
            end += 1
            if depth == 0:
                break
        tokens = re.findall(r"fffe[0-9a-f]+", tree[match.start() : end])
        found.append(decoded_word(" ".join(tokens)) or "")
    return tuple(found)


def our_run(grammar: Path, words: list[str], sweeps: int, keep: int, joint: float) -> tuple[float, list[Counter]]:
    """The same of Binyan, with everything from the grammar file on; its cached trees are resampled as well."""
    begin = time.process_time()
    settings = MorphologySettings(sweeps=sweeps, burn_in=sweeps - 1, seed=1, joint=joint)
    sampler = AdaptorSampler(load_grammar(grammar), WordList.of(words, unit="codepoint"), settings)
    state = sampler.init()
    counts: list[Counter] = [Counter() for _ in words]
    labels = sampler.compiled.source.segment_labels
    for sweep in range(sweeps):
        sampler.step(state)
        if sweep >= sweeps - keep:
            for i, word in enumerate(words):
                tree = sampler.compiled.tree(state.core.derivation(i), list(word))
                counts[i][tuple(part.text for part in segmentation(tree, labels))] += 1
    return time.process_time() - begin, counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--py-cfg", type=Path, required=True, help="the program")
    parser.add_argument("--grammar", type=Path, required=True, help="a grammar of py-cfg, terminals in hexadecimal")
    parser.add_argument("--words", type=Path, required=True, help="words as they are written, one per line")
    parser.add_argument("--count", type=int, default=1000, help="so many of them, the same each time")
    parser.add_argument("--sweeps", type=int, default=20)
    parser.add_argument("--joint", type=float, default=0.0, help="words drawn together, which py-cfg has not")
    parser.add_argument("--analyses", action="store_true", help="count analyses in the second half of the sweeps")
    options = parser.parse_args()
    words = sample_words(options.words, options.count, 1)
    grammar = load_grammar(options.grammar)
    ours = Parser(grammar, words)
    words = [word for word in words if math.isfinite(ours.log_inside(word))]
    some = words[:20]
    ratios = [peer_probability(options.py_cfg, options.grammar, w) / math.exp(ours.log_inside(w)) for w in some]
    figures = {"words": len(words), "compared": len(ratios), "least_ratio": min(ratios), "greatest_ratio": max(ratios)}
    keep = options.sweeps // 2 if options.analyses else 0
    their_seconds, their_counts = peer_run(options.py_cfg, options.grammar, words, options.sweeps, keep)
    our_seconds, our_counts = our_run(options.grammar, words, options.sweeps, keep, options.joint)
    figures |= {"sweeps": options.sweeps, "py_cfg_seconds": their_seconds, "our_seconds": our_seconds}
    figures["times_as_fast"] = their_seconds / our_seconds
    if keep:
        apart = [
            0.5 * sum(abs(a[m] - b[m]) for m in {*a, *b}) / keep for a, b in zip(their_counts, our_counts, strict=True)
        ]
        figures |= {"mean_distance": sum(apart) / len(apart), "greatest_distance": max(apart)}
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
