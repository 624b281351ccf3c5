"""The models that may be part of the best one. A further kind of model is one entry of CANDIDATES."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from binyan.best_model.stopwatch import Stopwatch
from binyan.clustering import word_frequencies
from binyan.language_model import LanguageModel
from binyan.progress import ProgressOption
from binyan.text import Corpus, Preparation, Vocabulary
from binyan.text.vocabulary import SPECIALS, UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.morphology.map_learning import LearntMap

Sentences = Sequence[Sequence[str]]
_WORD_MAP = "word map"
_HPYLM: dict[str, Any] = {"sweeps": 70, "burn_in": 50}


@dataclass
class Shared:
    """What several candidates need, by name, each made once; how many seconds that took; and the same for slices of the text."""

    values: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    of_slices: dict[int, Shared] = field(default_factory=dict)

    @property
    def spent(self) -> float:
        """Seconds in all, slices not counted."""
        return sum(self.seconds.values())

    def get(self, name: str, make: Callable[[], Any]) -> Any:
        """What has this name, made if it is not there yet."""
        if name not in self.values:
            watch = Stopwatch()
            self.values[name] = make()
            self.seconds[name] = watch.seconds
        return self.values[name]


@dataclass(frozen=True)
class TrainingRequest:
    """What a candidate is trained on. It must call `progress` now and then: time that has run out is noticed there."""

    corpus: Corpus
    development: Sentences
    preparation: Preparation
    seed: int = 1
    progress: ProgressOption = False
    seconds: float | None = None  # where a candidate has to do with less than its usual time
    shared: Shared = field(default_factory=lambda: Shared())

    def first(self, tokens: int) -> TrainingRequest:
        """The same for about the first `tokens` words of the text: whole sentences, and a vocabulary of their own."""
        corpus = self.corpus
        sentences = max(1, int(corpus.offsets.searchsorted(tokens)))
        words = corpus.words[: int(corpus.offsets[min(sentences, corpus.sentences)])]
        unknown = int((words == UNKNOWN_ID).sum())
        seen = np.unique(words[words >= len(SPECIALS)])
        renamed = np.arange(len(corpus.vocabulary), dtype=np.uint32)
        renamed[seen] = np.arange(len(SPECIALS), len(SPECIALS) + len(seen))
        vocabulary = Vocabulary(corpus.vocabulary.words[i] for i in seen)
        part = Corpus(renamed[words], corpus.offsets[: sentences + 1], vocabulary, corpus.outside[:unknown])
        development = self.development[: max(1, len(self.development) * tokens // max(1, len(corpus.words)))]
        shared = self.shared.of_slices.setdefault(tokens, Shared())
        return replace(self, corpus=part, development=development, shared=shared)


@dataclass(frozen=True)
class Candidate:
    """A kind of model: its name, why it is tried, and how it is trained.

    `instead_of`: models that it takes the place of in a mixture where it is better. `unless`: models after which it is left out, since it
    adds nothing to a mixture with them. `needs`: modules without which it is left out.
    `shares`: what it takes from `TrainingRequest.shared`, whose time counts once.
    `shortest`: the share of its usual time with which it still comes to something; below 1, it heeds `TrainingRequest.seconds`.
    `steepest`: the power of the size of the text by which its time may grow.
    """

    name: str
    why: str
    train: Callable[[TrainingRequest], LanguageModel]
    instead_of: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    shortest: float = 1.0
    steepest: float = 1.5

    @property
    def missing(self) -> str | None:
        """The first module that it needs and that is not installed."""
        return next((module for module in self.needs if find_spec(module) is None), None)


def _kneser_ney(request: TrainingRequest) -> LanguageModel:
    from binyan.ngram.kneser_ney import KneserNey

    return KneserNey(preparation=request.preparation).fit(request.corpus, progress=request.progress)


def _hpylm(request: TrainingRequest) -> LanguageModel:
    from binyan.ngram.hpylm import HPYLM

    model = HPYLM(preparation=request.preparation, seed=request.seed, **_HPYLM)
    model.fit(request.corpus, progress=request.progress)
    model.sampling = None
    return model


def _inflection(request: TrainingRequest) -> LanguageModel:
    from binyan.ngram.inflection import InflectionHPYLM

    parts = _word_map(request).segmentations
    model = InflectionHPYLM(segmentation=parts, preparation=request.preparation, seed=request.seed, **_HPYLM)
    model.fit(request.corpus, progress=request.progress)
    model.sampling = None
    return model


def _additive(request: TrainingRequest) -> LanguageModel:
    from binyan.log_bilinear import LogBilinear

    factors = _word_map(request).factors
    model = LogBilinear("clbl++", word_map=factors, seed=request.seed, preparation=request.preparation)
    return model.fit(request.corpus, request.development, progress=request.progress)


def _recurrent(request: TrainingRequest) -> LanguageModel:
    from binyan.recurrent import Recurrent

    minutes = None if request.seconds is None else request.seconds / 60
    how: dict[str, Any] = {"seed": request.seed, "minutes": minutes, "preparation": request.preparation}
    model = Recurrent("lstm++", word_map=_word_map(request).factors, **how)
    return model.fit(request.corpus, request.development, progress=request.progress)


def _word_map(request: TrainingRequest) -> LearntMap:
    """What our own morphology finds in the words of the text; learnt once for all candidates."""

    def learn() -> LearntMap:
        from binyan.morphology.map_learning import learn_map

        corpus = request.corpus
        counts = Counter({word: int(n) for word, n in word_frequencies(corpus).items() if n}) + Counter(corpus.outside)
        return learn_map(counts, seed=request.seed, progress=request.progress)

    learnt: LearntMap = request.shared.get(_WORD_MAP, learn)
    return learnt


# In the order in which they are tried: what gains most per minute comes first. Kneser-Ney is always trained.
CANDIDATES: tuple[Candidate, ...] = (
    Candidate("mkn", "the quickest to train, and what is given where time allows nothing else", _kneser_ney),
    Candidate("hpylm", "smooths better than Kneser-Ney on the same n-grams", _hpylm, instead_of=("mkn",)),
    Candidate(
        "clbl++",
        "vectors of words and morphemes, good on rare words",
        _additive,
        needs=("torch",),
        shares=(_WORD_MAP,),
        steepest=0.75,  # minibatches grow with the text, and are no more in number
    ),
    Candidate(
        "lstm++",
        "sees the whole sentence so far, good on frequent words",
        _recurrent,
        needs=("torch",),
        shares=(_WORD_MAP,),
        shortest=0.25,
    ),
    Candidate(
        "hpylm+i",
        "sees stems and endings of rare words",
        _inflection,
        instead_of=("mkn", "hpylm"),
        unless=("clbl++", "lstm++"),
        shares=(_WORD_MAP,),
    ),
)
