"""The third family in the demonstration: a log-bilinear model whose word vectors are sums of morpheme vectors (chapter 4)."""

from __future__ import annotations

from binyan.demo.german import german_text
from binyan.demo.german_words import FIELDS
from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments.study import Section
from binyan.language_model import LanguageModel
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

_DIMENSIONS, _EPOCHS, _CLASSES, _DEVELOPMENT = 24, 8, 40, 300
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
_ON_THE_MAP, _SHOWN = 140, ("suppen", "gesetz", "küchen")


def train(corpus: Corpus, segmentations: SegmentationTable, seed: int) -> LanguageModel:
    """A small CLBL++. Raises MissingExtra where PyTorch is not installed."""
    import torch

    from binyan.log_bilinear.estimation import train
    from binyan.log_bilinear.training import TrainingSettings

    torch.set_num_threads(1)  # matrices as small as these are slower on several
    development = german_text(1, _DEVELOPMENT, seed + 1000).test
    settings = TrainingSettings(epochs=_EPOCHS, batch=500, l2=1.0, seed=seed)
    return train(
        corpus,
        development,
        "clbl++",
        order=3,
        dim=_DIMENSIONS,
        classes=_CLASSES,
        segmentations=segmentations,
        settings=settings,
        progress=False,
    )


def section(model: LanguageModel, seed: int) -> Section:
    """Neighbours of some morphemes, and a map of many, coloured by the field of the grammar that made the text."""
    from binyan.log_bilinear import vector_map
    from binyan.log_bilinear.language_model import LogBilinearLM
    from binyan.log_bilinear.vectors import Vectors

    assert isinstance(model, LogBilinearLM)
    vectors = Vectors(model)
    asked = [m for m in _SHOWN if m in vectors.morphemes]
    rows: list[list[Cell]] = [
        [m, ", ".join(f"{name} {cosine:.2f}" for name, cosine in vectors.nearest(m, 5, morphemes=True))] for m in asked
    ]
    table = Table(
        "Morphemes whose vectors are nearest", [Column("morpheme"), Column("nearest")], rows, str(model.signature())
    )
    names, matrix = vector_map.chosen(vectors, _ON_THE_MAP, morphemes=True)
    field_of = _fields()
    colours = [_COLOURS[field_of[n]] if n in field_of else "#777777" for n in names]
    drawing = vector_map.draw_svg(
        names, vector_map.plane(matrix, seed), colours, dict(zip(_NAMES, _COLOURS, strict=True))
    )
    return Section("Vectors of morphemes", _ABOUT, [table], [drawing])


def _fields() -> dict[str, int]:
    """The field of each part of a compound that belongs to one field only."""
    found: dict[str, set[int]] = {}
    for number, field in enumerate(FIELDS):
        heads = [form for noun in field.nouns for form in (noun.singular, noun.plural, noun.plural + "n")]
        for part in (*heads, *(stem for stem, _ in field.modifiers), *(stem + link for stem, link in field.modifiers)):
            found.setdefault(part, set()).add(number)
    return {part: next(iter(numbers)) for part, numbers in found.items() if len(numbers) == 1}


_ABOUT = (
    "CLBL++ gives every part of a compound a vector; the vector of a word is the sum of its parts. Nothing told the model what "
    "words mean: parts that name like things are near each other because they are used alike. The colours, which the model has "
    "not seen, are the fields of the small grammar that wrote the text; a part of several fields is grey."
)
