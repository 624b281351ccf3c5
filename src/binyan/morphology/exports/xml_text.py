"""XML written and read with care: no document types, no entities, nothing from elsewhere, within bounds."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, TreeBuilder, indent, tostring
from xml.parsers import expat

from binyan.errors import InputError, unreadable
from binyan.files import PathLike

_MOST_BYTES = 1 << 29
_DEEPEST = 200
_NAMESPACE = uuid.UUID("6f9f7b0c-5a0c-5c55-9a53-0d6d2f6e7b1e")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def xml_text(root: Element) -> bytes:
    """A document with its declaration, indented, in UTF-8."""
    indent(root, " ")
    body: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def add(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    """A new last child, with characters that XML cannot hold left out."""
    child = SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})
    child.text = None if text is None else clean(text)
    return child


def clean(text: str) -> str:
    """The text without the characters that XML cannot hold (control characters)."""
    return _FORBIDDEN.sub("", text)


def identifier(*names: str) -> str:
    """A GUID that depends on nothing but the names, so that the same export twice is the same file."""
    return str(uuid.uuid5(_NAMESPACE, "\0".join(names)))


def read_xml(path: PathLike, root: str) -> Element:
    """The document of a file, whose outermost element must be `root`. Raises InputError on anything else than plain XML."""
    try:
        if Path(path).stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: has more than {_MOST_BYTES:,} bytes; split it first")
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(unreadable(path, error)) from error
    reader = _Reader(path)
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise InputError(f"{path}:{error.lineno}: not well-formed XML: {expat.ErrorString(error.code)}") from error
    document = reader.builder.close()
    if document.tag != root:
        raise InputError(
            f"{path}: begins with <{document.tag}>, where <{root}> is wanted; is it the right kind of file?"
        )
    return document


class _Reader:
    """Builds the tree of a document and refuses document types."""

    def __init__(self, path: PathLike) -> None:
        self.path, self.depth = path, 0
        self.builder = TreeBuilder()
        self.parser: Any = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(
                f"{self.path}:{self.parser.CurrentLineNumber}: elements are nested more than {_DEEPEST} deep"
            )
        self.builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag)

    def _refuse(self, *details: object) -> None:
        raise InputError(
            f"{self.path}:{self.parser.CurrentLineNumber}: has a document type or entities, which are not read: remove the "
            "<!DOCTYPE ...> part"
        )
