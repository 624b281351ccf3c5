"""Symmetrisation against worked examples; the Pharaoh format."""

import pytest

from binyan.errors import InputError, SettingsError
from binyan.translation import Alignments, symmetrise

# Intersection 0-0 and 3-3; 1-1 touches 0-0; 2-3 shares a target with 3-3; 5-5 stands alone.
FORWARD = [(0, 0), (1, 1), (3, 3), (5, 5), (2, 3)]
BACKWARD = [(0, 0), (3, 3), (6, 3)]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("intersection", [(0, 0), (3, 3)]),
        ("union", [(0, 0), (1, 1), (2, 3), (3, 3), (5, 5), (6, 3)]),
        ("grow", [(0, 0), (2, 3), (3, 3)]),
        ("grow-diag", [(0, 0), (1, 1), (2, 3), (3, 3)]),
        ("grow-diag-final", [(0, 0), (1, 1), (2, 3), (3, 3), (5, 5), (6, 3)]),
        ("grow-diag-final-and", [(0, 0), (1, 1), (2, 3), (3, 3), (5, 5)]),
    ],
)
def test_symmetrisation(method, expected):
    both = symmetrise(Alignments.of([FORWARD, []]), Alignments.of([BACKWARD, []]), method)
    assert both[0] == expected
    assert both[1] == []


def test_unknown_method_and_unequal_lengths():
    one = Alignments.of([[(0, 0)]])
    with pytest.raises(SettingsError, match="grow-diag-final-and"):
        symmetrise(one, one, "gdfa")
    with pytest.raises(InputError, match="1 and 2"):
        symmetrise(one, Alignments.of([[], []]))


def test_pharaoh_round_trip(tmp_path):
    alignments = Alignments.of([[(0, 0), (1, 2)], [], [(2, 1)]])
    alignments.write(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "0-0 1-2\n\n2-1\n"
    again = Alignments.read(tmp_path / "a")
    assert [again[i] for i in range(3)] == [alignments[i] for i in range(3)]


@pytest.mark.parametrize("line", ["0-0 1", "0-0 a-b", "0-99999999"])
def test_a_broken_line_is_named(tmp_path, line):
    (tmp_path / "a").write_text(f"0-0\n{line}\n")
    with pytest.raises(InputError, match=r"a:2: .*is not a link"):
        Alignments.read(tmp_path / "a")
