"""A grammar sketch: what a morphology has found, as a report that a linguist reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from binyan.errors import SettingsError
from binyan.files import PathLike, write_text
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import simplified
from binyan.morphology.paradigm.builder import ParadigmBuilder
from binyan.morphology.paradigm.families import WordReading
from binyan.morphology.paradigm.tables import Paradigms
from binyan.morphology.sketch import sections
from binyan.morphology.sketch.alternations import Alternation, affix_alternations, stem_alternations
from binyan.morphology.sketch.document import Block, Form, Heading, Paragraph, Picture, Table, markdown, web_page
from binyan.morphology.sketch.facts import (
    AffixFact,
    RootFact,
    TemplateFact,
    UncertainWord,
    affix_facts,
    root_facts,
    template_facts,
    uncertain_words,
)
from binyan.text.vowels import vowels

_PARADIGMS, _CELLS = 12, 7
_PICTURES = 3
_MOST_ALTERNATIONS = 15


@dataclass(frozen=True)
class Learning:
    """How a morphology was learnt; `agreement` is None where the chains were not kept."""

    grammar: Grammar
    figures: Mapping[str, str]
    unparsable: Sequence[str]


@dataclass(frozen=True, repr=False)
class Sketch:
    """A grammar sketch. `print(sketch)` shows it as Markdown; `save` writes a web page or Markdown.

    `limit` is the number of rows of its longer tables.
    """

    title: str
    builder: ParadigmBuilder
    learning: Learning
    trees: Sequence[Tree]
    limit: int = 20

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= 1000:
            raise SettingsError(f"tables of a sketch have 1 to 1000 rows, not {self.limit}")

    def __repr__(self) -> str:
        return f"<Sketch {self.title}: {len(self.affixes):,} affixes, {len(self.roots):,} roots>"

    @property
    def words(self) -> Sequence[WordReading]:
        """The words with their readings."""
        return self.builder.words

    @cached_property
    def affixes(self) -> list[AffixFact]:
        """The affixes, those of most words first."""
        return affix_facts(self.words)

    @cached_property
    def templates(self) -> list[TemplateFact]:
        """The templates, those of most roots first."""
        return template_facts(self.builder.roots)

    @cached_property
    def roots(self) -> list[RootFact]:
        """The roots, those of most templates first."""
        return root_facts(self.builder.roots)

    @cached_property
    def likely_vowels(self) -> list[str]:
        """The letters that behave like vowels in these words."""
        return sorted(vowels([self.builder.atoms(word.word) for word in self.words]))

    @cached_property
    def alternations(self) -> list[Alternation]:
        """Candidates for variants of affixes and of stems."""
        affixes = affix_alternations(self.words, frozenset(self.likely_vowels), _MOST_ALTERNATIONS)
        return affixes + stem_alternations(self.words, _MOST_ALTERNATIONS)

    @cached_property
    def uncertain(self) -> list[UncertainWord]:
        """Words whose analyses split, the least certain first."""
        return uncertain_words(self.words)

    @cached_property
    def paradigms(self) -> Paradigms:
        """The fullest paradigms side by side."""
        return self.builder.paradigms(None, min(self.limit, _PARADIGMS), _CELLS)

    def _blocks(self) -> list[Block]:
        most = self.limit
        return [
            *self._summary(),
            *sections.affix_section(self.affixes, len(self.words), most),
            *sections.template_section(self.templates, self.roots, most),
            *sections.paradigm_section(self.paradigms),
            *sections.alternation_section(self.alternations, self.likely_vowels),
            *sections.uncertainty_section(
                self.uncertain, self.affixes, len(self.words), self.learning.unparsable, most
            ),
            *self._learnt(),
        ]

    def _summary(self) -> list[Block]:
        stems = len(self.builder.stems.members)
        roots = f", {len(self.roots):,} roots in {len(self.templates):,} templates" if self.roots else ""
        said = (
            f"Learnt from {len(self.words):,} words: {stems:,} stems, {len(self.affixes):,} affixes{roots}. All that "
            "follows was read off the words by a probabilistic grammar; nothing of it was checked by a speaker."
        )
        pictures = [
            Picture(simplified(tree, self.learning.grammar).svg(), [Form(tree.word())])
            for tree in self.trees[:_PICTURES]
        ]
        return [Heading("Summary"), Paragraph([said]), *pictures]

    def _learnt(self) -> list[Block]:
        rows = [[[name], [value]] for name, value in self.learning.figures.items()]
        return [Heading("How it was learnt"), Table("Settings and convergence", [["setting"], ["value"]], rows)]

    def to_markdown(self) -> str:
        """The report as Markdown; pictures are left out."""
        return markdown(self.title, self._blocks(), self.builder.signature)

    def to_html(self) -> str:
        """The report as one web page that needs nothing else."""
        return web_page(self.title, self._blocks(), self.builder.signature)

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        """The report in a notebook: in a frame of its own, so that its style stays inside."""
        from html import escape

        return f'<iframe title="{escape(self.title)}" srcdoc="{escape(self.to_html())}" style="width:100%;height:40em"></iframe>'

    def save(self, path: PathLike) -> None:
        """Write the report, as a web page (.html) or Markdown (.md) by the ending of `path`."""
        ending = Path(path).suffix.lower()
        if ending in (".html", ".htm"):
            write_text(path, self.to_html())
        elif ending in (".md", ".markdown"):
            write_text(path, self.to_markdown())
        else:
            raise SettingsError(
                f"{path}: a sketch is saved as .html or .md, not as {ending or 'a file without ending'}"
            )

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the same rows as the tables have."""
        most = self.limit
        return {
            "title": self.title,
            "words": len(self.words),
            "affixes": [asdict(fact) for fact in self.affixes[:most]],
            "templates": [asdict(fact) for fact in self.templates[:most]],
            "roots": [asdict(fact) for fact in self.roots[:most]],
            "paradigms": self.paradigms.to_dict(),
            "alternations": [asdict(alternation) for alternation in self.alternations],
            "uncertain": [asdict(word) for word in self.uncertain[:most]],
            "uncertain_words": len(self.uncertain),
            "learning": dict(self.learning.figures),
            "signature": self.builder.signature,
        }


def _parts(word: WordReading) -> int:
    template = word.best.template
    laced = 0 if template is None else 1 + bool(template.affixes)
    return min(len(word.best.affixes.affixes), 3) + 2 * laced


def pictured_words(words: Sequence[WordReading]) -> list[str]:
    """Words that show much and are certain: those with the most parts, no two with the same template or affixes."""
    chosen: dict[str, str] = {}
    ranked = sorted(
        (word for word in words if len(word.word) <= 14),
        key=lambda w: (-(w.certainty >= 0.8), -_parts(w), len(w.word), w.word),
    )
    for word in ranked:
        chosen.setdefault(str(word.best.template or word.best.affixes), word.word)
        if len(chosen) == _PICTURES:
            break
    return list(chosen.values())
