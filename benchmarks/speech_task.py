"""A simulated speech task: what language models gain in word error rate through pyctcdecode, on emissions made from text.

    python benchmarks/speech_task.py --train de.train.txt --dev de.dev.txt --test de.test.txt --tokens 200000

Text is reduced to letters. Each letter becomes a few frames of log-probabilities: the letter, its like-sounding neighbours and noise; at every
noise level, a share of the letters sounds more like a neighbour than like itself, and spaces are weak. Models: mkn, hpylm+g (whose words are
taken apart by Morfessor, also words of the rest of the training file, which the models never see in a text), and a mixture by context
of HPYLM and clbl++. All have one vocabulary: the
words of the training text but for half of those seen once, drawn at random. For each model, alpha and beta are chosen on development utterances at the
middle noise level. The real time factor takes a frame for 20 ms, as wav2vec 2.0 has them, and is of processor time. Needs pyctcdecode and Morfessor.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import HPYLM, CompoundHPYLM, KneserNey, LogBilinear, Mixture
from binyan.compat.pyctcdecode import build_ctcdecoder
from binyan.language_model import LanguageModel
from binyan.segmentation.morfessor import learn
from binyan.text.reading import read_lines
from binyan.translation.word_error_rate import word_errors

FRAMES_PER_SECOND = 50
ALPHAS, BETAS = (0.1, 0.2, 0.4, 0.7), (0.0, 1.5, 3.0)
ALIKE = (
    "ae",
    "eäi",
    "iüı",
    "oöu",
    "uü",
    "bp",
    "dt",
    "gk",
    "szcş",
    "mn",
    "fvw",
    "lr",
    "jy",
    "kcq",
    "tp",
    "aá",
    "eé",
    "ií",
    "oó",
    "uú",
    "őö",
    "űü",
    "çc",
    "ğg",
)


def sentences(path: Path, shortest: int = 1, longest: int = 1000) -> list[str]:
    """Lines of letters in lower case, with single spaces between words."""
    kept = []
    for _, line in read_lines(path):
        words = "".join(c if c.isalpha() else " " for c in line.lower()).split()
        if shortest <= len(words) <= longest:
            kept.append(" ".join(words))
    return kept


@dataclass(frozen=True)
class Channel:
    """Makes emissions of texts. `labels` has the letters, the space, and the blank, which is the empty one."""

    labels: list[str]
    neighbours: dict[str, list[int]]

    @classmethod
    def of(cls, texts: list[str]) -> Channel:
        """The channel for the letters of some texts."""
        counts = Counter(c for text in texts for c in text if c != " ")
        letters = sorted(c for c, n in counts.items() if n >= 20)
        labels = [" ", *letters, ""]
        near = {
            c: sorted({labels.index(o) for g in ALIKE if c in g for o in g if o != c and o in labels}) for c in letters
        }
        everyone = list(range(1, len(letters) + 1))
        return cls(labels, {c: near[c] or everyone for c in letters})

    def emissions(self, text: str, noise: float, random: np.random.Generator) -> NDArray[np.float32]:
        """Log-probabilities, frame by frame."""
        place = {label: i for i, label in enumerate(self.labels)}
        rows: list[NDArray[np.float64]] = []
        for letter in text:
            row = np.zeros(len(self.labels))
            row[place[letter]] = 6.0
            if letter == " ":
                row[place[""]] = 5.0
                row[place[letter]] = 5.0 + (1.5 if random.random() > noise else -1.0)
            else:
                other = int(random.choice(self.neighbours[letter]))
                row[other] = 4.5 if random.random() > noise else 6.0 + random.exponential(1.0)
            rows += [row] * int(random.integers(1, 4))
            between = np.zeros(len(self.labels))
            between[place[""]] = 7.0
            rows += [between] * int(random.integers(1, 3))
        logits = np.array(rows) + random.normal(0.0, 0.8, (len(rows), len(self.labels)))
        return (logits - np.log(np.exp(logits).sum(1, keepdims=True))).astype(np.float32)


def models(train: list[str], dev: list[str], more: list[str], options: argparse.Namespace) -> dict[str, LanguageModel]:
    """The models of the comparison, over one vocabulary."""
    mkn = KneserNey(order=options.order, kappa=0.5).fit(train, progress=False)
    counts = Counter(word for line in train for word in line.split())
    seen = Counter(word for line in more for word in line.split())
    unseen = [word for word, _ in seen.most_common() if word not in counts][: options.more_words]
    table = learn(counts, unseen, method="baseline", min_count=2, progress=False)
    shared: dict[str, Any] = {"vocabulary": mkn.vocabulary}
    sampled = {"order": options.order, "sweeps": options.sweeps, "samples": 2, **shared}
    compound = CompoundHPYLM(segmentation=table, head=options.head, **sampled).fit(train, progress=False)
    hpylm = HPYLM(**sampled).fit(train, progress=False)
    clbl = LogBilinear("clbl++", order=4, dim=60, epochs=options.epochs, decay=True, word_map=table, **shared)
    clbl.fit(train, dev, progress=False)
    mixture = Mixture([hpylm, clbl], by_context=True).fit(dev, progress=False)
    return {"mkn": mkn, "hpylm+g": compound, "hpylm, clbl++": mixture}


@dataclass
class Result:
    """Word errors, words, frames and seconds of processor time."""

    errors: int = 0
    words: int = 0
    frames: int = 0
    seconds: float = 0.0

    @property
    def word_error_rate(self) -> float:
        """Per cent."""
        return 100 * self.errors / self.words

    @property
    def real_time_factor(self) -> float:
        """Seconds of processor time per second of speech."""
        return self.seconds * FRAMES_PER_SECOND / self.frames


def decode(decoder: Any, texts: list[str], heard: list[NDArray[np.float32]], beams: int) -> Result:
    """The decoder's errors on utterances."""
    result = Result()
    for text, emission in zip(texts, heard, strict=True):
        start = time.process_time()
        words = decoder.decode(emission, beam_width=beams).split()
        result.seconds += time.process_time() - start
        result.errors += word_errors(words, text.split())
        result.words += len(text.split())
        result.frames += len(emission)
    return result


def choose_weights(decoder: Any, texts: list[str], heard: list[NDArray[np.float32]], beams: int) -> tuple[float, float]:
    """Alpha with the middle beta, then beta with that alpha: those with the fewest word errors."""

    def errors(alpha: float, beta: float) -> int:
        decoder.reset_params(alpha=alpha, beta=beta)
        return decode(decoder, texts, heard, beams).errors

    alpha = min(ALPHAS, key=lambda a: errors(a, BETAS[1]))
    return alpha, min(BETAS, key=lambda b: errors(alpha, b))


def main() -> None:
    """Train, choose weights, decode, print a row for each model and noise level, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=200_000, help="of the training text")
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument(
        "--more-words", type=int, default=5_000, help="that the models see in no text, but Morfessor takes apart"
    )
    parser.add_argument("--head", default="right", help="of hpylm+g: left for languages of suffixes")
    parser.add_argument("--sweeps", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.1, 0.2, 0.3])
    parser.add_argument("--utterances", type=int, nargs=2, default=[20, 80], help="development and test")
    parser.add_argument("--beams", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    lines = sentences(options.train)
    ends = np.cumsum([len(line.split()) for line in lines])
    cut = int(np.searchsorted(ends, options.tokens)) + 1
    train, more = lines[:cut], lines[cut:]
    channel = Channel.of(train)
    letters = {*channel.labels}
    random = np.random.default_rng(options.seed)
    spoken = {}
    for name, path, number in zip(("dev", "test"), (options.dev, options.test), options.utterances, strict=True):
        usable = [t for t in sentences(path, 4, 10) if letters.issuperset(t)]
        spoken[name] = [usable[i] for i in random.permutation(len(usable))[:number]]
    development = list(islice(sentences(options.dev), 1500))
    middle = sorted(options.noise)[len(options.noise) // 2]
    heard_dev = [channel.emissions(t, middle, random) for t in spoken["dev"]]
    heard = {noise: [channel.emissions(t, noise, random) for t in spoken["test"]] for noise in options.noise}
    rows = []
    for name, model in models(train, development, more, options).items():
        perplexity = (model.closed() if model.is_open else model).perplexity(sentences(options.test))
        decoder = build_ctcdecoder(channel.labels, model)
        alpha, beta = choose_weights(decoder, spoken["dev"], heard_dev, options.beams)
        decoder.reset_params(alpha=alpha, beta=beta)
        for noise in options.noise:
            result = decode(decoder, spoken["test"], heard[noise], options.beams)
            rows.append(
                {
                    "model": name,
                    "perplexity": perplexity,
                    "alpha": alpha,
                    "beta": beta,
                    "noise": noise,
                    "words": result.words,
                    "wer": result.word_error_rate,
                    "rtf": result.real_time_factor,
                }
            )
            print(
                f"{name:14} perplexity {perplexity:7.1f}  alpha {alpha} beta {beta}  noise {noise}  "
                f"WER {result.word_error_rate:5.1f}%  of {result.words} words  real time factor {result.real_time_factor:.2f}",
                flush=True,
            )
    print(json.dumps({"tokens": int(ends[min(cut, len(ends)) - 1]), "seed": options.seed, "rows": rows}))


if __name__ == "__main__":
    main()
