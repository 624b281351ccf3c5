"""A kept state of a grammar as a machine that goes through a word from left to right.

A run is what is still to come of one constituent; it is a value, and equal runs have equal futures, so runs become the states of a
transducer. Runs of symbols with several arguments stop at each gap, and the rule above them goes on with another constituent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from binyan.grammar.rules import Rule, Variable
from binyan.morphology.transducer.contexts import (
    END,
    GAP,
    LETTER,
    TAG,
    Context,
    Contexts,
    Event,
    letter_tag,
    tree_events,
)
from binyan.morphology.transducer.kept_state import KeptState
from binyan.morphology.transducer.regularity import Recursion
from binyan.morphology.transducer.rule_forms import RuleForms
from binyan.morphology.transducer.tape import closing, continuing

Run = tuple[Any, ...]
"""What is still to come of a constituent; its first element says of what kind it is."""

Step = tuple[float, Event, Run]
"""A probability, what happens, and the run afterwards."""

RULE, REPEAT, PART, CACHE, REST, EMIT, DONE = "rule", "repeat", "part", "cache", "rest", "emit", "done"

FINISHED: Run = (DONE,)
ENDED: Event = (END, "")


@dataclass(frozen=True)
class Plan:
    """What the machines of all kept states of a grammar share.

    Rules that are `left_out` derive nothing anew. `stems` are trees, by their symbols, that every machine has as if they were in its cache,
    with the probability that they have with all rules.
    """

    contexts: Contexts
    recursion: Recursion
    forms: RuleForms
    left_out: frozenset[int] = frozenset()
    stems: Mapping[str, Sequence[tuple[int, ...]]] = field(default_factory=dict)


class Machine:
    """The runs of the symbols of one kept state."""

    def __init__(self, state: KeptState, plan: Plan) -> None:
        self.state = state
        self.plan = plan
        self.grammar = state.compiled.grammar
        self.contexts, self.recursion, self.forms, self.left_out = (
            plan.contexts,
            plan.recursion,
            plan.forms,
            plan.left_out,
        )
        self._starts: dict[tuple[str, Context], list[Step]] = {}
        self._caches: list[dict[Event, tuple[float, Run]]] = []

    def start(self) -> list[Step]:
        """The first steps of a word."""
        return self.begin(self.grammar.start, self.grammar.start)

    def begin(self, symbol: str, context: Context) -> list[Step]:
        """The first steps of a constituent; `context` is that of the constituent around it."""
        key = symbol, context
        if key not in self._starts:
            own, label = self.contexts.below(context, symbol)
            steps = list(self._derived(symbol, own))
            if label is not None:
                steps = [step for old in steps for step in self._within_part(label, *old)]
            self._starts[key] = merged([*steps, *self._cached(symbol, context)])
        return self._starts[key]

    def steps(self, run: Run) -> list[Step]:
        """What may happen next in a run."""
        kind = run[0]
        if kind == RULE:
            place = self.forms.places[run[2]]
            return self._rule_steps(place.rule, run[1], place.argument, place.element, self.forms.below(place, run[3]))
        if kind == REST:
            return [(1.0, run[1][0], (REST, run[1][1:]) if len(run[1]) > 1 else FINISHED)]
        if kind == CACHE:
            return [(p, event, after) for event, (p, after) in self._caches[run[1]].items()]
        if kind == PART:
            return [step for old in self.steps(run[2]) for step in self._within_part(run[1], *old)]
        if kind == REPEAT:
            return [step for old in self.steps(run[3]) for step in self._repeated(run[1], run[2], *old)]
        if kind == EMIT:
            return [(1.0, (TAG, run[1]), run[2])]
        return [(1.0, ENDED, FINISHED)]

    # Derivation by rules.

    def _derived(self, symbol: str, context: Context) -> Iterator[Step]:
        new = self.state.new_morpheme.get(symbol, 1.0)
        repeats = symbol in self.recursion.repeated
        for number in self.grammar.rules_of[symbol]:
            rule = self.grammar.rules[number]
            if number in self.left_out or self.recursion.begins_with_itself(rule):
                continue
            p = new * float(self.state.rule_probability[number])
            for q, event, after in self._rule_steps(number, context, 0, 0, (None,) * len(rule.rhs)):
                step = p * q, event, after
                yield from self._repeated(symbol, context, *step) if repeats else [step]

    def _repeated(self, symbol: str, context: Context, p: float, event: Event, after: Run) -> Iterator[Step]:
        """A symbol A with rules A -> A B: at each end, it may go on with one more B."""
        if event[0] != END:
            yield p, event, (REPEAT, symbol, context, after)
            return
        yield p, event, after
        for number in self.grammar.rules_of[symbol]:
            rule = self.grammar.rules[number]
            if self.recursion.begins_with_itself(rule) and number not in self.left_out:
                more = p * float(self.state.rule_probability[number])
                for q, next_event, next_run in self._rule_steps(number, context, 0, 1, (None,) * len(rule.rhs)):
                    yield more * q, next_event, (REPEAT, symbol, context, next_run)

    def _rule_steps(
        self, number: int, context: Context, argument: int, place: int, below: tuple[Any, ...]
    ) -> list[Step]:
        """The steps of a rule from an element on; `below` are the runs of its children that have begun and not ended."""
        rule = self.grammar.rules[number]
        elements = rule.arguments[argument]
        if place == len(elements):
            if argument + 1 == rule.arity:
                return [(1.0, ENDED, FINISHED)]
            return [(1.0, (GAP, ""), self._at(number, context, argument + 1, 0, below))]
        element = elements[place]
        if isinstance(element, str):
            after: Run = self._at(number, context, argument, place + 1, below)
            tag = letter_tag(context, rule, argument, place)
            return [(1.0, (LETTER, element), after if tag is None else (EMIT, tag, after))]
        steps: list[Step] = []
        child, running = element.child, below[element.child]
        is_last = argument + 1 == rule.arity and place + 1 == len(elements)
        for p, event, run in self.begin(rule.rhs[child], context) if running is None else self.steps(running):
            if event[0] in (LETTER, TAG):
                inside = run if is_last else self._at(number, context, argument, place, _with(below, child, run))
                steps.append((p, event, inside))
            elif event[0] == END and is_last:
                steps.append((p, event, run))
            else:
                steps += self._after_child(p, event, run, rule, number, context, element, argument, place, below)
        return steps

    def _after_child(
        self, p: float, event: Event, run: Run, rule: Rule, number: int, context: Context, element: Variable,
        argument: int, place: int, below: tuple[Any, ...],
    ) -> Iterator[Step]:  # fmt: skip
        """A child has come to its end, or to a gap: the rule goes on with its next element."""
        elements = rule.arguments[argument]
        below = _with(below, element.child, None if event[0] == END else run)
        ends = place + 1 == len(elements)
        if event[0] == GAP and event[1]:
            if ends:
                yield p, event, self._at(number, context, argument + 1, 0, below)
                return
            if elements[place + 1] != Variable(element.child, element.argument + 1):
                yield p, (TAG, event[1]), self._at(number, context, argument, place + 1, below)
                return
        for q, next_event, next_run in self._rule_steps(number, context, argument, place + 1, below):
            yield p * q, next_event, next_run

    def _at(self, number: int, context: Context, argument: int, place: int, below: tuple[Any, ...]) -> Run:
        """A rule at one of its elements; equal to every run that has the same to come."""
        form = self.forms.form(number, argument, place)
        if form is None:
            return FINISHED
        return RULE, context, form[0], tuple([below[child] for child in form[1]])

    @staticmethod
    def _within_part(label: str, p: float, event: Event, after: Run) -> Iterator[Step]:
        """The steps of a part of the word, with the tags behind its pieces."""
        if event[0] == END:
            yield p, (TAG, closing(label)), FINISHED
        elif event[0] == GAP:
            yield p, (GAP, continuing(label)), (PART, label, after)
        else:
            yield p, event, (PART, label, after)

    # Cached trees.

    def _cached(self, symbol: str, context: Context) -> list[Step]:
        """The first steps of the cached trees of a symbol, which share their beginnings and, where one tree is left, their ends."""
        entries: Counter[tuple[Event, ...]] = Counter()
        stems = self.plan.stems.get(symbol, ())
        trees = dict(self.state.cached.get(symbol, ())) | {stem: self.state.tree_probability(stem) for stem in stems}
        for derivation, p in trees.items():
            entries[tuple(tree_events(self.state.compiled, self.contexts, derivation, context))] += p  # type: ignore[assignment]
        if not entries:
            return []
        number = self._add_cache(sorted(entries.items()))
        return [(p, event, after) for event, (p, after) in self._caches[number].items()]

    def _add_cache(self, entries: Sequence[tuple[tuple[Event, ...], float]]) -> int:
        """The tree of the beginnings of all entries, none of which is empty; the number of its top."""
        top = len(self._caches)
        self._caches.append({})
        waiting = [(top, entries)]
        while waiting:
            number, rows = waiting.pop()
            groups: dict[Event, list[tuple[tuple[Event, ...], float]]] = {}
            for events, p in rows:
                groups.setdefault(events[0] if events else ENDED, []).append((events[1:], p))
            for event, group in groups.items():
                total = sum(p for _, p in group)
                rest = group[0][0]
                after: Run = (REST, rest) if rest else FINISHED
                if len(group) > 1:
                    after = (CACHE, len(self._caches))
                    self._caches.append({})
                    waiting.append((after[1], [(events, p / total) for events, p in group]))
                self._caches[number][event] = total, after
        return top


def _with(below: tuple[Any, ...], child: int, run: Run | None) -> tuple[Any, ...]:
    return (*below[:child], run, *below[child + 1 :])


def merged(steps: Sequence[Step]) -> list[Step]:
    """The steps, those with the same event and run added."""
    sums: dict[tuple[Event, Run], float] = {}
    for p, event, run in steps:
        key = event, run
        sums[key] = sums.get(key, 0.0) + p
    return [(p, event, run) for (event, run), p in sums.items()]
