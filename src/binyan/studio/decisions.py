"""What a person says of a word, as it is stored and as evidence for learning."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError
from binyan.morphology.knowledge import KnownWord
from binyan.segmentation import Part, Segmentation

ENTITY = "decision"
KINDS = ("accept", "choose", "draw", "clear")

_HELD_BACK = 5  # every fifth decided word is held back from learning
_MOST_PARTS = 40


@dataclass(frozen=True)
class Decision:
    """The segmentation of a word that a person decided for, and the root if she named one."""

    segmentation: Segmentation
    root: str | None = None

    @classmethod
    def read(cls, word: str, fields: Mapping[str, Any]) -> Decision:
        """A decision from its JSON form. Raises InputError where the parts do not spell the word, or the root cannot be in it."""
        text, root = fields.get("segmentation"), fields.get("root") or None
        if not isinstance(text, str) or not isinstance(root, (str, type(None))):
            raise InputError("a decision has a segmentation and, if known, a root, both as text")
        if len(text) > 20 * len(word) + 400:
            raise InputError(f"the segmentation of {word!r} is too long")
        segmentation = Segmentation.parse(word, text)
        if len(segmentation.parts) > _MOST_PARTS:
            raise InputError(f"{word!r} has {len(segmentation.parts)} parts; {_MOST_PARTS} are the most")
        for part in segmentation:
            if part.label and (len(part.label) > 40 or not part.label.replace("_", "").isalnum()):
                raise InputError(f"{part.label[:60]!r} is no label: a label has letters and digits only")
        if root is not None and (len(root) > 2 * len(word) + 4 or " " in root or not root.isprintable()):
            raise InputError(f"{root!r} is no root of {word!r}")
        return cls(segmentation, root)

    def to_dict(self) -> dict[str, Any]:
        """For the database and for JSON."""
        return {"segmentation": str(self.segmentation), "root": self.root}

    def known(self, source: str = "") -> KnownWord:
        """As evidence for learning: borders and labels of all pieces, and the root."""
        borders: dict[int, bool] = {}
        labels: list[tuple[int, int, tuple[str, ...]]] = []
        begin = 0
        for piece in self.segmentation.contiguous().parts:
            end = begin + len(piece.text)
            if begin:
                borders[begin] = True
            borders |= dict.fromkeys(range(begin + 1, end), False)
            if piece.label:
                labels.append((begin, end, (piece.label,)))
            begin = end
        roots = () if self.root is None else (self.root,)
        return KnownWord(self.segmentation.word, borders, tuple(labels), roots, source=source)


def is_held_back(word: str) -> bool:
    """Whether what is decided of a word is kept from learning, to measure by it. Depends on the word alone."""
    digest = hashlib.blake2b(unicodedata.normalize("NFC", word).encode(), digest_size=8).digest()
    return int.from_bytes(digest) % _HELD_BACK == 0


def borders_of(segmentation: Segmentation) -> frozenset[int]:
    """Where pieces begin within a word, in characters.

    >>> sorted(borders_of(Segmentation.parse("walked", "walk/stem ed/suf")))
    [4]
    """
    places, at = set(), 0
    for piece in segmentation.contiguous().parts:
        at += len(piece.text)
        places.add(at)
    return frozenset(places - {at})


def whole(word: str) -> Segmentation:
    """The word as one stem."""
    return Segmentation(word, (Part(word, "stem"),))
