"""What all models of the toolkit share: saving, loading, a signature, and one registry of their kinds.

`load` opens whatever the toolkit saved. A model that was made and not yet trained refuses to answer with NotFittedError.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from binyan import model_file
from binyan.errors import InputError, ModelFileError, NotFittedError, SettingsError
from binyan.files import PathLike
from binyan.signature import Signature

if TYPE_CHECKING:
    from binyan.language_model import LanguageModel
    from binyan.morphology import Morphology

# The kind that a model file states -> the class of such models, imported only when one is loaded.
KINDS: dict[str, str] = {
    "mkn": "binyan.ngram.kneser_ney:KneserNey",
    "arpa": "binyan.ngram.arpa:ArpaModel",
    "hpylm": "binyan.ngram.hpylm:HPYLM",
    "hpylm+c": "binyan.ngram.compound:CompoundHPYLM",
    "hpylm+g": "binyan.ngram.compound:CompoundHPYLM",
    "hpylm+i": "binyan.ngram.inflection:InflectionHPYLM",
    "log-bilinear": "binyan.log_bilinear:LogBilinear",
    "recurrent": "binyan.recurrent:Recurrent",
    "mixture": "binyan.mixture.mixture:Mixture",
    "open": "binyan.open_vocabulary:OpenVocabulary",
    "adaptor": "binyan.morphology.morphology:Morphology",
    "compound-splitter": "binyan.segmentation.compound_splitter:CompoundSplitter",
    "frequency-splitter": "binyan.segmentation.compound_splitter:CompoundSplitter",
    "translation-grammar": "binyan.translation.rule_table:RuleTable",
    "new-words": "binyan.translation.new_words:NewWords",
}
# A folder, text files by how they begin, and tables of words and their parts: what reads them.
FOLDERS = "binyan.translation.translator:Translator"
TEXTS: tuple[tuple[bytes, str], ...] = ((b"\\data\\", "binyan.ngram.arpa:ArpaModel"),)
TABLES = "binyan.segmentation.word_map:WordMap"
_FIRST_BYTES = 4096
# What a file with valid checksums that makes no sense may lead to.
_NO_SENSE = (
    InputError,
    SettingsError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
)


class Model(ABC):
    """Something learnt, which answers questions and is saved in one file.

    Queries change nothing and may come from several threads.
    """

    kind: ClassVar[str]
    commands: ClassVar[str] = "binyan"
    """The commands that use such models, named where a model is given to others."""

    @abstractmethod
    def signature(self) -> Signature:
        """How the model was made."""

    @abstractmethod
    def contents(self) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
        """Settings and sections for a model file."""

    @classmethod
    @abstractmethod
    def from_file(cls, file: model_file.ModelFile) -> Self:
        """The inverse of `contents`."""

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return True

    def save(self, path: PathLike) -> None:
        """Write the model to one file: complete, or not at all."""
        self._require_fitted()
        model_file.save(path, self.kind, *self.contents())

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model of this class from its file; `binyan.load` reads models of any class."""
        model = load(path)
        if not isinstance(model, cls):
            kind = f" (kind {model.kind!r})" if isinstance(model, Model) else ""
            raise ModelFileError(
                f"{path}: holds a {type(model).__name__}{kind}, not a {cls.__name__}; 'binyan.load' opens it, "
                f"'{cls.commands}' has the commands that make a {cls.__name__}"
            )
        return model

    def to_bytes(self) -> bytes:
        """The model file as bytes, for databases and other processes; `from_bytes` is the inverse. Pickling uses it."""
        self._require_fitted()
        return model_file.to_bytes(self.kind, *self.contents())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The inverse of `to_bytes`."""
        model = from_bytes(data)
        if not isinstance(model, cls):
            raise ModelFileError(f"these are the bytes of a {type(model).__name__}, not of a {cls.__name__}")
        return model

    def as_language_model(self) -> LanguageModel:
        """The model itself, where it is a language model."""
        raise ModelFileError(
            f"a model of kind {self.kind!r} is not a language model; '{self.commands}' has the commands for it"
        )

    def as_morphology(self) -> Morphology:
        """The model itself, where it analyses words."""
        raise ModelFileError(
            f"a model of kind {self.kind!r} does not analyse words; '{self.commands}' has its commands"
        )

    def _require_fitted(self) -> None:
        if not self.is_fitted:
            raise NotFittedError(type(self).__name__)

    def __getattr__(self, name: str) -> Any:
        """Only asked for what is missing: what `fit` would have made, or nothing that there is."""
        if not name.startswith("_"):
            is_learnt = any(name in vars(c).get("__annotations__", {}) for c in type(self).__mro__)
            if is_learnt or (hasattr(type(self), name) and not self.is_fitted):  # or a property of what is learnt
                raise NotFittedError(type(self).__name__)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __copy__(self) -> Self:
        """A shallow copy; without this, `copy.copy` would go through the container and double the memory."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.signature()}>" if self.is_fitted else f"<{type(self).__name__}, not fitted>"
        )


def load(path: PathLike) -> Any:
    """Open whatever the toolkit saved: a model file of any kind, the folder of a translation system, an ARPA file, a word map.

    Raises ModelFileError where the file is missing, damaged, or none of these.
    """
    if Path(path).is_dir():
        return _imported(FOLDERS).load(path)
    first = _first_bytes(path)
    for beginning, name in TEXTS:
        if first.lstrip().startswith(beginning):
            return _imported(name).read(path)
    if _begins_with_segmentation(first):
        return _imported(TABLES).read(path)
    return from_model_file(model_file.load(path))


def load_language_model(path: PathLike) -> LanguageModel:
    """Open a language model of any kind."""
    model = load(path)
    try:
        language_model: LanguageModel = model.as_language_model()
    except (ModelFileError, AttributeError) as error:
        raise ModelFileError(f"{path}: {error}") from error
    return language_model


def from_model_file(file: model_file.ModelFile) -> Any:
    """The model in an opened model file."""
    if file.kind not in KINDS:
        raise ModelFileError(f"{file.path}: holds a {file.kind!r}, which this version of Binyan cannot open")
    try:
        return _imported(KINDS[file.kind]).from_file(file)
    except ModelFileError:
        raise
    except _NO_SENSE as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ModelFileError(f"{file.path}: not a sound model of kind {file.kind!r}: {what}") from error


def from_bytes(data: bytes) -> Any:
    """The model of `Model.to_bytes`."""
    return from_model_file(model_file.from_bytes(data))


def refuse(model: Model, what: str, instead: str) -> SettingsError:
    """The error of a capability that a kind of model does not have: what it lacks, and what to do instead."""
    return SettingsError(f"a model of kind {model.kind!r} has no {what}; {instead}")


def _imported(name: str) -> Any:
    module, attribute = name.split(":")
    return getattr(importlib.import_module(module), attribute)


def _first_bytes(path: PathLike) -> bytes:
    """How a text file begins, unpacked; nothing of a file that cannot be read, which is then explained by the container."""
    from binyan.text.reading import is_unpacking_error, open_text

    try:
        with open_text(path) as source:
            return source.read(_FIRST_BYTES)
    except Exception as error:
        if isinstance(error, InputError) or is_unpacking_error(error):
            return b""
        raise


def _begins_with_segmentation(first: bytes) -> bool:
    """Whether the first row of a text, comments left out, is a word, a tab, and parts that spell the word."""
    from binyan.segmentation.table import parse_row

    lines = first.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(first) == _FIRST_BYTES:
        lines.pop()  # it may go on
    rows = (line.rstrip(b"\r") for line in lines if line.strip() and not line.startswith(b"#"))
    try:
        parse_row(next(rows, b"").decode())
    except (InputError, UnicodeDecodeError):
        return False
    return True
