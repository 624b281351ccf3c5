"""Rescoring of n-best lists from any recogniser or translation system, as a stream."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, write_json
from binyan.language_model import LanguageModel
from binyan.number_text import finite_values
from binyan.settings import check_seed
from binyan.text.preparation import split_words
from binyan.text.reading import Source, read_lines
from binyan.text.vocabulary import SPECIALS, UNKNOWN_ID
from binyan.translation.inputs import ModelOrPath, open_models
from binyan.translation.nbest import FORMATS, NBestEntry, check_format, parse, read_lists, recognise

if TYPE_CHECKING:
    from binyan.translation.decoder import HypothesisLists

SCORE = "Score"  # the weight of the score a list came with
METRICS = ("bleu", "wer")
IMPOSSIBLE = -1e6  # the least log-probability that is written: files know no infinity
_LONGEST = 5000  # entries held at once where a format has no lists


class Rescorer:
    """Adds to each hypothesis log P by each model (LanguageModel1, ...) and its unknown words (Unknown1, ...).

    `models` are language models or their files, `weights` a mapping or the file that `save` wrote. The new score is
    weights["Score"] x old score + the weighted features. By default the old score and the models weigh 1, and an unknown word costs what
    `unknown_weight` says. Words with a probability of their own, such as compounds that a model spells, are not counted as unknown.

    Hypotheses are prepared as each model's training text was, as `lm score` does; with `tokenised`, words are what white space separates, and
    only the steps that concern single words are applied. A hypothesis that a model holds impossible gets -1e6.

    >>> import binyan
    >>> model = binyan.HPYLM(order=2, sweeps=20).fit(["das haus ist klein", "das haus ist alt"])
    >>> for line in Rescorer(model).stream(["0 ||| haus das ||| ||| -1", "0 ||| das haus ||| ||| -1"]):
    ...     print(line.split(" ||| ")[1])
    das haus
    haus das
    """

    def __init__(
        self,
        models: ModelOrPath | Sequence[ModelOrPath],
        weights: Mapping[str, float] | PathLike | None = None,
        sort: bool = True,
        *,
        tokenised: bool = False,
    ) -> None:
        self.models: list[LanguageModel] = open_models(models)
        if not self.models:
            raise SettingsError("rescoring needs a language model")
        self.sort, self.tokenised = sort, tokenised
        self.bleu = self.word_error_rate = math.nan
        self.names = [n for i in range(1, len(self.models) + 1) for n in (f"LanguageModel{i}", f"Unknown{i}")]
        start = {SCORE: 1.0}
        for i, model in enumerate(self.models, 1):
            start |= {f"LanguageModel{i}": 1.0, f"Unknown{i}": unknown_weight(model)}
        self.weights = checked_weights(start, weights)

    def features(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The added features, one row per hypothesis."""
        columns: list[NDArray[np.float64]] = []
        for model in self.models:
            sentences = [self._words(model, text) for text in texts]
            log_probs = model.score_sentences(sentences).sentence_log_prob
            unknown = [sum(not model.has_own_probability(w) for w in words) for words in sentences]
            columns += [np.maximum(log_probs, IMPOSSIBLE), np.array(unknown, np.float64)]
        return np.stack(columns, axis=1)

    def _words(self, model: LanguageModel, text: str) -> list[str]:
        return model.preparation.words(split_words(text)) if self.tokenised else model.preparation(text)

    def rescore(self, entries: Sequence[NBestEntry]) -> list[NBestEntry]:
        """One list with features and scores added; best first where sorting is on and the format has lists."""
        if not entries:
            return []
        values = self.features([e.text for e in entries])
        for entry, row in zip(entries, values, strict=True):
            entry.score = self.weights[SCORE] * entry.score
            for name, value in zip(self.names, row, strict=True):
                place = name
                while place in entry.features:  # a name the list came with
                    place += "'"
                entry.features[place] = [float(value)]
                entry.score += self.weights[name] * float(value)
        if self.sort and entries[0].group is not None:
            return sorted(entries, key=lambda e: -e.score)
        return list(entries)

    def stream(self, lines: Iterable[str], format: str = "auto", source: str = "<stdin>") -> Iterator[str]:
        """Lines in, lines out, one list at a time. A blank line ends a list at once, and is written back."""
        if format != "auto":
            check_format(format)
        pending: list[NBestEntry] = []
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\r\n")
            if not line.strip():
                yield from self._lines(pending, format)
                yield ""
                pending = []
                continue
            if format == "auto":
                format = recognise(line)
            entry = parse(line, format, f"{source}:{number}")
            if pending and (entry.group != pending[0].group or (entry.group is None and len(pending) >= _LONGEST)):
                yield from self._lines(pending, format)
                pending = []
            pending.append(entry)
        yield from self._lines(pending, format)

    def _lines(self, entries: list[NBestEntry], format: str) -> Iterator[str]:
        for entry in self.rescore(entries):
            yield FORMATS[format].write(entry)

    def fit(
        self,
        lists: PathLike | Iterable[str | Sequence[NBestEntry]],
        references: Source,
        *,
        format: str = "auto",
        metric: str = "bleu",
        seed: int = 1,
    ) -> Self:
        """Tune the weights by minimum error-rate training on n-best lists with one reference per list.

        The lists are a file, its lines, or lists of entries. `metric`: "bleu" for translations, "wer" (word error rate) for
        recognised speech or writing. `bleu` or `word_error_rate` (0 to 1) is then that of the best hypotheses under the new weights.
        """
        if metric not in METRICS:
            raise SettingsError(f"weights are tuned by {' or '.join(METRICS)}, not {metric!r}")
        entries, sentences = _entries(lists, format), _references(references)
        if len(entries) != len(sentences):
            raise InputError(f"{len(entries)} lists and {len(sentences)} references: there must be one for each list")
        if not entries or not all(entries):
            raise InputError("there is no list to tune on" if not entries else "a list to tune on is empty")
        random, names = np.random.default_rng(check_seed(seed)), (SCORE, *self.names)
        start = np.array([self.weights[n] for n in names])
        by = self._tuned_by_bleu if metric == "bleu" else self._tuned_by_word_errors
        self.weights = dict(zip(names, by(entries, sentences, start, random).tolist(), strict=True))
        return self

    def _tuned_by_bleu(
        self,
        entries: Sequence[Sequence[NBestEntry]],
        references: Sequence[Sequence[str]],
        start: NDArray[np.float64],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        from binyan.translation.hypothesis_pool import HypothesisPool, References
        from binyan.translation.weight_search import optimise

        flat = self._flat(entries)
        pool = HypothesisPool.empty(len(entries), len(start))
        pool.add(flat, References([[r] for r in references]).statistics(flat))
        weights, self.bleu = optimise(pool, start, random)
        return weights

    def _tuned_by_word_errors(
        self,
        entries: Sequence[Sequence[NBestEntry]],
        references: Sequence[Sequence[str]],
        start: NDArray[np.float64],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        from binyan.translation.word_error_rate import fewest_errors, word_errors

        if not any(references):
            raise InputError("the references hold no word: a word error rate is errors per word of them")
        features = [
            np.column_stack([[e.score for e in listed], self.features([e.text for e in listed])]) for listed in entries
        ]
        errors = [
            np.array([word_errors(e.text.split(), right) for e in listed])
            for listed, right in zip(entries, references, strict=True)
        ]
        weights, count = fewest_errors(features, errors, start, random)
        self.word_error_rate = count / sum(map(len, references))
        return weights

    def _flat(self, lists: Sequence[Sequence[NBestEntry]]) -> HypothesisLists:
        """All hypotheses as tuning takes them; their features are the old score, then ours."""
        from binyan.translation.decoder import HypothesisLists

        vocabulary: dict[str, int] = {}
        sentence, words, offsets, rows = list[int](), list[int](), [0], list[list[float]]()
        for i, entries in enumerate(lists):
            added = self.features([e.text for e in entries])
            rows += [[e.score, *row] for e, row in zip(entries, added, strict=True)]
            for entry in entries:
                words += [vocabulary.setdefault(w, len(vocabulary)) for w in entry.text.split()]
                offsets.append(len(words))
                sentence.append(i)
        return HypothesisLists(
            np.array(sentence, np.uint32),
            np.zeros(len(sentence)),
            np.array(words, np.uint32),
            np.array(offsets, np.uint64),
            np.array(rows),
            list(vocabulary),
        )

    def save(self, path: PathLike) -> None:
        """Write the weights as JSON."""
        write_json(path, self.weights)

    @classmethod
    def load(
        cls, path: PathLike, models: ModelOrPath | Sequence[ModelOrPath], sort: bool = True, *, tokenised: bool = False
    ) -> Self:
        """A rescorer with the weights that `save` wrote."""
        return cls(models, path, sort, tokenised=tokenised)


def unknown_weight(model: LanguageModel) -> float:
    """What an unknown word costs unless weights say otherwise: minus the logarithm of how many unknown words there are.

    A model gives log P(<unk> | h) to all of them together; one of N has a share of 1 / N. N is estimated from the training text as unseen
    species are, by the words seen once and twice (Chao 1984, without bias: f1 (f1 - 1) / (2 (f2 + 1))), plus those seen that are
    outside the vocabulary, which are taken as seen once each; it is at least the number of known words.
    """
    known = len(model.vocabulary) - len(SPECIALS)
    counts = model.training_counts()
    unseen = 0.0
    if counts is not None:
        outside = int(counts[UNKNOWN_ID])
        once, twice = (int((counts[len(SPECIALS) :] == n).sum()) for n in (1, 2))
        once += outside
        unseen = outside + once * (once - 1) / (2 * (twice + 1))
    return -math.log(max(known, unseen, 2.0))


def _entries(lists: PathLike | Iterable[str | Sequence[NBestEntry]], format: str) -> list[Sequence[NBestEntry]]:
    """Lists of entries, read where they are a file or its lines."""
    given = lists if isinstance(lists, (str, os.PathLike)) else list(lists)
    if isinstance(given, list) and not any(isinstance(item, str) for item in given):
        return given  # type: ignore[return-value]
    return [*read_lists(given, format)]  # type: ignore[arg-type]


def _references(source: Source) -> list[list[str]]:
    """One reference per line of a file, or per sentence of a list."""
    if isinstance(source, (str, os.PathLike)):
        return [line.split() for _, line in read_lines(source)]
    return [item.split() if isinstance(item, str) else list(item) for item in source]


def checked_weights(start: Mapping[str, float], weights: Mapping[str, float] | PathLike | None) -> dict[str, float]:
    """The weights of `start` with those that are given, or that a file has, in their places; all are finite numbers of known features."""
    given = _read_weights(weights) if isinstance(weights, (str, os.PathLike)) else weights or {}
    if strange := [name for name in given if name not in start]:
        raise SettingsError(f"no feature is called {strange[0]!r}; there are {', '.join(start)}")
    chosen = {**start, **given}
    if broken := [name for name, weight in chosen.items() if not math.isfinite(weight)]:
        raise SettingsError(f"the weight of {broken[0]} is a finite number, not {chosen[broken[0]]}")
    return chosen


def _read_weights(path: PathLike) -> dict[str, float]:
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        return finite_values(stored, "weights")
    except (OSError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: not a JSON object of weights: {error}") from error
