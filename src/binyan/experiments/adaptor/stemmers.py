"""The Arabic root extractors that people use today, on the same words: ISRI (in NLTK) and Tashaphyne."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from binyan.errors import BinyanError
from binyan.evaluation.bootstrap import bootstrap
from binyan.evaluation.root_kinds import comparable
from binyan.evaluation.roots import RootScore, strong_roots
from binyan.experiments.adaptor.word_lists import gold_digest, gold_words, statistics
from binyan.experiments.experiment import Experiment, Outcome, Workspace

Stemmer = Callable[[str], Sequence[str]]  # a word -> equally good candidates for its root

_BUCKWALTER = "'|>&<}AbptvjHxd*rzs$SDTZEgfqklmnhwYy{"
_ARABIC = "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيٱ"
TO_ARABIC = str.maketrans(_BUCKWALTER, _ARABIC)
# name of a stemmer -> its package on PyPI
PACKAGES = {"ISRI": "nltk", "Tashaphyne": "tashaphyne"}


def measure_stemmers(experiment: Experiment, workspace: Workspace) -> Outcome:
    """How many roots of three radicals each finds, among words with a root that the stem shows; hamza on any seat is one letter.

    Where a stemmer has several equally good candidates, the word counts by the share of them that are right.
    """
    gold = gold_words(experiment.data, workspace)
    evaluated = [word for word in gold if strong_roots(word, 3)]
    figures: dict[str, Any] = statistics(gold)
    versions = {}
    for name, candidates_of in stemmers().items():
        shares = []
        for word in evaluated:
            truth = {comparable(root.translate(TO_ARABIC)) for root in strong_roots(word, 3)}
            candidates = candidates_of(word.word.translate(TO_ARABIC))
            shares.append(sum(comparable(c) in truth for c in candidates) / max(len(candidates), 1))
        column = np.array(shares).reshape(-1, 1)
        both = np.hstack([column, np.ones_like(column)])
        interval = bootstrap(both, lambda sums: 100 * float(sums[0] / sums[1]))
        figures[name] = RootScore(100 * float(column.mean()), len(shares), interval).to_dict()
        versions[name.lower()] = version(PACKAGES[name])
    return Outcome(figures, str(experiment.signature.extended(gold=gold_digest(gold), **versions)))


def most_common(candidates: Sequence[str]) -> list[str]:
    """The most frequent roots among candidates, of three letters if there are any: those that Tashaphyne chooses from.

    Which of several it takes depends on the order of a set, which changes from run to run.

    >>> most_common(["ktb", "ktAb", "ktAb", "tbw", "tbw", "ktb"])
    ['ktb', 'tbw']
    """
    of_three = [candidate for candidate in candidates if len(candidate) == 3] or list(candidates)
    most = max(map(of_three.count, of_three), default=0)
    return sorted({candidate for candidate in of_three if of_three.count(candidate) == most})


def stemmers() -> Mapping[str, Stemmer]:
    """The stemmers by name; raises an error that says what to install."""
    for package in PACKAGES.values():
        try:
            version(package)
        except PackageNotFoundError as error:
            raise BinyanError(f"{package} is not installed; install it with: pip install nltk tashaphyne") from error
    isri = import_module("nltk.stem.isri").ISRIStemmer()
    light = import_module("tashaphyne.stemming").ArabicLightStemmer()
    light.most_common = most_common

    def tashaphyne(word: str) -> list[str]:
        light.light_stem(word)
        roots = light.get_root()
        return [roots] if isinstance(roots, str) else roots

    return {"ISRI": lambda word: [isri.stem(word)], "Tashaphyne": tashaphyne}
