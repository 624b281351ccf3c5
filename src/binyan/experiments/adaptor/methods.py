"""How the words of chapter 5 are analysed: the thesis's grammars, our own, Morfessor and random guessers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# A third reading of TplR4: templatic characters apart, and R4 with four of them only.
_R4_WITH_T4 = "tplr4-apart-t4"
# our names of methods -> the thesis's
THESIS_NAMES = {
    "morfessor": "Morfessor",
    "concat": "Concat",
    "tpl": "Tpl",
    "tpl3ch": "Tpl3Ch",
    "tpl+t4": "Tpl+T4",
    "tplr4": "TplR4",
    _R4_WITH_T4: "TplR4",
    "mconcat": "MConcat",
    "mtpl": "MTpl",
    "mtpl3ch": "MTpl3Ch",
    "mtpl+t4": "MTpl+T4",
    "mconcat-hier": "MConcat, affix sequences adapted",
}
_WITHOUT_ROOTS = ("morfessor", "concat", "mconcat", "mconcat-hier", "affixes", "infix", "circumfix")


@dataclass(frozen=True)
class AnalysisMethod:
    """A grammar and how it is learnt, or another way of analysing words.

    `apart`: templatic characters never stand side by side, as in what py-srcag parses and the thesis's figures show.
    `relabelled`: a grammar of the thesis with cached trees resampled, which the thesis did not do. `unadapted`: prefixes and
    suffixes are not remembered as wholes.
    """

    name: str
    measure: str = "adaptor"
    apart: bool = False
    relabelled: bool = False
    unadapted: bool = False

    @property
    def grammar(self) -> str:
        """The name of the shipped grammar."""
        return f"{self.name}-apart" if self.apart else self.name

    @property
    def label(self) -> str:
        """The name of the method in names of experiments and in tables."""
        changes = ("-relabelled" if self.relabelled else "") + ("-unadapted" if self.unadapted else "")
        return f"{self.grammar}{changes}"

    @property
    def thesis_name(self) -> str:
        """The name in the thesis's tables; of two readings of one grammar, both have it."""
        return self.label if self.relabelled or self.unadapted else THESIS_NAMES.get(self.name, self.label)

    @property
    def title(self) -> str:
        """The name in tables that take the thesis's names."""
        if self.name == _R4_WITH_T4:
            return f"{self.thesis_name}, apart, R4 with T4 only"
        return f"{self.thesis_name}, apart" if self.apart else self.thesis_name

    @property
    def resamples_trees(self) -> bool:
        """Whether cached trees are resampled: always with grammars of our own."""
        return self.relabelled or self.name not in THESIS_NAMES

    @property
    def finds_roots(self) -> bool:
        """Whether analyses have roots."""
        return self.measure == "adaptor" and self.name not in _WITHOUT_ROOTS


MORFESSOR = AnalysisMethod("morfessor", "morfessor")
RANDOM_GUESSERS = AnalysisMethod("guessers", "guessers")
STEMMERS = AnalysisMethod("stemmers", "stemmers")
SWEEPS = AnalysisMethod("sweeps", "sweeps")
SUBSETS = AnalysisMethod("subsets", "subsets")

_SINGLE_AFFIXES = tuple(AnalysisMethod(name) for name in ("concat", "tpl", "tpl3ch", "tpl+t4", "tplr4"))
_APART = tuple(AnalysisMethod(name, apart=True) for name in ("tpl", "tpl3ch", "tpl+t4", "tplr4"))
# The other reading of grammars on whole lists, where it matters: on unvocalised Arabic only for roots of four.
_THIRD_READING = AnalysisMethod(_R4_WITH_T4)
_APART_OF_WHOLE_LISTS = {
    "HEB": (*_APART, _THIRD_READING),
    "BW": (_APART[-1], _THIRD_READING),
    "BW'": _APART,
}
_SEVERAL_AFFIXES = tuple(
    AnalysisMethod(name) for name in ("concat", "mconcat", "mconcat-hier", "mtpl", "mtpl3ch", "mtpl+t4")
)
_RELABELLED = tuple(AnalysisMethod(name, relabelled=True) for name in ("tpl", "tplr4"))
_OWN: Mapping[str, tuple[str, ...]] = {
    "HEB": ("root-template", "root-template-vocalised"),
    "BW": ("root-template",),
    "BW'": ("root-template-vocalised",),
    "QU'": ("root-template-vocalised", "root-template-clitics"),
}

_UNADAPTED: Mapping[str, tuple[str, ...]] = {"BW": ("concat", "tpl")}
# What is measured of lists that are not the thesis's main ones.
_OF_OTHER_LISTS: Mapping[str, tuple[str, ...]] = {
    "HEB+bare": ("concat", "tpl", "tpl+t4", "tplr4"),
    "TGL": ("concat", "affixes", "infix"),
    "IND": ("concat", "affixes", "circumfix"),
}


def methods_for(dataset: str, whole: bool) -> tuple[AnalysisMethod, ...]:
    """The grammars for a word list: the thesis's, some of them relabelled, and our own.

    On whole lists of Arabic, which take long, none is relabelled, and the other reading of grammars is tried where it matters.
    """
    if dataset in _OF_OTHER_LISTS:
        return tuple(map(AnalysisMethod, _OF_OTHER_LISTS[dataset]))
    return (
        *(_SEVERAL_AFFIXES if dataset == "QU'" else _SINGLE_AFFIXES),
        *(_APART_OF_WHOLE_LISTS.get(dataset, ()) if whole else _APART),
        *(_RELABELLED if dataset == "HEB" or not whole else ()),
        *(AnalysisMethod(name) for name in _OWN[dataset]),
        *(AnalysisMethod(name, unadapted=True) for name in _UNADAPTED.get(dataset, ())),
    )
