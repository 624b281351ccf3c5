"""What a file of a field linguist holds: words, and what is already known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from binyan.errors import InputError
from binyan.files import PathLike, write_text
from binyan.morphology.exports.analysed_words import AnalysedWord
from binyan.morphology.word_list import WordList
from binyan.text.preparation import Preparation


@dataclass
class FieldData:
    """Words with their counts, known analyses, affixes with their labels, and roots, in order of first occurrence.

    `left_out` counts forms that are no single word, `problems` lists analyses that could not be used and why.
    """

    source: str
    language: str
    counts: dict[str, int] = field(default_factory=dict)
    known: dict[str, AnalysedWord] = field(default_factory=dict)
    affixes: dict[tuple[str, str], None] = field(default_factory=dict)
    roots: dict[str, None] = field(default_factory=dict)
    left_out: int = 0
    problems: list[str] = field(default_factory=list)

    def add_word(self, word: str, times: int = 1) -> None:
        """One more occurrence of a word; a phrase is left out."""
        if not word or any(c.isspace() for c in word):
            self.left_out += 1
        else:
            self.counts[word] = self.counts.get(word, 0) + times

    def add_known(self, word: AnalysedWord) -> None:
        """An analysis; the first of a word is kept."""
        self.known.setdefault(word.word, word)

    def add_affix(self, text: str, label: str) -> None:
        """An affix with its label (pre, suf, ...)."""
        if text and not any(c.isspace() for c in text):
            self.affixes[text, label] = None

    def add_root(self, text: str) -> None:
        """A root."""
        self.roots[text] = None

    def word_list(self, preparation: Preparation | None = None) -> WordList:
        """The words to learn from. Raises InputError where there is none."""
        prepare = preparation or Preparation()
        counts: dict[str, int] = {}
        for word, times in self.counts.items():
            for part in prepare(word):
                counts[part] = counts.get(part, 0) + times
        if not counts:
            raise InputError(f"{self.source}: there is not one word in it")
        return WordList(tuple(counts), tuple(counts.values()), prepare)

    @property
    def known_rows(self) -> list[str]:
        """The known analyses as gold rows: word, segments with labels, root or `_`."""
        return [row.gold_row for row in self.known.values() if row.segmentation is not None]

    @property
    def affix_rows(self) -> list[str]:
        """The affixes as `--affixes` takes them: `w-`, `-hm`, `-um-`. Those whose place is not known, such as circumfixes, are left out."""
        marks = {"pre": ("", "-"), "redup": ("", "-/redup"), "suf": ("-", ""), "inf": ("-", "-")}
        return [f"{marks[label][0]}{text}{marks[label][1]}" for text, label in self.affixes if label in marks]

    def save(
        self, words: PathLike | None = None, known: PathLike | None = None, affixes: PathLike | None = None
    ) -> None:
        """Write the words with their counts, the known analyses as gold rows, and the affixes with hyphens, where asked for."""
        if words is not None:
            write_text(words, "".join(f"{word}\t{times}\n" for word, times in self.counts.items()))
        if known is not None:
            write_text(known, "".join(f"{row}\n" for row in self.known_rows))
        if affixes is not None:
            write_text(affixes, "".join(f"{row}\n" for row in self.affix_rows))

    def __str__(self) -> str:
        lines = [
            f"{len(self.counts):,} words, {len(self.known):,} of them analysed; {len(self.affixes):,} affixes, "
            f"{len(self.roots):,} roots"
        ]
        if self.left_out:
            lines.append(f"{self.left_out:,} forms are phrases and were left out")
        if self.problems:
            lines.append(f"{len(self.problems):,} analyses could not be used, e.g. {self.problems[0]}")
        return "\n".join(lines)

    def to_dict(self) -> Mapping[str, object]:
        """For JSON."""
        return {
            "source": self.source,
            "words": len(self.counts),
            "known": self.known_rows,
            "affixes": [list(affix) for affix in self.affixes],
            "roots": list(self.roots),
            "left_out": self.left_out,
            "problems": self.problems,
        }
