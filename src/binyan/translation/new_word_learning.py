"""Learning, from a bitext and text beyond it, how to make words that the bitext does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from binyan.errors import InputError, SettingsError
from binyan.progress import ProgressOption
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.word_map import WordMap
from binyan.settings import setting
from binyan.translation.alignment import Alignments
from binyan.translation.bitext import Bitext
from binyan.translation.new_words import NewWords, NewWordSettings, SideWords, learn_patterns
from binyan.translation.rule_table import RuleTable
from binyan.translation.transliteration import Transliterator, likely_names
from binyan.translation.word_translations import WordTranslations

NO_MAP = "none"
_MAP_METHODS = ("own", "flatcat", "baseline")
_MOST_MAPPED = 30_000  # words of each side, the most frequent, that a word map is learnt from


@dataclass(frozen=True)
class NewWordRecipe(NewWordSettings):
    """How new words are learnt to be made, and how many are offered."""

    source_map: str = setting(
        "own",
        "How endings of source words are found: own (an adaptor grammar), baseline or flatcat (Morfessor), the file of a word map, or none.",
        metavar="MAP",
    )
    target_map: str = setting("own", "The same for target words; none: no other forms are offered.", metavar="MAP")
    splitter: str | None = setting(
        None,
        "A compound splitter for the target language; by default compounds are split by word frequencies.",
        metavar="FILE",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for given in (self.source_map, self.target_map):
            if given not in (*_MAP_METHODS, NO_MAP) and not Path(given).exists():
                raise SettingsError(
                    f"endings are found by {', '.join(_MAP_METHODS)}, by the file of a word map, or not (none); "
                    f"{given!r} is none of these"
                )

    @property
    def offered(self) -> NewWordSettings:
        """How many are offered."""
        return NewWordSettings(self.compounds, self.forms, self.unknown, self.least_log_prob)


def learn_new_words(
    bitext: Bitext,
    alignments: Alignments,
    rules: RuleTable,
    monolingual: Sequence[Sequence[str]] = (),
    recipe: NewWordRecipe | None = None,
    progress: ProgressOption = None,
) -> NewWords:
    """Learn from a bitext with its alignment and rules, and from further sentences of the target language."""
    recipe = recipe or NewWordRecipe()
    counts = [_counted(bitext.source), _counted(bitext.target)]
    maps = [_word_map(*side, progress) for side in zip(counts, (recipe.source_map, recipe.target_map), strict=True)]
    counts[1].update(_counted(monolingual))
    source = SideWords.of(counts[0], maps[0])
    target = SideWords.of(
        counts[1], maps[1], None if recipe.splitter is None else CompoundSplitter.load(recipe.splitter)
    )
    patterns = learn_patterns(WordTranslations(rules), target.compounds)
    fields: dict[str, Any] = {
        "bitext": bitext.digest,
        "source_map": _name(recipe.source_map),
        "target_map": _name(recipe.target_map),
    }
    fields |= {"monolingual": len(monolingual)}
    return NewWords(source, target, patterns, _transliterator(bitext, alignments), recipe.offered, fields)


def _counted(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    return Counter(word for sentence in sentences for word in sentence)


def _name(given: str) -> str:
    return given if given in (*_MAP_METHODS, NO_MAP) else Path(given).name


def _word_map(counts: Counter[str], method: str, progress: ProgressOption) -> Mapping[str, Segmentation]:
    if method not in (*_MAP_METHODS, NO_MAP):
        return WordMap.read(method)
    words = [word for word, _ in counts.most_common() if word.isalpha()][:_MOST_MAPPED]
    if method == NO_MAP or not words:
        return SegmentationTable()
    return WordMap(method=method).fit([[word] for word in words], progress=progress)


def _transliterator(bitext: Bitext, alignments: Alignments) -> Transliterator | None:
    pairs = likely_names(bitext, alignments)
    try:
        return Transliterator.learn(pairs) if pairs else None
    except InputError:
        return None
