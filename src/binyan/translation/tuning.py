"""Tuning of a decoder's weights towards BLEU: batch MIRA (Cherry and Foster 2012) and minimum error-rate training (Och 2003).

Both decode the development text, add the k best hypotheses to those of earlier rounds, and choose weights on all of them.
The state after each round is one file; a tuning that was stopped goes on from it and ends as if it had not been stopped.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core, model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.progress import Progress, ProgressOption
from binyan.signature import digest
from binyan.translation.decoder import Decoder, HypothesisLists

METHODS = ("mira", "mert")
Features = NDArray[np.float64]
_SAME, _OFTEN = 1e-6, 0.02  # variance that is none; share of sentences a feature varies in to be tuned


@dataclass(frozen=True)
class TuningSettings:
    """`k`: hypotheses of a sentence in each of `rounds` rounds; `restarts`: random starting points of MERT's search;
    tuning stops early where a round finds fewer than `least_new` new hypotheses a sentence. Features `left_out` have weight 0:
    p(s|t) is 1 for any target side seen once, and a weight tuned for it does worse on other text."""

    method: str = "mira"
    k: int = 100
    rounds: int = 6
    restarts: int = 8
    seed: int = 1
    least_new: float = 0.1
    mira_c: float = 0.01
    mira_epochs: int = 30
    left_out: tuple[str, ...] = ("SourceGivenTarget",)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"weights are tuned by {' or '.join(METHODS)}, not {self.method!r}")
        if self.k < 1 or self.rounds < 1 or self.restarts < 0:
            raise SettingsError("k and rounds are 1 or more, restarts 0 or more")


@dataclass
class HypothesisPool:
    """Hypotheses of all rounds, without repetition: their features and BLEU statistics, by sentence."""

    features: list[Features]
    statistics: list[NDArray[np.int64]]
    seen: list[set[str]] = field(default_factory=list)

    @classmethod
    def empty(cls, sentences: int, width: int) -> HypothesisPool:
        """A pool with no hypotheses."""
        return cls(
            [np.zeros((0, width)) for _ in range(sentences)],
            [np.zeros((0, _core.BLEU_WIDTH), np.int64) for _ in range(sentences)],
            [set() for _ in range(sentences)],
        )

    def add(self, lists: HypothesisLists, statistics: NDArray[np.int64]) -> int:
        """Add hypotheses and return how many are new. Two with the same features and statistics are one."""
        added = 0
        bounds = np.searchsorted(lists.sentence, np.arange(len(self.features) + 1))
        for i, (first, last) in enumerate(pairwise(bounds)):
            new = []
            for h in range(first, last):
                key = _key(lists.features[h], statistics[h])
                if key not in self.seen[i]:
                    self.seen[i].add(key)
                    new.append(h)
            if new:
                self.features[i] = np.concatenate([self.features[i], lists.features[new]])
                self.statistics[i] = np.concatenate([self.statistics[i], statistics[new]])
                added += len(new)
        return added

    def reach(self) -> Features:
        """1 / the standard deviation of each feature within a sentence; 0 for features that hardly ever vary.

        A feature that is the same for all hypotheses of nearly every sentence cannot be tuned: its weight would fit the few.
        """
        variances = np.array([f.var(axis=0) for f in self.features if len(f)])
        deviation = np.sqrt(variances.mean(axis=0))
        varies = (variances > _SAME).mean(axis=0) >= _OFTEN
        return np.where(varies, 1 / np.maximum(deviation, _SAME), 0.0)

    def flat(self) -> tuple[Features, NDArray[np.int64], NDArray[np.uint64]]:
        """(features, statistics, offsets by sentence) as the core takes them."""
        offsets = np.concatenate([[0], np.cumsum([len(f) for f in self.features])]).astype(np.uint64)
        return np.concatenate(self.features).reshape(-1), np.concatenate(self.statistics).reshape(-1), offsets


@dataclass(frozen=True)
class Tuned:
    """The weights with the best BLEU of a decoding, and BLEU (0 to 1) on the development text after each round."""

    weights: dict[str, float]
    bleu: float
    history: tuple[float, ...]


class References:
    """Reference translations as ids, one list of them a sentence."""

    def __init__(self, references: Sequence[Sequence[Sequence[str]]]) -> None:
        self._ids: dict[str, int] = {}
        words: list[int] = []
        offsets, sentences = [0], [0]
        for of_sentence in references:
            for reference in of_sentence:
                words.extend(self._ids.setdefault(w, len(self._ids)) for w in reference)
                offsets.append(len(words))
            sentences.append(len(offsets) - 1)
        self._arrays = np.array(words, np.uint32), np.array(offsets, np.uint64), np.array(sentences, np.uint64)

    def statistics(self, lists: HypothesisLists) -> NDArray[np.int64]:
        """BLEU statistics, one row a hypothesis."""
        other = len(self._ids)  # all words in no reference may be one
        ids = np.fromiter((self._ids.get(w, other) for w in lists.vocabulary), np.uint32, len(lists.vocabulary))
        words = ids[lists.words] if len(lists.words) else lists.words
        return _core.bleu_statistics(words, lists.offsets, lists.sentence, *self._arrays).reshape(-1, _core.BLEU_WIDTH)


def _key(features: Features, statistics: NDArray[np.int64]) -> str:
    return digest(np.round(features, 4).tobytes(), statistics.tobytes())


def bleu_of(statistics: NDArray[Any]) -> float:
    """BLEU (0 to 1) of summed statistics."""
    matches, totals, (length, reference) = statistics[:4], statistics[4:8], statistics[8:10]
    if min(matches) <= 0:
        return 0.0
    return float(np.exp(np.mean(np.log(matches / totals)) + min(0.0, 1 - reference / length)))


def tune(
    decoder: Decoder,
    source: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    settings: TuningSettings | None = None,
    state: str | os.PathLike[str] | None = None,
    threads: int = 1,
    progress: ProgressOption = None,
) -> Tuned:
    """Tune the weights of `decoder` on prepared sentences, each with one reference or more.

    With `state`, the file named so is written after each round, and read first where it exists.
    """
    settings = settings or TuningSettings()
    if len(source) != len(references):
        raise InputError(f"{len(source)} sentences to tune on and {len(references)} with references")
    if not any(source):
        raise InputError("there is no sentence to tune on")
    run = _Run(decoder, source, references, settings)
    if state is not None and Path(state).exists():
        run.restore(state)
    with Progress("rounds of tuning", settings.rounds, progress) as shown:
        shown.advance(run.round)
        while run.round < settings.rounds and not run.settled:
            run.step(threads)
            if state is not None:
                run.save(state)
            shown.advance(BLEU=100 * run.history[-1])
    return run.result()


class _Run:
    def __init__(self, decoder: Decoder, source: Any, references: Any, settings: TuningSettings) -> None:
        self.decoder, self.source, self.settings = decoder, source, settings
        self.references = References(references)
        self.names = decoder.feature_names
        self.pool = HypothesisPool.empty(len(source), len(self.names))
        self.used = np.array([n not in settings.left_out for n in self.names])
        self.weights = np.where(self.used, [decoder.weights[n] for n in self.names], 0.0)
        self.tried: list[Features] = []
        self.history: list[float] = []
        self.settled = False
        text = [" ".join(s) for s in source] + [" ".join(r) for of in references for r in of]
        grammar = decoder.grammar.signature().digest
        models = "+".join(m.signature().digest for m in decoder.models)
        self.identity = digest(
            "\n".join(text).encode(),
            repr((self.names, asdict(settings), grammar, models, asdict(decoder.settings))).encode(),
        )

    @property
    def round(self) -> int:
        return len(self.history)

    def step(self, threads: int) -> None:
        current = dict(zip(self.names, self.weights.tolist(), strict=True))
        lists = self.decoder.reweighted(current).k_best(
            self.source, self.settings.k, distinct=True, threads=threads, progress=False
        )
        lists.features[:, ~self.used] = 0.0  # what does not vary is not tuned
        statistics = self.references.statistics(lists)
        firsts = np.unique(lists.sentence, return_index=True)[1]
        bleu = bleu_of(statistics[firsts].sum(axis=0))
        added = self.pool.add(lists, statistics)
        random = np.random.default_rng([self.settings.seed, self.round])
        if self.settings.method == "mert":
            better = _mert(self.pool, [self.weights, *self.tried[-3:]], self.settings.restarts, random)
        else:
            better = _mira(self.pool, self.weights, self.settings, random)
        self.tried.append(self.weights)
        self.history.append(bleu)
        self.settled = added < self.settings.least_new * len(self.source) or bool(
            np.allclose(better, self.weights, atol=1e-4)
        )
        self.weights = better

    def result(self) -> Tuned:
        best = int(np.argmax(self.history))
        weights = dict(zip(self.names, (float(w) for w in self.tried[best]), strict=True))
        return Tuned(weights, self.history[best], tuple(self.history))

    def save(self, path: str | os.PathLike[str]) -> None:
        features, statistics, offsets = self.pool.flat()
        meta = {
            "identity": self.identity,
            "history": self.history,
            "settled": self.settled,
            "features": list(self.names),
        }
        sections = {
            "features": features,
            "statistics": statistics,
            "offsets": offsets,
            "weights": self.weights,
            "tried": np.array(self.tried),
        }
        model_file.save(path, "tuning", meta, sections)

    def restore(self, path: str | os.PathLike[str]) -> None:
        file = model_file.load(path)
        if file.kind != "tuning":
            raise ModelFileError(f"{path}: holds a {file.kind!r} model, not the state of a tuning")
        if file.meta["identity"] != self.identity:
            raise InputError(f"{path}: is of a tuning with other texts, models or settings; remove it to begin anew")
        self.history, self.settled = list(file.meta["history"]), file.meta["settled"]
        self.weights, self.tried = file.array("weights"), list(file.array("tried"))
        bounds = file.array("offsets").astype(np.int64)
        features = file.array("features").reshape(-1, len(self.names))
        statistics = file.array("statistics").reshape(-1, _core.BLEU_WIDTH)
        for i in range(len(self.source)):
            own = slice(bounds[i], bounds[i + 1])
            self.pool.features[i], self.pool.statistics[i] = features[own], statistics[own]
            self.pool.seen[i] = {_key(f, s) for f, s in zip(features[own], statistics[own], strict=True)}


def optimise(
    pool: HypothesisPool, start: Features, random: np.random.Generator, restarts: int = 8
) -> tuple[Features, float]:
    """Weights by minimum error-rate training on a pool that stays as it is, and their BLEU."""
    best = _mert(pool, [start], restarts, random)
    return best, _core.bleu_at(*pool.flat(), best)


def _mert(pool: HypothesisPool, starts: list[Features], restarts: int, random: np.random.Generator) -> Features:
    """Coordinate ascent with exact line searches from given and random points; the best end of all.

    Weights are drawn and normalised by how much their features vary within a sentence, which makes them comparable.
    """
    lists, reach = pool.flat(), pool.reach()
    size = float(np.abs(starts[0]) @ (1 / np.where(reach > 0, reach, np.inf))) / max(1, int((reach > 0).sum())) or 1.0
    draws = random.uniform(-2, 2, (restarts, len(reach))) * reach * size
    best, best_bleu = starts[0], -1.0
    for start in [*starts, *(starts[0] + draw for draw in draws)]:
        weights, bleu = _ascend(lists, start, reach, random)
        if bleu > best_bleu + 1e-9:
            best, best_bleu = weights, bleu
    norm = float(np.abs(best) @ (1 / np.where(reach > 0, reach, np.inf)))
    return best / norm if norm > 0 else best


def _ascend(
    lists: tuple[Any, Any, Any], weights: Features, reach: Features, random: np.random.Generator
) -> tuple[Features, float]:
    """Line searches along each feature and along random mixtures, until a whole round of them gains nothing."""
    bleu, before = _core.bleu_at(*lists, weights), -1.0
    while bleu > before + 1e-5:
        before = bleu
        mixtures = random.standard_normal((len(weights) // 2, len(weights)))
        directions = np.concatenate([np.eye(len(weights)), mixtures]) * reach
        for direction in random.permutation(directions[np.abs(directions).sum(axis=1) > 0]):
            step, better = _core.search_line(*lists, weights, direction)
            if better > bleu + 1e-7 and (reached := _core.bleu_at(*lists, weights + step * direction)) > bleu:
                weights, bleu = weights + step * direction, reached
    return weights, bleu


def _mira(pool: HypothesisPool, start: Features, settings: TuningSettings, random: np.random.Generator) -> Features:
    """Batch k-best MIRA: passive-aggressive steps from the fear to the hope hypothesis of each sentence, averaged."""
    weights, background = start.copy(), np.ones(_core.BLEU_WIDTH)
    total, steps = np.zeros_like(weights), 0
    occupied = [i for i, f in enumerate(pool.features) if len(f)]
    for _ in range(settings.mira_epochs):
        for i in random.permutation(occupied):
            features, statistics = pool.features[i], pool.statistics[i]
            # Scaled by the reference's length: by the hypothesis's own, longer ones would gain by being longer.
            gain = _bleu_rows(statistics + background) * (background[9] + statistics[:, 9])
            score = features @ weights
            hope, fear = int(np.argmax(score + gain)), int(np.argmax(score - gain))
            background = 0.999 * background + statistics[hope]
            difference = features[hope] - features[fear]
            loss = gain[hope] - gain[fear] - (score[hope] - score[fear])
            norm = float(difference @ difference)
            if loss > 0 and norm > 0:
                weights = weights + min(settings.mira_c, loss / norm) * difference
            total += weights
            steps += 1
    # Half of the way, at the same scale: weights that fit the present lists alone may be far off on what they let in.
    averaged = total / max(1, steps)
    scale = np.abs(start).sum() or 1.0
    return 0.5 * start + 0.5 * averaged * scale / (np.abs(averaged).sum() or 1.0)


def _bleu_rows(statistics: NDArray[Any]) -> NDArray[np.float64]:
    precision = np.log(statistics[:, :4] / np.maximum(statistics[:, 4:8], 1e-9)).mean(axis=1)
    rows: NDArray[np.float64] = np.exp(precision + np.minimum(0.0, 1 - statistics[:, 9] / statistics[:, 8]))
    return rows
