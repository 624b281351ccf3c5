"""Log-bilinear models behind the one language-model protocol.

Composed vectors are compiled once, so the additive models score as fast as the plain ones. A context word outside the
vocabulary has <unk> as its surface form and those of its morphemes that the model knows, in training as here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

from binyan import _core
from binyan.files import PathLike
from binyan.language_model import State
from binyan.log_bilinear import storage
from binyan.log_bilinear.decoder_feature import decoder_feature, decoder_words, is_native
from binyan.log_bilinear.distributed import Processes
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.mixture_source import mixture_source
from binyan.log_bilinear.network import LogBilinearNetwork
from binyan.log_bilinear.output import Targets
from binyan.log_bilinear.settings import SearchSettings, Shape, TrainingSettings
from binyan.log_bilinear.training_data import training_fields
from binyan.log_bilinear.tuning import OF_SHAPE, TuningResult, tune
from binyan.log_bilinear.vector_model import VectorLanguageModel
from binyan.log_bilinear.word_sources import ClassesSource, WordMapSource, WordSources
from binyan.mixture.source import CoreSource
from binyan.model_file import ModelFile
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.reading import Source
from binyan.text.vocabulary import BEGIN_ID, END, refuse_boundaries


class LogBilinear(VectorLanguageModel):
    """A log-bilinear language model, whose word vectors may be sums of morpheme vectors.

    `variant`: lbl, clbl, nlbl or nclbl (c: with word classes, n: with a sigmoid), with +c, +o or ++ where context vectors, target
    vectors or both are sums of morpheme vectors. `word_map`, for additive models: "own", the default, to learn it from the words of the text
    by an adaptor grammar, the name of a grammar (such as "root-template-affixes") to learn it by that, "morfessor" to learn it by Morfessor,
    a `MapLearner`, which may keep it in a folder, or segmentations or other factors of words (a table, a file, a mapping from words to
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
    network: LogBilinearNetwork

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
            trainer.settings, self.history, factor_map, self.shape
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
        """Search step size, penalty, dimension and order by the perplexity of `development`; the model stays as it is.

        `study` names a file that keeps the trials: searched on until it has `trials` of them. With `jobs` above 1, that many
        trials are trained at a time in processes, or on the workers of the Dask `scheduler` at that address.
        """
        [tuning] = gather("tune", settings, SearchSettings)
        data = self._data(text, development, progress)
        fixed = [f"{name}{getattr(self.shape, name)}" for name in OF_SHAPE if name not in tuning.searched]
        return tune(
            data.task(self.shape),
            replace(self.training, epochs=tuning.epochs or self.training.epochs),
            tuning,
            study,
            name="-".join([str(self.shape.variant), *fixed, data.corpus.digest]),
            scheduler=scheduler,
            progress=progress,
        )

    @property
    def is_writer(self) -> bool:
        """Whether this process is the one that writes files: of those that torchrun started, the first."""
        return Processes.join().first

    # What log-bilinear models can do.

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a native feature of the decoder whose words are `vocabulary`; through `score_word` where it has no context."""
        return decoder_feature(self, vocabulary) if is_native(self) else super().decoder_feature(vocabulary)

    def decoder_words(self, words: Sequence[str]) -> tuple[Any, ...]:
        """What `decoder_feature` needs of further words."""
        return decoder_words(self, words) if is_native(self) else super().decoder_words(words)

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

    # What every model answers.

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return (BEGIN_ID,) * (self.order - 1)

    def advance(self, state: State, word: str) -> State:
        """The state after one more word."""
        refuse_boundaries((word,), allowed=END)
        return (*state[1:], self._context_word(word))  # type: ignore[index]

    def mixture_source(self, vocabulary: Sequence[str]) -> CoreSource | None:
        """The model as the core weighs it; None without classes, and where it is extended."""
        return mixture_source(self, vocabulary)

    # Signature and files.

    def signature(self) -> Signature:
        """How the model was made."""
        fields = {"model": str(self.shape.variant), "order": self.order, "dim": self.shape.dim}
        fields["position"] = "diagonal" if self.shape.diagonal else "full"
        return self._signature(fields)

    @classmethod
    def _settings_of(cls, file: ModelFile) -> tuple[Shape, TrainingSettings]:
        return Shape.from_dict(file.meta["shape"]), storage.training_settings(file)

    @classmethod
    def _network_of(cls, shape: Shape, targets: Targets, factor_map: FactorMap) -> LogBilinearNetwork:
        return LogBilinearNetwork(shape, targets, factor_map)
