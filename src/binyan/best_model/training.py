"""Training the best model within a budget: Kneser-Ney first, then what fits into the time that is left, then a mixture."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from binyan.best_model.candidates import CANDIDATES, Candidate, Sentences, TrainingRequest
from binyan.best_model.held_out import Texts
from binyan.best_model.report import BestModel, TrainedPart
from binyan.best_model.settings import BudgetSettings
from binyan.best_model.stopwatch import Stopwatch
from binyan.best_model.timing import Budget, OutOfTimeError, estimate_seconds
from binyan.best_model.unknown_words import unknown_words_model
from binyan.errors import BinyanError, SettingsError
from binyan.language_model import LanguageModel
from binyan.progress import ProgressOption
from binyan.settings import gather, takes_settings
from binyan.text import Preparation, VocabularyPolicy
from binyan.text.reading import Source

_FOR_MIXING = 0.15  # of the budget
_USABLE = 0.65  # of the time left, for a model that can do with less than its usual time; the rest is for its development text
_MARGIN = 1.2  # times what a model is expected to take must be left
_GRACE = 1.1  # times the budget, after which such a model is given up
UNKNOWN_WORDS = "P(<unk>) fits the development text, by a model of where words come that were seen once"
_NOTHING_ELSE = "no other model was trained"


@takes_settings(BudgetSettings, VocabularyPolicy, Preparation)
def train_best(
    text: Source | Sequence[Source],
    development: Source | None = None,
    *,
    candidates: Sequence[Candidate] = CANDIDATES,
    say: Callable[[str], None] | None = None,
    progress: ProgressOption = None,
    **settings: Any,
) -> BestModel:
    """Train what is known to be best on a text file, several (a list of Path objects), or sentences, in about `minutes`.

    Kneser-Ney comes first, whatever the budget. Of the other `candidates` each is trained on slices of the text to see how long it will
    take, and on the whole where time allows; time is that of the processor where the machine is busy with other work. Words never seen
    are expected as often as in the development text. What was trained is mixed with weights by context, and the mixture is taken where it is
    better on half of the development text when fitted on the other. Without `development`, every k-th block of lines is held out. Ctrl-C
    ends training: the best so far is returned. `say` is called with a line whenever there is news.

    >>> text = ["der hund sah die katze", "die katze sah den hund", "der hund lief", "die katze lief"] * 20
    >>> train_best(text, candidates=CANDIDATES[:1]).chosen
    'mkn'
    """
    budget, policy, preparation = gather("train_best", settings, BudgetSettings, VocabularyPolicy, Preparation)
    if policy.is_open:
        raise SettingsError(
            "the best model is sought among those of a closed vocabulary; leave out `open`, and open the model that was found: "
            "binyan lm open MODEL --text TEXT --out OPEN"
        )
    watch = Stopwatch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of discounts of slices
        texts = Texts.read(text, development, preparation, policy, progress)
        request = TrainingRequest(texts.corpus, texts.development, preparation, budget.seed)
        unknown = unknown_words_model(texts.corpus, preparation)
        time_left = Budget(watch, (1 - _FOR_MIXING) * 60 * budget.minutes)
        run = _Training(request, time_left, say or (lambda line: None), unknown)
        run.say(f"development text: {texts.origin} ({sum(map(len, texts.development)):,} tokens)")
        run.each(candidates)
        model, chosen, reason = run.best(candidates)
    seen = UNKNOWN_WORDS if model is not run.models.get(chosen) and unknown is not None else None
    return BestModel(model, tuple(run.parts), chosen, reason, texts.origin, watch.clock, watch.processor, seen)


@dataclass
class _Training:
    """The candidates that were trained so far, and the model of where unknown words come, which is mixed with all of them."""

    request: TrainingRequest
    budget: Budget
    say: Callable[[str], None]
    unknown: LanguageModel | None = None
    models: dict[str, LanguageModel] = field(default_factory=dict)
    parts: list[TrainedPart] = field(default_factory=list)

    def each(self, candidates: Sequence[Candidate]) -> None:
        """Train the first candidate, and of the others what fits; Ctrl-C ends it."""
        try:
            for candidate in candidates:
                self._note(self._tried(candidate))
        except KeyboardInterrupt:
            if not self.models:
                raise
            self.say("stopped: the best so far is taken")

    def _note(self, part: TrainedPart) -> None:
        self.parts.append(part)
        self.say(str(part))

    def _tried(self, candidate: Candidate) -> TrainedPart:
        """The candidate, trained where nothing speaks against it."""
        if not self.models:
            return self._trained(candidate, None, self.request)
        if trained := [name for name in candidate.unless if name in self.models]:
            return _left_out(candidate, f"left out: it adds nothing to a mixture with {trained[0]}")
        if candidate.missing:
            return _left_out(candidate, f"left out, since {candidate.missing} is not installed")
        budget = self.budget
        if budget.left <= 0:
            return _left_out(candidate, "left out: no time is left")
        try:
            expected = estimate_seconds(candidate, self.request, budget)
            if _MARGIN * expected * candidate.shortest > budget.left:
                return _left_out(candidate, _too_long(expected * candidate.shortest, budget.left), expected)
            is_cut = expected > _USABLE * budget.left and candidate.shortest < 1
            expected = _USABLE * budget.left if is_cut else expected
            seconds = budget.by_clock(expected) if is_cut else None
            progress = replace(budget, limit=_GRACE * budget.limit) if is_cut else budget
            self.say(f"{candidate.name}: training, about {expected:.0f} s")
            return self._trained(candidate, expected, replace(self.request, progress=progress, seconds=seconds))
        except OutOfTimeError:
            return _left_out(candidate, "given up: it took longer than it was expected to, and time ran out")
        except BinyanError as error:
            return _left_out(candidate, f"left out: {error}")

    def _trained(self, candidate: Candidate, expected: float | None, request: TrainingRequest) -> TrainedPart:
        watch = Stopwatch()
        model = candidate.train(request)
        times = watch.clock, watch.processor
        perplexity = self._mixture([model], by_context=False).perplexity(self.request.development)
        self.models[candidate.name] = model
        return TrainedPart(candidate.name, perplexity, *times, expected, candidate.why)

    def _mixture(
        self, models: Sequence[LanguageModel], fitted_on: Sentences | None = None, by_context: bool = True
    ) -> LanguageModel:
        """The mixture of models and that of unknown words, if there is one; a model that is alone as it is."""
        from binyan.mixture import Mixture

        every = [*models, *([self.unknown] if self.unknown is not None else [])]
        if len(every) == 1:
            return every[0]
        return Mixture(every, by_context=by_context).fit(fitted_on or self.request.development, progress=False)

    def best(self, candidates: Sequence[Candidate]) -> tuple[LanguageModel, str, str]:
        """The best model, its name and why it was chosen."""
        reached = {part.name: part.perplexity for part in self.parts if part.perplexity is not None}
        single = min(reached, key=lambda name: reached[name])
        beaten = {
            other
            for c in candidates
            if c.name in reached
            for other in c.instead_of
            if reached[c.name] < reached.get(other, 0)
        }
        names = [name for name in reached if name not in beaten]
        if len(names) == 1:
            why = _NOTHING_ELSE if len(reached) == 1 else "the better of models of one kind"
            return self._mixture([self.models[single]]), single, why
        try:
            return self._mixed(names, single)
        except KeyboardInterrupt:
            return self.models[single], single, "the best alone: mixing was stopped"

    def _mixed(self, names: Sequence[str], single: str) -> tuple[LanguageModel, str, str]:
        """The mixture of models by context, where it is better than the `single` best on text that it was not fitted on."""
        fitted_on, rest = halves(self.request.development)
        models = [self.models[name] for name in names]
        alone = self._mixture([self.models[single]], fitted_on).perplexity(rest)
        mixed = self._mixture(models, fitted_on).perplexity(rest)
        compared = (
            f"development perplexity {mixed:.2f} mixed and {alone:.2f} for {single} alone, on the half not fitted on"
        )
        if mixed >= alone:
            return self._mixture([self.models[single]]), single, compared
        return self._mixture(models), " and ".join([", ".join(names[:-1]), names[-1]]) + " mixed by context", compared


def halves(sentences: Sentences, block: int = 10) -> tuple[Sentences, Sentences]:
    """The even and the odd blocks of sentences."""
    block = max(1, min(block, len(sentences) // 2))
    parts: tuple[list[Sequence[str]], list[Sequence[str]]] = ([], [])
    for i, sentence in enumerate(sentences):
        parts[i // block % 2].append(sentence)
    return (parts[0], parts[1]) if parts[1] else (sentences, sentences)


def _left_out(candidate: Candidate, why: str, expected: float | None = None) -> TrainedPart:
    return TrainedPart(candidate.name, None, 0.0, 0.0, expected, why)


def _too_long(expected: float, left: float) -> str:
    if expected == float("inf"):
        return "left out: even slices of the text took longer than the time that was left"
    return f"left out: it would take about {expected:.0f} s, and {max(0.0, left):.0f} s are left"
