"""Groups of options that several commands have: `@with_groups` gives a command all options of each group it has a parameter for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from binyan.cli import options as o
from binyan.errors import SettingsError

if TYPE_CHECKING:
    from binyan.ngram.chains import Schedule
    from binyan.text import Preparation, VocabularyPolicy


class Group:
    """Options that go together; the fields of a group are options with their defaults."""


@dataclass(frozen=True)
class TextOptions(Group):
    """What is done to text before anything else."""

    normalise: o.Normalise = "none"
    punctuation: o.Punctuation = False
    tokenise: o.Tokenise = None
    strip_marks: o.StripMarks = False
    lowercase: o.Lowercase = False
    digits: o.Digits = False

    @property
    def preparation(self) -> Preparation:
        """As a value of the library."""
        from binyan.text import Preparation

        return Preparation(
            self.normalise, self.punctuation, self.tokenise, self.strip_marks, self.lowercase, self.digits
        )


@dataclass(frozen=True)
class VocabularyOptions(Group):
    """Which words of the training text a model knows."""

    vocabulary: o.VocabularyFile = None
    min_count: o.MinCount = 1
    kappa: o.Kappa = 0.0
    script: o.Script = None

    def policy(self, seed: int) -> VocabularyPolicy:
        """As a value of the library; `seed` draws what `kappa` leaves out."""
        from binyan.text import Vocabulary, VocabularyPolicy

        if self.vocabulary is not None and (self.min_count != 1 or self.kappa != 0.0 or self.script is not None):
            raise SettingsError("--vocabulary gives the words; --min-count, --kappa and --script would choose others")
        words = None if self.vocabulary is None else Vocabulary.read(self.vocabulary)
        return VocabularyPolicy(words, self.min_count, self.kappa, seed, self.script)


@dataclass(frozen=True)
class SamplingOptions(Group):
    """How a posterior is sampled, where, and what is saved of it."""

    iterations: o.Iterations = 100
    burn_in: o.BurnIn = None
    samples: o.Samples = 1
    chains: o.Chains = 1
    initialisation: o.InitialSeating = "sequential"
    scheduler: o.Scheduler = None
    resume: o.Resume = False
    reduced: o.Reduced = False

    def schedule(self, seed: int) -> Schedule:
        """As a value of the library."""
        from binyan.ngram.chains import Schedule

        return Schedule(self.iterations, self.burn_in, self.samples, self.chains, seed, self.initialisation)


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with every parameter that is a group replaced by the options of the group, in its place."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, Group):
            groups[name] = hint
            types = get_type_hints(hint, include_extras=True)
            parameters += [(f.name, types[f.name], f.default) for f in fields(hint)]  # type: ignore[arg-type]
        else:
            parameters.append((name, hint, parameter.default))

    def run(**given: Any) -> None:
        made = {name: kind(**{f.name: given.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        command(**given, **made)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, annotation=t, default=d) for n, t, d in parameters]
    )
    run.__annotations__ = {name: hint for name, hint, _ in parameters}
    return run
