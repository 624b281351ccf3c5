"""The state of a training run in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from binyan import model_file
from binyan.errors import ModelFileError
from binyan.files import PathLike
from binyan.log_bilinear.history import TrainingHistory

if TYPE_CHECKING:
    from binyan.recurrent.training import RecurrentTrainer

KIND = "recurrent-training"
_FREE = ("patience", "device")  # what may differ between the parts of a run


def save(trainer: RecurrentTrainer, path: PathLike) -> None:
    """Write the state after an epoch."""
    meta = {
        "shape": trainer.shape.to_dict(),
        "settings": trainer.settings.to_dict(),
        "inputs": trainer.inputs,
        "history": trainer.history.to_dict(),
        "halvings": trainer.halvings,
        "seconds": trainer.seconds,
        "passes": trainer.passes,
    }
    sections: dict[str, model_file.Section] = {}
    for name, value in trainer.state.items():
        sections[name] = np.atleast_1d(value.cpu().numpy())
    for name, value in trainer.best.items():
        sections[f"best {name}"] = value.cpu().numpy()
    model_file.save(path, KIND, meta, sections)


def restore(trainer: RecurrentTrainer, path: PathLike) -> None:
    """Resume from a saved state. Raises ModelFileError where it is of another model, text or seed."""
    file = model_file.load(path)
    if file.kind != KIND:
        raise ModelFileError(f"{path}: holds a {file.kind!r}, not the state of the training of a recurrent model")
    stored = file.meta["shape"] | file.meta["settings"] | file.meta["inputs"]
    here = trainer.shape.to_dict() | trainer.settings.to_dict() | trainer.inputs
    differ = [name.replace("_", " ") for name in here if name not in _FREE and stored.get(name) != here[name]]
    if differ:
        raise ModelFileError(
            f"{path}: is the state of another run (not the same: {', '.join(differ)}); remove it, or give what it was begun with"
        )
    with torch.no_grad():
        for name, value in trainer.state.items():
            value.copy_(torch.from_numpy(file.array(name)).reshape(value.shape))
        for name, value in trainer.best.items():
            value.copy_(torch.from_numpy(file.array(f"best {name}")))
    trainer.history = TrainingHistory(**file.meta["history"])
    trainer.halvings, trainer.seconds, trainer.passes = (file.meta[n] for n in ("halvings", "seconds", "passes"))
    trainer.keep()
