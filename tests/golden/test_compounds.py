"""Saved splitters of every format version still load and still say what they said (golden files: compounds/make.py)."""

from pathlib import Path

import pytest

import binyan
from binyan.segmentation import SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter

FOLDER = Path(__file__).parent / "compounds"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.splitter")), ids=lambda path: path.name)
def test_saved_splitters_say_what_they_said(path):
    expected = SegmentationTable.read(path.with_suffix(".tsv"))
    splitter = binyan.load(path)
    assert isinstance(splitter, CompoundSplitter)
    assert splitter.split_words(expected) == expected
    assert CompoundSplitter.from_bytes(splitter.to_bytes()).split_words(expected) == expected
