"""What language models share that predict words by vectors, which may be sums of morpheme vectors.

Composed vectors are compiled once, so that additive models score as fast as plain ones. A context word outside the vocabulary has
<unk> as its surface form and those of its morphemes that the model knows, in training as here.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike
from binyan.language_model import LanguageModel, MixtureParts, Scores, State, Step, WordScore
from binyan.log_bilinear import storage
from binyan.log_bilinear.composer import Composer
from binyan.log_bilinear.extension import Extension
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.output import Targets
from binyan.log_bilinear.scorer import Scorer
from binyan.log_bilinear.training_data import TrainingData
from binyan.log_bilinear.vectors import Vectors
from binyan.log_bilinear.word_sources import WordSources
from binyan.model_file import ModelFile, Section
from binyan.progress import ProgressOption
from binyan.segmentation import Segmentation
from binyan.segmentation.word_map_file import WordMapTable
from binyan.signature import Signature
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import END, UNKNOWN_ID, refuse_boundaries


class VectorLanguageModel(LanguageModel):
    """A language model with a network, which turns states into prediction vectors, and a scorer, which turns these into probabilities.

    A class of such models says how its settings are read and its network is made, and what its states are.
    """

    shape: Any
    training: Any
    policy: VocabularyPolicy
    sources: WordSources
    network: Any
    factor_map: FactorMap
    segmentations: WordMapTable
    class_of: NDArray[np.uint32] | None
    closed_vocabulary: Vocabulary
    fields: dict[str, Any]
    counts: NDArray[np.int64]
    history: TrainingHistory | None
    composer: Composer
    scorer: Scorer

    # What a class of such models gives.

    @classmethod
    @abstractmethod
    def _settings_of(cls, file: ModelFile) -> tuple[Any, Any]:
        """Shape and training settings of a model in a file."""

    @classmethod
    @abstractmethod
    def _network_of(cls, shape: Any, targets: Targets, factor_map: FactorMap) -> Any:
        """A network with parameters that are still to be set."""

    def _scorer_of(self, words: int, extension: Extension) -> Scorer:
        """The scorer of the network, whose vocabulary has `words`, with further ones."""
        return Scorer(self.composer, words, extension)

    # How it is made.

    def _data(
        self, text: Corpus | Source | Sequence[Source], development: Source, progress: ProgressOption
    ) -> TrainingData:
        corpus = text if isinstance(text, Corpus) else Corpus.read(text, self.preparation, self.policy, progress)
        held_out = Corpus.encode(read_sentences(development, self.preparation), corpus.vocabulary)
        if not held_out.sentences:
            raise InputError("the development text holds no sentence; training stops by its perplexity")
        return TrainingData(
            corpus,
            held_out,
            self.sources.table(corpus, self.training.seed, progress),
            self.sources.word_classes(corpus, self.shape.variant, progress),
        )

    def _learnt(
        self,
        network: Any,
        factor_map: FactorMap,
        vocabulary: Vocabulary,
        extension: Sequence[str] = (),
        rest: float = 0.5,
    ) -> Self:
        """What training, or a file, has given."""
        self.network, self.factor_map, self.closed_vocabulary = network.cpu().eval(), factor_map, vocabulary
        self.vocabulary = Vocabulary([*vocabulary.own_words, *extension]) if extension else vocabulary
        self.order = network.shape.order
        told = self.composer.told if self.is_fitted else {}
        self.composer = Composer(network, factor_map, self.segmentations, bool(self.counts[UNKNOWN_ID]))
        self.composer.told = told
        self.scorer = self._scorer_of(len(vocabulary), Extension(extension, rest, self.composer))
        vars(self).pop("vectors", None)
        return self

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "scorer" in vars(self)

    # What models with vectors can do.

    @cached_property
    def vectors(self) -> Vectors:
        """The word and morpheme vectors, those of words outside the vocabulary composed of their morphemes."""
        self._require_fitted()
        return Vectors(self)

    def extended(self, words: Iterable[str] | PathLike | None = None, rest: float = 0.5) -> Self:
        """The model with further words as events: those given, or all of the word map.

        `words`: words, or a file of them, one per line; those count that are outside the vocabulary and have known morphemes. `rest`:
        the prior share of <unk> that remains for words outside the extension too.
        """
        if not self.shape.variant.output:
            raise SettingsError(f"{self.shape.variant} has no morphemes in its target vectors; train with +o or ++")
        if isinstance(words, (str, os.PathLike)):
            words = Vocabulary.read(words).own_words
        candidates = dict.fromkeys(words if words is not None else self.segmentations)
        new = [w for w in candidates if w not in self.closed_vocabulary and self.composer.known_morphemes(w)]
        if not new:
            raise InputError(
                "no word outside the vocabulary has known morphemes; give the model a word map that has them"
            )
        other = self.__copy__()
        return other._learnt(self.network, self.factor_map, self.closed_vocabulary, new, rest)

    def tell_parts(self, segmentations: Sequence[Segmentation]) -> None:
        """Tell the model the parts of words that its word map lacks; their vectors are then composed of them."""
        self.composer.tell(segmentations)

    @property
    def extension(self) -> tuple[str, ...]:
        """The words outside the vocabulary of training that the model predicts."""
        return self.scorer.extension.words

    def parts_of(self, word: str) -> tuple[str, ...] | None:
        """The morphemes of a word that have vectors, or the word itself; None where no vectors are sums of morphemes."""
        return tuple(self.composer.known_morphemes(word)) or (word,) if self.shape.variant.additive else None

    @property
    def context_vectors(self) -> Tensor:
        """Composed context vectors, by word id."""
        return self.scorer.context_vectors

    @property
    def target_vectors(self) -> Tensor:
        """Composed target vectors, by row of the network's targets."""
        return self.scorer.target_vectors

    def training_counts(self) -> NDArray[np.int64]:
        """How often each word of the vocabulary was predicted in training, by id."""
        return np.concatenate([self.counts, np.zeros(len(self.extension), self.counts.dtype)])

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        history = self.history or TrainingHistory()
        return {
            **super().summary(),
            "kind": str(self.shape.variant),
            "classes": self.network.targets.classes,
            "morphemes": len(self.factor_map.morphemes),
            **({"word_map": self.segmentations.origin} if self.segmentations.origin else {}),
            "new_words": len(self.extension),
            "epochs": history.epochs,
            "loss": history.loss,
            "development_perplexity": history.perplexity,
        }

    # What every model answers.

    def _context_word(self, word: str) -> int | str:
        number = self.vocabulary.index.get(word)
        if number is not None:
            return number
        return word if self.composer.context_rows(word) else UNKNOWN_ID

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        refuse_boundaries((word,), allowed=END)
        number = self.vocabulary[word]
        log_prob = self.scorer.log_prob(state, number)
        return WordScore(self.advance(state, word), log_prob, 0, number == UNKNOWN_ID)

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        batch = self.scorer.batch(sentences, self.vocabulary)
        log_prob = self.scorer.log_probs(batch, batch.words)
        return Scores(log_prob, np.zeros(len(log_prob), np.uint8), batch.words == UNKNOWN_ID, batch.offsets)

    def weigh(self, state: State, word: str | None = None) -> MixtureParts:
        """One part; the features are the prediction vector p of the context: what kind of word the model expects."""
        p = self.scorer.prediction(state).p
        return replace(super().weigh(state, word), features=p[None].astype(np.float64))

    def weigh_each(self, states: Sequence[State]) -> list[MixtureParts]:
        """The part of every word after each of several states."""
        vectors, chances = self.scorer.distributions(states)
        return [
            MixtureParts.whole(row, row[UNKNOWN_ID : UNKNOWN_ID + 1], p[None].astype(np.float64))
            for p, row in zip(vectors, chances, strict=True)
        ]

    def weigh_sentences(self, sentences: Iterable[Sequence[str]]) -> MixtureParts:
        """The part of every event of prepared sentences."""
        batch = self.scorer.batch(sentences, self.vocabulary)
        unknown = np.full_like(batch.words, UNKNOWN_ID)
        chances, rest = (np.exp(self.scorer.log_probs(batch, words)) for words in (batch.words, unknown))
        return MixtureParts.whole(chances, rest, self.scorer.prediction_vectors(batch))

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; sums to one."""
        return self.scorer.distribution(state)

    def distributions(self, states: Sequence[State]) -> NDArray[np.floating]:  # (states, vocabulary)
        """The same of several states in one batch."""
        return self.scorer.distributions(states)[1]

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """The class, the word within it and, for a word outside the vocabulary, its share of <unk>."""
        return self.scorer.steps(state, word, self.vocabulary, self.counts)

    # Signature and files.

    def _signature(self, fields: dict[str, Any]) -> Signature:
        """With what all models say of their making, and of their extension."""
        extension = self.scorer.extension
        return Signature(fields | self.fields).extended(
            extension=len(extension) or None, rest=extension.rest if extension else None
        )

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        return storage.contents(self)

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        model = cls.__new__(cls)
        model.shape, model.training = cls._settings_of(file)
        model.preparation, model.policy = Preparation.from_dict(file.meta["preparation"]), VocabularyPolicy()
        model.fields, model.history = file.fields(), storage.history(file)
        model.segmentations = storage.word_map(file)
        model.sources = WordSources(model.segmentations if model.shape.variant.additive else None)
        model.class_of = file.array("classes") if "classes" in file.sections else None
        vocabulary, factor_map = Vocabulary.from_bytes(file.blob("vocabulary")), FactorMap.from_file(file)
        model.counts = vocabulary.checked_counts(file.counts("counts"))
        network = storage.network(file, cls._network_of, model.shape, vocabulary, factor_map, model.class_of)
        return model._learnt(network, factor_map, vocabulary, storage.extension(file), file.meta["rest"])
