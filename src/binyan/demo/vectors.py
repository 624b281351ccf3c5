"""The third family in the demonstration: a log-bilinear model whose word vectors are sums of morpheme vectors (chapter 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from binyan.datasets.german import german_text
from binyan.datasets.german_words import FIELDS
from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments.report_page import ReportSection
from binyan.language_model import LanguageModel
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

_DIMENSIONS, _EPOCHS, _CLASSES, _DEVELOPMENT = 24, 6, 40, 300
_NAMES = ("transport", "buildings", "furniture", "food", "law", "bodies", "places", "writings", "people", "events")
_COLOURS = (
    "#1f5fa8",
    "#b3421b",
    "#7a5c00",
    "#2b7a3d",
    "#7a3fa0",
    "#0f7d86",
    "#a32455",
    "#4d5a66",
    "#8f4f00",
    "#3a3fa8",
)
_ON_THE_MAP, _NEAREST, _EXAMPLES = 140, 5, ("suppe", "gesetz", "turm", "bücher")


def train(corpus: Corpus, segmentations: SegmentationTable, seed: int) -> LanguageModel:
    """A small CLBL++. Raises MissingExtra where PyTorch is not installed."""
    from binyan.log_bilinear import LogBilinear
    from binyan.log_bilinear.training import use_threads

    use_threads(1)  # matrices as small as these are slower on several
    settings = {"order": 3, "dim": _DIMENSIONS, "epochs": _EPOCHS, "batch": 200, "l2": 16.0, "seed": seed}
    settings |= {"step": 0.06, "decay": False, "warm_up": 0.2}
    model = LogBilinear("clbl++", classes=_CLASSES, word_map=segmentations, **settings)
    return model.fit(corpus, german_text(1, _DEVELOPMENT, seed + 1000).test, progress=False)


def section(model: LanguageModel, seed: int) -> ReportSection:
    """Neighbours of some morphemes, and a map of many, coloured by the field of the grammar that made the text."""
    from binyan.log_bilinear import vector_map
    from binyan.log_bilinear.vectors import unit

    vectors = model.vectors
    examples = [m for m in _EXAMPLES if m in vectors.morphemes]
    rows: list[list[Cell]] = [
        [
            m,
            ", ".join(
                f"{name} {cosine:.2f}" for name, cosine in vectors.most_similar(m, topn=_NEAREST, morphemes=True)
            ),
        ]
        for m in examples
    ]
    table = Table(
        "Morphemes whose vectors are nearest", [Column("morpheme"), Column("nearest")], rows, str(model.signature())
    )
    names, matrix = vector_map.chosen(vectors, _ON_THE_MAP, morphemes=True)
    field_of = _fields()
    agreement = _agreement(names, unit(matrix), field_of, str(model.signature()))
    colours = [_COLOURS[field_of[n]] if n in field_of else "#777777" for n in names]
    drawing = vector_map.draw_svg(
        names, vector_map.plane(matrix, seed), colours, dict(zip(_NAMES, _COLOURS, strict=True))
    )
    return ReportSection("Vectors of morphemes", _ABOUT, [table, agreement], [drawing])


def _agreement(names: Sequence[str], units: NDArray[np.float32], field_of: dict[str, int], signature: str) -> Table:
    """How often the parts nearest to a part are of its field, and how often any two parts are."""
    known = [i for i, name in enumerate(names) if name in field_of]
    fields = np.array([field_of[names[i]] for i in known])
    cosines = units[known] @ units[known].T
    np.fill_diagonal(cosines, -np.inf)
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :_NEAREST]
    same = fields[:, None] == fields[None, :]
    rows: list[list[Cell]] = [
        [f"the {_NEAREST} nearest", float((fields[nearest] == fields[:, None]).mean())],
        ["any two", float((same.sum() - len(known)) / (len(known) * (len(known) - 1)))],
    ]
    columns = [Column("parts"), Column("of the same field", ".0%")]
    return Table(f"Whether {len(known)} parts of one field are near each other", columns, rows, signature)


def _fields() -> dict[str, int]:
    """The field of each part of a compound that belongs to one field only."""
    fields: dict[str, set[int]] = {}
    for number, field in enumerate(FIELDS):
        heads = [form for noun in field.nouns for form in (noun.singular, noun.plural, noun.plural + "n")]
        for part in (*heads, *(stem for stem, _ in field.modifiers), *(stem + link for stem, link in field.modifiers)):
            fields.setdefault(part, set()).add(number)
    return {part: next(iter(numbers)) for part, numbers in fields.items() if len(numbers) == 1}


_ABOUT = (
    "CLBL++ gives every part of a compound a vector; the vector of a word is the sum of its parts. Nothing told the model what "
    "words mean: parts that are used alike end up near each other. The colours, which the model has not seen, are the fields of "
    "the small grammar that wrote the text; a part of several fields is grey, a name without room a dot."
)
