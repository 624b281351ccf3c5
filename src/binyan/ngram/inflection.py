"""hpylm+i: a Pitman-Yor language model that makes words of stems and endings, in several ways at once.

Which ways help, and at which context length, is learnt. A word as a whole is always one of them, so that a segmentation that says
nothing costs nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import ModelFileError
from binyan.files import PathLike
from binyan.language_model import State, Step, WordScore
from binyan.memory import check_memory, inflection_bytes
from binyan.model_file import ModelFile, Section
from binyan.morphology.map_sources import OWN, SegmentationSource, learn_segmentations, segmentation_source
from binyan.ngram.backoff import context_tree, training_corpus, word_counts
from binyan.ngram.candidate_learning import learn_candidates
from binyan.ngram.chains import Arrays
from binyan.ngram.compound_sampling import prepared, prepared_for
from binyan.ngram.hpylm import HPYLMSettings
from binyan.ngram.inflection_sampling import InflectionSampling, parts_of, tokens_of, words_from
from binyan.ngram.parts_model import PartsLanguageModel
from binyan.ngram.segmentation_candidates import SegmentationCandidates
from binyan.ngram.word_ways import WAYS, Way, WordTokens
from binyan.sampling import Run, Schedule
from binyan.segmentation import Coverage, Part, Segmentation, SegmentationTable
from binyan.settings import gather, takes_settings
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy
from binyan.text.reading import Source
from binyan.text.vocabulary import BEGIN_ID, END, UNKNOWN_ID, refuse_boundaries

History = tuple[int, ...]


class InflectionHPYLM(PartsLanguageModel):
    """A language model of inflected words.

    At every context length a word is seen whole, or the context is shortened, or the word is made of its stem and its ending: in each
    of `ways`, with weights that are learnt. `segmentation` has the parts of words; words it lacks have one part. By default ("own") it is
    learnt from the words of the text by an adaptor grammar; "morfessor" has Morfessor learn it. `candidates` has further segmentations of
    words: which of them a word has is then learnt with the rest (`learnt_segmentation`). With `learn_segmentation`, candidates are found
    without a file: by the adaptor grammar, Morfessor and the frequency splitter.

    The model sums to one over its vocabulary. `opened()` gives the same model before it is renormalised, in which words outside the
    vocabulary have probabilities of their own where stem and ending are known.

    >>> table = {"domu": "dom u", "domem": "dom em", "hradu": "hrad u", "hradem": "hrad em"}
    >>> text = ["za domem", "za hradem", "k domu", "k hradu", "dom stojí"]
    >>> model = InflectionHPYLM(order=2, sweeps=20, segmentation=table).fit(text)
    >>> round(sum(model.next_words("za").values()), 4)
    1.0
    """

    kind = "hpylm+i"
    settings: HPYLMSettings
    schedule: Schedule
    policy: VocabularyPolicy
    segmentation: SegmentationTable
    native: _core.InflectionQuery
    corpus: Corpus
    tokens: WordTokens
    samples: Arrays
    fields: dict[str, Any]
    sampling: InflectionSampling | None
    is_renormalised: bool = True
    _trace: list[NDArray[np.float64]]
    _told: dict[str, tuple[str, ...]]

    @takes_settings(HPYLMSettings, Schedule, VocabularyPolicy, Preparation)
    def __init__(
        self,
        order: int | None = None,
        *,
        segmentation: SegmentationSource = OWN,
        candidates: SegmentationCandidates | Mapping[str, Sequence[str]] | PathLike | None = None,
        learn_segmentation: bool = False,
        ways: Sequence[Way] = WAYS,
        **settings: Any,
    ) -> None:
        groups = HPYLMSettings, Schedule, VocabularyPolicy, Preparation
        self.settings, self.schedule, self.policy, self.preparation = gather(
            "InflectionHPYLM", {"order": order, **settings}, *groups
        )
        self._given_segmentation = segmentation_source(segmentation)
        self.candidates = SegmentationCandidates.of_any(candidates)
        self.learn_segmentation = learn_segmentation
        self.ways = tuple(ways)

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "native" in vars(self)

    @takes_settings(Run)
    def fit(self, text: Corpus | Source | Sequence[Source], **run: Any) -> Self:
        """Sample from the posterior given a text, as `HPYLM.fit` does."""
        [how] = gather("fit", run, Run)
        corpus = training_corpus(text, self.preparation, policy=self.policy, progress=how.progress)
        self._check_memory(corpus)
        table, candidates = self._segmentations(corpus, how)
        words = table, self.ways, candidates
        sampling = InflectionSampling(corpus, self.settings.order, self.schedule, self.preparation, *words)
        sampling.run(how)
        return self._finished(sampling)

    def _segmentations(self, corpus: Corpus, how: Run) -> tuple[SegmentationTable, SegmentationCandidates]:
        """The segmentation that each word begins with, and those that it may have beside it."""
        source, candidates, seed = self._given_segmentation, self.candidates, self.schedule.seed
        if isinstance(source, SegmentationTable):
            source = prepared_for(corpus, source, self.preparation)
        if self.learn_segmentation:
            table, candidates = learn_candidates(source, corpus, candidates, seed, how.progress)
        else:
            table = prepared(learn_segmentations(source, corpus, seed, how.progress), self.preparation)
        if len(candidates):
            counts = word_counts(corpus)
            each = [1 + len(candidates.parts(word)) for word in corpus.vocabulary.words]
            self._check_memory(corpus, float(np.dot(counts, each) / max(counts.sum(), 1)))
        return table, candidates

    def _check_memory(self, corpus: Corpus, segmentations: float = 1) -> None:
        """Refuse a model that would take too much memory; `segmentations`: how many a word of the text has, on average."""

        def needed(order: int, tokens: int | None) -> int:
            s = self.schedule
            return inflection_bytes(corpus.words, order, s.chains, s.collected, len(self.ways) * segmentations, tokens)

        check_memory(f"an {self.kind} model", corpus.words, self.settings.order, needed)

    def _finished(self, sampling: InflectionSampling) -> Self:
        self.sampling = sampling
        self._trace = [np.array(trace) for trace in sampling.chains.traces]
        self.preparation, self.fields = sampling.preparation, sampling.fields()
        self.segmentation, self.ways, self.candidates = sampling.table, sampling.ways, sampling.candidates
        self.tokens = sampling.tokens
        return self._learnt(sampling.corpus, sampling.order, sampling.chains.predictive())

    def _learnt(self, corpus: Corpus, order: int, samples: Arrays) -> Self:
        """What training, or a file, has given."""
        self.corpus, self.vocabulary, self.order = corpus, corpus.vocabulary, order
        self.samples, self._told = samples, {}
        self.native = _core.InflectionQuery.of(self._forest(), samples)
        return self

    def _forest(self) -> _core.GeneratorForest:
        if self.sampling is not None:
            return self.sampling.forest
        return self.tokens.forest(context_tree(self.corpus, self.order))

    @property
    def events(self) -> str:
        """Unless renormalised, words outside the vocabulary are events of their own, by stem and ending."""
        return "closed" if self.is_renormalised else f"components-{self.segmentation.digest}-ways"

    def closed(self) -> Self:
        """The model renormalised over its vocabulary, exactly."""
        other = copy.copy(self)
        other.is_renormalised = True
        return other

    def opened(self, words: Sequence[str] = ()) -> Self:
        """The model before renormalisation, in which words outside the vocabulary have probabilities of their own."""
        other = copy.copy(self)
        other.is_renormalised = False
        return other

    def training_text(self) -> Corpus:
        """The training text."""
        return self.corpus

    def training_counts(self) -> NDArray[np.uint32]:
        """How often each word of the vocabulary was seen in training, by id."""
        return word_counts(self.corpus)

    def parts_of(self, word: str) -> tuple[str, ...]:
        """The parts of a word from left to right."""
        return self._told.get(word) or parts_of(self.segmentation, word)

    def tell_parts(self, segmentations: Sequence[Segmentation]) -> None:
        """Tell the model the parts of words that its segmentation lacks."""
        rows = (row for row in segmentations if row.word not in self.segmentation)
        self._told.update((row.word, row.components("left")) for row in rows)

    def has_own_probability(self, word: str) -> bool:
        """Whether a word is known or, unless renormalised, its stem and ending are."""
        return super().has_own_probability(word) or self._unseen(word) is not None

    def further_words(self) -> Iterable[str]:
        """The words of the segmentation that the vocabulary does not have and whose stem and ending are known."""
        table = () if self.is_renormalised else self.segmentation
        return (word for word in table if self._unseen(word) is not None)

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a native feature of the decoder whose words are `vocabulary`."""
        words, unknown = self.decoder_words(vocabulary)
        return _core.InflectionFeature(self.native, words, unknown, self.is_renormalised)

    def decoder_words(self, words: Sequence[str]) -> tuple[Any, ...]:
        """What `decoder_feature` needs of further words: each as the model sees it, and whether it is unknown."""
        return [self._word(w) for w in words], *super().decoder_words(words)

    @property
    def trace(self) -> list[NDArray[np.float64]]:
        """The trace of each chain: one row per sweep, the log-likelihood first, then discount and strength of each level."""
        return self._trace

    @property
    def coverage(self) -> Coverage:
        """Which words of the vocabulary the segmentation has."""
        return self.segmentation.coverage(self.vocabulary.own_words)

    def learnt_segmentation(self) -> SegmentationTable:
        """The segmentation of every word of the vocabulary: of several, that which most samples have."""
        rows = []
        first = len(self.vocabulary.words) - len(self.vocabulary.own_words)
        for number, word in enumerate(self.vocabulary.own_words, first):
            drawn = self.samples["analysis"][number].astype(np.int64)
            parts = self.tokens.analyses[number][int(np.bincount(drawn).argmax())]
            rows.append(Segmentation(word, tuple(Part(part) for part in parts)))
        return SegmentationTable(rows)

    @property
    def weights(self) -> list[list[float]]:
        """By context length: the weight of shortening the context, then of each way; mean over samples."""
        mean = self.samples["weight"].mean(axis=1).reshape(self.order, -1)
        return [[float(w) for w in row] for row in mean]

    @property
    def description(self) -> str:
        """The model in a few words: its kind and size."""
        return f"{super().description}, {self.tokens.split:,} of them with an ending; {self.coverage}"

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        return {
            **super().summary(),
            "with_ending": self.tokens.split,
            "without_segmentation": len(self.coverage.missing),
            "log_likelihood": [float(trace[-1, 0]) for trace in self.trace],
            "weights": self.weights,
        }

    def one_sample(self) -> Self:
        """The last sample of the last chain as a model of its own, reduced."""
        other = copy.copy(self)
        other.samples = {name: np.ascontiguousarray(rows[:, -1:]) for name, rows in self.samples.items()}
        other.native = _core.InflectionQuery.of(self._forest(), other.samples)
        other.fields = {**self.fields, "samples": 1}
        other.sampling = None
        return other

    def _unseen(self, word: str) -> list[int] | None:
        """The tokens of a word outside the vocabulary, if it has a probability of its own."""
        return None if self.is_renormalised or word in self.vocabulary else self.tokens.find(self.parts_of(word))

    def _word(self, word: str) -> _core.InflectionWord:
        known = self._unseen(word)
        return self.native.word(self.vocabulary[word]) if known is None else self.native.compose(known)

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return (BEGIN_ID,) if self.order > 1 else ()

    def nowhere(self) -> State:
        """The empty context."""
        return ()

    def advance(self, state: State, word: str) -> State:
        """The state after one more word."""
        history: History = state  # type: ignore[assignment]
        return (*history, self.vocabulary[word])[-(self.order - 1) :] if self.order > 1 else ()

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        refuse_boundaries((word,), allowed=END)
        log_prob, matched = self.native.score(state, self._word(word), self.is_renormalised)  # type: ignore[arg-type]
        return WordScore(self.advance(state, word), log_prob, matched, self.vocabulary[word] == UNKNOWN_ID)

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """By context length, the longest first: what came from the word as seen there, and from each way."""
        history: History = state  # type: ignore[assignment]
        before = [self.vocabulary.words[w] for w in history]
        contributions = self.native.explain(list(history), self._word(word))
        total = sum(map(sum, contributions))
        parts = self.parts_of(word)
        steps = []
        for length, (seen, *made) in reversed(list(enumerate(contributions))):
            context = " ".join(before[len(before) - length :])
            if seen > 0:
                steps.append(Step(f"{length + 1}-gram", f"{context} {word}".strip(), seen, seen / total))
            for way, p in zip(self.ways, made, strict=True):
                if p > 0:
                    stem, ending = way.split(parts)
                    made_of = word if way.first == "word" else f"{stem}+{ending}"
                    steps.append(Step(way.name(length), f"{context} {made_of}".strip(), p, p / total))
        if self.is_renormalised:
            steps.append(Step("vocabulary", "divided by its mass", self.vocabulary_mass(state)))
        return tuple(steps)

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta: dict[str, Any] = {"order": self.order, "preparation": self.preparation.to_dict(), "fields": self.fields}
        sections: dict[str, Section] = {
            "vocabulary": self.vocabulary.to_bytes(),
            "corpus/words": self.corpus.words,
            "corpus/offsets": self.corpus.offsets,
            "segmentation": self.segmentation.to_bytes(),
            "candidates": self.candidates.to_bytes(),
        }
        if self.sampling is not None:
            more, chains = self.sampling.contents(with_samples=False)
            meta |= more
            sections |= chains
        meta |= {"ways": [way.to_dict() for way in self.ways], "renormalised": self.is_renormalised}
        sections |= {f"samples/{name}": rows for name, rows in self.samples.items()}
        sections |= {f"trace/{i}": trace for i, trace in enumerate(self.trace)}
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`; also loads a checkpoint of training that was not finished."""
        model = cls.__new__(cls)
        model.settings = HPYLMSettings(file.meta["order"])
        sampling = InflectionSampling.from_file(file) if "schedule" in file.meta else None
        if "fields" not in file.meta:
            if sampling is None:
                raise ModelFileError(f"{file.path}: holds neither a finished model nor chains")
            return model._finished(sampling)
        model.sampling, model.fields = sampling, dict(file.meta["fields"].items())
        model.preparation = Preparation.from_dict(file.meta["preparation"])
        model.is_renormalised = file.meta["renormalised"]
        model._trace = [file.array(f"trace/{i}") for i in range(sum(s.startswith("trace/") for s in file.sections))]
        vocabulary = Vocabulary.from_bytes(file.blob("vocabulary"))
        corpus = Corpus(file.array("corpus/words"), file.array("corpus/offsets"), vocabulary)
        model.segmentation, model.ways, model.candidates = words_from(file)
        model.tokens = tokens_of(corpus, model.segmentation, model.ways, model.candidates)
        samples = {n.removeprefix("samples/"): file.array(n) for n in file.sections if n.startswith("samples/")}
        return model._learnt(corpus, file.meta["order"], samples)
