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
from binyan.text.reading import Source, read_lines
from binyan.translation.inputs import ModelOrPath, open_models
from binyan.translation.nbest import FORMATS, NBestEntry, check_format, parse, read_lists, recognise

if TYPE_CHECKING:
    from binyan.translation.decoder import HypothesisLists

SCORE = "Score"  # the weight of the score a list came with
_LONGEST = 5000  # entries held at once where a format has no lists


class Rescorer:
    """Adds to each hypothesis log P by each model (LanguageModel1, ...) and its unknown words (Unknown1, ...).

    `models` are language models or their files, `weights` a mapping or the file that `save` wrote. The new score is
    weights["Score"] x old score + the weighted features. By default the old score and the models weigh 1, unknown words 0. Words
    are what white space separates, with the steps of each model's preparation that concern words.

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
    ) -> None:
        self.models: list[LanguageModel] = open_models(models)
        if not self.models:
            raise SettingsError("rescoring needs a language model")
        self.sort = sort
        self.bleu = math.nan
        self.names = [n for i in range(1, len(self.models) + 1) for n in (f"LanguageModel{i}", f"Unknown{i}")]
        start = {SCORE: 1.0} | {n: 1.0 if n.startswith("LanguageModel") else 0.0 for n in self.names}
        given = _read_weights(weights) if isinstance(weights, (str, os.PathLike)) else weights or {}
        strange = [name for name in given if name not in start]
        if strange:
            raise SettingsError(f"no feature is called {strange[0]!r}; there are {', '.join(start)}")
        self.weights = {**start, **given}

    def features(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The added features, one row per hypothesis."""
        columns = []
        for model in self.models:
            scores = model.score_sentences([model.preparation.words(text.split()) for text in texts])
            unknown = np.concatenate([[0], np.cumsum(scores.unknown)])
            columns += [scores.sentence_log_prob, unknown[scores.offsets[1:]] - unknown[scores.offsets[:-1]]]
        return np.stack(columns, axis=1).astype(float)

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
        seed: int = 1,
    ) -> Self:
        """Tune the weights by minimum error-rate training on n-best lists with one reference per list.

        The lists are a file, its lines, or lists of entries. `bleu` (0 to 1) is then that of the best hypotheses under the new
        weights.
        """
        from binyan.translation.hypothesis_pool import HypothesisPool, References
        from binyan.translation.weight_search import optimise

        entries, sentences = _entries(lists, format), _references(references)
        if len(entries) != len(sentences):
            raise InputError(f"{len(entries)} lists and {len(sentences)} references: there must be one for each list")
        names = (SCORE, *self.names)
        flat = self._flat(entries)
        pool = HypothesisPool.empty(len(entries), len(names))
        pool.add(flat, References([[r] for r in sentences]).statistics(flat))
        start = np.array([self.weights[n] for n in names])
        weights, self.bleu = optimise(pool, start, np.random.default_rng(seed))
        self.weights = dict(zip(names, weights.tolist(), strict=True))
        return self

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
    def load(cls, path: PathLike, models: ModelOrPath | Sequence[ModelOrPath], sort: bool = True) -> Self:
        """A rescorer with the weights that `save` wrote."""
        return cls(models, path, sort)


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


def _read_weights(path: PathLike) -> dict[str, float]:
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        weights = {name: float(value) for name, value in stored.items()}
        if not all(map(math.isfinite, weights.values())):
            raise ValueError("a weight is not a finite number")
        return weights
    except (OSError, ValueError, AttributeError, TypeError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: not a JSON object of weights: {error}") from error
