"""Language models that generate compounds from their components (thesis, chapter 3): HPYLM+c, and back-off both ways.

Both give probabilities to compounds never seen, as long as their components are known. The sum over the vocabulary is then
below one; `closed()` gives the same model over the closed vocabulary, exactly and at the cost of one look-up per word.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import ModelFileError, SettingsError
from binyan.language_model import State, Step, WordScore
from binyan.memory import check_memory, compound_bytes
from binyan.model_file import ModelFile, Section
from binyan.morphology.map_sources import OWN, MapLearner, SegmentationSource, learn_segmentations, segmentation_source
from binyan.ngram.backoff import context_tree, training_corpus, word_counts
from binyan.ngram.chains import Arrays
from binyan.ngram.compound_sampling import (
    BothWaysSampling,
    ComponentInventory,
    CompoundSampling,
    Decomposition,
    Head,
    prepared_for,
)
from binyan.ngram.hpylm import OrderSettings
from binyan.ngram.parts_model import PartsLanguageModel
from binyan.sampling import Run, Schedule
from binyan.segmentation import Coverage, Linking, Segmentation, SegmentationTable
from binyan.settings import gather, setting, takes_settings
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy
from binyan.text.reading import Source
from binyan.text.vocabulary import END, UNKNOWN_ID, refuse_boundaries


@dataclass(frozen=True)
class CompoundSettings(OrderSettings):
    """What a compound model has beside its schedule and its segmentation."""

    head: Head = setting("right", "Which component is the head: right or left.")
    linking: Linking | None = setting(
        None, "Where linking elements go: left, right or delete; by default they are merged away from the head."
    )
    both_ways: bool = setting(
        True,
        "Whether a context may also be shortened before a word is taken apart (hpylm+g; False: HPYLM+c).",
        on_command_line=False,
    )


class CompoundHPYLM(PartsLanguageModel):
    """Language models that generate compounds from their components.

    A word of H_u is a head from G_u and modifiers from F, from the head outwards.

    `both_ways` (hpylm+g, the default): at every context length the base of H_u is a learnt mixture of H of the shortened context and
    of head and modifiers. Without (HPYLM+c, as in the thesis) the base is head and modifiers alone. `segmentation` says which words
    are compounds; words it lacks are simplex. By default ("own") it is learnt from the words of the text by an adaptor grammar;
    "morfessor" has Morfessor learn it.

    >>> table = {"schulhof": "schul hof", "gasthof": "gast hof"}
    >>> text = ["der alte schulhof", "der alte gasthof", "der neue hof", "die schul gast"]
    >>> model = CompoundHPYLM(order=2, sweeps=20, segmentation=table, both_ways=False).fit(text)
    >>> round(sum(model.closed().next_words("der").values()), 4)
    1.0
    """

    settings: CompoundSettings
    schedule: Schedule
    policy: VocabularyPolicy
    segmentation: SegmentationTable | MapLearner
    native: _core.CompoundQuery
    corpus: Corpus
    decomposition: Decomposition
    components: ComponentInventory
    samples: Arrays
    fields: dict[str, Any]
    sampling: CompoundSampling | None
    is_renormalised: bool = False
    _trace: list[NDArray[np.float64]]
    _told: dict[str, tuple[str, ...]]

    @takes_settings(CompoundSettings, Schedule, VocabularyPolicy, Preparation)
    def __init__(
        self,
        order: int | None = None,
        *,
        segmentation: SegmentationSource = OWN,
        **settings: Any,
    ) -> None:
        groups = CompoundSettings, Schedule, VocabularyPolicy, Preparation
        self.settings, self.schedule, self.policy, self.preparation = gather(
            "CompoundHPYLM", {"order": order, **settings}, *groups
        )
        self.segmentation = segmentation_source(segmentation)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """hpylm+g, or hpylm+c for the thesis's model."""
        return "hpylm+g" if self.settings.both_ways else "hpylm+c"

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "native" in vars(self)

    @takes_settings(Run)
    def fit(self, text: Corpus | Source | Sequence[Source], **run: Any) -> Self:
        """Sample from the posterior given a text, as `HPYLM.fit` does."""
        [how] = gather("fit", run, Run)
        s = self.settings
        corpus = training_corpus(text, self.preparation, policy=self.policy, progress=how.progress)
        table = learn_segmentations(self.segmentation, corpus, self.schedule.seed, how.progress)
        decomposition = Decomposition(prepared_for(corpus, table, self.preparation), s.head, s.linking)
        self._check_memory(corpus)
        kind = BothWaysSampling if s.both_ways else CompoundSampling
        sampling = kind(corpus, s.order, self.schedule, self.preparation, decomposition)
        sampling.run(how)
        return self._finished(sampling)

    def _check_memory(self, corpus: Corpus) -> None:
        def needed(order: int, tokens: int | None) -> int:
            return compound_bytes(corpus.words, order, self.schedule.chains, self.schedule.collected, tokens)

        check_memory(f"an {self.kind} model", corpus.words, self.settings.order, needed)

    def _finished(self, sampling: CompoundSampling) -> Self:
        self.sampling = sampling
        self._trace = [np.array(trace) for trace in sampling.chains.traces]
        self.preparation, self.fields = sampling.preparation, sampling.fields()
        return self._learnt(sampling.corpus, sampling.order, sampling.decomposition, sampling.chains.predictive())

    def _learnt(self, corpus: Corpus, order: int, decomposition: Decomposition, samples: Arrays) -> Self:
        """What training, or a file, has given."""
        self.corpus, self.vocabulary, self.order = corpus, corpus.vocabulary, order
        self.decomposition = decomposition
        self.components = ComponentInventory(corpus.vocabulary, decomposition)
        self.samples, self._told = samples, {}
        self.native = _core.CompoundQuery.of(self._tree(), samples)
        return self

    @property
    def events(self) -> str:
        """Unless renormalised, compounds outside the vocabulary are events of their own, by their components."""
        d = self.decomposition
        return "closed" if self.is_renormalised else f"components-{d.table.digest}-{d.head}-{d.linking or 'default'}"

    def closed(self) -> Self:
        """The model renormalised over its vocabulary, exactly; what it gives to the vocabulary sums to one."""
        other = copy.copy(self)
        other.is_renormalised = True
        return other

    def opened(self, words: Sequence[str]) -> Self:
        """The model before renormalisation, in which compounds outside the vocabulary have probabilities of their own."""
        other = copy.copy(self)
        other.is_renormalised = False
        return other

    def training_text(self) -> Corpus:
        """The training text."""
        return self.corpus

    def parts_of(self, word: str) -> tuple[str, ...]:
        """The components of a word, the head first."""
        return self._told.get(word) or self.decomposition(word)

    def tell_parts(self, segmentations: Sequence[Segmentation]) -> None:
        """Tell the model the components of words that its segmentation lacks."""
        d = self.decomposition
        self._told.update((row.word, d.of(row)) for row in segmentations if row.word not in d.table)

    def has_own_probability(self, word: str) -> bool:
        """Whether a word is known or, unless renormalised, its components are."""
        if super().has_own_probability(word):
            return True
        return not self.is_renormalised and word not in self.vocabulary and self._unseen(word) is not None

    def further_words(self) -> Iterable[str]:
        """The words of the segmentation that the vocabulary does not have and whose components are known."""
        table = () if self.is_renormalised else self.decomposition.table
        return (word for word in table if word not in self.vocabulary and self.has_own_probability(word))

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a native feature of the decoder whose words are `vocabulary`."""
        words, unknown = self.decoder_words(vocabulary)
        return _core.CompoundFeature(self.native, words, unknown, self.is_renormalised)

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
        return self.decomposition.table.coverage(self.vocabulary.own_words)

    @property
    def description(self) -> str:
        """The model in a few words: its kind and size."""
        sizes = f"{len(self.components):,} components, {self.components.compounds:,} compounds"
        return f"{super().description} of {sizes}; {self.coverage}"

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        return {
            **super().summary(),
            "components": len(self.components),
            "compounds": self.components.compounds,
            "without_segmentation": len(self.coverage.missing),
            "log_likelihood": [float(trace[-1, 0]) for trace in self.trace],
            "hyperparameters": self.hyperparameters,
            "shortening": self.shortening,
        }

    def one_sample(self) -> Self:
        """The last sample of the last chain as a model of its own, reduced."""
        return self._of_one({name: np.ascontiguousarray(rows[:, -1:]) for name, rows in self.samples.items()})

    def next_sample(self, sweeps: int = 1) -> Self:
        """The sample after further sweeps of the last chain as a model of its own, reduced.

        The model keeps the samples it has: this way, probabilities can be averaged over more samples than memory holds.
        """
        if self.sampling is None:
            raise SettingsError("a reduced model has no chains: it cannot be sampled further")
        chains = self.sampling.chains
        for _ in range(sweeps):
            chains.advance(len(chains.chains) - 1)
        other = self._of_one(chains.last_sample())
        other._trace = [np.array(trace) for trace in chains.traces]
        other.fields["sweeps"] = len(chains.traces[-1])
        return other

    def _of_one(self, sample: Arrays) -> Self:
        other = copy.copy(self)
        other.samples, other.native = sample, _core.CompoundQuery.of(self._tree(), sample)
        other.fields = {**self.fields, "samples": 1}
        other.sampling = None
        return other

    @property
    def hyperparameters(self) -> dict[str, list[tuple[float, float]]]:
        """(discount, strength) after the last sweep of the first chain.

        Of words (H) and heads (G) by context length, of modifiers (F) given a component and without.
        """
        last = self.trace[0][-1, 1:]
        pairs = [(float(a), float(b)) for a, b in zip(last[::2], last[1::2], strict=True)]
        n = self.order
        return {"words": pairs[:n], "heads": pairs[n : 2 * n], "modifiers": pairs[2 * n :]}

    @property
    def shortening(self) -> list[float]:
        """The weight of shortening the context before decomposing, by context length, mean over samples."""
        return [float(w) for w in self.samples["shortening"].mean(axis=1)]

    def _word(self, word: str) -> _core.CompoundWord:
        number = self.vocabulary[word]
        if word not in self.vocabulary and not self.is_renormalised:
            known = self._unseen(word)
            if known is not None:
                return self.native.compound(known)
        return self.native.word(number)

    def _unseen(self, word: str) -> list[int] | None:
        """The components of a word outside the vocabulary, if it has several or is one, and all are known."""
        return self.components.find(self.parts_of(word))

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return self.native.begin()

    def nowhere(self) -> State:
        """The empty context."""
        return 0

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`; a word outside the vocabulary by its components if they are known."""
        refuse_boundaries((word,), allowed=END)
        after, log_prob, matched = self.native.score(state, self._word(word), self.is_renormalised)  # type: ignore[arg-type]
        return WordScore(after, log_prob, matched, self.vocabulary[word] == UNKNOWN_ID)

    def context(self, state: State) -> list[str]:
        """The words that a state remembers, in the order of the text."""
        return [self.vocabulary.words[w] for w in self.native.context(state)]  # type: ignore[arg-type]

    def training_counts(self) -> NDArray[np.uint32]:
        """How often each word of the vocabulary was seen in training, by id."""
        return word_counts(self.corpus)

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """By context length, the longest first: what came from the word as seen there, and from head and modifiers."""
        number = self.vocabulary[word]
        unseen = None if word in self.vocabulary or self.is_renormalised else self._unseen(word)
        parts = [self.components.names[i] for i in unseen] if unseen else self.components.of(number)
        compound = self._word(word)
        contributions = self.native.explain(state, compound)  # type: ignore[arg-type]
        total = sum(seen + decomposed for _, seen, decomposed, _ in contributions)
        context = self.context(state)
        steps = []
        for length, seen, decomposed, head in reversed(contributions):
            before = " ".join(context[max(0, len(context) - length) :])
            if seen > 0:
                steps.append(Step(f"{length + 1}-gram", f"{before} {word}".strip(), seen, seen / total))
            if decomposed > 0:
                steps.append(Step("head", f"{before} +{parts[0]}".strip(), head, decomposed / total))
        ends = [*parts[1:], "$"]
        for given, following in zip(parts, ends, strict=True):
            after = len(self.components) if following == "$" else self.components.index[following]
            p = self.native.modifier_probability(self.components.index[given], after)
            steps.append(Step("modifier" if following != "$" else "end", f"{following} | {given}", p))
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
            "segmentation": self.decomposition.table.to_bytes(),
        }
        if self.sampling is not None:
            more, chains = self.sampling.contents(with_samples=False)
            meta |= more
            sections |= chains
        meta |= {"decomposition": self.decomposition.to_dict(), "renormalised": self.is_renormalised}
        sections |= {f"samples/{name}": rows for name, rows in self.samples.items()}
        sections |= {f"trace/{i}": trace for i, trace in enumerate(self.trace)}
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`; also loads a checkpoint of training that was not finished."""
        model = cls.__new__(cls)
        decomposition = Decomposition.from_file(file)
        both_ways = file.kind == BothWaysSampling.kind
        model.settings = CompoundSettings(file.meta["order"], decomposition.head, decomposition.linking, both_ways)
        kind = BothWaysSampling if both_ways else CompoundSampling
        sampling = kind.from_file(file) if "schedule" in file.meta else None
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
        samples = {n.removeprefix("samples/"): file.array(n) for n in file.sections if n.startswith("samples/")}
        return model._learnt(corpus, file.meta["order"], decomposition, samples)

    def _tree(self) -> _core.CompoundTree:
        if self.sampling is not None:
            return self.sampling.compound_tree
        tree = context_tree(self.corpus, self.order)
        return _core.CompoundTree(tree, self.components.ids, self.components.offsets, len(self.components))
