"""Language models that generate compounds from their components (thesis, chapter 3): HPYLM+c, and back-off both ways.

Both give probabilities to compounds never seen, as long as their components are known. The sum over the vocabulary is then
below one; `renormalised()` gives the same model over the closed vocabulary, exactly and at the cost of one look-up a word.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import ModelFileError
from binyan.language_model import LanguageModel, Scores, State, Step, WordScore
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import context_tree, training_corpus, word_counts
from binyan.ngram.chains import Arrays, Schedule
from binyan.ngram.compound_sampling import (
    BothWaysSampling,
    ComponentInventory,
    CompoundSampling,
    Decomposition,
    Head,
    decomposition_in,
    prepared,
)
from binyan.progress import ProgressOption
from binyan.segmentation import Linking, SegmentationTable
from binyan.signature import Signature
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy
from binyan.text.reading import Source


class CompoundHPYLM(LanguageModel):
    """HPYLM+c: a word of H_u is generated as a head from G_u and modifiers from F, from the head outwards.

    >>> from binyan.segmentation import Segmentation
    >>> table = SegmentationTable([Segmentation.parse("schulhof", "schul hof"), Segmentation.parse("gasthof", "gast hof")])
    >>> text = ["der alte schulhof", "der alte gasthof", "der neue hof", "die schul gast"]
    >>> model = CompoundHPYLM.train(text, 2, Schedule(iterations=20), segmentation=table)
    >>> state = model.score(model.begin(), "der").state
    >>> round(float(model.renormalised().next_words(state).sum()), 4)
    1.0
    """

    kind: ClassVar[str] = "hpylm+c"
    sampling_type: ClassVar[type[CompoundSampling]] = CompoundSampling
    sampling: CompoundSampling | None
    trace: list[NDArray[np.float64]]

    def __init__(
        self,
        native: _core.CompoundQuery,
        corpus: Corpus,
        order: int,
        preparation: Preparation,
        decomposition: Decomposition,
        components: ComponentInventory,
        samples: Arrays,
        fields: dict[str, Any],
    ) -> None:
        self.native, self.corpus, self.order, self.preparation = native, corpus, order, preparation
        self.vocabulary = corpus.vocabulary
        self.decomposition, self.components, self.samples, self.fields = decomposition, components, samples, fields
        self.is_renormalised = False

    @classmethod
    def train(
        cls,
        text: Corpus | Source | Sequence[Source],
        order: int = 4,
        schedule: Schedule | None = None,
        *,
        segmentation: SegmentationTable,
        head: Head = "right",
        linking: Linking | None = None,
        preparation: Preparation | None = None,
        policy: VocabularyPolicy | None = None,
        threads: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 60.0,
        resume: bool = False,
        progress: ProgressOption = None,
        scheduler: str | None = None,
    ) -> Self:
        """Sample from the posterior given a text, as `HPYLM.train` does.

        `segmentation` says which words are compounds; words it lacks are simplex. Linking elements are merged away from the
        head unless `linking` says otherwise.
        """
        preparation = preparation or Preparation()
        decomposition = Decomposition(prepared(segmentation, preparation), head, linking)
        corpus = training_corpus(text, preparation, policy=policy, progress=progress)
        sampling = cls.sampling_type(corpus, order, schedule or Schedule(), preparation, decomposition)
        sampling.run(checkpoint, resume, threads, checkpoint_seconds, progress, scheduler)
        return cls._finished(sampling)

    @classmethod
    def _finished(cls, sampling: CompoundSampling) -> Self:
        samples = sampling.chains.predictive()
        model = cls(
            _core.CompoundQuery.of(sampling.compound_tree, samples),
            sampling.corpus,
            sampling.order,
            sampling.preparation,
            sampling.decomposition,
            sampling.components,
            samples,
            sampling.fields(),
        )
        model.sampling = sampling
        model.trace = [np.array(trace) for trace in sampling.chains.traces]
        return model

    def renormalised(self) -> Self:
        """The same model given that every word is of the vocabulary: what it gives to the vocabulary sums to one."""
        other = copy.copy(self)
        other.is_renormalised = True
        return other

    def one_sample(self) -> Self:
        """The last sample of the last chain as a model of its own, reduced."""
        other = copy.copy(self)
        other.samples = {name: np.ascontiguousarray(rows[:, -1:]) for name, rows in self.samples.items()}
        other.native = _core.CompoundQuery.of(self._tree(), other.samples)
        other.fields = {**self.fields, "samples": 1}
        other.sampling = None
        return other

    @property
    def hyperparameters(self) -> dict[str, list[tuple[float, float]]]:
        """(discount, strength) after the last sweep of the first chain: of words (H) and heads (G) by context length, of
        modifiers (F) given a component and without."""
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
        if number == 0 and not self.is_renormalised:
            known = self._unseen(word)
            if known is not None:
                return self.native.compound(known)
        return self.native.word(number)

    def _unseen(self, word: str) -> list[int] | None:
        """The components of a word outside the vocabulary, if it has several or is one, and all are known."""
        return self.components.find(self.decomposition(word))

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return self.native.begin()

    def score(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`; a word outside the vocabulary by its components if they are known."""
        after, log_prob, matched = self.native.score(state, self._word(word), self.is_renormalised)  # type: ignore[arg-type]
        return WordScore(after, log_prob, matched, word not in self.vocabulary)

    def score_sentences(self, sentences: Iterable[Sequence[str]], threads: int = 1) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = sentences if isinstance(sentences, list) else [list(s) for s in sentences]
        corpus = Corpus.encode(listed, self.vocabulary)
        words = corpus.words
        others: list[list[int]] = []
        if not self.is_renormalised and bool((words == 0).any()):
            words = words.copy()
            numbers: dict[str, int] = {}
            flat = (word for sentence in listed for word in sentence)
            for place, word in enumerate(flat):
                if words[place] == 0 and word not in self.vocabulary:
                    if word not in numbers:
                        known = self._unseen(word)
                        numbers[word] = 0 if known is None else len(self.vocabulary) + len(others)
                        others += [known] if known is not None else []
                    words[place] = numbers[word]
        log_prob, matched = self.native.score_sentences(words, corpus.offsets, others, self.is_renormalised, threads)
        offsets = np.add(corpus.offsets, np.arange(len(corpus.offsets)), dtype=np.uint64, casting="unsafe")
        unknown = np.insert(corpus.words == 0, corpus.offsets[1:].astype(np.int64), False)
        return Scores(log_prob, matched, unknown, offsets)

    def next_words(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; sums to one if renormalised."""
        return self.native.distribution(state, self.is_renormalised)  # type: ignore[arg-type]

    def vocabulary_mass(self, state: State) -> float:
        """What the model, before renormalisation, gives to the words of the vocabulary after `state`."""
        return self.native.vocabulary_mass(state)  # type: ignore[arg-type]

    def context(self, state: State) -> list[str]:
        """The words a state remembers, in the order of the text."""
        return [self.vocabulary.words[w] for w in self.native.context(state)]  # type: ignore[arg-type]

    def training_counts(self) -> NDArray[np.uint32]:
        """How often each word of the vocabulary was seen in training, by id."""
        return word_counts(self.corpus)

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """By context length, the longest first: what came from the word as seen there, and from head and modifiers."""
        number = self.vocabulary[word]
        unseen = None if number or self.is_renormalised else self._unseen(word)
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

    def signature(self) -> Signature:
        """How the model was made."""
        more = {"renormalised": "exact"} if self.is_renormalised else {"open": "components"}
        return Signature({"model": self.kind, "order": self.order, **self.fields, **more})

    def save(self, path: str | os.PathLike[str], reduced: bool = False) -> None:
        """Write the model to one file: whole, or without its chains."""
        whole = self.sampling
        self.sampling = None if reduced else whole
        try:
            super().save(path)
        finally:
            self.sampling = whole

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
            more, chains = self.sampling.contents()
            meta |= more
            sections |= chains
        meta |= {"decomposition": self.decomposition.to_dict(), "renormalised": self.is_renormalised}
        sections |= {f"samples/{name}": rows for name, rows in self.samples.items()}
        sections |= {f"trace/{i}": trace for i, trace in enumerate(self.trace)}
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`; also loads a checkpoint of training that was not finished."""
        decomposition = decomposition_in(file)
        sampling = cls.sampling_type.from_file(file, decomposition=decomposition) if "schedule" in file.meta else None
        if "fields" not in file.meta:
            if sampling is None:
                raise ModelFileError(f"{file.path}: holds neither a finished model nor chains")
            return cls._finished(sampling)
        vocabulary = Vocabulary.from_bytes(file.blob("vocabulary"))
        corpus = Corpus(file.array("corpus/words"), file.array("corpus/offsets"), vocabulary)
        components = ComponentInventory(vocabulary, decomposition)
        samples = {n.removeprefix("samples/"): file.array(n) for n in file.sections if n.startswith("samples/")}
        model = cls.__new__(cls)
        model.corpus, model.order, model.components = corpus, file.meta["order"], components
        model.sampling = sampling
        native = _core.CompoundQuery.of(model._tree(), samples)
        preparation = Preparation.from_dict(file.meta["preparation"])
        model.__init__(  # type: ignore[misc]
            native, corpus, model.order, preparation, decomposition, components, samples, file.meta["fields"]
        )
        model.is_renormalised = file.meta["renormalised"]
        model.trace = [file.array(f"trace/{i}") for i in range(sum(s.startswith("trace/") for s in file.sections))]
        return model

    def _tree(self) -> _core.CompoundTree:
        if self.sampling is not None:
            return self.sampling.compound_tree
        tree = context_tree(self.corpus, self.order)
        return _core.CompoundTree(tree, self.components.ids, self.components.offsets, len(self.components))


class BothWaysHPYLM(CompoundHPYLM):
    """hpylm+g: H_u at every context length, its base a learnt mixture of H of the shortened context and of head and
    modifiers; so the context can be shortened before the word is taken apart."""

    kind: ClassVar[str] = "hpylm+g"
    sampling_type: ClassVar[type[CompoundSampling]] = BothWaysSampling
