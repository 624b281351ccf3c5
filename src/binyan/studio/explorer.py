"""The explorer's tabs inside the studio: words, sentences and vectors of the project's model and of models that were added to it."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from binyan.errors import BinyanError, InputError
from binyan.explore import api
from binyan.explore.loaded_models import LoadedModels
from binyan.files import replacing
from binyan.model import load
from binyan.model_file import is_model_file
from binyan.studio.project import MODELS, Project

ENDING = ".binyan"
MOST_MODELS = 20
_NAME = re.compile(r"[\w-]{1,60}")
_RUN = re.compile(r"run-[0-9]+")


class Explorer:
    """The models of a project, loaded when they are first asked about: that of the run which is shown, and those that were added."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._held: tuple[Any, LoadedModels] = (None, LoadedModels())

    @property
    def added(self) -> list[str]:
        """The names of models that were added to the project."""
        names = (path.stem for path in sorted((self._project.folder / MODELS).glob(f"*{ENDING}")))
        return [name for name in names if _is_free_name(name)]

    def add(self, name: str, content: bytes) -> str:
        """Add a model; its name in the project. Raises BinyanError where it is none that the explorer can show."""
        name = Path(name.replace("\\", "/")).name.removesuffix(ENDING)
        name = re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "model"
        if not _is_free_name(name):
            name = f"model-{name}"
        if len(self.added) >= MOST_MODELS and name not in self.added:
            raise InputError(f"the project has {MOST_MODELS} models already; take one away first")
        path = self._path(name)
        with replacing(path, InputError) as part:
            Path(part).write_bytes(content)
            if not is_model_file(part):
                raise InputError("the file is no model of binyan")
            LoadedModels().add(name, load(part), name)
        return name

    def drop(self, name: str) -> None:
        """Take a model away that was added."""
        if name not in self.added:
            raise InputError(f"the project has no model {name[:60]!r}")
        self._path(name).unlink(missing_ok=True)

    def models(self, run: int | None) -> LoadedModels:
        """All models, read again where a file has changed. A file that cannot be read is left out."""
        files = {name: self._path(name) for name in self.added}
        if run is not None and (path := self._project.model_path(run)).exists():
            files = {f"run {run}": path} | files
        key = [(name, path.stat().st_mtime_ns, path.stat().st_size) for name, path in files.items()]
        with self._lock:
            if self._held[0] != key:
                self._held = key, _loaded(files)
            return self._held[1]

    def answer(self, run: int | None, name: str, question: Mapping[str, Any]) -> Any:
        """The explorer's answer to one of its questions; "models" lists what there is."""
        models = self.models(run)
        return api.list_models(models) if name == "models" else api.QUESTIONS[name](models, question)

    def _path(self, name: str) -> Path:
        return self._project.folder / MODELS / f"{name}{ENDING}"


def _is_free_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _RUN.fullmatch(name)


def _loaded(files: Mapping[str, Path]) -> LoadedModels:
    models = LoadedModels()
    for name, path in files.items():
        try:
            models.add(name, load(path), str(path))
        except BinyanError:
            continue
    return models
