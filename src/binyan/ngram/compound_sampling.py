"""Words as components, and the training of the compound models over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.model_file import ModelFile, Section
from binyan.ngram.chains import Chain
from binyan.ngram.sampling import Sampling
from binyan.sampling import Schedule
from binyan.segmentation import Linking, Part, Segmentation, SegmentationTable
from binyan.text import Corpus, Preparation, Vocabulary

Head = Literal["right", "left"]


@dataclass(frozen=True)
class Decomposition:
    """How words become components: which end is the head, and where linking elements go.

    By default linking elements are merged away from the head, as the thesis does, so that heads are not fragmented.
    """

    table: SegmentationTable
    head: Head = "right"
    linking: Linking | None = None

    def __post_init__(self) -> None:
        if self.head not in ("right", "left"):
            raise SettingsError(f"the head of a compound is its 'right' or 'left' component, not {self.head!r}")
        if self.linking not in (None, "left", "right", "delete"):
            raise SettingsError(f"linking elements are merged 'left' or 'right' or 'delete'd, not {self.linking!r}")

    def __call__(self, word: str) -> tuple[str, ...]:
        """The components of `word` in the order of generation: head first.

        >>> from binyan.segmentation import Segmentation
        >>> table = SegmentationTable([Segmentation.parse("küchentisch", "küche +n tisch")])
        >>> Decomposition(table)("küchentisch"), Decomposition(table, head="left")("küchentisch")
        (('tisch', 'küchen'), ('küche', 'ntisch'))
        """
        return self._ordered(self.table.components(word, self._linking))

    def of(self, segmentation: Segmentation) -> tuple[str, ...]:
        """The components of a segmented word in the order of generation."""
        return self._ordered(segmentation.components(self._linking))

    @property
    def _linking(self) -> Linking:
        return self.linking or ("left" if self.head == "right" else "right")

    def _ordered(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        return parts[::-1] if self.head == "right" else parts

    @classmethod
    def from_file(cls, file: ModelFile) -> Decomposition:
        """The decomposition in an opened model file."""
        return cls(SegmentationTable.from_bytes(file.blob("segmentation")), **file.meta["decomposition"])

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file and shown in signatures, the table left out."""
        return {"head": self.head, "linking": self.linking}


class ComponentInventory:
    """The components of all words of a vocabulary, numbered; `ids` of every word in the order of generation."""

    def __init__(self, vocabulary: Vocabulary, decomposition: Decomposition) -> None:
        self.index: dict[str, int] = {}
        ids: list[int] = []
        offsets = [0]
        for word in vocabulary.words:
            ids += [self.index.setdefault(part, len(self.index)) for part in decomposition(word)]
            offsets.append(len(ids))
        self.names = list(self.index)
        self.ids: NDArray[np.uint32] = np.array(ids, np.uint32)
        self.offsets: NDArray[np.uint32] = np.array(offsets, np.uint32)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def compounds(self) -> int:
        """How many words have more than one component."""
        return int((np.diff(self.offsets) > 1).sum())

    def find(self, components: Sequence[str]) -> list[int] | None:
        """The numbers of `components`, or None where one is not known."""
        ids = [self.index.get(part, -1) for part in components]
        return None if -1 in ids else ids

    def of(self, word: int) -> list[str]:
        """The components of a word of the vocabulary."""
        return [self.names[i] for i in self.ids[self.offsets[word] : self.offsets[word + 1]]]


class CompoundSampling(Sampling):
    """The training of HPYLM+c."""

    kind = "hpylm+c"
    both_ways: ClassVar[bool] = False

    def __init__(
        self,
        corpus: Corpus,
        order: int,
        schedule: Schedule,
        preparation: Preparation,
        decomposition: Decomposition,
        numbers: Sequence[int] | None = None,
    ) -> None:
        self.decomposition = decomposition
        self.components = ComponentInventory(corpus.vocabulary, decomposition)
        super().__init__(corpus, order, schedule, preparation, numbers)

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        c = self.components
        self.compound_tree = _core.CompoundTree(self.tree, c.ids, c.offsets, len(c))
        return lambda i: _core.CompoundHPYLM(self.compound_tree, self.both_ways, seed, i)

    def fields(self) -> dict[str, Any]:
        """What the signature says of the training."""
        d = self.decomposition
        fields = {"segmentation": d.table.digest, "compounds": self.components.compounds, "head": d.head}
        return super().fields() | fields | ({"linking": d.linking} if d.linking else {})

    def settings(self) -> dict[str, Any]:
        """What must be the same for training to be resumed from a checkpoint."""
        return super().settings() | {"segmentation": self.decomposition.table.digest} | self.decomposition.to_dict()

    @classmethod
    def more_from(cls, file: ModelFile) -> dict[str, Any]:
        """The decomposition in an opened model file."""
        return {"decomposition": Decomposition.from_file(file)}

    def contents(
        self, numbers: Sequence[int] | None = None, with_samples: bool = True
    ) -> tuple[dict[str, Any], dict[str, Section]]:
        """A checkpoint, of all chains or of those of `numbers`."""
        meta, sections = super().contents(numbers, with_samples)
        sections["segmentation"] = self.decomposition.table.to_bytes()
        return meta | {"decomposition": self.decomposition.to_dict()}, sections


class BothWaysSampling(CompoundSampling):
    """The training of hpylm+g."""

    kind = "hpylm+g"
    both_ways = True


def prepared(table: SegmentationTable, preparation: Preparation) -> SegmentationTable:
    """The table with the steps that concern single words (lowercase, digits, marks) applied to words and parts.

    Where two words become one, the first row is kept. Rows whose parts no longer spell the word are left out.
    """
    if preparation.words(["A1á"]) == ["A1á"]:
        return table
    rows: dict[str, Segmentation] = {}
    for row in table.values():
        word, *texts = preparation.words([row.word, *(part.text for part in row.parts)])
        parts = tuple(
            Part(text, part.label, part.linking, part.positions) for text, part in zip(texts, row.parts, strict=True)
        )
        try:
            rows.setdefault(word, Segmentation(word, parts))
        except InputError:
            continue
    return SegmentationTable(rows.values())


def prepared_for(corpus: Corpus, table: SegmentationTable, preparation: Preparation) -> SegmentationTable:
    """The prepared table; raises InputError where it has rows and none is of a word of the text."""
    ready = prepared(table, preparation)
    if len(table) and not any(word in ready for word in corpus.vocabulary.own_words):
        raise InputError(
            f"the segmentation has {len(table):,} words and none of the vocabulary; is it of another language, or of text with "
            "capitals (--lowercase)?"
        )
    return ready
