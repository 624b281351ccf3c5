"""A whole project as one file, to keep or to hand on."""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from binyan import __version__
from binyan.errors import InputError, ModelFileError
from binyan.files import PathLike, replacing
from binyan.model_file import is_model_file
from binyan.studio.database import Database
from binyan.studio.project import DATABASE, MODELS, Project

MOST_BYTES = 4 << 30
"""Of all that an archive holds."""

MOST_PACKED = 1 << 30
_MANIFEST = "binyan-studio.json"
_MODEL = re.compile(rf"{MODELS}/[\w-]{{1,60}}\.binyan")
_MOST_FILES = 1000


def save_archive(project: Project, path: PathLike) -> None:
    """Write a project to one file: its database as it is at this moment, and its models."""
    with replacing(path, InputError) as part, open(part, "wb") as out:
        write_archive(project, out)


def write_archive(project: Project, out: IO[bytes]) -> None:
    """The same to an open file."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        copy = Path(folder) / DATABASE
        target = sqlite3.connect(copy)
        try:
            project.database.connection.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            target.execute("DELETE FROM workers")
            target.execute("UPDATE runs SET state = 'stopped' WHERE state IN ('queued', 'running')")
            target.commit()
        finally:
            target.close()
        archive.writestr(_MANIFEST, json.dumps({"format": 1, "binyan": __version__}))
        archive.write(copy, DATABASE)
        for model in sorted((project.folder / MODELS).glob("*.binyan")):
            archive.write(model, f"{MODELS}/{model.name}")


def archive_bytes(project: Project) -> bytes:
    """The archive in memory."""
    out = io.BytesIO()
    write_archive(project, out)
    return out.getvalue()


def open_archive(archive: PathLike | IO[bytes], project: Project) -> None:
    """Fill an empty project with what an archive holds: all of it, or nothing.

    Raises InputError where the project is not empty, or the archive holds anything but a project of ours.
    """
    if len(project.words) or project.runs.all(1) or project.words.sources():
        raise InputError(f"{project.folder}: is not empty; open the archive in a new folder")
    with tempfile.TemporaryDirectory(dir=project.folder) as folder:
        unpacked = Path(folder)
        try:
            with zipfile.ZipFile(archive) as packed:
                _unpack(packed, unpacked)
        except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError) as error:
            raise InputError(f"the archive cannot be read: {error}") from error
        _check_database(unpacked / DATABASE)
        for model in sorted((unpacked / MODELS).glob("*")):
            if not is_model_file(model):
                raise InputError(f"the archive's {model.name} is no model")
            shutil.move(model, project.folder / MODELS / model.name)
        source = sqlite3.connect(unpacked / DATABASE)
        try:
            with project.database.writing():
                pass  # nobody else is writing
            source.backup(project.database.connection)
        finally:
            source.close()


def _unpack(packed: zipfile.ZipFile, folder: Path) -> None:
    """The files of a project and no others, within bounds; names are compared, never followed."""
    entries = packed.infolist()
    names = [entry.filename for entry in entries]
    if _MANIFEST not in names or DATABASE not in names:
        raise InputError("the archive holds no project of binyan studio")
    if len(entries) > _MOST_FILES or len(set(names)) < len(names):
        raise InputError("the archive has too many files, or two of one name")
    for name in names:
        if name not in (_MANIFEST, DATABASE) and not _MODEL.fullmatch(name):
            raise InputError(f"the archive holds {name[:80]!r}, which is no part of a project")
    if json.loads(packed.read(_MANIFEST)[:10_000]).get("format") != 1:
        raise InputError("the archive was made by a newer version; install a newer version of binyan")
    (folder / MODELS).mkdir()
    left = MOST_BYTES
    for entry in entries:
        if entry.filename == _MANIFEST:
            continue
        with packed.open(entry) as source, open(folder / entry.filename, "wb") as target:
            while block := source.read(1 << 20):
                left -= len(block)
                if left < 0:
                    raise InputError(f"the archive holds more than {MOST_BYTES >> 30} GB")
                target.write(block)


def _check_database(path: Path) -> None:
    """Refuse a database that is damaged, or has anything but our tables and indexes."""
    try:
        database = Database(path)  # of an older version: brought to the newest
        damage = database.row("PRAGMA integrity_check")
        ours = _schema(database)
        database.connection.execute("PRAGMA journal_mode = DELETE")
        database.close()
    except ModelFileError as error:
        raise InputError(f"the archive's database cannot be used: {error}") from error
    if damage is None or damage[0] != "ok":
        raise InputError("the archive's database is damaged")
    with tempfile.TemporaryDirectory() as folder:
        fresh = Database(Path(folder) / DATABASE)
        expected = _schema(fresh)
        fresh.close()
    if ours != expected:
        raise InputError("the archive's database has tables that are not ours")


def _schema(database: Database) -> list[tuple[str, str, str]]:
    rows = database.rows("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
    return [(row["type"], row["name"], " ".join((row["sql"] or "").split())) for row in rows]
