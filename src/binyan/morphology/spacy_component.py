"""A component for spaCy: morphemes, roots and templates of tokens, by a morphology learnt with Binyan.

Where Binyan is installed, spaCy finds it by its name, with no model to download:

    nlp = spacy.blank("xx")
    nlp.add_pipe("binyan_morphology", config={"model": "words.binyan"})

It sets `token._.morphemes` (a tuple of strings with labels, as in "walk/stem"), `token._.root` and `token._.template` (None where
there is none) of every token with a letter. `token.morph` is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from binyan.errors import BinyanError, MissingExtra, SettingsError
from binyan.files import PathLike
from binyan.morphology.morphology import Morphology

try:
    from spacy.language import Language
    from spacy.tokens import Token
except ImportError as error:
    raise MissingExtra("a component for spaCy", "spacy") from error

NAME = "binyan_morphology"
EXTENSIONS = ("morphemes", "root", "template")
_FILE = "morphology.binyan"
_MOST_REMEMBERED = 100_000


class WordBuild(NamedTuple):
    """What is said of a token."""

    morphemes: tuple[str, ...]
    root: str | None
    template: str | None


class MorphologyComponent:
    """Sets the build of each token. `model` is a file of `Morphology.save`, or a Morphology."""

    def __init__(self, model: PathLike | Morphology | None = None) -> None:
        self._path = None if model is None or isinstance(model, Morphology) else Path(model)
        self._morphology = model if isinstance(model, Morphology) else None
        self._remembered: dict[str, WordBuild] = {}
        # A saved pipeline names the file it was made from, which may be gone: the model is then read by `from_disk`.
        if self._path is not None and self._path.exists():
            self._morphology = Morphology.load(self._path)
        for name in EXTENSIONS:
            if not Token.has_extension(name):
                Token.set_extension(name, default=None)

    @property
    def morphology(self) -> Morphology:
        """The model. Raises SettingsError where none was given."""
        if self._morphology is None:
            seen = "" if self._path is None else f"{self._path}: no such file; "
            raise SettingsError(f"{seen}give the component {NAME} a model: config={{'model': 'words.binyan'}}")
        return self._morphology

    @morphology.setter
    def morphology(self, morphology: Morphology) -> None:
        self._morphology = morphology
        self._remembered.clear()

    def __call__(self, doc: Any) -> Any:
        """Set the attributes of all tokens of a document with a letter in them."""
        for token in doc:
            if any(map(str.isalpha, token.text)):
                build = self.build(token.text)
                token._.morphemes, token._.root, token._.template = build
        return doc

    def build(self, word: str) -> WordBuild:
        """The morphemes, root and template of a word; one that the grammar cannot derive is its own only morpheme."""
        if word not in self._remembered:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[word] = self._analysed(word)
        return self._remembered[word]

    def _analysed(self, word: str) -> WordBuild:
        morphology = self.morphology
        try:
            best = morphology.segmentations(word, 1)
            return (
                WordBuild(best[0].morphemes, morphology.root(word), morphology.template(word)) if best else _whole(word)
            )
        except BinyanError:  # a token that the model's preparation makes several words of, or one too long
            return _whole(word)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The model as it is in its file."""
        return self.morphology.to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> MorphologyComponent:
        """The inverse of `to_bytes`."""
        self.morphology = Morphology.from_bytes(data)
        return self

    def to_disk(self, path: PathLike, *, exclude: Iterable[str] = ()) -> None:
        """Write the model into the folder of a pipeline."""
        Path(path).mkdir(parents=True, exist_ok=True)
        self.morphology.save(Path(path) / _FILE)

    def from_disk(self, path: PathLike, *, exclude: Iterable[str] = ()) -> MorphologyComponent:
        """The inverse of `to_disk`."""
        self.morphology = Morphology.load(Path(path) / _FILE)
        return self


def _whole(word: str) -> WordBuild:
    return WordBuild((word,), None, None)


def make_component(nlp: Any, name: str, model: str | None) -> MorphologyComponent:
    """What spaCy calls for `nlp.add_pipe("binyan_morphology", config={"model": path})`."""
    return MorphologyComponent(model)


Language.factory(
    NAME,
    default_config={"model": None},
    assigns=[f"token._.{name}" for name in EXTENSIONS],
    func=make_component,
)
