"""From kept states of a grammar to a transducer: every run that a word can lead to becomes a state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from binyan.errors import SettingsError
from binyan.morphology.chain_state import Snapshot
from binyan.morphology.posterior import UNSEEN, Posterior
from binyan.morphology.transducer.contexts import END, LETTER, Contexts, Event
from binyan.morphology.transducer.kept_state import KeptState, kept_states
from binyan.morphology.transducer.left_out import laced_stems, left_out_rules
from binyan.morphology.transducer.machine import FINISHED, Machine, Plan, Run, Step, merged
from binyan.morphology.transducer.regularity import Recursion
from binyan.morphology.transducer.rule_forms import RuleForms
from binyan.morphology.transducer.settings import TransducerSettings
from binyan.morphology.transducer.size import expected_states
from binyan.morphology.transducer.transducer import OTHER, Transducer, packed
from binyan.progress import ProgressOption, track

_JUDGED = 1000  # training words by which the best state is chosen
_CHECKED = 20  # training words whose probability is compared with the parser's
_SAME = 1e-6


def build_transducer(
    posterior: Posterior, settings: TransducerSettings, signature: str = "", progress: ProgressOption = False
) -> Transducer:
    """The transducer of what was learnt. Raises SettingsError where it would have too many states, or needs a stack."""
    if posterior.words.letters or posterior.compiled.edges:
        raise SettingsError(
            "a transducer reads words character by character: not a model with letters of its own (digraphs, a profile, "
            "syllables, tones) or with marks for the edges of words; export the analyses instead (--format tsv)"
        )
    grammar = posterior.open_grammar.grammar
    kept = list(kept_states(posterior, posterior.snapshots))
    stems = _laced_trees(kept) if settings.stems == "seen" else {}
    plan = Plan(Contexts(grammar), Recursion.of(grammar), RuleForms(grammar), left_out_rules(grammar, settings), stems)
    snapshots = list(posterior.snapshots)
    if settings.states == "best":
        best = _best(posterior)
        kept, snapshots = [kept[best]], [snapshots[best]]
    builder = _Builder(settings.max_states)
    for i, state in enumerate(track(kept, "states", len(kept), progress)):
        try:
            builder.add(Machine(state, plan), i, 1.0 / len(snapshots))
        except _TooLarge:
            raise SettingsError(_refusal(state, plan, i, len(snapshots), settings)) from None
    exact = not plan.left_out
    transducer = replace(
        builder.transducer(),
        exact=exact and (settings.states == "average" or len(posterior.snapshots) == 1),
        note=_note(posterior, settings, exact),
        signature=signature,
        unit=posterior.words.unit,
        preparation=posterior.words.preparation,
    )
    _check(transducer, replace(posterior, snapshots=snapshots), exact)
    return transducer


def _check(transducer: Transducer, posterior: Posterior, exact: bool) -> None:
    """Some training words must have the probability that the parser gives them, or, where rules are left out, at most that."""
    for word in posterior.words.words[:: max(1, len(posterior.words) // _CHECKED)]:
        difference = transducer.lattice(word).log_probability - posterior.log_probability(word)
        if difference > _SAME or (exact and difference < -_SAME):
            raise SettingsError(
                f"the grammar {posterior.compiled.source.name} has rules that a transducer does not hold: {word!r} would have "
                f"{math.exp(difference):.3g} times its probability; export the analyses instead (--format tsv)"
            )


class _TooLarge(Exception):
    """More states than allowed."""


class _Builder:
    """States and arcs so far. State 0 is the first state, which all kept states of the grammar share."""

    def __init__(self, max_states: int) -> None:
        self.max_states = max_states
        self.symbols: dict[str, int] = {"": 0}
        self.numbers: dict[tuple[int, Run], int] = {}
        self.outgoing: list[list[tuple[int, int, int, float]]] = [[]]
        self.finals: dict[int, float] = {}

    def add(self, machine: Machine, kept: int, share: float) -> None:
        """Add all that a machine can do, with a share of the probability."""
        waiting = self._connect(0, [(share * p, event, run) for p, event, run in machine.start()], kept)
        while waiting:
            number, run = waiting.pop()
            waiting += self._connect(number, merged(machine.steps(run)), kept)

    def _connect(self, source: int, steps: Sequence[Step], kept: int) -> list[tuple[int, Run]]:
        """The arcs of a state; the states they lead to that are new."""
        new: list[tuple[int, Run]] = []
        for p, event, run in steps:
            if p <= 0.0:
                continue
            if event[0] == END:
                self.finals[source] = -math.log(p)
                continue
            key = (-1 if run == FINISHED else kept), run
            target = self.numbers.get(key)
            if target is None:
                target = self.numbers[key] = len(self.outgoing)
                if target >= self.max_states:
                    raise _TooLarge
                self.outgoing.append([])
                new.append((target, run))
            symbol = self._symbol(event)
            self.outgoing[source].append((symbol if event[0] == LETTER else 0, symbol, target, -math.log(p)))
        return new

    def _symbol(self, event: Event) -> int:
        text = OTHER if event[1] == UNSEEN else event[1]
        return self.symbols.setdefault(text, len(self.symbols))

    def transducer(self) -> Transducer:
        """What was built."""
        return packed(list(self.symbols), self.outgoing, self.finals)


def _laced_trees(kept: Sequence[KeptState]) -> dict[str, list[tuple[int, ...]]]:
    """The stems of roots and templates in the caches of all kept states, by their symbols."""
    laced = laced_stems(kept[0].compiled.grammar)
    trees: dict[str, dict[tuple[int, ...], None]] = {}
    for state in kept:
        for symbol, cached in state.cached.items():
            trees.setdefault(symbol, {}).update(dict.fromkeys(tree for tree, _ in cached if tree[0] in laced))
    return {symbol: list(found) for symbol, found in trees.items() if found}


def _best(posterior: Posterior) -> int:
    """The number of the kept state that gives the training words the highest probability; judged by some of them where there are many."""
    words = posterior.words.words[:: max(1, len(posterior.words) // _JUDGED)]

    def score(snapshot: Snapshot) -> float:
        alone = replace(posterior, snapshots=[snapshot])
        values = (alone.log_probability(word) for word in words)
        return sum(value for value in values if value > -math.inf)

    scores = [score(snapshot) for snapshot in posterior.snapshots]
    return scores.index(max(scores))


def _note(posterior: Posterior, settings: TransducerSettings, exact: bool) -> str:
    kept = len(posterior.snapshots)
    which = f"the average of {kept} kept states" if settings.states == "average" else f"the best of {kept} kept states"
    lacks = []
    if settings.stems != "all" and laced_stems(posterior.compiled.grammar):
        known = {"seen": "stems of roots and templates that were seen", "combined": "known roots with known templates"}
        lacks.append(f"{known[settings.stems]} only")
    if settings.new != "all":
        lacks.append("no new morphemes but stems" if settings.new == "stems" else "no new morphemes")
    return f"{posterior.compiled.source.name}: {which}; {'exact' if exact else ', '.join(lacks)}"


def _refusal(state: KeptState, plan: Plan, done: int, kept: int, settings: TransducerSettings) -> str:
    expected = expected_states(state, plan) * kept
    so_far = f"after {done} of {kept} kept states of the grammar" if kept > 1 else "of one kept state of the grammar"
    ways = []
    if kept > 1:
        ways.append("take one kept state (--states best)")
    grammar = plan.recursion.grammar
    if settings.stems != "seen" and laced_stems(grammar):
        ways.append("take the stems seen only (--stems seen)")
    ways.append(f"allow more (--max-states {max(expected, 2 * settings.max_states)})")
    return (
        f"the transducer has more than {settings.max_states:,} states, reached {so_far}; by its rules and caches it would have up to "
        f"about {expected:,}: {', or '.join(ways)}"
    )
