"""Language models in place of those of a recogniser's word lattices: the best sentences, exactly."""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.language_model import END, LanguageModel, State
from binyan.text.reading import read_lines
from binyan.translation.inputs import ModelOrPath, open_models
from binyan.translation.nbest import FORMATS, NBestEntry, check_format
from binyan.translation.rescoring import IMPOSSIBLE, checked_weights, unknown_weight
from binyan.translation.word_lattice import Link, WordLattice, read_lattices, read_symbols

ACOUSTIC, GRAPH, WORDS = "Acoustic", "Graph", "Words"
MOST_STATES = 2000  # of the models, kept at a node
_MOST_PATHS = 1_000_000  # looked at for one list


class _Step(NamedTuple):
    """A link taken from one state to another (both by number), and what it adds."""

    target: int
    word: str
    values: tuple[float, ...]
    score: float


class _Path(NamedTuple):
    """Steps one after another, the last one first."""

    step: _Step
    before: _Path | None


@dataclass
class _Graph:
    """A lattice whose nodes are told apart by what the models remember; state 0 is its beginning, -1 the end of a sentence."""

    steps: list[list[_Step]] = field(default_factory=list)
    best_to_end: list[float] = field(default_factory=list)


class LatticeRescorer:
    """Finds the best sentences of word lattices by the models' scores and the lattices' own.

    A sentence's score is the weighted sum of the lattice's acoustic and graph scores (natural logarithms), its number of words, log P by each
    model (LanguageModel1, ...) and its unknown words (Unknown1, ...). By default acoustic scores and models weigh 1 and unknown words what
    `Rescorer` says; the lattice's graph scores, which come from the model it was made with, weigh 0. What a lattice of HTK says of its scales (acscale,
    lmscale, wdpenalty) multiplies the first two, and is added for every word.

    Lattices are expanded by the models' states, so that the search is exact; at nodes where more than `most_states` meet, the best are kept, and
    `nodes_cut` counts such nodes.
    """

    def __init__(
        self,
        models: ModelOrPath | Sequence[ModelOrPath],
        weights: Mapping[str, float] | PathLike | None = None,
        *,
        nbest: int = 1,
        most_states: int = MOST_STATES,
        symbols: PathLike | None = None,
    ) -> None:
        self.models: list[LanguageModel] = open_models(models)
        if not self.models:
            raise SettingsError("rescoring needs a language model")
        if nbest < 1 or most_states < 1:
            raise SettingsError("as many sentences and states as are kept: 1 or more")
        start = {ACOUSTIC: 1.0, GRAPH: 0.0, WORDS: 0.0}
        for i, model in enumerate(self.models, 1):
            start |= {f"LanguageModel{i}": 1.0, f"Unknown{i}": unknown_weight(model)}
        self.weights = checked_weights(start, weights)
        self.names = list(start)
        self.nbest, self.most_states, self.nodes_cut = nbest, most_states, 0
        self._symbols = None if symbols is None else _symbols(symbols)

    def stream(self, lines: Iterable[str], format: str, to: str = "moses", source: str = "<stdin>") -> Iterator[str]:
        """Lattices in (`format`: slf or kaldi), n-best lists out (`to`: moses, cdec, plain or json), each when its lattice is whole."""
        check_format(to)
        for lattice in read_lattices(lines, format, source, self._symbols):
            for entry in self.best(lattice):
                yield FORMATS[to].write(entry)

    def best(self, lattice: WordLattice) -> list[NBestEntry]:
        """The best sentences of a lattice, no two of the same words, best first."""
        weights = self._weights(lattice)
        graph = self._expanded(lattice, weights)
        entries = []
        for score, steps in _paths(graph, self.nbest):
            text = " ".join(step.word for step in steps if step.word)
            values = (sum(column) for column in zip(*(step.values for step in steps), strict=True))
            features = {name: [value] for name, value in zip(self.names, values, strict=True)}
            rest = {"fields": {"id": lattice.name, "text": text}, "columns": []}
            entries.append(NBestEntry(lattice.name, text, features, score, rest))
        return entries

    def _weights(self, lattice: WordLattice) -> tuple[float, ...]:
        """The weights with what the lattice itself says of its scales."""
        scaled = dict(self.weights)
        scaled[ACOUSTIC] *= lattice.scales.get(ACOUSTIC, 1.0)
        scaled[WORDS] += lattice.scales.get(WORDS, 0.0)
        for name in scaled:
            if name.startswith(("LanguageModel", "Unknown")):
                scaled[name] *= lattice.scales.get("LanguageModel", 1.0)
        return tuple(scaled[name] for name in self.names)

    def _expanded(self, lattice: WordLattice, weights: tuple[float, ...]) -> _Graph:
        outgoing: dict[int, list[Link]] = {}
        for link in lattice.links:
            outgoing.setdefault(link.start, []).append(link)
        scorer = _Scorer(self.models)
        graph = _Graph([[]])
        best = [0.0]  # to each state, by number
        at_node: dict[int, dict[tuple[State, ...], int]] = {lattice.start: {scorer.begin: 0}}

        def add(number: int, word: str, values: tuple[float, ...], target: int) -> float:
            score = sum(w * v for w, v in zip(weights, values, strict=True))
            graph.steps[number].append(_Step(target, word, values, score))
            return best[number] + score

        order: list[int] = []
        for node in lattice.in_order():
            for states, number in self._kept(at_node.pop(node, {}), best):
                order.append(number)
                if node in lattice.finals:
                    acoustic, cost = lattice.finals[node]
                    add(number, "", (acoustic, cost, 0.0, *scorer.score(states, END)[1]), -1)
                for link in outgoing.get(node, ()):
                    after, added = scorer.score(states, link.word)
                    known = at_node.setdefault(link.end, {})
                    target = known.setdefault(after, len(graph.steps))
                    if target == len(graph.steps):
                        graph.steps.append([])
                        best.append(-math.inf)
                    values = (link.acoustic, link.graph, float(bool(link.word)), *added)
                    best[target] = max(best[target], add(number, link.word, values, target))
        graph.best_to_end = _best_to_end(graph.steps, order)
        return graph

    def _kept(self, states: dict[tuple[State, ...], int], best: list[float]) -> list[tuple[tuple[State, ...], int]]:
        """The states of a node that are followed further."""
        if len(states) <= self.most_states:
            return list(states.items())
        self.nodes_cut += 1
        return heapq.nlargest(self.most_states, states.items(), key=lambda item: best[item[1]])


class _Scorer:
    """The models' scores of words after their states, each asked once; a silent link leaves states as they are."""

    def __init__(self, models: Sequence[LanguageModel]) -> None:
        self._models = models
        self._known: dict[tuple[int, State, str], tuple[State, float, float]] = {}
        self.begin: tuple[State, ...] = tuple(model.begin() for model in models)

    def score(self, states: tuple[State, ...], word: str) -> tuple[tuple[State, ...], list[float]]:
        """The states after a word, and log P and unknown words of each model."""
        if not word:
            return states, [0.0] * (2 * len(states))
        after, values = [], list[float]()
        for i, state in enumerate(states):
            answer = self._known.get((i, state, word)) or self._ask(i, state, word)
            after.append(answer[0])
            values += answer[1:]
        return tuple(after), values

    def _ask(self, i: int, state: State, word: str) -> tuple[State, float, float]:
        model = self._models[i]
        own = word if word == END else " ".join(model.preparation.words([word]))
        scored = model.score_word(state, own)
        unknown = word != END and not model.has_own_probability(own)
        answer = scored.state, max(scored.log_prob, IMPOSSIBLE), float(unknown)
        self._known[i, state, word] = answer
        return answer


def _best_to_end(steps: Sequence[Sequence[_Step]], order: Sequence[int]) -> list[float]:
    """The best score from each state to the end; `order` has the states so that steps lead to later ones. States not in it lead nowhere."""
    best = [-math.inf] * len(steps)
    for number in reversed(order):
        ways = (step.score + (0.0 if step.target == -1 else best[step.target]) for step in steps[number])
        best[number] = max(ways, default=-math.inf)
    return best


def _paths(graph: _Graph, number: int) -> Iterator[tuple[float, list[_Step]]]:
    """The best paths with different words, best first: A* with what is truly the best way to the end."""
    words: dict[tuple[int, str], int] = {}  # a word after a history, by numbers; history 0 is the empty one
    seen: set[tuple[int, int]] = set()
    queue: list[tuple[float, int, float, int, int, _Path | None]]
    queue = [(-graph.best_to_end[0], 0, 0.0, 0, 0, None)]
    pushed = found = 0
    while queue and found < number and pushed < _MOST_PATHS:
        _, _, score, state, history, path = heapq.heappop(queue)
        if (state, history) in seen:
            continue
        seen.add((state, history))
        if state == -1:
            found += 1
            yield score, _unwound(path)
            continue
        for step in graph.steps[state]:
            rest = 0.0 if step.target == -1 else graph.best_to_end[step.target]
            if rest == -math.inf:
                continue
            after = words.setdefault((history, step.word), len(words) + 1) if step.word else history
            pushed += 1
            so_far = score + step.score
            heapq.heappush(queue, (-(so_far + rest), pushed, so_far, step.target, after, _Path(step, path)))


def _unwound(path: _Path | None) -> list[_Step]:
    steps: list[_Step] = []
    while path is not None:
        steps.append(path.step)
        path = path.before
    return steps[::-1]


def _symbols(path: PathLike) -> dict[str, str]:
    return read_symbols((line for _, line in read_lines(path)), os.fspath(path))
