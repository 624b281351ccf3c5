"""What sampling reaches after the same number of sweeps as py-srcag.

Words, grammar and priors are the same; measured are the joint probability, segment-border F1 and triliteral roots.

F1 and roots are those of single samples, averaged over the last sweeps, and of the most frequent analysis among them
(modal). Both start from the same kind of first trees, over the same number of seeds.

    python benchmarks/adaptor_quality.py --py-srcag .../py-srcag --gold BW.tsv.xz --words 5000 --grammars concat tpl
    python benchmarks/adaptor_quality.py --py-srcag .../py-srcag --gold BWv.tsv.xz --words 20 --grammars tplr4 --same-model
    python benchmarks/adaptor_quality.py --py-srcag .../py-srcag --gold HEB_hagar.tsv.xz --affixed --no-macrons --grammars tpl
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from adaptor_peers import PeerGrammar, peer_probabilities, run_peer

from binyan.evaluation.gold import GoldWord, read_gold
from binyan.evaluation.roots import score_roots
from binyan.evaluation.segmentation import score_segmentation
from binyan.experiments.adaptor.word_lists import without_macrons
from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import load_grammar
from binyan.grammar.parser import Parser
from binyan.grammar.tree_segments import roots, segmentation
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList
from binyan.segmentation import Part, Segmentation
from binyan.signature import digest

LONGEST = 21  # characters of a word: py-srcag's limit

Analysis = tuple[tuple[str, ...], tuple[str, ...]]  # segments, triliteral roots


def score(samples: Sequence[Sequence[Analysis]], gold: Sequence[GoldWord]) -> dict[str, float]:
    """Per cent: of the samples on average, and of each word's most frequent analysis."""

    def figures(analyses: Sequence[Analysis]) -> tuple[float, float]:
        pieces = {
            word.word: Segmentation("".join(texts), tuple(map(Part, texts)))
            for word, (texts, _) in zip(gold, analyses, strict=True)
        }
        found = {word.word: root for word, (_, root) in zip(gold, analyses, strict=True)}
        return score_segmentation(pieces, gold).f1, score_roots(found, gold).accuracy

    modal = [Counter(analyses).most_common(1)[0][0] for analyses in zip(*samples, strict=True)]
    f1, accuracy = np.mean([figures(sample) for sample in samples], axis=0)
    return dict(zip(("f1", "roots", "f1_modal", "roots_modal"), (f1, accuracy, *figures(modal)), strict=True))


def theirs(options: argparse.Namespace, grammar: str, gold: Sequence[GoldWord], seed: int) -> dict:
    words = [word.word for word in gold]
    peer = PeerGrammar(Compiled(load_grammar(grammar), {a for w in words for a in w}), True)
    batch = options.init == "batch"
    run = run_peer(options.py_srcag, peer, words, options.sweeps, seed, options.every, options.keep, batch)
    morphemes = [s for s in peer.symbols if s in ("Pre", "Stem", "Suf")]

    def analysis(word: str, tree: str) -> Analysis:
        # The grammars of the thesis: at most a prefix, a stem, at most a suffix.
        lengths = {s: len("".join(peer.yields(tree, s))) for s in morphemes}
        ends = np.cumsum([lengths["Pre"], lengths["Stem"], lengths["Suf"]])
        parts = (word[: ends[0]], word[ends[0] : ends[1]], word[ends[1] :])
        return tuple(p for p in parts if p), tuple(peer.yields(tree, "R3") if "R3" in peer.symbols else ())

    samples = [[analysis(w, t) for w, t in zip(words, trees, strict=True)] for trees in run.samples]
    setting = {"seed": seed, "init": options.init}
    return {
        **setting,
        "cpu": run.cost.cpu,
        "memory_mb": run.cost.megabytes,
        "log_joint": run.log_joint,
        **score(samples, gold),
    }


def ours(options: argparse.Namespace, grammar: str, gold: Sequence[GoldWord], seed: int) -> dict:
    words = WordList.of([word.word for word in gold], unit="codepoint")
    settings = MorphologySettings(
        sweeps=options.sweeps, seed=seed, initialisation=options.init, relabel=options.relabel, joint=0.0
    )
    sampler = AdaptorSampler(load_grammar(grammar), words, settings)
    labels = {"Pre": "pre", "Stem": "stem", "Suf": "suf"}
    rules = sampler.compiled.source
    state = sampler.init()
    samples, log_joint = [], {}
    for sweep in range(1, options.sweeps + 1):
        sampler.step(state)
        if sweep % options.every == 0:
            log_joint[sweep] = state.core.log_joint
        if sweep > options.sweeps - options.keep:
            trees = [sampler.compiled.tree(state.core.derivation(i)) for i in range(len(words))]
            pieces = ([part.text for part in segmentation(t, labels).contiguous()] for t in trees)
            samples.append([(tuple(p), tuple(roots(t, rules, 3))) for p, t in zip(pieces, trees, strict=True)])
    setting = {"seed": seed, "init": options.init, "relabel": options.relabel}
    return {**setting, "log_joint": log_joint, **score(samples, gold)}


def same_model(options: argparse.Namespace, grammar: str, words: list[str]) -> dict:
    """Least and greatest ratio of the peer's probability of a word to ours, before anything is learnt."""
    peer = PeerGrammar(Compiled(load_grammar(grammar), {a for w in words for a in w}), True)
    parser = Parser(load_grammar(grammar), words)
    found = peer_probabilities(options.py_srcag, peer, words)
    ratios = [p / math.exp(parser.log_inside(word)) for word, p in zip(words, found, strict=True)]
    return {"least_ratio": min(ratios), "greatest_ratio": max(ratios)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--py-srcag", type=Path, help="the program of bothameister/py-srcag; ours alone without it")
    parser.add_argument("--gold", type=Path, required=True, help="gold analyses; their words are what is learnt from")
    parser.add_argument("--affixed", action="store_true", help="only words with an affix")
    parser.add_argument("--no-macrons", action="store_true", help="without macrons")
    parser.add_argument("--words", type=int, help="so many of them, the same each time")
    parser.add_argument("--grammars", nargs="+", default=["concat", "tpl"])
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--every", type=int, default=10, help="note the joint probability every so many sweeps")
    parser.add_argument("--keep", type=int, default=20, help="last sweeps whose trees are scored")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--init", default="batch", help="first trees of both: batch, incremental")
    parser.add_argument("--relabel", type=int, default=-1, help="0: our cached trees are not resampled, as the peer's")
    parser.add_argument(
        "--same-model", action="store_true", help="only compare the probabilities both parsers give the words"
    )
    options = parser.parse_args()
    gold = read_gold(options.gold, without_macrons if options.no_macrons else str)
    gold = [w for w in gold if len(w.word) <= LONGEST and (w.has_affix or not options.affixed)]
    gold = sorted(gold, key=lambda word: digest(word.word.encode()))[: options.words]
    for grammar in options.grammars:
        base = {"gold": options.gold.name, "words": len(gold), "grammar": grammar, "sweeps": options.sweeps}
        if options.same_model:
            print(json.dumps({**base, **same_model(options, grammar, [word.word for word in gold])}), flush=True)
            continue
        for seed in range(1, options.seeds + 1):
            print(json.dumps({**base, "who": "binyan", **ours(options, grammar, gold, seed)}), flush=True)
            if options.py_srcag:
                print(json.dumps({**base, "who": "py-srcag", **theirs(options, grammar, gold, seed)}), flush=True)


if __name__ == "__main__":
    main()
