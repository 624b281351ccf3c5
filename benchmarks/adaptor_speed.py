"""Adaptor grammar sampling against py-cfg (Mark Johnson) and py-srcag (Jan Botha): words per second and joint probability.

Both peers are programs that the caller has built; their paths are options, and a peer without a path is left out.
Times are processor seconds, so that other work on the machine does not count; runs of the peers and ours alternate.
Ours runs twice: with the peers' moves only, and with cached trees resampled (the default). What joint probabilities are of, see adaptor_peers.py; adaptor_quality.py compares segmentations too.

    python benchmarks/adaptor_speed.py --py-cfg .../ag --py-srcag .../py-srcag --german de.txt --arabic BW.tsv.xz
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from adaptor_peers import PeerGrammar, run_peer

from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.rules import Grammar
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList
from binyan.text.reading import read_lines

AFFIXES = "Word -> Pre* Stem Suf*\n@Pre | @Stem | @Suf -> Char+\nChar -> <any>"


def sample_words(path: Path, count: int, seed: int) -> list[str]:
    """So many types, drawn by seed; the first column of tab-separated files, the words of running text."""
    types = sorted({word for _, line in read_lines(path) for word in line.split("\t")[0].split() if word.isprintable()})
    random.Random(seed).shuffle(types)
    return types[:count]


def run_ours(grammar: Grammar, words: list[str], sweeps: int, seed: int, relabel: int) -> tuple[float, float, float]:
    """Processor seconds with everything from the word list on, the log joint probability, and MB of forests."""
    begin = time.process_time()
    settings = MorphologySettings(sweeps=sweeps, burn_in=sweeps - 1, seed=seed, relabel=relabel, joint=0.0)
    sampler = AdaptorSampler(grammar, WordList.of(words), settings)
    state = sampler.init()
    for _ in range(sweeps):
        sampler.step(state)
    return time.process_time() - begin, state.core.log_joint, sampler.memory_mb


def compare(
    name: str, program: Path, grammar: Grammar, words: list[str], sweeps: int, rounds: int, ranges: bool
) -> dict:
    peer_grammar = PeerGrammar(Compiled(grammar, {a for w in words for a in w}), ranges)
    figures: dict = {"peer": name, "grammar": grammar.name, "words": len(words), "sweeps": sweeps, "rounds": []}
    for seed in range(1, rounds + 1):
        peer = run_peer(program, peer_grammar, words, sweeps, seed, every=sweeps, batch=True)
        seconds, joint, memory = run_ours(grammar, words, sweeps, seed, relabel=0)
        seconds_all, joint_all, _ = run_ours(grammar, words, sweeps, seed, relabel=-1)
        visits = len(words) * sweeps
        figures["rounds"].append(
            {
                "peer_words_per_second": visits / peer.cost.cpu,
                "our_words_per_second": visits / seconds,
                "ratio": peer.cost.cpu / seconds,
                "ratio_relabelled": peer.cost.cpu / seconds_all,
                "peer_log_joint": peer.log_joint[sweeps],
                "our_log_joint": joint,
                "our_log_joint_relabelled": joint_all,
                "peer_memory_mb": peer.cost.megabytes,
                "forests_mb": memory,
            }
        )
        print(name, grammar.name, json.dumps(figures["rounds"][-1]), flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--py-cfg", type=Path, help="the program of Mark Johnson's py-cfg (wordseg's `ag`)")
    parser.add_argument("--py-srcag", type=Path, help="the program of bothameister/py-srcag")
    parser.add_argument("--german", type=Path, help="German text or words")
    parser.add_argument("--arabic", type=Path, help="word list for the templatic grammars")
    parser.add_argument("--grammars", nargs="*", default=["concat", "tpl", "tplr4"], help="for py-srcag")
    parser.add_argument("--words", type=int, default=5000)
    parser.add_argument("--sweeps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path, help="JSON of all figures")
    options = parser.parse_args()
    results = []
    if options.py_cfg and options.german:
        words = sample_words(options.german, options.words, 1)
        results.append(
            compare(
                "py-cfg", options.py_cfg, read_grammar(AFFIXES, "affixes"), words, options.sweeps, options.rounds, False
            )
        )
    if options.py_srcag and options.arabic:
        words = sample_words(options.arabic, options.words, 1)
        for name in options.grammars:
            results.append(
                compare("py-srcag", options.py_srcag, load_grammar(name), words, options.sweeps, options.rounds, True)
            )
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
