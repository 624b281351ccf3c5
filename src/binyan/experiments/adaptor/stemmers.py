"""The Arabic root extractors that people use today, on the same words: ISRI (in NLTK) and Tashaphyne."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from binyan.errors import BinyanError
from binyan.evaluation.root_kinds import comparable
from binyan.evaluation.roots import score_roots, strong_roots
from binyan.experiments.adaptor.word_lists import gold_digest, gold_words, statistics
from binyan.experiments.experiment import Experiment, Outcome, Workspace

Stemmer = Callable[[str], str]

_BUCKWALTER = "'|>&<}AbptvjHxd*rzs$SDTZEgfqklmnhwYy{"
_ARABIC = "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيٱ"
TO_ARABIC = str.maketrans(_BUCKWALTER, _ARABIC)
# name of a stemmer -> its package on PyPI
PACKAGES = {"ISRI": "nltk", "Tashaphyne": "tashaphyne"}


def measure_stemmers(experiment: Experiment, workspace: Workspace) -> Outcome:
    """How many roots of three radicals each finds, among words with a root that the stem shows; hamza on any seat is one letter."""
    gold = gold_words(experiment.data, workspace)
    evaluated = [word for word in gold if strong_roots(word, 3)]
    figures: dict[str, Any] = statistics(gold)
    versions = {}
    for name, root_of in stemmers().items():
        answers = {word.word: comparable(root_of(word.word.translate(TO_ARABIC))) for word in evaluated}
        truth = {
            word.word: [comparable(root.translate(TO_ARABIC)) for root in strong_roots(word, 3)] for word in evaluated
        }
        found = {word: truth[word] if answer in truth[word] else [] for word, answer in answers.items()}
        plain = {word.word: strong_roots(word, 3) if found[word.word] else [] for word in evaluated}
        figures[name] = score_roots(plain, evaluated).to_dict()
        versions[name.lower()] = version(PACKAGES[name])
    return Outcome(figures, str(experiment.signature.extended(gold=gold_digest(gold), **versions)))


def most_common(candidates: Sequence[str]) -> str:
    """The most frequent root among candidates, of three letters if there is one: Tashaphyne's choice.

    Ties are broken by the alphabet; Tashaphyne itself breaks them by the order of a set, which changes from run to run.

    >>> most_common(["ktb", "ktAb", "ktAb", "tbw", "tbw", "ktb"])
    'ktb'
    """
    of_three = [candidate for candidate in candidates if len(candidate) == 3] or list(candidates)
    return max(sorted(set(of_three)), key=of_three.count)


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

    def tashaphyne(word: str) -> str:
        light.light_stem(word)
        return str(light.get_root())

    return {"ISRI": isri.stem, "Tashaphyne": tashaphyne}
