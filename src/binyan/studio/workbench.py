"""A project and what answers questions about it, as the server holds it."""

from __future__ import annotations

import threading
from typing import Any

from binyan.morphology.word_list import WordList
from binyan.studio.explorer import Explorer
from binyan.studio.grammars import gallery_entry, pictures
from binyan.studio.models import ModelCache
from binyan.studio.project import Project
from binyan.studio.results import Results
from binyan.studio.word_queries import WordQueries


class Workbench:
    """An open project with its queries, models and results."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.queries = WordQueries(project.database)
        self.models = ModelCache(project)
        self.explorer = Explorer(project)
        self.results = Results(project, self.models)
        self._lock = threading.Lock()
        self._pictures: dict[tuple[str, str], dict[str, Any]] = {}

    @property
    def run(self) -> int | None:
        """The run whose analyses are shown: the newest that has any."""
        return self.project.runs.current()

    def gallery(self, name: str) -> dict[str, Any]:
        """What a kind of grammar sees in the project's words; found out once for the same words."""
        entry = gallery_entry(name)
        words: WordList = self.project.word_list(300)
        key = name, words.digest
        with self._lock:
            if key not in self._pictures:
                if len(self._pictures) > 50:
                    self._pictures.clear()
                self._pictures[key] = pictures(entry, words)
            return self._pictures[key]
