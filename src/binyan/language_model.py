"""The one contract of all language models. Perplexity, rescoring, the decoder and the web page use this and nothing else.

What only some models can do is a method too: its default refuses, and says why.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.context_scorer import ContextScorer
from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.model import Model, load_language_model, refuse
from binyan.ngram.backoff_settings import BackoffSettings
from binyan.progress import ProgressOption
from binyan.scores import Explanation, MixtureParts, NextWords, Scores, State, Step, WordScore, perplexity
from binyan.settings import check_seed, gather, takes_settings
from binyan.text import Corpus
from binyan.text.preparation import Preparation
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import BEGIN, END, UNKNOWN, UNKNOWN_ID, Vocabulary, refuse_boundaries

if TYPE_CHECKING:
    from binyan.log_bilinear.vectors import Vectors
    from binyan.mixture.source import CoreSource
    from binyan.ngram.backoff import BackoffLanguageModel
    from binyan.ngram.spelling import SpellingModel
    from binyan.segmentation import Segmentation

load = load_language_model
STRINGS = "strings"
"""The events of models in which every string has a probability of its own."""


class LanguageModel(Model):
    """A distribution over sentences, word by word.

    Texts are prepared as the training text was: `score`, `perplexity`, `next_words` and `explain` take them as they stand in a file;
    a list of words is taken as prepared. Everything else works on states, which are hashable, and prepared words.
    """

    commands = "binyan lm"
    order: int
    vocabulary: Vocabulary
    preparation: Preparation

    # What every model answers.

    @abstractmethod
    def begin(self) -> State:
        """The state at the start of a sentence."""

    def nowhere(self) -> State:
        """The state that knows of no words before; the start of a sentence where a model has no such notion."""
        return self.begin()

    @abstractmethod
    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`. Raises InputError for <s>, which is never predicted."""

    @abstractmethod
    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>: the fast path."""

    @abstractmethod
    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; <s> has 0.

        Sums to one, but for what an open-vocabulary model keeps for words outside the vocabulary.
        """

    def distributions(self, states: Sequence[State]) -> NDArray[np.floating]:  # (states, vocabulary)
        """`distribution` of several states in one batch."""
        return np.stack([self.distribution(state) for state in states])

    def advance(self, state: State, word: str) -> State:
        """The state after one more word, where its score is not needed."""
        return self.score_word(state, word).state

    # The same in terms of text.

    def score(self, sentence: str | Sequence[str]) -> float:
        """The log10 probability of a sentence and its end, as KenLM's `score`."""
        return float(self.score_sentences([self._words(sentence)]).log_prob.sum()) / math.log(10)

    def score_text(self, source: Source) -> Scores:
        """Score a text file, or sentences, prepared as the training text was."""
        return self.score_sentences(list(read_sentences(source, self.preparation)))

    def perplexity(self, source: Source) -> float:
        """Perplexity on a text file, or on sentences: over all words and sentence ends, unknown words included."""
        return self.score_text(source).perplexity

    def next_words(self, context: str | Sequence[str] = "") -> NextWords:
        """What may come after the beginning of a sentence: every word of the vocabulary with its probability."""
        return NextWords(self.vocabulary, self.distribution(self.state_after(context)))

    def state_after(self, context: str | Sequence[str]) -> State:
        """The state after the first words of a sentence."""
        state = self.begin()
        for word in self._words(context):
            state = self.advance(state, word)
        return state

    def explain(self, sentence: str | Sequence[str]) -> list[Explanation]:
        """How the probability of each word of a sentence, and of its </s>, was made."""
        explanations: list[Explanation] = []
        state = self.begin()
        for word in (*self._words(sentence), END):
            scored = self.score_word(state, word)
            steps = self.steps(state, word)
            explanations.append(Explanation(word, scored.log_prob, scored.matched, scored.unknown, steps))
            state = scored.state
        return explanations

    def sample(self, number: int = 1, seed: int = 1, longest: int = 100) -> list[str]:
        """Draw sentences of at most `longest` words."""
        random = np.random.default_rng(check_seed(seed))
        return [" ".join(self.draw_sentence(random, longest)) for _ in range(number)]

    def draw_sentence(self, random: np.random.Generator, longest: int = 100) -> list[str]:
        """Draw the words of one sentence, at most `longest`."""
        words: list[str] = []
        state = self.begin()
        while len(words) < longest:
            chances = self.distribution(state)
            word = self.vocabulary.words[int(random.choice(len(chances), p=chances / chances.sum()))]
            if word == END:
                break
            words.append(word)
            state = self.advance(state, word)
        return words

    def _words(self, text: str | Sequence[str]) -> list[str]:
        words = self.preparation(text) if isinstance(text, str) else list(text)
        refuse_boundaries(words)
        return words

    # What only some models can do.

    @property
    def events(self) -> str:
        """What words outside the vocabulary are to the model: `closed` where all of them are <unk>, `strings` where each is itself.

        Only figures over the same events can be compared or mixed.
        """
        return "closed"

    @property
    def is_open(self) -> bool:
        """Whether words outside the vocabulary have probabilities of their own, beside that of <unk>."""
        return self.events != "closed"

    def closed(self) -> LanguageModel:
        """The model renormalised over its vocabulary; itself where it sums to one already."""
        return self

    @property
    def is_average(self) -> bool:
        """Whether the model averages several posterior samples."""
        return False

    def one_sample(self) -> LanguageModel:
        """The last posterior sample as a model of its own; the model itself where it is no average of samples."""
        return self

    @takes_settings(BackoffSettings)
    def to_backoff(
        self,
        text: Corpus | Source | None = None,
        *,
        extend: Iterable[str] | PathLike | None = None,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> BackoffLanguageModel:
        """The back-off model nearest to this one, of `size` n-grams or pruned by a threshold.

        Its n-grams are those of `text`, a file or sentences like the training text (by default the training text, where the model
        has kept it), and others that the model expects. Words outside the vocabulary are <unk>, but for those to `extend` it by: words,
        or a file of them, that the model can score by their parts.
        """
        from binyan.ngram.backoff_export import nearest

        [asked] = gather("to_backoff", settings, BackoffSettings)
        return nearest(self, text, asked, extend, progress)

    @takes_settings(BackoffSettings)
    def to_arpa(
        self,
        path: PathLike,
        text: Corpus | Source | None = None,
        *,
        approximate: bool = False,
        extend: Iterable[str] | PathLike | None = None,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> BackoffLanguageModel:
        """Write an ARPA file, for decoders and other tools; packed where the name ends in .gz, .xz or .bz2.

        Exact for Kneser-Ney models and one sample of an HPYLM. Other models are approximated as `to_backoff` does; the average of several
        samples, where nothing else is asked, only if `approximate`. Returns the model that was written.
        """
        written = self.to_backoff(text, extend=extend, progress=progress, **settings)
        return written.to_arpa(path, progress=progress)

    def quantised(self, bits: int = 8) -> LanguageModel:
        """The model with each probability stored in `bits` bits, which makes its file smaller."""
        raise refuse(self, "table of probabilities", "back-off models have: 'binyan lm export' makes one of any model")

    def training_text(self) -> Corpus | None:
        """The training text, where the model has kept it."""
        return None

    def opened(self, words: Sequence[str]) -> LanguageModel:
        """A model that gives these words, where it can, probabilities of their own."""
        return self if self.is_open else self.extended(words)

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a feature of the decoder whose words are `vocabulary`; by default through `score_word`.

        The decoder appends words to `vocabulary` as it meets them, and extends the feature by what `decoder_words` gives.
        """
        (unknown,) = self.decoder_words(vocabulary)
        return _core.CallbackFeature(self.order, unknown, ContextScorer(self, vocabulary))

    def decoder_words(self, words: Sequence[str]) -> tuple[Any, ...]:
        """What the feature of `decoder_feature` has to know of further words: the arguments of its `extend`."""
        return (np.fromiter((self.vocabulary[w] == UNKNOWN_ID for w in words), np.uint8, len(words)),)

    def tell_parts(self, segmentations: Sequence[Segmentation]) -> None:
        """Tell the model the parts of words that it does not know. Models that do not look inside words need not know them."""

    @property
    def vectors(self) -> Vectors:
        """The word and morpheme vectors."""
        raise refuse(self, "vectors", "log-bilinear models have")

    @property
    def trace(self) -> list[NDArray[np.float64]]:
        """The trace of each chain of a sampled model: one row per sweep, the log-likelihood first."""
        raise SettingsError(f"a model of kind {self.kind!r} was not sampled: it has no trace")

    def extended(self, words: Iterable[str] | PathLike | None = None, rest: float = 0.5) -> LanguageModel:
        """The model with words outside the vocabulary as further events: those given, or all that it can compose."""
        raise refuse(self, "morpheme vectors", "log-bilinear ones have")

    @property
    def own_spelling(self) -> SpellingModel | None:
        """The model of spelling that was learnt with the model: <unk> is then every string outside the vocabulary."""
        return None

    def parts_of(self, word: str) -> tuple[str, ...] | None:
        """The parts of a word as the model sees them; None where it does not see inside words."""
        return None

    def has_own_probability(self, word: str) -> bool:
        """Whether a word is an event of its own; all words for which this is not so share that of <unk>."""
        return self.vocabulary[word] != UNKNOWN_ID

    def further_words(self) -> Iterable[str]:
        """Words outside the vocabulary that have probabilities of their own, as far as they can be listed."""
        return ()

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """The steps behind `score_word(state, word)`; none where a model has nothing to tell."""
        return ()

    # What a mixture with weights by context asks of a model (see `MixtureParts`). All have defaults, by which a model is one part
    # without features; a model that knows something of the context, such as a prediction vector, overrides all three alike.

    def weigh(self, state: State, word: str | None = None) -> MixtureParts:
        """What a mixture weighs the model by, for one word after `state`, or for every word of the vocabulary, by id.

        One part and no features where a model has no such notion.
        """
        chances = self.distribution(state) if word is None else np.exp([self.score_word(state, word).log_prob])
        return MixtureParts.whole(chances, np.exp([self.score_word(state, UNKNOWN).log_prob]))

    def weigh_each(self, states: Sequence[State]) -> list[MixtureParts]:
        """`weigh` of several states, each for every word of the vocabulary, in one batch."""
        return [self.weigh(state) for state in states]

    def weigh_sentences(self, sentences: Iterable[Sequence[str]]) -> MixtureParts:
        """What a mixture weighs the model by, for every event of prepared sentences: all that it asks of a text."""
        chances, unknown, matched = list[float](), list[float](), list[int]()
        for sentence in sentences:
            refuse_boundaries(sentence)
            state = self.begin()
            for word in (*sentence, END):
                scored = self.score_word(state, word)
                chances.append(scored.log_prob)
                unknown.append(self.score_word(state, UNKNOWN).log_prob)
                matched.append(scored.matched)
                state = scored.state
        return replace(MixtureParts.whole(np.exp(chances), np.exp(unknown)), matched=np.array(matched, np.uint8))

    def mixture_source(self, vocabulary: Sequence[str]) -> CoreSource | None:
        """The model as the core weighs it in a mixture whose words are `vocabulary`; None where it is not in the core."""
        return None

    def unknown_chances(self, sentences: Iterable[Sequence[str]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Log P(<unk> | h) at every event of prepared sentences, and how many words of its context h the model has seen.

        The second is 0 where a model has no such notion.
        """
        with np.errstate(divide="ignore"):
            chances = np.log(self.weigh_sentences(sentences).unknown.sum(0).astype(np.float64))
        return chances, np.zeros(len(chances), np.int64)

    def unknown_chance(self, state: State) -> tuple[float, int]:
        """The same after one state."""
        return self.score_word(state, UNKNOWN).log_prob, 0

    @property
    def description(self) -> str:
        """The model in a few words: its kind and size."""
        return f"{self.kind} of order {self.order}, {len(self.vocabulary):,} words"

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        return {"kind": self.kind, "order": self.order, "vocabulary": len(self.vocabulary)}

    def training_counts(self) -> NDArray[Any] | None:
        """How often each word of the vocabulary, by id, was an event of the training text; None where the model has not kept it."""
        return None

    def as_language_model(self) -> LanguageModel:
        """The model itself."""
        return self


__all__ = [
    "BEGIN",
    "END",
    "STRINGS",
    "Explanation",
    "LanguageModel",
    "MixtureParts",
    "NextWords",
    "Scores",
    "State",
    "Step",
    "WordScore",
    "load",
    "perplexity",
]
