"""The word lists with gold analyses that morphology_lists.py measures on, and how each file is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from binyan.evaluation.gold import GoldWord, halves, read_gold
from binyan.experiments.adaptor.word_lists import without_macrons
from binyan.segmentation import Part, Segmentation
from binyan.signature import digest
from binyan.text.reading import read_lines

LONGEST = 25  # characters of a word that is learnt from
_TIKHONOV = {"PREF": "pre", "ROOT": "stem", "SUFF": "suf", "END": "suf", "POSTFIX": "suf", "LINK": "suf"}


@dataclass(frozen=True)
class GoldFile:
    """A file of gold analyses under the data folder, and the grammar of the thesis that suits its language best.

    `style` is how segments are written: as `read_gold` reads them; `canonical`, joined by ` @@` and perhaps spelt otherwise than in
    the word; `tikhonov`, with the labels of that dictionary. `roots`: the third column has roots. `more_words` names a plain list
    of further words to learn from.
    """

    name: str
    file: str
    thesis: str = "mconcat-hier"
    style: Literal["gold", "canonical", "tikhonov"] = "gold"
    roots: bool = False
    macrons: bool = True
    only_affixed: bool = False
    more_words: str | None = None


GOLD_FILES = (
    GoldFile("arabic-bw", "arabic_bama/BW.tsv.xz", "tplr4", roots=True),
    GoldFile("arabic-bwv", "arabic_bama/BWv.tsv.xz", "tplr4", roots=True),
    GoldFile("arabic-quran", "arabic_quran/QUv.tsv.xz", "mtpl+t4", roots=True),
    GoldFile("hebrew", "hebrew_childes/HEB_hagar.tsv.xz", "tpl+t4", roots=True, macrons=False, only_affixed=True),
    GoldFile("tagalog", "tagalog/tgl_silver_seg.tsv"),
    GoldFile("indonesian", "indonesian/ind_silver_seg.tsv.xz"),
    GoldFile("adyghe", "adyghe/morphagram_adyghe_gold.tsv", more_words="adyghe/morphagram_adyghe_words.txt.xz"),
    GoldFile("english", "morpho_challenge/mc2010_eng.tsv"),
    GoldFile("finnish", "morpho_challenge/mc2010_fin.tsv"),
    GoldFile("turkish", "morpho_challenge/mc2010_tur.tsv"),
    GoldFile("czech", "sigmorphon2022/sigmorphon22_ces.tsv.xz", style="canonical"),
    GoldFile("english-canonical", "sigmorphon2022/sigmorphon22_eng.tsv.xz", style="canonical"),
    GoldFile("french", "sigmorphon2022/sigmorphon22_fra.tsv.xz", style="canonical"),
    GoldFile("mongolian", "sigmorphon2022/sigmorphon22_mon.tsv.xz", style="canonical"),
    GoldFile("russian", "russian/rus_tikhonov.tsv.xz", style="tikhonov"),
)


@dataclass(frozen=True)
class GoldWords:
    """The words to learn from, and those of them that have a gold analysis, by halves; `left_out`: words whose segments do not spell them."""

    learn: Sequence[str]
    development: Sequence[GoldWord]
    report: Sequence[GoldWord]
    left_out: int = 0

    @property
    def has_roots(self) -> bool:
        return any(len(root) == 3 for word in self.report for root in word.roots)

    def known(self, count: int) -> list[GoldWord]:
        """So many analysed words of the development half, the same ones each time."""
        return sorted(self.development, key=lambda w: digest(b"known", w.word.encode()))[:count]


def read_gold_file(folder: Path, gold_file: GoldFile, words: int | None) -> GoldWords:
    """A sample of so many words of a gold file (None: all), the same each time, filled up with `more_words`."""
    path = folder / gold_file.file
    left_out: list[str] = []
    if gold_file.style == "gold":
        gold = read_gold(path, str if gold_file.macrons else without_macrons)
    else:
        gold, left_out = _read_other(path, gold_file.style)
    if not gold_file.roots:
        gold = [GoldWord(word.word, word.segmentations) for word in gold]
    gold = [w for w in gold if len(w.word) <= LONGEST and (w.has_affix or not gold_file.only_affixed)]
    by_word = {word.word: word for word in gold}
    chosen = sorted({*by_word, *left_out}, key=lambda word: digest(word.encode()))[:words]
    analysed = [by_word[word] for word in chosen if word in by_word]
    skipped = len(chosen) - len(analysed)
    if gold_file.more_words is not None:
        further = (line.strip() for _, line in read_lines(folder / gold_file.more_words))
        chosen = list(dict.fromkeys([*chosen, *(w for w in further if 0 < len(w) <= LONGEST)]))[:words]
    development, report = halves(analysed)
    return GoldWords(chosen, development, report, skipped)


def _read_other(path: Path, style: str) -> tuple[list[GoldWord], list[str]]:
    """Gold words, and words none of whose analyses spell them."""
    gold: dict[str, GoldWord] = {}
    others: dict[str, None] = {}
    for _, line in read_lines(path):
        columns = line.split("\t")
        word = columns[0]
        if len(columns) < 2 or not word or " " in word or len(word) > LONGEST:
            continue
        parts = _parts(columns[1], style)
        if "".join(part.text for part in parts) == word:
            gold.setdefault(word, GoldWord(word, (Segmentation(word, parts),)))
        else:
            others.setdefault(word)
    return list(gold.values()), [word for word in others if word not in gold]


def _parts(text: str, style: str) -> tuple[Part, ...]:
    if style == "canonical":
        return tuple(map(Part, text.replace(" @@", " ").split()))
    labelled = [part.rpartition("/") for part in text.split()]
    return tuple(Part(content, _TIKHONOV.get(label, "")) for content, _, label in labelled)
