"""Figures that README states are those of the committed results."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def _figures(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((ROOT / "results" / "adaptor" / f"{name}.json").read_text())["figures"]
    return figures


def _cells(start: str) -> list[str]:
    """The cells of the row of README that begins so."""
    (row,) = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.parametrize(
    "start, theirs, method, own",
    [
        ("vocalised Arabic", "BW'/all/tplr4-apart", "B", "BW'/all/root-template-vocalised"),
        ("unvocalised Arabic", "BW/all/tplr4", "A", "BW/all/root-template"),
    ],
)
def test_borders_and_roots_of_arabic(start: str, theirs: str, method: str, own: str) -> None:
    """The thesis's grammar on all words, ours on those outside the sample it was chosen on."""
    label, _, here, ours = _cells(start)
    there, unseen = _figures(theirs), _figures(own)["unseen"]
    assert f"{there['words']:,} words" in label
    assert here == f"{there['f1']:.1f} / {there[f'roots_3_{method}']['accuracy']:.1f} %"
    assert ours == f"{unseen['segmentation']['f1']:.1f} / {unseen['roots_3']['accuracy']:.1f} % (`{Path(own).name}`)"


def test_borders_of_the_quran() -> None:
    _, _, here, ours = _cells("words of the Quran")
    thesis, unseen = _figures("QU'/all/mtpl3ch"), _figures("QU'/all/root-template-clitics")["unseen"]
    assert here == f"{thesis['f1']:.1f}"
    assert ours == f"{unseen['segmentation']['f1']:.1f} (`root-template-clitics`)"
