"""Log-bilinear models behind the one language-model protocol.

Composed vectors are compiled once, so the additive models score as fast as the plain ones. A context word outside the
vocabulary has <unk> as its surface form and those of its morphemes that the model knows, in training as here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.files import PathLike
from binyan.language_model import LanguageModel, MixtureParts, Scores, State, Step, WordScore
from binyan.log_bilinear import storage
from binyan.log_bilinear.composer import Composer
from binyan.log_bilinear.decoder_feature import decoder_feature, decoder_words, is_native
from binyan.log_bilinear.distributed import Processes
from binyan.log_bilinear.extension import Extension
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.network import LogBilinearNetwork
from binyan.log_bilinear.scorer import Scorer
from binyan.log_bilinear.settings import SearchSettings, Shape, TrainingSettings
from binyan.log_bilinear.training_data import TrainingData, training_fields
from binyan.log_bilinear.tuning import TuningResult, tune
from binyan.log_bilinear.vectors import Vectors
from binyan.log_bilinear.word_sources import ClassesSource, WordMapSource, WordSources
from binyan.model_file import ModelFile, Section
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.segmentation.word_map_file import WordMapTable
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import BEGIN_ID, END, UNKNOWN_ID, refuse_boundaries


class LogBilinear(LanguageModel):
    """A log-bilinear language model, whose word vectors may be sums of morpheme vectors.

    `variant`: lbl, clbl, nlbl or nclbl (c: with word classes, n: with a sigmoid), with +c, +o or ++ where context vectors, target
    vectors or both are sums of morpheme vectors. `word_map`, for additive models: "own", the default, to learn it from the words of the text
    by an adaptor grammar, "morfessor" to learn it by Morfessor, or segmentations or other factors of words (a table, a file, a mapping from words to
    their parts or to factors such as "lemma=go pos=VERB"). It may hold words outside the vocabulary, whose vectors are composed when they are
    met. `classes`: word classes, a `paths` file, or how many Brown classes to make; about the square root of the vocabulary by
    default. A state is the last n - 1 words: ids, or the word itself where it is outside the vocabulary but has known morphemes.

    >>> text = ["der alte schulhof", "der neue hof", "die alte schule", "der neue schulhof"] * 5
    >>> model = LogBilinear("clbl++", order=2, dim=4, epochs=2, batch=20, word_map={"schulhof": "schul hof"})
    >>> round(sum(model.fit(text, text, progress=False).next_words("der").values()), 4)
    1.0
    """

    kind = "log-bilinear"
    shape: Shape
    training: TrainingSettings
    policy: VocabularyPolicy
    sources: WordSources
    network: LogBilinearNetwork
    factor_map: FactorMap
    segmentations: WordMapTable
    class_of: NDArray[np.uint32] | None
    closed_vocabulary: Vocabulary
    fields: dict[str, Any]
    counts: NDArray[np.int64]
    history: TrainingHistory | None
    composer: Composer
    scorer: Scorer

    @takes_settings(Shape, TrainingSettings, VocabularyPolicy, Preparation)
    def __init__(
        self,
        variant: str | None = None,
        *,
        word_map: WordMapSource = None,
        classes: ClassesSource = None,
        **settings: Any,
    ) -> None:
        groups = Shape, TrainingSettings, VocabularyPolicy, Preparation
        self.shape, self.training, self.policy, self.preparation = gather(
            "LogBilinear", {"variant": variant, **settings}, *groups
        )
        self.sources = WordSources.of_any(self.shape.variant, word_map, classes, self.preparation)

    def fit(
        self,
        text: Corpus | Source | Sequence[Source],
        development: Source,
        *,
        checkpoint: PathLike | None = None,
        progress: ProgressOption = None,
        after_epoch: Callable[[TrainingHistory], None] | None = None,
    ) -> Self:
        """Train on a text file, several (a list of Path objects), sentences, or a corpus.

        Training stops by the perplexity of `development`, a text file or sentences. `checkpoint` names a file that is written after
        each epoch; training is resumed from it if it exists. `after_epoch` is called with the history so far, and may raise to stop.
        """
        data = self._data(text, development, progress)
        trainer = data.task(self.shape)(self.training)
        self.history = trainer.run(checkpoint, progress, after_epoch)
        factor_map = trainer.factor_map.inside
        trainer.network.use_contexts(factor_map)
        self.segmentations = data.word_map if data.word_map is not None else SegmentationTable()
        self.class_of, self.counts = data.class_of, trainer.counts
        self.fields = data.fields(self.preparation) | training_fields(
            self.training, self.history, factor_map, self.shape
        )
        return self._learnt(trainer.network, factor_map, data.corpus.vocabulary)

    @takes_settings(SearchSettings)
    def tune(
        self,
        text: Corpus | Source | Sequence[Source],
        development: Source,
        *,
        study: PathLike | None = None,
        scheduler: str | None = None,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> TuningResult:
        """Search step size and penalty by the perplexity of `development`; the model stays as it is.

        `study` names a file that keeps the trials: searched on until it has `trials` of them. With `jobs` above 1, that many
        trials are trained at a time in processes, or on the workers of the Dask `scheduler` at that address.
        """
        [tuning] = gather("tune", settings, SearchSettings)
        data = self._data(text, development, progress)
        return tune(
            data.task(self.shape),
            replace(self.training, epochs=tuning.epochs),
            tuning,
            study,
            name=f"{self.shape.variant}-{self.shape.order}-{self.shape.dim}-{data.corpus.digest}",
            scheduler=scheduler,
            progress=progress,
        )

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
        network: LogBilinearNetwork,
        factor_map: FactorMap,
        vocabulary: Vocabulary,
        extension: Sequence[str] = (),
        rest: float = 0.5,
    ) -> Self:
        """What training, or a file, has given."""
        self.network, self.factor_map, self.closed_vocabulary = network.cpu().eval(), factor_map, vocabulary
        self.vocabulary = Vocabulary([*vocabulary.own_words, *extension]) if extension else vocabulary
        self.order = network.shape.order
        self.composer = Composer(network, factor_map, self.segmentations, bool(self.counts[UNKNOWN_ID]))
        self.scorer = Scorer(self.composer, len(vocabulary), Extension(extension, rest, self.composer))
        vars(self).pop("vectors", None)
        return self

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "scorer" in vars(self)

    @property
    def is_writer(self) -> bool:
        """Whether this process is the one that writes files: of those that torchrun started, the first."""
        return Processes.join().first

    # What log-bilinear models can do.

    @cached_property
    def vectors(self) -> Vectors:
        """The word and morpheme vectors, those of words outside the vocabulary composed of their morphemes."""
        self._require_fitted()
        return Vectors(self)

    def extended(self, words: Iterable[str] | PathLike | None = None, rest: float = 0.5) -> LogBilinear:
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

    @property
    def extension(self) -> tuple[str, ...]:
        """The words outside the vocabulary of training that the model predicts."""
        return self.scorer.extension.words

    def parts_of(self, word: str) -> tuple[str, ...] | None:
        """The morphemes of a word that have vectors, or the word itself; None where no vectors are sums of morphemes."""
        return tuple(self.composer.known_morphemes(word)) or (word,) if self.shape.variant.additive else None

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a native feature of the decoder whose words are `vocabulary`; through `score_word` where it is extended."""
        return decoder_feature(self, vocabulary) if is_native(self) else super().decoder_feature(vocabulary)

    def decoder_words(self, words: Sequence[str]) -> tuple[Any, ...]:
        """What `decoder_feature` needs of further words."""
        return decoder_words(self, words) if is_native(self) else super().decoder_words(words)

    @property
    def context_vectors(self) -> Tensor:
        """Composed context vectors, by word id."""
        return self.scorer.context_vectors

    @property
    def target_vectors(self) -> Tensor:
        """Composed target vectors, by row of the network's targets."""
        return self.scorer.target_vectors

    @property
    def description(self) -> str:
        """The model in a few words: its kind, its size, and how well it was learnt."""
        size = f"{len(self.vocabulary):,} words, {len(self.factor_map.morphemes):,} morphemes"
        text = f"{self.shape.variant} of order {self.order}, {size}"
        text += f", word map {self.segmentations.origin}" if self.segmentations.origin else ""
        if self.history is None:
            return text
        best, epochs = self.history.best, self.history.epochs
        return f"{text}, development perplexity {min(self.history.perplexity):.2f} after {best} of {epochs} epochs"

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

    def training_counts(self) -> NDArray[np.int64]:
        """How often each word of the vocabulary was predicted in training, by id."""
        return np.concatenate([self.counts, np.zeros(len(self.extension), self.counts.dtype)])

    # What every model answers.

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return (BEGIN_ID,) * (self.order - 1)

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

    def advance(self, state: State, word: str) -> State:
        """The state after one more word."""
        refuse_boundaries((word,), allowed=END)
        return (*state[1:], self._context_word(word))  # type: ignore[index]

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

    def signature(self) -> Signature:
        """How the model was made."""
        fields = {"model": str(self.shape.variant), "order": self.order, "dim": self.shape.dim}
        fields["position"] = "diagonal" if self.shape.diagonal else "full"
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
        model.shape, model.training = Shape.from_dict(file.meta["shape"]), storage.training_settings(file)
        model.preparation, model.policy = Preparation.from_dict(file.meta["preparation"]), VocabularyPolicy()
        model.fields, model.history = file.fields(), storage.history(file)
        model.segmentations = storage.word_map(file)
        model.sources = WordSources(model.segmentations if model.shape.variant.additive else None)
        model.class_of = file.array("classes") if "classes" in file.sections else None
        vocabulary, factor_map = Vocabulary.from_bytes(file.blob("vocabulary")), FactorMap.from_file(file)
        model.counts = vocabulary.checked_counts(file.counts("counts"))
        network = storage.network(file, model.shape, vocabulary, factor_map, model.class_of)
        return model._learnt(network, factor_map, vocabulary, storage.extension(file), file.meta["rest"])
