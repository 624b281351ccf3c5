"""Tuning of a decoder's weights towards BLEU, by batch MIRA, minimum error-rate training or pairwise ranking.

All decode the development text, add the k best hypotheses to those of earlier rounds, and choose weights on all of them.
The state after each round is one file; a tuning that was stopped is resumed from it and ends as if it had not been stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from binyan import model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.files import PathLike
from binyan.progress import Progress, ProgressOption
from binyan.settings import Settings, setting
from binyan.signature import Signature, digest
from binyan.translation.decoder import Decoder
from binyan.translation.hypothesis_pool import Features, HypothesisPool, References, bleu_of, with_reference_lengths
from binyan.translation.weight_search import mert, mira, pro

METHODS = ("mira", "mert", "pro")
LENGTHS = ("bitext", "references")
_OTHER_TEXT = (
    0.05  # where ratios of words differ by more than this share, the tuning text is of another kind than the bitext
)
Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class TuningSettings(Settings):
    """How weights are tuned.

    Features `left_out` have weight 0: p(s|t) is 1 for any target side seen once, and a weight tuned for it does worse on
    other text.
    """

    method: str = setting("mira", "mira, mert or pro.", option="--tuner", short="--method")
    k: int = setting(100, "Hypotheses per sentence in each round.", option="--k")
    rounds: int = setting(6, "Maximum number of rounds, each of which decodes the text.")
    length: str = setting(
        "bitext", "How long translations should be: as in the bitext, or as in the references of the tuning text."
    )
    restarts: int = setting(8, "Random starting points of MERT's search.", on_command_line=False)
    seed: int = setting(1, "Random seed.", metavar="S")
    least_new: float = setting(
        0.1, "Stop when a round adds fewer new hypotheses per sentence than this.", on_command_line=False
    )
    mira_c: float = setting(0.01, "Maximum step size of MIRA.", on_command_line=False)
    mira_epochs: int = setting(30, "Passes of MIRA over the text in each round.", on_command_line=False)
    left_out: tuple[str, ...] = setting(("SourceGivenTarget",), "Features that keep weight 0.", on_command_line=False)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"weights are tuned by {', '.join(METHODS)}, not {self.method!r}")
        if self.length not in LENGTHS:
            raise SettingsError(
                f"translations are to be as long as in the {' or the '.join(LENGTHS)}, not {self.length!r}"
            )
        if self.k < 1 or self.rounds < 1 or self.restarts < 0:
            raise SettingsError("k and rounds are 1 or more, restarts 0 or more")


@dataclass(frozen=True)
class TunedWeights:
    """The weights of the best of the later rounds, and BLEU (0 to 1) on the development text in each round.

    `lengths`: words written in each round per word of the references. `round`: whose weights these are; round 0 decodes
    with the weights that tuning starts from.
    """

    weights: dict[str, float]
    bleu: float
    history: tuple[float, ...]
    lengths: tuple[float, ...] = ()
    round: int = 0

    def __str__(self) -> str:
        kept = f"round {self.round} of {len(self.history)}" if self.round else "the start: no round was better"
        longer = f", {100 * self.lengths[self.round] - 100:+.1f} % words against the references" if self.lengths else ""
        return f"BLEU {100 * self.bleu:.2f} ({kept}){longer}"


@dataclass(frozen=True)
class TuningReport:
    """Tunings that differ in their seeds alone. BLEU is in per cent."""

    repetitions: tuple[TunedWeights, ...]
    signature: Signature

    @property
    def best(self) -> TunedWeights:
        """The repetition with the best BLEU."""
        return max(self.repetitions, key=lambda tuned: tuned.bleu)

    @property
    def bleu(self) -> list[float]:
        """BLEU of each repetition."""
        return [100 * tuned.bleu for tuned in self.repetitions]

    @property
    def mean(self) -> float:
        """Mean BLEU of the repetitions."""
        return mean_and_deviation(self.bleu)[0]

    @property
    def deviation(self) -> float:
        """Standard deviation of BLEU over the repetitions."""
        return mean_and_deviation(self.bleu)[1]

    def to_dict(self) -> dict[str, object]:
        """The report for JSON."""
        figures = {"bleu": self.bleu, "mean": self.mean, "deviation": self.deviation}
        return {**figures, "weights": self.best.weights, "signature": str(self.signature)}

    def __str__(self) -> str:
        lines = [f"{n}: {tuned}" for n, tuned in enumerate(self.repetitions, 1)]
        lines += [f"mean {self.mean:.2f}, standard deviation {self.deviation:.2f}", str(self.signature)]
        return "\n".join(lines)


def mean_and_deviation(results: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (0 for one result)."""
    return float(np.mean(results)), float(np.std(results, ddof=1)) if len(results) > 1 else 0.0


def tune(
    decoder: Decoder,
    source: Sentences,
    references: Sequence[Sentences],
    settings: TuningSettings | None = None,
    state: PathLike | None = None,
    threads: int = 1,
    progress: ProgressOption = None,
    words_ratio: float | None = None,
) -> TunedWeights:
    """Tune the weights of `decoder` on prepared sentences, each with one reference or more.

    `words_ratio`: target words per source word of the bitext, from which the length of translations is taken if the settings
    say so; of a few hundred sentences the ratio is uncertain by a per cent or two.
    With `state`, the file of that name is written after each round, and resumed from if it exists.
    """
    settings = settings or TuningSettings()
    if len(source) != len(references):
        raise InputError(f"{len(source)} sentences to tune on and {len(references)} with references")
    if not any(source):
        raise InputError("there is no sentence to tune on")
    run = _Run(decoder, source, references, settings, length_factor(source, references, settings, words_ratio))
    if state is not None and Path(state).exists():
        run.restore(state)
    with Progress("rounds of tuning", settings.rounds, progress) as bar:
        bar.advance(run.round)
        while run.round < settings.rounds and not run.settled:
            run.step(threads)
            if state is not None:
                run.save(state)
            bar.advance(BLEU=100 * run.history[-1])
    return run.result()


def length_factor(
    source: Sentences, references: Sequence[Sentences], settings: TuningSettings, words_ratio: float | None
) -> float:
    """How many times as long as they are the references count as, so that translations get the length of the bitext.

    1 where the bitext's ratio is not known, not wanted, or so different that the texts are of different kinds.

    >>> length_factor([["a"] * 100], [[["b"] * 102]], TuningSettings(), 1.0)
    0.9803921568627451
    """
    words = sum(map(len, source))
    own = sum(len(r) / len(of) for of in references for r in of) / max(1, words)
    if words_ratio is None or settings.length != "bitext" or own <= 0 or abs(words_ratio / own - 1) > _OTHER_TEXT:
        return 1.0
    return words_ratio / own


def best_round(scores: Sequence[float]) -> int:
    """The best round of the second half, or 0, the start, if that is better still.

    Each round moves half of the way to weights that fit better. If an early round scores best on the tuning text, that is chance: on
    other text, later rounds are better.

    >>> best_round([0.20, 0.31, 0.28, 0.29]), best_round([0.3, 0.2, 0.1])
    (3, 0)
    """
    half = len(scores) // 2
    later = half + int(np.argmax(scores[half:]))
    return later if scores[later] > scores[0] else 0


class _Run:
    """The state of a tuning: hypotheses, weights tried, BLEU of each round."""

    def __init__(
        self,
        decoder: Decoder,
        source: Sentences,
        references: Sequence[Sentences],
        settings: TuningSettings,
        factor: float,
    ) -> None:
        self.decoder, self.source, self.settings, self.factor = decoder, source, settings, factor
        self.references = References(references)
        self.names = decoder.feature_names
        self.pool = HypothesisPool.empty(len(source), len(self.names))
        self.used = np.array([n not in settings.left_out for n in self.names])
        self.weights: Features = np.where(self.used, [decoder.weights[n] for n in self.names], 0.0)
        self.tried: list[Features] = []
        self.history: list[float] = []
        self.lengths: list[float] = []
        self.scores: list[float] = []
        self.settled = False
        text = [" ".join(s) for s in source] + [" ".join(r) for of in references for r in of]
        rules = decoder.rules.signature().digest
        models = "+".join(m.signature().digest for m in decoder.models)
        self.identity = digest(
            "\n".join(text).encode(),
            repr((self.names, asdict(settings), rules, models, asdict(decoder.settings), factor)).encode(),
            self.weights.tobytes(),
        )

    @property
    def round(self) -> int:
        return len(self.history)

    def step(self, threads: int) -> None:
        current = dict(zip(self.names, self.weights.tolist(), strict=True))
        lists = self.decoder.changed(current).k_best(
            self.source, self.settings.k, distinct=True, threads=threads, progress=False
        )
        lists.features[:, ~self.used] = 0.0  # what does not vary is not tuned
        statistics = self.references.statistics(lists)
        firsts = np.unique(lists.sentence, return_index=True)[1]
        aimed_at = with_reference_lengths(statistics, lists.sentence, self.factor)
        sums = statistics[firsts].sum(axis=0)
        added = self.pool.add(lists, aimed_at)
        better = self._better(np.random.default_rng([self.settings.seed, self.round]))
        self.tried.append(self.weights)
        self.scores.append(bleu_of(aimed_at[firsts].sum(axis=0)))
        self.history.append(bleu_of(sums))
        self.lengths.append(float(sums[8] / max(1, sums[9])))
        self.settled = added < self.settings.least_new * len(self.source) or bool(
            np.allclose(better, self.weights, atol=1e-4)
        )
        self.weights = better

    def _better(self, random: np.random.Generator) -> Features:
        if self.settings.method == "mert":
            return mert(self.pool, [self.weights, *self.tried[-3:]], self.settings.restarts, random)
        if self.settings.method == "pro":
            return pro(self.pool, self.weights, random)
        return mira(self.pool, self.weights, random, self.settings.mira_c, self.settings.mira_epochs)

    def result(self) -> TunedWeights:
        best = best_round(self.scores)
        weights = dict(zip(self.names, (float(w) for w in self.tried[best]), strict=True))
        return TunedWeights(weights, self.history[best], tuple(self.history), tuple(self.lengths), best)

    def save(self, path: PathLike) -> None:
        features, statistics, offsets = self.pool.flat()
        meta = {
            "identity": self.identity,
            "history": self.history,
            "lengths": self.lengths,
            "scores": self.scores,
            "settled": self.settled,
            "features": list(self.names),
        }
        sections: dict[str, model_file.Section] = {
            "features": features,
            "statistics": statistics,
            "offsets": offsets,
            "weights": self.weights,
            "tried": np.array(self.tried),
        }
        model_file.save(path, "tuning", meta, sections)

    def restore(self, path: PathLike) -> None:
        file = model_file.load(path)
        if file.kind != "tuning":
            raise ModelFileError(f"{path}: holds a {file.kind!r} model, not the state of a tuning")
        if file.meta["identity"] != self.identity:
            raise InputError(f"{path}: is of a tuning with other texts, models or settings; remove it to begin anew")
        self.history, self.settled = list(file.meta["history"]), file.meta["settled"]
        self.lengths, self.scores = list(file.meta["lengths"]), list(file.meta["scores"])
        self.weights, self.tried = file.array("weights"), list(file.array("tried"))
        self.pool.restore(file.array("features"), file.array("statistics"), file.array("offsets"))
