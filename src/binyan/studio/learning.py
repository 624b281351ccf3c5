"""One run of learning, as the worker does it: a first answer soon, better ones as sweeps go on, and a model that can be resumed."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from binyan import model_file
from binyan.errors import BinyanError, InputError
from binyan.grammar.composition import Recipe
from binyan.grammar.library import library_text
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.rules import Grammar
from binyan.morphology import Morphology
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.choice import choose
from binyan.morphology.continuation import begin_from
from binyan.morphology.knowledge import Knowledge
from binyan.morphology.settings import AUTO, MorphologySettings
from binyan.morphology.word_list import WordList
from binyan.settings import check_seed
from binyan.studio.accuracy import accuracy
from binyan.studio.analysis_store import AnalysisStore, analyse_words
from binyan.studio.project import Project
from binyan.studio.runs import RunRecord

OWN = "own"
"""The name of a grammar that was written on the page."""

MOST_SWEEPS, MOST_CHAINS = 20_000, 8

_FIRST_WORDS, _FIRST_SWEEPS, _FIRST_SECONDS = 600, 20, 5.0
_ANSWERS = (0.1, 0.3, 0.6)  # of the sweeps: when the analyses are brought up to date
_CHECKPOINT_SECONDS = 10.0
_NOTED_EVERY, _JUDGED_EVERY = 0.3, 2.0  # seconds


class StopRun(Exception):
    """Somebody asked for the end of a run, or the worker is to end."""


@dataclass(frozen=True)
class RunPlan:
    """What a run is to do: which grammar ("auto", a shipped one, "own" with its text), how many sweeps and chains, which seed.

    A run goes on from where the one before ended, if its grammar is the same, unless it is to be `fresh`.
    """

    grammar: str = AUTO
    text: str | None = None
    sweeps: int = 200
    chains: int = 2
    seed: int = 1
    fresh: bool = False

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> RunPlan:
        """From JSON, checked. Raises InputError or GrammarError."""
        plan = cls(
            **{
                name: fields[name]
                for name in ("grammar", "text", "sweeps", "chains", "seed", "fresh")
                if name in fields
            }
        )
        for name, most in (("sweeps", MOST_SWEEPS), ("chains", MOST_CHAINS)):
            value = getattr(plan, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise InputError(f"{name} is a whole number from 1 to {most:,}")
        if not isinstance(plan.fresh, bool):
            raise InputError("fresh is true or false")
        if not isinstance(plan.seed, int):
            raise InputError("a seed is a whole number")
        check_seed(plan.seed)
        if not isinstance(plan.grammar, str) or not isinstance(plan.text, (str, type(None))):
            raise InputError("a grammar is named, or given as text")
        if plan.sweeps < 10:
            raise InputError("10 sweeps are the fewest")
        if plan.text is not None:
            if len(plan.text) > 100_000:
                raise InputError("the grammar has more than 100,000 characters")
            refuse_includes(plan.text)
            read_grammar(plan.text, plan.grammar)
        elif plan.grammar != AUTO and library_text(plan.grammar) is None:
            raise InputError(f"there is no shipped grammar {plan.grammar[:60]!r}")
        return plan

    def to_dict(self) -> dict[str, Any]:
        """For the database."""
        return dict(vars(self))

    def settings(self, burn_in: int | None = None) -> MorphologySettings:
        """How the sampler is to sample."""
        return MorphologySettings(sweeps=self.sweeps, burn_in=burn_in, chains=self.chains, seed=self.seed)

    def made_grammar(self) -> Grammar:
        """The grammar itself, once it is chosen."""
        return load_grammar(self.grammar) if self.text is None else read_grammar(self.text, self.grammar)


def refuse_includes(text: str) -> None:
    """A grammar from the page may include shipped grammars, and no file."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["include"] and (len(words) != 2 or library_text(words[1].strip("\"'")) is None):
            raise InputError(f"a grammar on this page can include shipped grammars only: {line[:80]!r}")


class Learner:
    """Does one run. `beat` is called often; it may raise StopRun, and then the run can be resumed."""

    def __init__(self, project: Project, run: RunRecord, beat: Callable[[], None] = lambda: None) -> None:
        self.project, self.run, self._beat = project, run, beat
        self.store = AnalysisStore(project.database)
        self._noted = 0.0
        self._began = time.monotonic()
        self._answers: list[int] = []
        self._result: dict[str, Any] = dict(run.result)
        self._judged = 0.0
        self._agreeing: dict[str, Any] = {}

    def learn(self) -> None:
        """From the words of the project to a model and analyses. Raises StopRun where it was ended before; nothing is lost then."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            words = self.project.word_list()
            plan = RunPlan.read(self.run.settings)
            path = self.project.model_path(self.run.id)
            if not path.exists():
                if self._before(plan) is None:
                    self._first_answer(plan)
                plan = self._chosen(plan, words)
            self._sample(self._sampler(plan, words))

    # The parts of a run.

    def _first_answer(self, plan: RunPlan) -> None:
        """Something to look at within seconds: a few sweeps over the most frequent words."""
        words = self.project.word_list(_FIRST_WORDS)
        grammar = (
            Recipe("plain", "sequences").grammar()
            if plan.grammar == AUTO and plan.text is None
            else plan.made_grammar()
        )
        settings = MorphologySettings(sweeps=_FIRST_SWEEPS, chains=1, seed=plan.seed)
        known = self.project.evidence()
        listed = set(words.words)
        sampler = AdaptorSampler(
            grammar, words, settings, Knowledge(tuple(k for k in known.words if k.word in listed)), quiet=True
        )

        def until_time_is_up(done: int, total: int | None, figures: dict[str, float]) -> None:
            self._note({"stage": "first", "done": done, "total": _FIRST_SWEEPS})
            if time.monotonic() - self._began > _FIRST_SECONDS:
                raise _EnoughError

        with contextlib.suppress(_EnoughError):
            sampler.run(until_time_is_up, threads=1)
        morphology = Morphology.from_sampler(sampler)
        self.store.write(self.run.id, analyse_words(morphology, words.words))
        self._add_result(first_seconds=round(time.monotonic() - self._began, 2))

    def _chosen(self, plan: RunPlan, words: WordList) -> RunPlan:
        """The plan with its grammar chosen, which is stored: a run that is resumed does not choose again."""
        if plan.grammar != AUTO or plan.text is not None:
            return plan
        choice = choose(
            words, known=self.project.evidence().words, seed=plan.seed, progress=self._progress("choose"), threads=None
        )
        plan = replace(plan, grammar=choice.name, text=choice.grammar)
        self.project.runs.set(self.run.id, settings=plan.to_dict())
        self._add_result(choice=choice.to_dict())
        return plan

    def _sampler(self, plan: RunPlan, words: WordList) -> AdaptorSampler:
        path = self.project.model_path(self.run.id)
        if not path.exists():
            sampler = AdaptorSampler(plan.made_grammar(), words, plan.settings(), self.project.evidence(), quiet=True)
            self._go_on_from_before(sampler, plan)
            return sampler
        file = model_file.load(path)
        done, before = int(file.meta["sweeps"]), MorphologySettings.from_dict(file.meta["settings"])
        settings = plan.settings()
        if (
            settings.sweeps != before.sweeps
        ):  # more sweeps than planned at first: what was collected gives way to better samples
            settings = plan.settings(burn_in=max(settings.burned, done))
        return AdaptorSampler.from_file(file, settings, grammar=plan.made_grammar())

    def _before(self, plan: RunPlan) -> int | None:
        """The last run of the same grammar that has a model; None where the run is to begin from nothing."""
        for run in [] if plan.fresh else self.project.runs.all():
            same = run.settings.get("grammar") == plan.grammar and run.settings.get("text") == plan.text
            if run.id < self.run.id and same and self.project.model_path(run.id).exists():
                return run.id
        return None

    def _go_on_from_before(self, sampler: AdaptorSampler, plan: RunPlan) -> None:
        """Begin where the run before ended, with all trees that agree with the decisions made since; else from the beginning."""
        before = self._before(plan)
        if before is None:
            return
        with contextlib.suppress(BinyanError):
            kept = begin_from(sampler, Morphology.load(self.project.model_path(before)).sampler)
            self._add_result(continues=before, kept_trees=round(kept, 4))

    def _sample(self, sampler: AdaptorSampler) -> None:
        if len(sampler.unparsable) == len(sampler.words):
            raise InputError("the grammar derives none of the words; choose another one")
        self._result["left_out"] = [str(c) for c in sampler.applied.contradictions[:50]]
        total = sampler.settings.sweeps
        self._answers = [int(total * share) for share in _ANSWERS if int(total * share) > sampler.sweeps]

        def after_sweep(done: int, planned: int | None, figures: dict[str, float]) -> None:
            self._note({"stage": "sweeps", "done": done, "total": planned, **figures, **self._agreement(sampler)})
            if self._answers and done >= self._answers[0]:
                self._answers = [answer for answer in self._answers if answer > done]
                self._answer(sampler)

        try:
            sampler.run(after_sweep, checkpoint=lambda: self._save(sampler), seconds=_CHECKPOINT_SECONDS)
        except StopRun:
            if sampler.sweeps:
                self._save(sampler)
                if self.project.runs.get(self.run.id).wish == "stop":
                    self._answer(sampler)
            raise
        self._answer(sampler)

    def _save(self, sampler: AdaptorSampler) -> None:
        Morphology.from_sampler(sampler).save(self.project.model_path(self.run.id))

    def _agreement(self, sampler: AdaptorSampler) -> dict[str, Any]:
        """How far the chains agree, looked at every few seconds."""
        if time.monotonic() - self._judged > _JUDGED_EVERY:
            self._judged = time.monotonic()
            self._agreeing = self._judgement(sampler)
        return self._agreeing

    def _answer(self, sampler: AdaptorSampler) -> None:
        """Bring the analyses of all words up to date."""
        morphology = Morphology.from_sampler(sampler)

        def counted() -> Any:
            total = len(morphology.words)
            for i, analysis in enumerate(analyse_words(morphology, morphology.words.words)):
                if i % 200 == 0:
                    self._note({"stage": "analyses", "done": i, "total": total}, quiet=True)
                yield analysis

        self.store.write(self.run.id, counted(), self.project.decisions())
        self._add_result(
            sweeps=sampler.sweeps,
            known=len(sampler.knowledge.words),
            **self._judgement(sampler),
            unparsable=len(sampler.unparsable),
            accuracy=accuracy(self.project, self.run.id),
        )

    @staticmethod
    def _judgement(sampler: AdaptorSampler) -> dict[str, Any]:
        convergence = sampler.convergence()
        if convergence is None:
            return {}
        half, still = convergence.half_time.words, convergence.is_still
        return {
            "agreement": convergence.agreement,
            "half_time": half,
            "still": still,
            "sentence": convergence.sentence(),
        }

    # What is said meanwhile.

    def _progress(self, stage: str) -> Callable[[int, int | None, dict[str, float]], None]:
        return lambda done, total, figures: self._note({"stage": stage, "done": done, "total": total, **figures})

    def _note(self, progress: Mapping[str, Any], quiet: bool = False) -> None:
        """Note how far the run is, not more often than is worth it; `quiet`: nobody can stop it here."""
        if time.monotonic() - self._noted < _NOTED_EVERY and progress["done"] != progress["total"]:
            return
        self._noted = time.monotonic()
        seconds = round(time.monotonic() - self._began, 1)
        wish = self.project.runs.note(self.run.id, {**self.run.progress, **progress, "seconds": seconds})
        if quiet:
            return
        self._beat()
        if wish == "stop":
            raise StopRun

    def _add_result(self, **fields: Any) -> None:
        self._result |= fields
        self.project.runs.set(self.run.id, result=self._result)


class _EnoughError(Exception):
    """The first answer has taken long enough."""
