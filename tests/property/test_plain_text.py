"""Text read by the core gives the same words, numbers and errors as text read line by line in Python."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binyan import _core
from binyan.errors import InputError
from binyan.text import Corpus, Preparation, Vocabulary, plain_text, read_sentences
from binyan.text.preparation import split_words

# White space of all kinds, letters of one to four bytes, marks, and what str.splitlines would take for a line's end.
PIECES = [*list(" \t\r\n\x0b\x0c\x1c\x1f\x85\xa0\u2003\u2028\u3000\ufeff"), "a", "ä", "ह", "😀", "é", "<unk>", "\n\n"]
texts = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"], exclude_characters="\0")).map(
    "".join
)


@given(texts)
def test_sentences_equal_those_read_in_python(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "plain.txt"
    path.write_bytes(text.encode())
    expected = list(read_sentences(path))
    words, (ids, offsets) = plain_text.new_numbers([path])
    assert [[words[i] for i in ids[a:b]] for a, b in itertools.pairwise(offsets)] == expected
    assert words == list(dict.fromkeys(w for s in expected for w in s))
    vocabulary = Vocabulary(w for w in words[::2] if w != "<unk>")
    known = plain_text.known_numbers(path, vocabulary.native)
    slow = Corpus.encode(expected, vocabulary)
    assert np.array_equal(known[0], slow.words) and np.array_equal(known[1], slow.offsets)


@given(st.binary(max_size=12))
def test_what_is_not_utf8_is_left_to_python(data):
    content = b"a b\n" + data
    try:
        content.decode()
        clean = b"\0" not in content
    except UnicodeDecodeError:
        clean = False
    assert (_core.WordIndex().add_text(content, 1000) is not None) == clean


def test_corpora_are_the_same_either_way(tmp_path, monkeypatch):
    text = "\ufeffder hund\nder\xa0mond\n\nsah den hund"
    path, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    path.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(plain_text, "_BLOCK", 7)  # many blocks
    fast = Corpus.read([path, packed])
    slow = Corpus.read([path, packed], Preparation(normalise="nfc"))
    assert fast.vocabulary == slow.vocabulary and fast.digest == slow.digest
    assert fast.sentences == 6 and "der\xa0mond" in fast.vocabulary
    assert (
        Corpus.encode_text(path, fast.vocabulary).digest == Corpus.encode(read_sentences(path), fast.vocabulary).digest
    )


@pytest.mark.parametrize(
    "content", [b"a\0b\n", b"a \xff\n", b"x" * 1001 + b"\n", b"a\n<s> b\n", gzip.compress(b"a\n" * 99, mtime=0)[:-9]]
)
def test_errors_are_those_of_the_slow_way(tmp_path, content):
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(InputError) as fast:
        Corpus.read(path)
    with pytest.raises(InputError) as slow:
        Corpus.read(path, Preparation(normalise="nfc"))
    assert str(fast.value) == str(slow.value)


def test_word_index():
    index = _core.WordIndex("\n".join(f"w{i}" for i in range(5000)).encode())
    assert len(index) == 5000
    ids, offsets = index.encode(b"w4999 w0 nope w17", 7777, 1000)
    assert ids.tolist() == [4999, 0, 7777, 17] and offsets.tolist() == [0, 4]
    with pytest.raises(InputError, match="twice"):
        _core.WordIndex(b"a\nb\na")


@pytest.mark.parametrize("line", ["", " ", "a  b\tc", "a\xa0b c", "\u3000", "ä ö\x1fü"])
def test_splitting(line):
    assert split_words(line) == [w.decode() for w in line.encode().replace(b"\x1f", b" ").split()]
