"""The Segmentation value and its text format: tables of rows, what they give, and what is refused."""

import pytest

from binyan.errors import InputError, SettingsError
from binyan.segmentation import Segmentation, SegmentationTable


@pytest.mark.parametrize(
    ("row", "left", "right", "delete"),
    [
        ("küche +n tisch", "küchen tisch", "küche ntisch", "küche tisch"),
        ("schul hof", "schul hof", "schul hof", "schul hof"),
        ("zwei +- euro +- münze", "zwei- euro- münze", "zwei -euro -münze", "zwei euro münze"),
        ("liebe +n +s leid", "liebens leid", "liebe nsleid", "liebe leid"),
        ("+- fest", "-fest", "-fest", "fest"),  # nothing to the left: merged right
        ("vor +-", "vor-", "vor-", "vor"),
        ("haus", "haus", "haus", "haus"),
    ],
)
def test_linking_elements_are_merged_or_deleted(row, left, right, delete):
    word = row.replace(" ", "").replace("+", "")
    segmentation = Segmentation.parse(word, row)
    assert segmentation.components("left") == tuple(left.split())
    assert segmentation.components("right") == tuple(right.split())
    assert segmentation.components("delete") == tuple(delete.split())
    assert str(segmentation) == row


def test_boundaries_enclose_the_linking_element():
    assert Segmentation.parse("küchentisch", "küche +n tisch").boundaries() == {(5, 6)}
    assert Segmentation.parse("schulhoftor", "schul hof tor").boundaries() == {(5, 5), (8, 8)}
    assert Segmentation.simplex("haus").boundaries() == frozenset()


def test_interleaved_parts_keep_their_positions():
    katab = Segmentation.parse("yaktubu", "ya@0,1/PRE ktb@2,3,5/ROOT u@4/TEMPLATE u@6/SUF")
    assert katab.morphemes == ("ya/PRE", "ktb/ROOT", "u/TEMPLATE", "u/SUF")
    assert katab.positions[1] == (2, 3, 5)
    assert Segmentation.parse("unsegmented", "un/PRE segment/STM ed/SUF").positions[2] == (9, 10)
    with pytest.raises(SettingsError, match="interleaved"):
        katab.boundaries()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("küchentisch\tküche tisch", "spell 'küchetisch'"),
        ("küchentisch\tküche  tisch", "empty part"),
        ("küchentisch\tküchen + tisch", "empty"),
        ("haus\t", "empty part"),
        ("\thaus", "word is empty"),
        ("haus", "1 columns"),
        ("haus\thaus\t3", "3 columns"),
        ("s\t+s", "only linking elements"),
        ("katab\tktb@0,2,4/ROOT aa", "all of its parts have positions or none"),
        ("katab\tktb@0,2,4/ROOT aa@1,2", "taken by two"),
        ("katab\tktb@0,2/ROOT aa@1,3", "needs 3 positions"),
        ("katab\tktb@0,2,x/ROOT aa@1,3", "cannot be read"),
        ("katab\tktb@/ROOT aa@1,3", "needs positions"),
        ("katab\tktb@4,2,0/ROOT aa@1,3", "ascending"),
        ("haus\thaus/", "no label"),
        ("und/oder\tund /oder", "empty"),
    ],
)
def test_bad_rows_are_refused_with_file_and_line(tmp_path, row, message):
    path = tmp_path / "rows.tsv"
    path.write_text(f"# a comment\n\nhaus\thaus\n{row}\n")
    with pytest.raises(InputError, match=message) as raised:
        SegmentationTable.read(path)
    assert f"{path}:4: " in str(raised.value)


def test_contradictory_rows_name_both_lines(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("küchentisch\tküche +n tisch\nküchentisch\tküchen tisch\n")
    with pytest.raises(InputError, match=r":2: .*first on line 1"):
        SegmentationTable.read(path)


def test_repeated_rows_are_counted_and_missing_words_are_simplex(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("küchentisch\tküche +n tisch\n" * 2)
    table = SegmentationTable.read(path)
    assert (len(table), table.repeated) == (1, 1)
    assert table.of("haus") == Segmentation.simplex("haus")
    coverage = table.coverage(["haus", "küchentisch", "hof"])
    assert coverage.missing == ("haus", "hof")
    assert str(coverage).startswith("2 of 3 words have no segmentation and count as simplex")
