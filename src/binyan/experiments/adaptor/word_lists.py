"""The word lists of chapter 5 with their gold analyses."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from binyan.evaluation.gold import GoldWord, read_gold
from binyan.evaluation.roots import strong_roots
from binyan.experiments.experiment import SettingValues, Workspace
from binyan.signature import digest


class GoldList(NamedTuple):
    """A file of gold analyses, whether its accents are dropped, and whether only words with an affix are kept."""

    file: str
    without_accents: bool = False
    only_affixed: bool = False


# by the names of the thesis
WORD_LISTS: Mapping[str, GoldList] = {
    "HEB": GoldList("words/hebrew_childes/HEB_hagar.tsv.xz", without_accents=True, only_affixed=True),
    "BW": GoldList("words/arabic_bama/BW.tsv.xz"),
    "BW'": GoldList("words/arabic_bama/BWv.tsv.xz"),
    "QU'": GoldList("words/arabic_quran/QUv.tsv.xz"),
}
# Hebrew with words that have no affix, and languages of infixes and circumfixes.
OTHER_LISTS: Mapping[str, GoldList] = {
    "HEB+bare": GoldList("words/hebrew_childes/HEB_hagar.tsv.xz", without_accents=True),
    "TGL": GoldList("words/tagalog/tgl_silver_seg.tsv"),
    "IND": GoldList("words/indonesian/ind_silver_seg.tsv.xz"),
}
# Lists in whose analyses root and template swap their parts, so that T3 has the roots, as the thesis found.
SWAPPED_LISTS = ("BW'",)
# Our own grammars were chosen by the gold analyses of samples of this size; other words are also scored apart.
CHOSEN_ON = 5_000
EXAMPLES = 5  # words of a list that are shown


def settings(dataset: str, words: int | None) -> dict[str, Any]:
    """The settings of a sample of a list, or with None of the whole list."""
    file, without_accents, only_affixed = {**WORD_LISTS, **OTHER_LISTS}[dataset]
    return {
        "gold": file,
        "without_accents": without_accents,
        "only_affixed": only_affixed,
        "words": words,
        "order": "digest",
    }


def gold_words(data: SettingValues, workspace: Workspace) -> list[GoldWord]:
    """The gold words of an experiment; a sample is the same every time."""
    rewrite = without_macrons if data["without_accents"] else str
    words = read_gold(workspace.source(data["gold"]), rewrite)
    if data["only_affixed"]:
        words = [word for word in words if word.has_affix]
    return words if data["words"] is None else sample(words, data["words"])


def unseen(gold: Sequence[GoldWord]) -> list[GoldWord]:
    """The words that no grammar was chosen on."""
    seen = {word.word for word in sample(gold, CHOSEN_ON)}
    return [word for word in gold if word.word not in seen]


def without_macrons(text: str) -> str:
    """Stressed vowels written as unstressed ones (thesis, section 5.8.1.3)."""
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if char != "\u0304")
    return unicodedata.normalize("NFC", bare)


def statistics(gold: Sequence[GoldWord]) -> dict[str, Any]:
    """Sizes and averages of a list."""
    return {
        "words": len(gold),
        "stems": len({word.stem for word in gold}),
        "roots": len({root for word in gold for k in (3, 4) for root in strong_roots(word, k)}),
        "mean_morphemes": float(np.mean([len(word.segmentations[0]) for word in gold])),
        "mean_characters": float(np.mean([len(word.word) for word in gold])),
        "gold_morphemes_per_word": dict(Counter(str(len(word.segmentations[0])) for word in gold)),
        "evaluated_3": sum(bool(strong_roots(word, 3)) for word in gold),
        "evaluated_4": sum(bool(strong_roots(word, 4)) for word in gold),
        "examples": _examples(gold),
    }


def _examples(gold: Sequence[GoldWord]) -> list[list[str]]:
    """Words with an affix and a root that their stem shows, with their segments and roots."""
    clear = [word for word in gold if word.has_affix and strong_roots(word, 3)]
    return [
        [word.word, " ".join(part.text for part in word.segmentations[0]), ", ".join(sorted(strong_roots(word, 3)))]
        for word in sample(clear, EXAMPLES)
    ]


def gold_digest(gold: Sequence[GoldWord]) -> str:
    """A digest of the words and their analyses."""
    rows = (
        (word.word, tuple(tuple((part.text, part.label) for part in s) for s in word.segmentations), word.roots)
        for word in gold
    )
    return digest("\n".join("\t".join(map(str, row)) for row in rows).encode())


def sample(words: Sequence[GoldWord], size: int) -> list[GoldWord]:
    """This many of the words, the same every time."""
    return sorted(words, key=lambda word: digest(word.word.encode()))[:size]
