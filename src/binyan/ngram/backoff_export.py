"""Language models of any kind as back-off models: pruned where they are such, approximated where they are not."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from binyan import _core
from binyan.errors import InputError
from binyan.files import PathLike
from binyan.language_model import LanguageModel
from binyan.model import refuse
from binyan.ngram.approximation import Approximation, histories
from binyan.ngram.arpa import ArpaModel
from binyan.ngram.backoff_settings import BackoffSettings
from binyan.ngram.ngram_table import NONE, Floats, NgramTable
from binyan.ngram.pruning import prune
from binyan.progress import ProgressOption
from binyan.text import Corpus, Vocabulary
from binyan.text.reading import Source
from binyan.text.vocabulary import BEGIN_ID, UNKNOWN, UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.ngram.backoff import BackoffLanguageModel

_HISTORIES = 64  # in which words that extend a vocabulary are scored
_UNSEEN = 0.5  # occurrences of a context that the text lacks
Words = Iterable[str] | PathLike


def nearest(
    model: LanguageModel,
    text: Corpus | Source | None,
    settings: BackoffSettings,
    extend: Words | None = None,
    progress: ProgressOption = None,
) -> ArpaModel:
    """The back-off model nearest to any model (see `LanguageModel.to_backoff`)."""
    corpus = text_of(model, text)
    if corpus is None:
        raise refuse(model, "n-grams of its own", "give the text it was trained on: --text F (text=... in Python)")
    closed = model.closed()
    if settings.sample:
        drawn = closed.sample(settings.sample, settings.seed)
        together = [*(corpus.decode(i) for i in range(corpus.sentences)), *(line.split(" ") for line in drawn if line)]
        corpus = Corpus.encode(together, model.vocabulary)
    made = Approximation(closed, corpus, settings, progress)
    return as_model(model, *made.pruned(settings.size, settings.prune), corpus, settings, extend)


def pruned(
    model: BackoffLanguageModel, text: Corpus | Source | None, settings: BackoffSettings, extend: Words | None = None
) -> ArpaModel:
    """A back-off model pruned as `settings` say; of an average of samples, the model nearest to it over the same n-grams."""
    native = _core.one_column(model.native)
    table = NgramTable.of_model(native)
    p = np.exp(native.arrays["log_prob"].astype(np.float64))
    if settings.order is not None and settings.order < table.order:
        keep = np.arange(len(table)) < table.entry_base[settings.order]
        table, p = table.kept(keep), p[keep]
    p, weights = table.normalised(p)
    corpus = text_of(model, text)
    frequencies = None if corpus is None else _frequencies(table, corpus)
    table, p, weights = prune(table, p, weights, size=settings.size, threshold=settings.prune, histories=frequencies)
    return as_model(model, table, p, weights, corpus, settings, extend)


def text_of(model: LanguageModel, text: Corpus | Source | None) -> Corpus | None:
    """A text over the model's vocabulary; without one the training text, if the model has kept it."""
    if text is None:
        return model.training_text()
    return text if isinstance(text, Corpus) else Corpus.encode_text(text, model.vocabulary, model.preparation)


def _frequencies(table: NgramTable, corpus: Corpus) -> Floats:
    """P(u) of every context of a model by how often it stands in a text, which may lack some."""
    other, counts = NgramTable.of_corpus(corpus, table.order, False)
    seen = np.bincount(other.context, counts, minlength=len(other.suffix)).astype(np.float64)
    found = np.full(len(table.suffix), _UNSEEN)
    found[0] = seen[0]
    for k in range(1, table.order):
        contexts = np.arange(len(table.suffix))[table.contexts(k)]
        same = other.find_contexts(table.words_of(contexts, k))
        found[contexts[same != NONE]] = seen[same[same != NONE]]
    return np.asarray(found / seen[0])


def as_model(
    model: LanguageModel,
    table: NgramTable,
    p: Floats,
    weights: Floats,
    corpus: Corpus | None,
    settings: BackoffSettings,
    extend: Words | None = None,
) -> ArpaModel:
    """A model of these n-grams that says of which model it was made, with the vocabulary to `extend` it by."""
    vocabulary, fields = model.vocabulary, dict[str, Any]()
    if extend is not None:
        words = Vocabulary.read(extend).own_words if isinstance(extend, (str, os.PathLike)) else list(extend)
        table, p, weights, vocabulary = with_words(model, table, p, words, corpus)
        fields["extension"] = len(vocabulary) - len(model.vocabulary)
    asked = {name: value for name, value in settings.to_dict().items() if value != getattr(BackoffSettings, name)}
    signature = model.signature()
    fields = {
        "of": f"{signature.fields.get('model', model.kind)}-{signature.digest}",
        "ngrams": len(table),
        **asked,
        **({"text": corpus.digest} if corpus is not None else {}),
        **fields,
        "vocabulary": len(vocabulary),
        "oov": UNKNOWN,
        "preparation": str(model.preparation),
    }
    made = ArpaModel.__new__(ArpaModel)
    return made._learnt(table.native(p, weights), vocabulary, model.preparation, fields)


def with_words(
    model: LanguageModel, table: NgramTable, p: Floats, words: Iterable[str], corpus: Corpus | None
) -> tuple[NgramTable, Floats, Floats, Vocabulary]:
    """The n-grams with further single words, which share the probability of <unk> as the model, open, gives them.

    Words that the model knows, or cannot score by their parts, are left out; raises InputError where none is left.
    """
    own = [word for word in dict.fromkeys(words) if word not in model.vocabulary]
    opened = model.opened(own)
    new = [word for word in own if opened.has_own_probability(word)]
    if not new:
        raise InputError("none of the words to extend the vocabulary by is new and has parts that the model knows")
    chances = _open_chances(opened, [*new, UNKNOWN], corpus)
    shares = chances / chances.sum()
    size, unknown = table.vocabulary_size, p[UNKNOWN_ID]
    longer = np.concatenate([p[:size], unknown * shares[:-1], p[size:]])
    longer[UNKNOWN_ID] = unknown * shares[-1]
    wider = table.with_words(len(new))
    return wider, *wider.normalised(longer), Vocabulary([*model.vocabulary.own_words, *new])


def _open_chances(opened: LanguageModel, words: list[str], corpus: Corpus | None) -> Floats:
    """The probability of words in the mean over histories of a text; without one, where no words are known before."""
    states = [opened.nowhere()]
    if corpus is not None:
        past, _ = histories(corpus, max(opened.order, 2))
        rows = past[np.random.default_rng(1).integers(len(past), size=_HISTORIES)].tolist()
        states = [opened.state_after([corpus.vocabulary.words[w] for w in row if w != BEGIN_ID]) for row in rows]
    known = np.array([opened.vocabulary.index.get(word, NONE) for word in words])
    chances = np.zeros(len(words))
    for state in states:
        chances[known != NONE] += opened.distribution(state)[known[known != NONE]]
        for i in np.flatnonzero(known == NONE).tolist():
            chances[i] += np.exp(opened.score_word(state, words[i]).log_prob)
    return chances / len(states)
