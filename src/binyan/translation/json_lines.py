"""Sentences to translate from other programs, as lines of JSON: requests are checked, answers tell how each translation was made.

A request is a line of text, or an object with `text`, and further `n`, how many translations are wanted, and `id`, which comes back with
the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from binyan.errors import BinyanError, InputError
from binyan.files import PathLike
from binyan.json_text import check_sentence, json_object, known_id, request_id
from binyan.json_values import finite
from binyan.text import Preparation
from binyan.text.line_blocks import LineBlock, line_blocks
from binyan.text.reading import check_length
from binyan.translation.derivation import MOST_TRANSLATIONS, Explainer
from binyan.translation.inputs import batches

MOST_CHARACTERS = 50_000  # of a sentence
MOST_BYTES = 1_000_000  # of a request
FIELDS = ("id", "n", "text")
_AT_ONCE = 16  # requests that a thread is given before any of their answers is written


@dataclass(frozen=True)
class TranslationRequest:
    """A sentence to translate, and how many translations are wanted."""

    text: str
    n: int = 1
    id: str | int | float | None = None


def parse_request(
    fields: Mapping[str, Any], n: int = 1, most: int = MOST_CHARACTERS, names: Iterable[str] = FIELDS
) -> TranslationRequest:
    """The request that an object is, with `n` translations where it does not say. Raises InputError, which says what is wrong with it."""
    if strange := [name for name in fields if name not in names]:
        raise InputError(f"a request has no field {strange[0][:40]!r}; there are {', '.join(names)}")
    text, n = fields.get("text"), fields.get("n", n)
    if not isinstance(text, str):
        raise InputError("a request has 'text', which is a string")
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= MOST_TRANSLATIONS:
        raise InputError(f"'n', the number of translations, is 1 to {MOST_TRANSLATIONS}")
    if len(text) > most:
        raise InputError(f"a sentence of {len(text):,} characters; at most {most:,} are translated at once")
    check_sentence(text)
    return TranslationRequest(text, n, request_id(fields))


def answer(explainer: Explainer, preparation: Preparation, request: TranslationRequest) -> dict[str, Any]:
    """The answer to a request. Raises InputError where its text cannot be translated."""
    words = preparation(request.text)
    for word in words:
        check_length(word)
    given = {} if request.id is None else {"id": request.id}
    answered: dict[str, Any] = finite({**given, "text": request.text, **explainer.explain(words, request.n).to_dict()})
    return answered


def answer_lines(
    explainer: Explainer, preparation: Preparation, source: PathLike | IO[bytes], n: int = 1, threads: int = 1
) -> Iterator[str]:
    """The answers to the lines of a file or stream, in their order, as lines come.

    What cannot be answered is answered by what is wrong: `error` and the number of the `line`.
    """
    one = partial(_answer_line, explainer, preparation, n)
    with ThreadPoolExecutor(threads) as pool:
        for block in line_blocks(source):
            if threads == 1:
                yield from map(one, _numbered(block))
                continue
            for lines in batches(_numbered(block), _AT_ONCE * threads):
                yield from pool.map(one, lines)


def _numbered(block: LineBlock) -> Iterator[tuple[int, bytes]]:
    yield from enumerate(block.text.removesuffix(b"\n").split(b"\n"), block.first)


def _answer_line(explainer: Explainer, preparation: Preparation, n: int, line: tuple[int, bytes]) -> str:
    number, raw = line
    raw = raw.removesuffix(b"\r")
    try:
        answered = answer(explainer, preparation, parse_request(_fields(raw), n))
    except BinyanError as error:
        answered = {**known_id(raw[:MOST_BYTES]), "error": str(error), "line": number}
    return json.dumps(answered, ensure_ascii=False, allow_nan=False)


def _fields(raw: bytes) -> Mapping[str, Any]:
    if len(raw) > MOST_BYTES:
        raise InputError(f"a line of {len(raw):,} bytes; a request has at most {MOST_BYTES:,}")
    if raw.lstrip().startswith(b"{"):
        return json_object(raw)
    try:
        return {"text": raw.decode()}
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}") from error
