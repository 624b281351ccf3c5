"""Models with vectors in model files, log-bilinear ones of version 0.1 among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.output import Targets, VectorNetwork
from binyan.log_bilinear.settings import TrainingSettings
from binyan.model_file import ModelFile, Section
from binyan.segmentation import SegmentationTable
from binyan.segmentation.factor_table import FactorTable
from binyan.segmentation.word_map_file import WordMapTable
from binyan.text import Vocabulary

if TYPE_CHECKING:
    from binyan.log_bilinear.vector_model import VectorLanguageModel

Network = TypeVar("Network", bound=VectorNetwork)

_FACTORS, _ANALYSER = "map/table", "map/analyser"


def contents(model: VectorLanguageModel) -> tuple[dict[str, Any], dict[str, Section]]:
    """Settings and sections of a model."""
    meta = {
        "shape": model.shape.to_dict(),
        "training": model.training.to_dict(),
        "preparation": model.preparation.to_dict(),
        "fields": model.fields,
        "rest": model.scorer.extension.rest,
        "history": model.history.to_dict() if model.history is not None else None,
    }
    sections: dict[str, Section] = {
        "vocabulary": model.closed_vocabulary.to_bytes(),
        "counts": model.counts,
        **word_map_sections(model.segmentations),
        "extension": "\n".join(model.extension).encode(),
        **model.factor_map.sections(),
    }
    if model.class_of is not None:
        sections["classes"] = model.class_of
    for name, p in model.network.named_parameters():
        sections[f"parameter/{name}"] = p.detach().numpy()
    return meta, sections


def word_map_sections(table: WordMapTable) -> dict[str, Section]:
    """The sections of a word map: its rows and, where words outside them are analysed by a grammar, what that has learnt."""
    if isinstance(table, SegmentationTable):
        return {"segmentations": table.to_bytes()}
    analyser = {} if table.analyser is None else {_ANALYSER: table.analyser.to_bytes()}
    return {"segmentations": b"", _FACTORS: table.to_bytes(), **analyser}


def word_map(file: ModelFile) -> WordMapTable:
    """The inverse of `word_map_sections`."""
    if _FACTORS not in file.sections:
        return SegmentationTable.from_bytes(file.blob("segmentations"))
    from binyan.morphology.frozen_grammar import FrozenGrammar

    analyser = FrozenGrammar.from_bytes(file.blob(_ANALYSER)) if _ANALYSER in file.sections else None
    return FactorTable.from_bytes(file.blob(_FACTORS), analyser)


def training_settings(file: ModelFile) -> TrainingSettings:
    """The settings of training; of a file of version 0.1, those that its signature has."""
    fields = file.meta["fields"]
    signed = {name: fields[name] for name in ("step", "l2", "batch", "seed") if name in fields}
    return TrainingSettings.from_dict(file.meta.get("training", signed))


def history(file: ModelFile) -> TrainingHistory | None:
    """The history of training; version 0.1 did not keep it."""
    stored = file.meta.get("history")
    return TrainingHistory(**stored) if stored is not None else None


def network(
    file: ModelFile,
    build: Callable[[Any, Targets, FactorMap], Network],
    shape: Any,
    vocabulary: Vocabulary,
    factor_map: FactorMap,
    class_of: NDArray[np.uint32] | None,
) -> Network:
    """The network that `build` makes, with its trained parameters."""
    if factor_map.words != len(vocabulary):
        raise InputError(
            f"the section 'map/offsets' is for {factor_map.words} words, the vocabulary has {len(vocabulary)}"
        )
    if class_of is not None and (class_of.shape != (len(vocabulary),) or int(class_of.max()) >= len(vocabulary)):
        raise InputError("the section 'classes' does not give each word of the vocabulary one of the classes")
    targets = Targets(class_of if shape.variant.classes else None, vocabulary)
    trained = build(shape, targets, factor_map)
    with torch.no_grad():
        for name, p in trained.named_parameters():
            values = file.array(f"parameter/{name}")
            if values.shape != tuple(p.shape) or not np.isfinite(values).all():
                raise InputError(
                    f"the section 'parameter/{name}' has another shape than the model, or is not all numbers"
                )
            p.copy_(torch.from_numpy(values))
    return trained


def extension(file: ModelFile) -> list[str]:
    """The words that extend the vocabulary."""
    words = file.blob("extension").decode()
    return words.split("\n") if words else []
