"""The models of a project's runs, loaded when they are first asked about."""

from __future__ import annotations

import threading
from copy import copy
from dataclasses import replace
from typing import Any

from binyan.errors import InputError
from binyan.grammar.drawing import draw_svg
from binyan.grammar.tree_segments import simplified
from binyan.morphology import Morphology
from binyan.studio.project import Project

_MOST_BYTES = 1 << 24  # of the derivations of one word
_TREES = 5


class ModelCache:
    """The newest model that was asked for, read again where its file has changed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._held: tuple[Any, Morphology] | None = None

    def of_run(self, run: int | None) -> Morphology:
        """The model of a run. Raises InputError where it has none yet."""
        path = None if run is None else self._project.model_path(run)
        with self._lock:
            try:
                key = None if path is None else (run, path.stat().st_mtime_ns, path.stat().st_size)
            except OSError:
                key = None
            if path is None or key is None:
                raise InputError("there is no model yet: learning saves one within its first seconds")
            if self._held is None or self._held[0] != key:
                morphology = copy(Morphology.load(path))
                morphology.posterior = replace(morphology.posterior, most_bytes=_MOST_BYTES)
                self._held = key, morphology
            return self._held[1]

    def trees(self, run: int | None, word: str) -> list[dict[str, Any]]:
        """The best analyses of a word with pictures of their trees."""
        morphology = self.of_run(run)
        analyses = morphology.analyses(word, _TREES)
        return [
            {
                "segmentation": str(a.segmentation),
                "root": next(iter(a.roots()), None),
                "probability": a.probability,
                "svg": draw_svg(simplified(a.tree, morphology.grammar)),
            }
            for a in analyses
        ]
