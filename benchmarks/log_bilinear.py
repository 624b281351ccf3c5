"""Training and scoring speed of the log-bilinear models, one thread, against bothameister/oxlm in one run.

python benchmarks/log_bilinear.py --text train.txt.xz -k 200 [--tokens 200000] [--peer FOLDER] [--word-map map.tsv]

FOLDER holds oxlm's programs train_factored_sgd and train_addfactored_sgd. Without a word map, words are cut after five letters:
the speed depends only on how many factors a word has. Seconds are of processor time; reading and clustering are not counted for
ours, and the peer's reading is taken off by a run without training.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from binyan.clustering import WordClasses, bigrams_of, brown
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.network import LogBilinearNetwork
from binyan.log_bilinear.output import Targets
from binyan.log_bilinear.settings import Shape, TrainingSettings, Variant
from binyan.log_bilinear.training import Trainer
from binyan.segmentation import Part, Segmentation, SegmentationTable
from binyan.text import Corpus, Vocabulary

OPTIONS = ["--order", "4", "--word-width", "100", "--threads", "1", "--step-size", "0.06", "--lambda", "2"]


def main() -> None:
    """Print events a second and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=200_000, help="train on the first so many tokens")
    parser.add_argument("-k", type=int, default=200)
    parser.add_argument("--batch", type=int, default=10_000, help="events per minibatch, for both")
    parser.add_argument("--peer", type=Path)
    parser.add_argument("--word-map", type=Path)
    parser.add_argument("--skip-scoring", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    whole = Corpus.read([options.text])
    kept = int(np.searchsorted(whole.offsets, options.tokens))
    corpus = Corpus.read([whole.decode(i) for i in range(kept)])
    table = SegmentationTable.read(options.word_map) if options.word_map else cut(corpus.vocabulary)
    word_map = FactorMap.from_segmentations(table, corpus.vocabulary)
    classes = brown(corpus, options.k, progress=False)
    factors = len(word_map.factors) / word_map.words
    print(f"{corpus!r}, {options.k} classes, {factors:.2f} factors a word, minibatches of {options.batch}")
    for name in ("clbl", "clbl++"):
        ours = our_seconds(name, corpus, classes, word_map, options.batch)
        print(f"{name:7} binyan  {ours:7.2f} s an epoch  {corpus.events / ours:9,.0f} events/s")
        if options.peer:
            theirs = peer_seconds(name, corpus, classes, word_map, options.batch, options.peer)
            print(f"{name:7} oxlm    {theirs:7.2f} s an epoch  {corpus.events / theirs:9,.0f} events/s")
            print(f"{name:7} ratio   {theirs / ours:7.2f} x")
    if not options.skip_scoring:
        scoring()


def cut(vocabulary: Vocabulary) -> SegmentationTable:
    """Every word cut after five letters."""
    words = [w for w in vocabulary.words[3:] if len(w) > 5]
    return SegmentationTable(Segmentation(w, (Part(w[:5], "STM"), Part(w[5:], "SUF"))) for w in words)


def our_seconds(name: str, corpus: Corpus, classes: WordClasses, word_map: FactorMap, batch: int) -> float:
    """Processor seconds of one epoch, with diagonal position matrices as the peer's."""
    small = Corpus(corpus.words[:1], np.array([0, 1], np.uint64), corpus.vocabulary)
    shape = Shape(Variant.parse(name), 4, 100, diagonal=True)
    settings = TrainingSettings(step=0.06, l2=2.0, batch=batch, decay=False, warm_up=0.2, noise_samples=100)
    trainer = Trainer(corpus, small, shape, settings, word_map, classes.ids(corpus.vocabulary))
    start = time.process_time()
    trainer.epoch(progress=False)
    return time.process_time() - start


def peer_seconds(
    name: str, corpus: Corpus, classes: WordClasses, word_map: FactorMap, batch: int, folder: Path
) -> float:
    """Processor seconds of one epoch of oxlm: a run of one epoch less a run of none."""
    words = corpus.vocabulary.words
    counts = dict(zip(words, bigrams_of(corpus).frequency, strict=True))
    with tempfile.TemporaryDirectory() as place:
        text, paths, mapped = (Path(place, n) for n in ("text", "paths", "map"))
        text.write_text("".join(" ".join(corpus.decode(i)) + "\n" for i in range(corpus.sentences)), encoding="utf-8")
        own = {w: c for w, c in classes.class_of.items() if w not in ("<unk>", "</s>")}
        WordClasses(own, classes.paths).write(paths, counts)
        with open(mapped, "w", encoding="utf-8") as out:
            for i, word in enumerate(words[3:], 3):
                row = word_map.factors[word_map.offsets[i] : word_map.offsets[i + 1]]
                names = [word, *(word_map.morphemes[f - word_map.words] for f in row[1:])]
                out.write(f"{word} {' '.join(names)}\n")
        additive = ["--wordmap", str(mapped), "--additive-contexts", "--additive-words"] if "+" in name else []
        program = folder / ("train_addfactored_sgd" if "+" in name else "train_factored_sgd")
        common = [str(program), "--input", str(text), "--class-file", str(paths), "--minibatch-size", str(batch)]
        common += [*OPTIONS, "--randomise", "--diagonal-contexts", "--model-out", f"{place}/model", *additive]
        spent = []
        for iterations in ("0", "1"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*common, "--iterations", iterations], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return spent[1] - spent[0]


@torch.no_grad()
def scoring(words: int = 50_000, events: int = 8192) -> None:
    """Normalised scores with classes and without, at a vocabulary of `words`; the thesis measured 35 times."""
    vocabulary = Vocabulary(f"w{i}" for i in range(words))
    class_of = (np.arange(len(vocabulary)) % round(words**0.5)).astype(np.uint32)
    random = torch.Generator().manual_seed(1)
    seconds = {}
    for name in ("clbl", "lbl"):
        targets = Targets(class_of if name == "clbl" else None, vocabulary)
        model = LogBilinearNetwork(Shape(Variant.parse(name), 4, 100), targets, FactorMap.identity(len(vocabulary)))
        q, r = model.compiled()
        contexts = torch.randint(3, words, (events, 3), generator=random)
        rows = torch.randint(0, targets.rows, (events,), generator=random)
        size = 8192 if name == "clbl" else 1024  # as the language model takes them
        start = time.process_time()
        for c, t in zip(contexts.split(size), rows.split(size), strict=True):
            model.log_prob(model.predict(q[c]), t, r)
        seconds[name] = time.process_time() - start
        print(f"{name:5} scores {events / seconds[name]:10,.0f} events/s at {words:,} words")
    print(f"classes score {seconds['lbl'] / seconds['clbl']:.1f} times as fast")
    megabytes = 500_000 * 100 * 4 / 2**20
    print(
        f"500,000 words x 100 dimensions: {2 * megabytes:,.0f} MiB to score, {4 * megabytes:,.0f} MiB to train (AdaGrad's sums)"
    )


if __name__ == "__main__":
    main()
