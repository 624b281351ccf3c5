"""A project: a folder with a database and models, and everything a person did in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from binyan.errors import InputError, ModelFileError
from binyan.files import PathLike
from binyan.morphology.knowledge import Knowledge
from binyan.morphology.word_list import WordList
from binyan.studio import decisions
from binyan.studio.database import Database
from binyan.studio.decisions import Decision, is_held_back
from binyan.studio.facts import Change, Facts, Proposal
from binyan.studio.runs import RunQueue
from binyan.studio.trimming import TrimmedPreparation
from binyan.studio.word_store import Reading, WordStore
from binyan.text.preparation import Preparation

DATABASE = "project.sqlite"
MODELS = "models"
IMPORTED = "imported analyses"
"""The author of decisions that came with a file."""


@dataclass(frozen=True)
class WordPreparation:
    """How words are prepared: `trim` cuts punctuation off their ends, the rest are settings of `Preparation`."""

    trim: bool = False
    lowercase: bool = False
    strip_marks: bool = False
    digits: bool = False
    normalise: str = "nfc"
    fold: str | None = None
    locale: str | None = None

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> WordPreparation:
        """From JSON. Raises InputError or SettingsError where a field is none of ours or has no such value."""
        defaults = asdict(cls())
        for name, value in fields.items():
            if name not in defaults:
                raise InputError(f"the preparation of words has no setting {name[:40]!r}")
            allowed: tuple[type, ...] = (bool,) if isinstance(defaults[name], bool) else (str, type(None))
            if not isinstance(value, allowed) or (isinstance(value, str) and len(value) > 100):
                raise InputError(f"{name} cannot be {value!r:.40}")
        made = cls(**{**defaults, **fields})
        made.preparation()
        return made

    def preparation(self) -> Preparation:
        """What turns a line into words."""
        return TrimmedPreparation(**self._settings()) if self.trim else self.of_model()

    def of_model(self) -> Preparation:
        """What models know of it: their words are trimmed already."""
        return Preparation(**self._settings())

    def _settings(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "trim"}


class Project:
    """A folder with a project, which is made where there is none.

    `facts` has what people said, `words` the words, `runs` the queue of learning.
    """

    def __init__(self, folder: PathLike, durable: bool = True) -> None:
        self.folder = Path(folder)
        try:
            (self.folder / MODELS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelFileError(
                f"{self.folder}: cannot be made: {error.strerror or error}; name another folder"
            ) from error
        self.database = Database(self.folder / DATABASE, durable=durable)
        self.facts = Facts(self.database)
        self.words = WordStore(self.database)
        self.runs = RunQueue(self.database)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # Settings.

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting of the project."""
        return self.facts.value("setting", name, default)

    @property
    def word_preparation(self) -> WordPreparation:
        """How words are prepared."""
        return WordPreparation.read(self.setting("preparation", {}))

    def set_preparation(self, fields: Mapping[str, Any], author: str, base: int) -> int:
        """Prepare the words in another way; how many there are then."""
        made = WordPreparation.read(fields)
        with self.database.writing():
            self.facts.put("setting", "preparation", asdict(made), author, base)
            return self.rebuild()

    def rebuild(self) -> int:
        """Make the words anew from the sources that are in use."""
        unused = [int(key) for key, value in self.facts.all("source").items() if not value["used"]]
        return self.words.rebuild(self.word_preparation.preparation(), unused)

    def add_reading(self, reading: Reading, author: str) -> int:
        """Add a source; what it knows of words become decisions, except where there is one. Its number."""
        with self.database.writing():
            source = self.words.add_source(reading, author)
            if reading.format == "text" and self.facts.newest("setting", "preparation") is None:
                self.facts.put("setting", "preparation", asdict(WordPreparation(trim=True)), author, 0)
            self.facts.put("source", str(source), {"used": True, "name": reading.name}, author, 0)
            self.rebuild()
            known = [w for w in reading.known if self.words.number(w) is not None]
            versions = self.facts.versions(decisions.ENTITY, known)
            proposals = [
                Proposal(decisions.ENTITY, word, reading.known[word], 0, "import")
                for word in known
                if versions[word] == 0
            ]
            if proposals:
                self.facts.put_all(proposals, IMPORTED)
        return source

    def word_list(self, most: int | None = None) -> WordList:
        """The words to learn from, the most frequent first."""
        return self.words.word_list(self.word_preparation.of_model(), most)

    # Decisions.

    def decide(self, items: Sequence[Mapping[str, Any]], author: str) -> list[Change]:
        """Decisions on words, which are undone together. Each has `word`, `base`, `kind`, `segmentation` and perhaps `root`.

        Raises StaleError where somebody else decided on one of the words meanwhile: then none is stored.
        """
        proposals = []
        for item in items:
            word, kind, base = item.get("word"), item.get("kind"), item.get("base")
            if not isinstance(word, str) or self.words.number(word) is None:
                raise InputError(f"{word!r:.60} is not a word of this project")
            if kind not in decisions.KINDS:
                raise InputError(f"a decision is one of {', '.join(decisions.KINDS)}")
            if not isinstance(base, int) or isinstance(base, bool):
                raise InputError("a decision says from which version it was made")
            value = None if kind == "clear" else Decision.read(word, item).to_dict()
            proposals.append(Proposal(decisions.ENTITY, word, value, base, kind))
        if len({p.key for p in proposals}) < len(proposals):
            raise InputError("a word was decided on twice at once")
        return self.facts.put_all(proposals, author)

    def decisions(self) -> dict[str, Decision]:
        """What holds now, by word; words that the project does not have any more are left out."""
        rows = self.database.rows(
            "SELECT facts.key FROM facts JOIN words ON words.text = facts.key WHERE entity = ? AND value IS NOT NULL",
            decisions.ENTITY,
        )
        values = self.facts.all(decisions.ENTITY)
        return {row["key"]: Decision.read(row["key"], values[row["key"]]) for row in rows}

    def evidence(self) -> Knowledge:
        """The decisions as evidence for learning, without those of words that are held back."""
        known = [replace(d.known(), source="decided") for word, d in self.decisions().items() if not is_held_back(word)]
        return Knowledge(tuple(known))

    # Models.

    def model_path(self, run: int) -> Path:
        """The file of a run's model."""
        return self.folder / MODELS / f"run-{run:d}.binyan"
