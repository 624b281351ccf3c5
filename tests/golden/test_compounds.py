"""Saved splitters of every format version still load and still say what they said (golden files: compounds/make.py)."""

from pathlib import Path

import pytest

from binyan.segmentation import SegmentationTable
from binyan.segmentation.compound_splitter import load_splitter

FOLDER = Path(__file__).parent / "compounds"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.splitter")), ids=lambda path: path.name)
def test_saved_splitters_say_what_they_said(path):
    expected = SegmentationTable.read(path.with_suffix(".tsv"))
    assert load_splitter(path).split(expected) == expected
