"""Back-off models nearest to other models, beside Kneser-Ney of the same size: perplexity on a test text, divergence, seconds.

    python benchmarks/arpa_export.py --train de.train.txt.xz --dev de.dev.txt.xz --test de.test.txt.xz --language de --tokens 300000

Trains Kneser-Ney, an HPYLM of four samples, hpylm+g (compounds split by frequency) and a mixture by context of the HPYLM and CLBL++ (words cut
after five letters), writes each as an ARPA file of each size and, where the package kenlm is installed, reads it back: the largest difference
of any probability is printed. Kneser-Ney is pruned with how frequent contexts are in the text (as all others are), and without.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import torch

import binyan
from binyan.evaluation.export_report import divergence
from binyan.language_model import LanguageModel
from binyan.ngram.approximation import Approximation
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.ngram.backoff_export import as_model
from binyan.ngram.backoff_settings import BackoffSettings
from binyan.segmentation import Part, Segmentation, SegmentationTable
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

Sentences = list[list[str]]


def first_tokens(path: Path, preparation: Preparation, tokens: int) -> Sentences:
    """The first sentences of a text, of so many tokens together."""
    sentences: Sentences = []
    for sentence in read_sentences(path, preparation):
        sentences.append(sentence)
        tokens -= len(sentence)
        if tokens <= 0:
            break
    return sentences


def cut(words: Iterable[str]) -> SegmentationTable:
    """Every word cut after five letters."""
    return SegmentationTable(
        Segmentation(w, (Part(w[:5], "STM"), Part(w[5:], "SUF"))) for w in sorted(set(words)) if len(w) > 5
    )


def train(
    corpus: Corpus, train: Sentences, tune: Sentences, more: Sentences, options: argparse.Namespace
) -> dict[str, LanguageModel]:
    """The models, each with the seconds it took."""
    models: dict[str, LanguageModel] = {}
    share = options.tokens / 1_000_000
    counts = Counter(w for s in train for w in s)
    compounds = binyan.CompoundSplitter().fit(text=counts, progress=False).split_words(counts, progress=False)
    plain = binyan.HPYLM(order=options.order, sweeps=40, samples=4).fit(corpus, progress=False)
    neural = binyan.LogBilinear(
        "clbl++",
        order=options.order,
        dim=options.dim,
        classes=max(2, round(200 * share**0.5)),
        word_map=cut(w for s in [*train, *more] for w in s),
        **{"step": 0.14, "l2": 60 * share, "batch": round(5000 * share**0.5), "epochs": 3, "decay": True},
    ).fit(corpus, tune, progress=False)
    models["hpylm, four samples"] = plain
    if not options.skip_compounds:
        grammar = binyan.CompoundHPYLM(order=options.order, segmentation=compounds, sweeps=40, samples=2)
        models["hpylm+g"] = grammar.fit(corpus, progress=False)
    models["hpylm and clbl++ by context"] = binyan.Mixture([plain, neural], by_context=True).fit(tune, progress=False)
    return models


def exporter(model: LanguageModel, corpus: Corpus) -> Callable[[int], BackoffLanguageModel]:
    """The model as a back-off model of any size; a model that is none is approximated once for all sizes."""
    if isinstance(model, BackoffLanguageModel):
        return lambda size: model.to_backoff(corpus, size=size)
    settings = BackoffSettings()
    approximation = Approximation(model.closed(), corpus, settings, False)
    return lambda size: as_model(model, *approximation.pruned(size), corpus, settings)


def read_back(model: BackoffLanguageModel, folder: Path, sentences: Sequence[Sequence[str]]) -> float | None:
    """The largest difference between a log10 probability of ours and of the package kenlm; None where it is not installed."""
    if find_spec("kenlm") is None:
        return None
    import kenlm

    path = folder / "model.arpa"
    model.to_arpa(path, progress=False)
    theirs, largest = kenlm.Model(str(path)), 0.0
    scores = model.score_sentences(sentences)
    for i, sentence in enumerate(sentences):
        ours = scores.log_prob[int(scores.offsets[i]) : int(scores.offsets[i + 1])] / 2.302585092994046
        given = [p for p, _, _ in theirs.full_scores(" ".join(sentence))]
        largest = max(largest, *(abs(a - b) for a, b in zip(ours, given, strict=True)))
    return largest


def main() -> None:
    """Train, export at each size, and print one row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("train", "dev", "test"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--language", help="tokenise as Moses does for this language")
    parser.add_argument("--script", help="know only words of this script")
    parser.add_argument("--tokens", type=int, default=300_000)
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--dim", type=int, default=60)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 500_000])
    parser.add_argument("--skip-compounds", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    preparation = Preparation(tokenise=options.language, lowercase=True, digits=True)
    text = first_tokens(options.train, preparation, options.tokens)
    tune, test = (first_tokens(path, preparation, 40_000) for path in (options.dev, options.test))
    corpus = Corpus.read(text, policy=VocabularyPolicy(kappa=0.2, script=options.script))
    baseline = binyan.KneserNey(order=options.order).fit(corpus, progress=False)
    whole = sum(baseline.ngrams)
    print(
        f"{options.language}: {corpus!r}; Kneser-Ney has {whole:,} n-grams, perplexity {baseline.perplexity(test):.2f}"
    )
    models = train(corpus, text, tune, test, options)
    sizes = [size for size in options.sizes if len(corpus.vocabulary) < size < whole]
    best: dict[int, float] = {whole: baseline.perplexity(test)}
    for size in sizes:
        best[size], own = (baseline.to_backoff(t, size=size).perplexity(test) for t in (corpus, None))
        print(f"{'Kneser-Ney':28} {size:9,}  perplexity {best[size]:7.2f}  (contexts weighed by itself {own:.2f})")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            closed = model.closed()
            print(f"{name:28} {'itself':>9}  perplexity {closed.perplexity(test):7.2f}", flush=True)
            start = time.process_time()
            at_size = exporter(model, corpus)
            for size in (*sizes, whole):
                made = at_size(size)
                seconds, value = time.process_time() - start, made.perplexity(test)
                apart = read_back(made, Path(folder), list(islice(test, 500)))
                print(
                    f"{name:28} {sum(made.ngrams):9,}  perplexity {value:7.2f} ({100 * (value / best[size] - 1):+.1f}%)  "
                    f"divergence {divergence(closed, made, test):.3f}  {seconds:.0f} s"
                    + ("" if apart is None else f"  kenlm differs by {apart:.0e}"),
                    flush=True,
                )


if __name__ == "__main__":
    main()
