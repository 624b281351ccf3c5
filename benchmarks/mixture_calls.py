"""What one word costs a mixture with weights by context: word by word, sentence by sentence, and in one batch.

    python benchmarks/mixture_calls.py --text train.txt --dev dev.txt --test test.txt --tokens 200000

Trains an HPYLM of four samples and CLBL++ (words cut before their last two letters) for a short time on the first tokens of a text, mixes
them by context, and prints microseconds of processor time per word of the mixture and of each model alone, the fastest of several runs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from binyan import HPYLM, LogBilinear, Mixture
from binyan.language_model import END, LanguageModel
from binyan.text import Corpus, Preparation
from binyan.text.reading import read_sentences

Sentences = list[list[str]]


def models(train: Sentences, dev: Sentences, samples: int) -> list[LanguageModel]:
    """The two models, trained for as long as it takes to have all their parts."""
    corpus = Corpus.read(train)
    hpylm = HPYLM(order=4, sweeps=8, samples=samples).fit(corpus, progress=False)
    parts = {w: f"{w[:-2]} {w[-2:]}" for s in (train, dev) for words in s for w in words if len(w) > 4}
    clbl = LogBilinear("clbl++", order=4, dim=100, epochs=1, batch=2000, word_map=parts)
    return [hpylm, clbl.fit(corpus, dev, progress=False)]


def word_by_word(model: LanguageModel, sentences: Sentences) -> float:
    """Every word by a call of its own."""
    total = 0.0
    for words in sentences:
        state = model.begin()
        for word in (*words, END):
            scored = model.score_word(state, word)
            total, state = total + scored.log_prob, scored.state
    return total


def sentence_by_sentence(model: LanguageModel, sentences: Sentences) -> float:
    """Every sentence by a call of its own."""
    return sum(model.score(words) for words in sentences) * float(np.log(10))


def in_one_batch(model: LanguageModel, sentences: Sentences) -> float:
    """All sentences by one call."""
    return float(model.score_sentences(sentences).log_prob.sum())


def microseconds(run: Callable[[], float], words: int, times: int) -> tuple[float, float]:
    """Processor time per word of the fastest run, and what the run gave."""
    best, total = float("inf"), 0.0
    for _ in range(times):
        start = time.process_time()
        total = run()
        best = min(best, time.process_time() - start)
    return 1e6 * best / words, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=200_000, help="of the training text")
    parser.add_argument("--sentences", type=int, default=300, help="of the test text")
    parser.add_argument("--samples", type=int, default=4, help="of the HPYLM")
    parser.add_argument("--times", type=int, default=3, help="runs, of which the fastest counts")
    parser.add_argument("--model", type=Path, help="keep the mixture in this file; take it from there if it exists")
    asked = parser.parse_args()
    test = list(islice(read_sentences(asked.test, Preparation()), asked.sentences))
    words = sum(len(s) + 1 for s in test)
    mixture = _mixture(asked)
    print(f"{words:,} words; {len(mixture.vocabulary):,} in the vocabulary")
    for model in (mixture, *mixture.models):
        for name, call in (("words", word_by_word), ("sentences", sentence_by_sentence), ("batch", in_one_batch)):
            cost, total = microseconds(lambda model=model, call=call: call(model, test), words, asked.times)
            print(
                f"{model.kind:14} {name:10} {cost:8.2f} microseconds per word, perplexity {np.exp(-total / words):.4f}"
            )


def _mixture(asked: argparse.Namespace) -> Mixture:
    if asked.model is not None and asked.model.exists():
        return Mixture.load(asked.model)
    train, tokens = list[list[str]](), 0
    for sentence in read_sentences(asked.text, Preparation()):
        train.append(sentence)
        tokens += len(sentence)
        if tokens >= asked.tokens:
            break
    dev = list(islice(read_sentences(asked.dev, Preparation()), 500))
    start = time.process_time()
    pair = models(train, dev, asked.samples)
    trained = time.process_time()
    mixture = Mixture(pair, by_context=True).fit(dev, progress=False)
    print(f"trained in {trained - start:.1f} s, weights fitted in {time.process_time() - trained:.1f} s")
    if asked.model is not None:
        mixture.save(asked.model)
    return mixture


if __name__ == "__main__":
    main()
