"""Cleaning of a bitext: which pairs are left out and why, lines stay in their places, links of emptied pairs go."""

import pytest

from binyan.errors import InputError, SettingsError
from binyan.translation import Alignments, Bitext, CleaningSettings
from binyan.translation.bitext_cleaning import NO_CLEANING, clean, without_emptied

PAIRS = [("a b", "A B"), ("a " * 7, "A"), ("", "A"), ("a " * 6, "A " * 6), ("b", "B B")]
TEXT = Bitext([s.split() for s, _ in PAIRS], [t.split() for _, t in PAIRS])


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        (CleaningSettings(max_words=5, max_ratio=3), [0, 4]),
        (CleaningSettings(max_words=6, max_ratio=0), [0, 3, 4]),
        (CleaningSettings(max_words=0, max_ratio=7), [0, 1, 3, 4]),
        (CleaningSettings(max_words=0, max_ratio=1), [0, 3]),
        (NO_CLEANING, [0, 1, 3, 4]),
    ],
)
def test_pairs_that_are_kept(settings, kept):
    cleaned, report = clean(TEXT, settings)
    assert [i for i, words in enumerate(cleaned.source) if words] == kept
    assert [cleaned.target[i] for i in kept] == [TEXT.target[i] for i in kept]
    assert len(cleaned) == report.pairs == 5 and sum(report.left_out.values()) == 5 - len(kept)


def test_the_report_names_each_reason():
    report = str(clean(TEXT, CleaningSettings(max_words=6, max_ratio=1.5))[1])
    assert report.startswith("3 of 5 sentence pairs left out: ")
    assert (
        "1 longer than 6 words" in report and "1 without words on one side" in report and "1 over 1.5 times" in report
    )
    assert str(clean(Bitext([["a"]], [["b"]]), CleaningSettings())[1]) == "0 of 1 sentence pairs left out"


def test_links_of_emptied_pairs_go():
    links = Alignments.of([[(0, 0), (1, 1)], [(6, 0)], [], [(0, 0)], [(0, 1)]])
    kept = without_emptied(links, clean(TEXT, CleaningSettings(max_words=5))[0])
    assert [kept[i] for i in range(5)] == [[(0, 0), (1, 1)], [], [], [], [(0, 1)]]
    with pytest.raises(InputError, match="5 alignments for 1"):
        without_emptied(links, Bitext([["a"]], [["b"]]))


def test_a_bitext_of_which_nothing_is_left_is_refused():
    with pytest.raises(InputError, match="no sentence pair is left: 1 of 1 .* longer than 2 words"):
        clean(Bitext([["a"] * 3], [["b"] * 3]), CleaningSettings(max_words=2))
    with pytest.raises(SettingsError, match="ratio is 1 or more"):
        CleaningSettings(max_ratio=0.5)
