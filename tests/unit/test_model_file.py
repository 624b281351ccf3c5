"""The container: round trips, every changed byte found, old files kept."""

import errno
import hashlib
import json
import os

import numpy as np
import pytest

from binyan import model_file
from binyan.errors import ModelFileError

META = {"order": 3, "note": "größe", "a": [0.5, 0.25]}
SECTIONS = {
    "ids": np.arange(7, dtype=np.uint32),
    "matrix": np.linspace(0, 1, 6).reshape(2, 3),
    "words": b"haus\nhof",
    "empty": np.zeros(0, np.float32),
}


def test_round_trip(tmp_path):
    path = tmp_path / "m.binyan"
    model_file.save(path, "toy", META, SECTIONS)
    loaded = model_file.load(path)
    assert (loaded.kind, loaded.meta) == ("toy", META)
    assert loaded.blob("words") == SECTIONS["words"]
    for name in ("ids", "matrix", "empty"):
        np.testing.assert_array_equal(loaded.array(name), SECTIONS[name])
        assert loaded.array(name).dtype == SECTIONS[name].dtype


def test_same_content_same_bytes():
    assert model_file.to_bytes("toy", META, SECTIONS) == model_file.to_bytes("toy", META, SECTIONS)


def test_every_flipped_byte_is_found():
    data = model_file.to_bytes("toy", META, SECTIONS)
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x20
        with pytest.raises(ModelFileError):
            model_file.from_bytes(bytes(damaged))


def test_every_truncation_is_found():
    data = model_file.to_bytes("toy", META, SECTIONS)
    for length in range(len(data)):
        with pytest.raises(ModelFileError):
            model_file.from_bytes(data[:length])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip"),
        (b"\\data\\\nngram 1=3\n", "binyan lm import"),
        (b"hello world", "not a Binyan model file"),
        (model_file.UNFINISHED + bytes(100), "never finished"),
    ],
)
def test_other_files_are_recognised(tmp_path, content, message):
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message):
        model_file.load(path)


def test_newer_format_says_so(tmp_path, monkeypatch):
    path = tmp_path / "m"
    monkeypatch.setattr(model_file, "FORMAT_VERSION", 99)
    model_file.save(path, "toy", {}, {})
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="format 99.*upgrade"):
        model_file.load(path)


def test_full_disk_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    model_file.save(path, "toy", META, SECTIONS)
    before = path.read_bytes()

    def full(fd):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelFileError, match="disk is full; the file that was there is unchanged"):
        model_file.save(path, "toy", {}, {})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_missing_file():
    with pytest.raises(ModelFileError, match="nowhere"):
        model_file.load("nowhere/at/all")


def sealed(header: object) -> bytes:
    """A model file with this header, whatever it says, and valid checksums."""
    text = json.dumps(header).encode()
    start = -(-(48 + len(text)) // 64) * 64
    return (
        model_file.MAGIC
        + len(text).to_bytes(8, "little")
        + hashlib.blake2b(text, digest_size=32).digest()
        + text.ljust(start - 48, b"\0")
    )


GOOD = {"format": 1, "writer": "0.2.0", "kind": "mkn", "meta": {}, "size": 0, "sections": []}
SECTION = {"name": "s", "dtype": "uint8", "shape": [64], "offset": 0, "size": 64, "digest": "0" * 32}
HUGE = 1 << 40


@pytest.mark.parametrize(
    "header",
    [
        [],
        "text",
        {},
        {**GOOD, "format": "1"},
        {**GOOD, "kind": 7},
        {**GOOD, "meta": []},
        {**GOOD, "size": -64},
        {**GOOD, "sections": {}, "size": 64},
        {**GOOD, "sections": [7]},
        {**GOOD, "sections": [{"name": "s"}]},
        {**GOOD, "sections": [{**SECTION, "shape": [HUGE], "size": HUGE}], "size": HUGE},
        {**GOOD, "sections": [{**SECTION, "shape": [-1]}], "size": 64},
        {**GOOD, "sections": [{**SECTION, "shape": [1e3]}], "size": 64},
        {**GOOD, "sections": [{**SECTION, "shape": [8, 9]}], "size": 64},
        {**GOOD, "sections": [{**SECTION, "dtype": "object"}], "size": 64},
        {**GOOD, "sections": [{**SECTION, "offset": 64}], "size": 64},
        {**GOOD, "sections": [SECTION, SECTION], "size": 128},
    ],
    ids=lambda h: str(h)[-60:],
)
def test_headers_that_make_no_sense(header):
    with pytest.raises(ModelFileError):
        model_file.from_bytes(sealed(header))


def test_a_header_nested_without_end():
    text = b"[" * 200_000
    data = model_file.MAGIC + len(text).to_bytes(8, "little") + hashlib.blake2b(text, digest_size=32).digest() + text
    with pytest.raises(ModelFileError):
        model_file.from_bytes(data.ljust(-(-len(data) // 64) * 64, b"\0"))


@pytest.mark.parametrize("kind", ["mkn", "hpylm", "hpylm+g", "mixture", "log-bilinear", "arpa"])
def test_sound_containers_of_nonsense_are_model_file_errors(kind):
    from binyan.model import from_bytes

    for meta in (
        {},
        {"order": "x", "preparation": {"colour": 1}, "schedule": {"sweeps": -1}, "fields": 3, "columns": 9},
    ):
        with pytest.raises(ModelFileError):
            from_bytes(model_file.to_bytes(kind, meta, {}))
