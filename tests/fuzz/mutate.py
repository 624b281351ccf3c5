"""Mutations of bytes, of text by tokens and lines, of JSON values, and of model files with their digests recomputed."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import lzma
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from binyan import model_file

Mutator = Callable[[random.Random, Sequence[bytes]], bytes]

NUMBERS = (
    *("0", "1", "-1", "-0", "2", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295"),
    *("4294967296", "9223372036854775807", "18446744073709551616", "1e999", "-1e999", "1e-999", "nan", "inf", "-inf"),
    *("0.5", "-0.5", "1.0000001", "0x10", "1_000", "٣", "²", "1e", ".", "-", "+1", "00", "9" * 400, "1" + "0" * 5000),
)
LETTERS = (
    *("\u0301", "\u200d", "\u200f", "\u2028", "\u0085", "\xa0", "\ufeff", "\U0010ffff", "İ", "ß", "ſ", "ﬁ", "\u3000"),
    *(
        "\x1c",
        "\x0b",
        "\x0c",
        "\r",
        "\n",
        "\t",
        " ",
        "\x7f",
        "\0",
        "א",
        "ب",
        "漢",
        "👩\u200d👩\u200d👧",
        "a\u0301\u0302",
    ),
)
BYTES = (0, 9, 10, 13, 32, 0x7F, 0x80, 0xBF, 0xC0, 0xE2, 0xED, 0xF4, 0xF8, 0xFE, 0xFF)
TOKEN = re.compile(rb"[A-Za-z]+|\d+(?:\.\d+)?|[^A-Za-z\d]", re.ASCII)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
LONGEST = 1 << 16  # bytes of a mutated text, but for the rare long ones


def mutate_bytes(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A seed with some bytes changed, removed, doubled or joined with another seed."""
    data = bytearray(rng.choice(seeds))
    for _ in range(_times(rng)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + _length(rng))
        action = rng.randrange(7)
        if action == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif action == 1 and at < len(data):
            data[at] = rng.choice(BYTES)
        elif action == 2:
            data[at:at] = bytes(rng.choices(BYTES, k=_length(rng)))
        elif action == 3:
            del data[at:end]
        elif action == 4:
            place = rng.randrange(len(data) + 1)
            data[place:place] = data[at:end]
        elif action == 5:
            other = rng.choice(seeds)
            data[at:] = other[rng.randrange(len(other) + 1) :]
        elif action == 6 and rng.random() < 0.2:
            del data[at:]
    return bytes(data[:LONGEST])


def text_mutator(*words: str) -> Mutator:
    """A mutator of texts: by tokens (`words` are those of the format), by lines, and by bytes."""
    vocabulary = [word.encode() for word in words] or [b" "]
    letters = [letter.encode() for letter in LETTERS]
    numbers = [number.encode() for number in NUMBERS]

    def mutate(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
        if rng.random() < 0.15:
            return mutate_bytes(rng, seeds)
        data = rng.choice(seeds)
        for _ in range(_times(rng)):
            action = rng.randrange(10)
            if action < 3:
                data = _change_lines(rng, data, seeds)
            elif action == 3:
                data = _replace_match(rng, NUMBER, data, rng.choice(numbers))
            elif action == 4:
                data = _insert(rng, data, rng.choice(letters))
            elif action < 8:
                data = _change_token(rng, data, vocabulary)
            elif action == 8:
                data = _insert(rng, data, rng.choice(vocabulary) * rng.choice((1, 1, 2, 3, 40)))
            elif rng.random() < 0.02:
                data = _insert(
                    rng, data, rng.choice((*vocabulary, *letters, b"a", b"(", b"[")) * rng.choice((900, 4000))
                )
        return data[:LONGEST]

    return mutate


def packed_mutator(inner: Mutator) -> Mutator:
    """Texts packed as gz or xz after the mutation, sometimes damaged after packing."""

    def mutate(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
        text = inner(rng, seeds)
        packed = gzip.compress(text, 1) if rng.random() < 0.7 else lzma.compress(text, preset=0)
        return packed if rng.random() < 0.4 else mutate_bytes(rng, [packed])

    return mutate


def mutate_json(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A JSON text with some of its values replaced, removed, doubled or nested."""
    if rng.random() < 0.2:
        return mutate_bytes(rng, seeds)
    try:
        value = json.loads(rng.choice(seeds))
    except ValueError:
        return mutate_bytes(rng, seeds)
    for _ in range(_times(rng)):
        value = mutate_value(rng, value)
    text = json.dumps(value)
    if rng.random() < 0.02:
        text = text.replace("1", rng.choice(("9" * 5000, "1e400", "[" * 3000 + "]" * 3000)), 1)
    return text.encode()


def mutate_value(rng: random.Random, value: Any) -> Any:
    """One place of a JSON value changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        action = rng.random()
        if action < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if action < 0.15:
            return {**value, rng.choice(LETTERS): value[key]}
        if action < 0.2:
            return {**value, key: value[rng.choice(list(value))]}
        return {**value, key: mutate_value(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        action = rng.random()
        if action < 0.1:
            return value[:at] + value[at + 1 :]
        if action < 0.25:
            return [*value, value[at]]
        return [*value[:at], mutate_value(rng, value[at]), *value[at + 1 :]]
    return _odd_value(rng, value)


def _odd_value(rng: random.Random, value: Any) -> Any:
    if isinstance(value, (int, float)) and rng.random() < 0.6:
        odd = (
            0,
            1,
            -1,
            value + 1,
            value - 1,
            -value,
            value * 2,
            2**31,
            2**32 - 1,
            2**40,
            2**64,
            10**400,
            1e308,
            1e-320,
        )
        return rng.choice((*odd, float("nan"), float("inf"), float("-inf"), 0.5, True))
    if isinstance(value, str) and rng.random() < 0.6:
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice((*LETTERS, *NUMBERS, "", value, "\ud800", "../x", "a" * 3000)) + value[at:]
    return rng.choice((None, True, False, 0, -1, 2**63, 1.5, "", "a", [], {}, [[]], [value], {"a": value}, [0] * 300))


def mutate_model(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A model file with changed sections or settings and digests that fit; sometimes with a changed header or damaged bytes."""
    action = rng.random()
    if action < 0.03:
        return mutate_bytes(rng, seeds)
    seed = rng.choice(seeds)
    if action < 0.15:
        return _change_header(rng, seed)
    file = model_file.from_bytes(seed)
    kind, meta, sections = file.kind, copy.deepcopy(file.meta), dict(file.sections)
    for _ in range(_times(rng)):
        chance = rng.random()
        if chance < 0.25 or not sections:
            meta = mutate_value(rng, meta)
            meta = meta if isinstance(meta, dict) else file.meta
        elif chance < 0.95:
            name = rng.choice(list(sections))
            sections[name] = _change_section(rng, sections[name])
        elif chance < 0.98:
            del sections[rng.choice(list(sections))]
        else:
            other = model_file.from_bytes(rng.choice(seeds))
            sections.update({n: s for n, s in other.sections.items() if rng.random() < 0.5})
    try:
        return model_file.to_bytes(kind, meta, sections)
    except (ValueError, TypeError, model_file.ModelFileError):
        return seed


def _change_section(rng: random.Random, section: model_file.Section) -> model_file.Section:
    if isinstance(section, bytes):
        changed = text_mutator("\n", "\t", " ", "->", "(", ")")(rng, [section or b" "])
        return changed
    array = np.array(section)
    action = rng.random()
    flat = array.reshape(-1)
    if action < 0.75 and flat.size:
        for _ in range(_times(rng)):
            at = rng.randrange(flat.size)
            flat[at] = _odd_item(rng, flat, at)
        return array
    if action < 0.82 and flat.size:
        return flat[: rng.randrange(flat.size)]
    if action < 0.90:
        return np.concatenate([flat, flat[: rng.randrange(flat.size + 1)]])
    if action < 0.94:
        return array.astype(rng.choice(("uint8", "uint32", "uint64", "int32", "int64", "float32", "float64", "bool")))
    if action < 0.97 and flat.size:
        return flat.reshape(1, -1) if array.ndim == 1 else flat
    return rng.choice((np.zeros(0, array.dtype), np.zeros_like(array), flat[::-1].copy(), b""))


def _odd_item(rng: random.Random, flat: Any, at: int) -> Any:
    kind = flat.dtype.kind
    if kind == "f":
        odd = (0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, float("nan"), float("inf"), float("-inf"), -float(flat[at]))
        return np.float64(rng.choice(odd)).astype(flat.dtype)
    if kind == "b":
        return not flat[at]
    bits = 8 * flat.dtype.itemsize
    value, other = int(flat[at]), int(flat[rng.randrange(flat.size)])
    odd_int = rng.choice(
        (0, 1, value + 1, value - 1, other, flat.size, flat.size - 1, 1 << 20, 1 << 31, -1, -2, rng.getrandbits(bits))
    )
    odd_int %= 1 << bits
    return odd_int - (1 << bits) if kind == "i" and odd_int >> (bits - 1) else odd_int


def _change_header(rng: random.Random, seed: bytes) -> bytes:
    length = int.from_bytes(seed[8:16], "little")
    header = json.loads(seed[48 : 48 + length])
    start = -(-(48 + length) // 64) * 64
    text = json.dumps(mutate_value(rng, header)).encode()
    if rng.random() < 0.1:
        text = mutate_bytes(rng, [text])
    padding = bytes(-(48 + len(text)) % 64)
    digest = hashlib.blake2b(text, digest_size=32).digest()
    return seed[:8] + len(text).to_bytes(8, "little") + digest + text + padding + seed[start:]


def _times(rng: random.Random) -> int:
    return rng.choice((1, 1, 1, 1, 2, 2, 3, 5, 12))


def _length(rng: random.Random) -> int:
    return rng.choice((1, 1, 2, 3, 4, 8, 16, 60))


def _insert(rng: random.Random, data: bytes, piece: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + piece + data[at:]


def _replace_match(rng: random.Random, pattern: re.Pattern[bytes], data: bytes, piece: bytes) -> bytes:
    match = pattern.search(data, rng.randrange(len(data) + 1))
    return data if match is None else data[: match.start()] + piece + data[match.end() :]


def _change_token(rng: random.Random, data: bytes, vocabulary: Sequence[bytes]) -> bytes:
    match = TOKEN.search(data, rng.randrange(len(data) + 1))
    if match is None:
        return data
    other = TOKEN.search(data, rng.randrange(len(data) + 1))
    copied = b"" if other is None else other[0]
    piece = rng.choice((b"", match[0] * 2, rng.choice(vocabulary), rng.choice(vocabulary), copied))
    return data[: match.start()] + piece + data[match.end() :]


def _change_lines(rng: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    action = rng.randrange(5)
    if action == 0:
        del lines[at]
    elif action == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[at])
    elif action == 2:
        other = rng.choice(seeds).splitlines(keepends=True) or [b""]
        lines[at:at] = other[rng.randrange(len(other)) :][: _length(rng)]
    elif action == 3:
        other_place = rng.randrange(len(lines))
        lines[at], lines[other_place] = lines[other_place], lines[at]
    else:
        line = lines[at]
        cut = rng.randrange(len(line) + 1)
        lines[at] = line[:cut] + rng.choice((b"\n", b"", b"\r\n", b"\t", b" "))
    return b"".join(lines)
