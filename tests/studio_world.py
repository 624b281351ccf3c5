"""A small project for the tests of the studio."""

from __future__ import annotations

from pathlib import Path

from binyan.studio.imports import read_upload
from binyan.studio.project import Project
from binyan.studio.worker import Worker

STEMS = ("walk", "talk", "jump", "climb", "look", "help", "ask", "call", "play", "work")
WORDS = [stem + suffix for stem in STEMS for suffix in ("", "s", "ed", "ing")]


def made_project(folder: Path, words: list[str] = WORDS) -> Project:
    project = Project(folder)
    project.add_reading(read_upload("words.txt", "\n".join(words).encode()), "tester")
    return project


def learnt(project: Project, **plan: object) -> int:
    run = project.runs.add("learn", {"grammar": "affixes", "sweeps": 20, **plan}, "tester")
    Worker(project.folder).run(once=True)
    return run
