"""Word lists in the forms people have: recognised, said, and decided by options."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.morphology import WordList
from binyan.morphology.list_formats import read_rows
from binyan.text.scripts import mixed_scripts

LISTS = {
    "csv": (
        'id,Word,gloss,count\n1,kitab,book,3\n2,"maktab","office, desk",1\n3,,nothing,1\n',
        {"kitab": 3, "maktab": 1},
    ),
    "tsv": ("Form\tGloss\nkitab\tbook\nmaktab\toffice\n", {"kitab": 1, "maktab": 1}),
    "unimorph": ("walk\twalked\tV;PST\nwalk\twalks\tV;PRS;3;SG\n", {"walked": 1, "walks": 1}),
    "sfm": (
        "\\_sh v3.0 400 MDF\n\n\\lx kitab\n\\ps n\n\\ge book\n\n\\lx maktab\n\\ge office\n\\lx\n",
        {"kitab": 1, "maktab": 1},
    ),
    "words": ("kitab\t3\nmaktab\n", {"kitab": 3, "maktab": 1}),
}


@pytest.mark.parametrize("form", LISTS)
def test_every_form_is_recognised(tmp_path, form, recwarn):
    text, expected = LISTS[form]
    path = tmp_path / "list"
    path.write_text(text, encoding="utf-8")
    read = WordList.read(path)
    assert dict(zip(read.words, read.counts, strict=True)) == expected
    messages = [str(w.message) for w in recwarn]
    assert len(messages) == (form != "words") and all(f"read as {form}" in m for m in messages)


def test_what_was_read_is_said(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(LISTS["csv"][0], encoding="utf-8")
    _, reading = read_rows(path)
    assert str(reading).endswith(
        "read as csv, words from the column 'Word' (others: id, gloss, count): 2 rows with a word, 1 without one skipped"
    )
    path.write_text("ice cream\nwalk\n")
    _, reading = read_rows(path)
    assert "1 have several words, each of which is taken, e.g. 'ice cream'" in str(reading)


def test_options_decide(tmp_path):
    path = tmp_path / "list"
    path.write_text(LISTS["unimorph"][0])
    assert WordList.read(path, column="lemma").words == ("walk",)
    assert WordList.read(path, list_format="words").words == ("walk",)
    path.write_text(LISTS["csv"][0])
    assert WordList.read(path, column="gloss").words == ("book", "office,", "desk", "nothing")
    path.write_text("a\tkitab\nb\tmaktab\n")
    assert WordList.read(path, list_format="tsv", column="2").words == ("kitab", "maktab")
    path.write_text("\\lx kitab\n\\va katab\n")
    assert WordList.read(path, column="va").words == ("katab",)
    path.write_text("k i t a b\n")
    assert WordList.read(path, list_format="yld").words == ("kitab",)


def test_what_is_not_there_is_refused(tmp_path):
    path = tmp_path / "list"
    path.write_text("word\tgloss\nkitab\tbook\n")
    with pytest.raises(InputError, match="has no column 'lemma'; its columns are word, gloss"):
        WordList.read(path, column="lemma")
    with pytest.raises(SettingsError, match="not 'xml'"):
        WordList.read(path, list_format="xml")
    path.write_text("\\lx kitab\n")
    with pytest.raises(InputError, match=r"has no field \\va; its fields are \\lx"):
        WordList.read(path, list_format="sfm", column="va")
    path.write_text("walk\n")
    with pytest.raises(InputError, match=r"list:1: not a word in hexadecimal digits: 'walk'"):
        WordList.read(path, list_format="hex")


def test_a_plain_list_with_a_word_called_word_stays_plain(tmp_path, recwarn):
    path = tmp_path / "list"
    path.write_text("word\nform\nlemma\n")
    assert WordList.read(path).words == ("word", "form", "lemma") and not len(recwarn)


def test_mixed_scripts_are_said(tmp_path):
    assert mixed_scripts(["walk", "naïve", "don't", "ʼa"]) is None
    assert mixed_scripts(["かな", "カナ", "漢字"]) is None
    assert "1 cyrillic and latin in one word (e.g. wаlk)" in mixed_scripts(["walk", "talk", "wаlk"])
    with pytest.warns(UserWarning, match="several scripts: 2 latin, 1 cyrillic"):
        WordList.of(["walk", "talk", "шаг"])


def test_the_command_says_what_it_reads(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("word,gloss\n" + "".join(f"{s}{e},x\n" for s in ("walk", "talk") for e in ("s", "ed", "ing")))
    run = CliRunner().invoke(
        app, ["morph", "learn", str(path), "-o", str(tmp_path / "m"), "--sweeps", "5", "-g", "concat"]
    )
    assert run.exit_code == 0 and "read as csv, words from the column 'word'" in run.output
    run = CliRunner().invoke(
        app, ["morph", "learn", str(path), "-o", str(tmp_path / "m"), "--sweeps", "5", "--column", "x"]
    )
    assert run.exit_code != 0 and "no column 'x'" in str(run.exception)
