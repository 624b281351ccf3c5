"""Recurrent models behind the one language-model protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from binyan.files import PathLike
from binyan.language_model import State
from binyan.log_bilinear.extension import Extension
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.output import Targets
from binyan.log_bilinear.vector_model import VectorLanguageModel
from binyan.log_bilinear.word_sources import ClassesSource, WordMapSource, WordSources
from binyan.model_file import ModelFile
from binyan.progress import ProgressOption
from binyan.recurrent.network import RecurrentNetwork
from binyan.recurrent.scorer import RecurrentScorer
from binyan.recurrent.settings import RecurrentShape, RecurrentTraining
from binyan.recurrent.training import RecurrentTrainer
from binyan.segmentation import SegmentationTable
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.reading import Source
from binyan.text.vocabulary import END, refuse_boundaries


class Recurrent(VectorLanguageModel):
    """A recurrent language model, whose word vectors may be sums of morpheme vectors.

    `variant`: lstm, or lstm+c, lstm+o, lstm++ where the vectors of input words, of predicted words, or both are sums of morpheme
    vectors; `cell="gru"` takes GRU layers. `word_map`, for additive models: "own", the default, to learn it from the words of
    the text by an adaptor grammar, the name of a grammar to learn it by that, "morfessor" to learn it by Morfessor, or segmentations or other factors of words, as for
    `LogBilinear`. `classes`: word classes, a `paths` file, or how
    many Brown classes to make; about the square root of the vocabulary by default; 1 for a softmax over all words. A state is the
    words since the start of the sentence: ids, or the word itself where it is outside the vocabulary but has known morphemes.

    >>> text = ["der alte schulhof", "der neue hof", "die alte schule", "der neue schulhof"] * 5
    >>> model = Recurrent("lstm++", dim=4, hidden=4, epochs=2, batch=20, word_map={"schulhof": "schul hof"})
    >>> round(sum(model.fit(text, text, progress=False).next_words("der").values()), 4)
    1.0
    """

    kind = "recurrent"
    shape: RecurrentShape
    training: RecurrentTraining
    network: RecurrentNetwork

    @takes_settings(RecurrentShape, RecurrentTraining, VocabularyPolicy, Preparation)
    def __init__(
        self,
        variant: str | None = None,
        *,
        word_map: WordMapSource = None,
        classes: ClassesSource = None,
        **settings: Any,
    ) -> None:
        groups = RecurrentShape, RecurrentTraining, VocabularyPolicy, Preparation
        self.shape, self.training, self.policy, self.preparation = gather(
            "Recurrent", {"variant": variant, **settings}, *groups
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

        Training stops by the perplexity of `development`, a text file or sentences, and the parameters with the lowest are kept; so
        they are at Ctrl-C. `checkpoint` names a file that is written after each epoch; training is resumed from it if it exists.
        `after_epoch` is called with the history so far, and may raise to stop.
        """
        data = self._data(text, development, progress)
        trainer = RecurrentTrainer(data, self.shape, self.training)
        self.history = trainer.run(checkpoint, progress, after_epoch)
        factor_map = trainer.factor_map.inside
        trainer.network.use_contexts(factor_map)
        self.segmentations = data.word_map if data.word_map is not None else SegmentationTable()
        self.class_of, self.counts = data.class_of, trainer.counts
        self.fields = data.fields(self.preparation) | trainer.fields()
        return self._learnt(trainer.network, factor_map, data.corpus.vocabulary)

    @property
    def is_writer(self) -> bool:
        """Whether this process is the one that writes files."""
        return True

    @property
    def description(self) -> str:
        """The model in a few words: its kind, its size, and how well it was learnt."""
        shape, best = self.shape, min(self.history.perplexity) if self.history is not None else None
        size = f"{len(self.vocabulary):,} words, {len(self.factor_map.morphemes):,} morphemes"
        layers = f"{shape.layers} {shape.cell.upper()} layer{'s' * (shape.layers > 1)} of {shape.hidden} units"
        text = f"{shape.variant}, {layers}, vectors of {shape.dim} dimensions, {size}"
        text += f", word map {self.segmentations.origin}" if self.segmentations.origin else ""
        return text if best is None else f"{text}, development perplexity {best:.2f}"

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return ()

    def advance(self, state: State, word: str) -> State:
        """The state after one more word."""
        refuse_boundaries((word,), allowed=END)
        return (*state, self._context_word(word))  # type: ignore[misc]

    def signature(self) -> Signature:
        """How the model was made."""
        shape = self.shape
        fields: dict[str, Any] = {"model": str(shape.variant), "cell": shape.cell, "layers": shape.layers}
        fields |= {"hidden": shape.hidden, "dim": shape.dim, "tied": shape.tied}
        return self._signature(fields)

    def _scorer_of(self, words: int, extension: Extension) -> RecurrentScorer:
        return RecurrentScorer(self.composer, words, extension)

    @classmethod
    def _settings_of(cls, file: ModelFile) -> tuple[RecurrentShape, RecurrentTraining]:
        return RecurrentShape.from_dict(file.meta["shape"]), RecurrentTraining.from_dict(file.meta["training"])

    @classmethod
    def _network_of(cls, shape: RecurrentShape, targets: Targets, factor_map: FactorMap) -> RecurrentNetwork:
        return RecurrentNetwork(shape, targets, factor_map)
