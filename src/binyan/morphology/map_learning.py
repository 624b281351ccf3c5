"""Word maps learnt from the types of a text by an adaptor grammar: segmentations, and the factors that language models add up."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError, SettingsError
from binyan.morphology.analysis import Analysis
from binyan.morphology.frozen_grammar import FrozenGrammar, analysis_factors, is_analysable
from binyan.morphology.morphology import Morphology
from binyan.morphology.settings import AUTO
from binyan.progress import ProgressOption, track
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.factor_table import FactorTable
from binyan.segmentation.letter_factors import LetterFactors
from binyan.settings import Settings, gather, setting, takes_settings

BY_SCRIPT = "script"
"""Instead of a grammar: `affixes`, or roots and templates where the script is that of a language that has them."""

_PLAIN = "affixes"
_LETTERS = ", and letters: "
_SAMPLED = 200  # trees looked at, to sum over those of the same segmentation
_SCRIPT_SHARE = 0.5  # of the letters
_MARKED_SHARE = 0.2  # marks per letter of text that writes its vowels
_PERSIAN = frozenset("پچژگیک")  # letters of Persian and Urdu, which have no templates
_PERSIAN_SHARE = 0.005


@dataclass(frozen=True)
class MapSettings(Settings):
    """How our own morphology learns a word map. The work is bounded: `types` times `sweeps` words are drawn."""

    grammar: str = setting(
        BY_SCRIPT,
        f"{BY_SCRIPT} ({_PLAIN}; roots and templates for Arabic and Hebrew script), {AUTO} (chosen by trials), a grammar or its file.",
        metavar="G",
    )
    sweeps: int = setting(60, "Sweeps over the words that are learnt from.", metavar="N")
    types: int = setting(60_000, "Learn from the N most frequent words; analyse all.", metavar="N")
    letters: str | None = setting(
        "first=5 last=2,3",
        "Letters as further factors of language models, as in 'first=5 last=2,3'; none: no letters.",
        metavar="L",
    )
    seed: int = setting(1, "Random seed.", metavar="S")

    def __post_init__(self) -> None:
        if self.sweeps < 1 or self.types < 1:
            raise SettingsError(
                f"a map is learnt in 1 sweep or more from 1 word or more, not {self.sweeps} and {self.types}"
            )
        self.letter_factors()

    def letter_factors(self) -> LetterFactors | None:
        """The letters that are factors."""
        return None if self.letters in (None, "none") else LetterFactors.parse(str(self.letters))


@dataclass(frozen=True)
class LearntMap:
    """A word map: `segmentations` for models of parts that spell the word, `factors` for models that add up vectors."""

    segmentations: SegmentationTable
    factors: FactorTable
    grammar: str
    alternatives: tuple[Segmentation, ...] = ()
    """Further segmentations of the words, where `learn_map` was asked for several."""

    def __post_init__(self) -> None:
        self.segmentations.origin = self.origin.partition(_LETTERS)[0]

    @property
    def origin(self) -> str:
        """How the map was learnt, and why so."""
        return self.factors.origin

    def __str__(self) -> str:
        different = len({factor for word in self.factors for factor in self.factors[word]})
        return f"word map of {len(self.factors):,} words and {different:,} factors, {self.origin}"


@takes_settings(MapSettings)
def learn_map(
    counts: Mapping[str, int],
    more_words: Iterable[str] = (),
    *,
    n_best: int = 1,
    progress: ProgressOption = None,
    **settings: Any,
) -> LearntMap:
    """Learn from words with their counts, and analyse them and `more_words`, which are not learnt from.

    Words without a letter are left out. The same words and settings give the same map. With `n_best`, the map also has the next best
    segmentations of each word. The keywords are the fields of MapSettings.
    """
    [s] = gather("learn_map", settings, MapSettings)
    types = sorted(filter(is_analysable, counts), key=lambda word: (-counts[word], word))
    if not types:
        raise InputError("no word with a letter to learn a word map from")
    learnt = types[: s.types]
    grammar, unit, reason = by_script(learnt)
    if s.grammar != BY_SCRIPT:
        grammar, reason = s.grammar, "as asked for"
    how: dict[str, Any] = {
        "sweeps": s.sweeps,
        "burn_in": s.sweeps * 4 // 5,
        "chains": 1,
        "snapshots": 1,
        "seed": s.seed,
    }
    morphology = Morphology(grammar, unit=unit, **how).fit(learnt, progress=progress)
    if morphology.choice is not None:
        reason = morphology.choice.reason
    ranked = _analyses(morphology, dict.fromkeys([*types, *filter(is_analysable, more_words)]), n_best, progress)
    analyses = [first for first, *_ in ranked]
    table = SegmentationTable(analysis.segmentation.contiguous() for analysis in analyses)
    rows = {analysis.word: analysis_factors(analysis) for analysis in analyses}
    origin, letters = f"learnt by the grammar {morphology.grammar.name}: {reason}", s.letter_factors()
    return LearntMap(
        table,
        FactorTable(
            rows, letters, FrozenGrammar(morphology.posterior), f"{origin}{_LETTERS}{letters}" if letters else origin
        ),
        morphology.grammar.name,
        tuple(analysis.segmentation.contiguous() for _, *others in ranked for analysis in others),
    )


def by_script(words: Iterable[str]) -> tuple[str, str, str]:
    """A grammar by the script of words, what their atoms are, and the reason.

    >>> by_script(["walked", "talked"])
    ('affixes', 'grapheme', 'prefixes and suffixes around a stem')
    >>> by_script(["كتاب", "مكتب"])[0]
    'root-template'
    """
    text = "".join(words)
    letters = [c for c in text if c.isalpha()]
    marks = sum(unicodedata.category(c) == "Mn" for c in text)
    names = [unicodedata.name(c, "").partition(" ")[0] for c in set(letters)]
    scripts = dict(zip(set(letters), names, strict=True))
    semitic = sum(scripts[c] in ("ARABIC", "HEBREW") for c in letters)
    persian = sum(c in _PERSIAN for c in letters)
    if not letters or semitic < _SCRIPT_SHARE * len(letters) or persian > _PERSIAN_SHARE * len(letters):
        return _PLAIN, "grapheme", "prefixes and suffixes around a stem"
    if marks > _MARKED_SHARE * len(letters):
        return "root-template-vocalised", "codepoint", "roots and templates, for a Semitic script with its vowels"
    return "root-template", "grapheme", "roots and templates, for a Semitic script without its vowels"


def _analyses(
    morphology: Morphology, words: Iterable[str], n_best: int, progress: ProgressOption
) -> list[list[Analysis]]:
    """Of each word that has any, up to `n_best` analyses with different segmentations, the most probable one first."""
    listed = list(words)
    tracked = track(listed, "words analysed", len(listed), progress, every=1000)
    return [best for word in tracked if (best := _most_probable(morphology, word, n_best))]


def _most_probable(morphology: Morphology, word: str, n_best: int = 1) -> list[Analysis]:
    """The first tree decides where one is asked for and it has over half of the probability; else trees of a segmentation are summed."""
    posterior = morphology.posterior
    try:
        trees = posterior.trees(word, n_best)
        if trees and posterior.is_known(word) and (n_best > 1 or trees[0][1] <= 0.5):
            trees = posterior.trees(word, _SAMPLED)
    except InputError:  # its derivations take more memory than one word may have
        return []
    sums: dict[Segmentation, float] = {}
    first: dict[Segmentation, Analysis] = {}
    for tree, probability in trees:
        analysis = Analysis(word, tree, probability, morphology.grammar)
        sums[analysis.segmentation] = sums.get(analysis.segmentation, 0.0) + probability
        first.setdefault(analysis.segmentation, analysis)
    return [first[segmentation] for segmentation in sorted(sums, key=lambda s: -sums[s])[:n_best]]
