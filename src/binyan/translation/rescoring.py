"""Rescoring of n-best lists from any recogniser or translation system, as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.translation.nbest import FORMATS, Entry, check_format, parse, recognise

SCORE = "Score"  # the weight of the score a list came with
_LONGEST = 5000  # entries held at once where a format has no lists


class Rescorer:
    """Adds to each hypothesis log P by each model (LanguageModel1, ...) and its unknown words (Unknown1, ...).

    The new score is weights["Score"] x old score + the weighted features. By default the old score and the models weigh 1,
    unknown words 0. Words are what white space separates, with the steps of each model's preparation that concern words.
    """

    def __init__(
        self, models: Sequence[LanguageModel], weights: Mapping[str, float] | None = None, sort: bool = True
    ) -> None:
        if not models:
            raise SettingsError("rescoring needs a language model")
        self.models, self.sort = list(models), sort
        self.names = [n for i in range(1, len(self.models) + 1) for n in (f"LanguageModel{i}", f"Unknown{i}")]
        start = {SCORE: 1.0} | {n: 1.0 if n.startswith("LanguageModel") else 0.0 for n in self.names}
        strange = [name for name in weights or {} if name not in start]
        if strange:
            raise SettingsError(f"no feature is called {strange[0]!r}; there are {', '.join(start)}")
        self.weights = {**start, **(weights or {})}

    def features(self, texts: Sequence[str]) -> np.ndarray:
        """The added features, one row a hypothesis."""
        columns = []
        for model in self.models:
            scores = model.score_sentences([model.preparation.words(text.split()) for text in texts])
            unknown = np.concatenate([[0], np.cumsum(scores.unknown)])
            columns += [scores.sentence_log_prob, unknown[scores.offsets[1:]] - unknown[scores.offsets[:-1]]]
        return np.stack(columns, axis=1).astype(float)

    def rescore(self, entries: Sequence[Entry]) -> list[Entry]:
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
        """Lines in, lines out, a list at a time. A blank line ends a list at once, and is written back."""
        if format != "auto":
            check_format(format)
        pending: list[Entry] = []
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\r\n")
            if not line.strip():
                yield from self._written(pending, format)
                yield ""
                pending = []
                continue
            if format == "auto":
                format = recognise(line)
            entry = parse(line, format, f"{source}:{number}")
            if pending and (entry.group != pending[0].group or (entry.group is None and len(pending) >= _LONGEST)):
                yield from self._written(pending, format)
                pending = []
            pending.append(entry)
        yield from self._written(pending, format)

    def _written(self, entries: list[Entry], format: str) -> Iterator[str]:
        for entry in self.rescore(entries):
            yield FORMATS[format].write(entry)


def read_lists(lines: Iterable[str], format: str = "auto", source: str = "<stdin>") -> list[list[Entry]]:
    """All lists of a text, in the order they appear."""
    groups: dict[str, list[Entry]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if format == "auto":
            format = recognise(line)
        entry = parse(line.rstrip("\r\n"), format, f"{source}:{number}")
        if entry.group is None:
            raise InputError(
                f"{source}:{number}: the line does not say which sentence it belongs to, so lists cannot be told apart"
            )
        groups.setdefault(entry.group, []).append(entry)
    return list(groups.values())


def tune_rescoring(
    rescorer: Rescorer, lists: Sequence[Sequence[Entry]], references: Sequence[Sequence[str]], seed: int = 1
) -> tuple[dict[str, float], float]:
    """Weights by minimum error-rate training on lists with a reference each, and their BLEU (0 to 1)."""
    from binyan.translation.decoder import HypothesisLists
    from binyan.translation.tuning import HypothesisPool, References, optimise

    if len(lists) != len(references):
        raise InputError(f"{len(lists)} lists and {len(references)} references: there must be one for each list")
    names = (SCORE, *rescorer.names)
    vocabulary: dict[str, int] = {}
    sentence, words, offsets, rows = [], [], [0], []
    for i, entries in enumerate(lists):
        added = rescorer.features([e.text for e in entries])
        rows += [[e.score, *row] for e, row in zip(entries, added, strict=True)]
        for entry in entries:
            words += [vocabulary.setdefault(w, len(vocabulary)) for w in entry.text.split()]
            offsets.append(len(words))
            sentence.append(i)
    flat = HypothesisLists(
        np.array(sentence, np.uint32), np.zeros(len(sentence)), np.array(words, np.uint32), np.array(offsets, np.uint64), np.array(rows), list(vocabulary)
    )  # fmt: skip
    pool = HypothesisPool.empty(len(lists), len(names))
    pool.add(flat, References([[r] for r in references]).statistics(flat))
    start = np.array([rescorer.weights[n] for n in names])
    weights, bleu = optimise(pool, start, np.random.default_rng(seed))
    return dict(zip(names, weights.tolist(), strict=True)), bleu
