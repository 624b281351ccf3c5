"""Segmentations of other programs: recognised, read, scored in place of a model."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.evaluation.morphology import evaluate_morphology
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.segmentation_file import FORMATS, read_segmentations, write_segmentations

FILES = {
    "binyan": "walked\twalk/stem ed/suf\t0.9\nwalked\twalked/stem\t0.1\ntalk\ttalk/stem\t1\n",
    "morfessor": "walk + ed\ntalk\n",
    "flatcat": "walk/STM + ed/SUF\ntalk/STM\n",
    "plain": "walk ed\ntalk\n",
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_recognised(tmp_path, form):
    path = tmp_path / "file"
    path.write_text(FILES[form])
    read = read_segmentations(path)
    assert read.format == form and read.further == (1 if form == "binyan" else 0)
    assert {w: [p.text for p in s] for w, s in read.table.items()} == {"walked": ["walk", "ed"], "talk": ["talk"]}
    assert [p.label for p in read.table["walked"]] == (["stem", "suf"] if form in ("binyan", "flatcat") else ["", ""])


def test_counts_of_a_model_of_morfessor_are_no_morphs(tmp_path):
    path = tmp_path / "model.txt"
    path.write_text("# Output from Morfessor\n12 walk + ed\n3 talk\n")
    assert list(read_segmentations(path).table) == ["walked", "talk"]
    path.write_text("12 walk + ed\ntalk\n")
    with pytest.raises(InputError, match=r"model.txt:1: the part '12 walk' is not one part of the format morfessor"):
        read_segmentations(path)


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_written_is_read_back(tmp_path, form):
    labels = {"binyan": "walk/stem ed/suf", "flatcat": "walk/stem ed/suf"}
    table = SegmentationTable([Segmentation.parse("walked", labels.get(form, "walk ed"))])
    write_segmentations(table, tmp_path / "f", form)
    assert read_segmentations(tmp_path / "f", form).table["walked"] == table["walked"]


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="not 'xml'"):
        write_segmentations(SegmentationTable(), tmp_path / "f", "xml")


def test_a_file_stands_for_a_model(tmp_path):
    gold, theirs = tmp_path / "gold.tsv", tmp_path / "theirs.txt"
    gold.write_text("walked\twalk/stem ed/suf\ntalks\ttalk/stem s/suf\n")
    theirs.write_text("walk + ed\ntal + ks\n")
    result = evaluate_morphology(theirs, gold)
    assert result.figures["precision"] == 50 and result.figures["recall"] == 50
    assert "format:morfessor" in result.signature
    with pytest.raises(SettingsError, match="segment borders only, not by roots"):
        evaluate_morphology(theirs, gold, "roots")
    theirs.write_text("jump + ed\n")
    with pytest.raises(InputError, match="of the 2 gold words none is among the 1 segmented ones"):
        evaluate_morphology(theirs, gold)


def test_the_commands(tmp_path):
    pytest.importorskip("morfessor")
    words, gold, out = tmp_path / "words", tmp_path / "gold", tmp_path / "out"
    pairs = [(s, e) for s in ("walk", "talk", "jump", "paint", "look") for e in ("s", "ed", "ing", "er")]
    words.write_text("".join(f"{s}{e}\n" for s, e in pairs))
    gold.write_text("".join(f"{s}{e}\t{s} {e}\n" for s, e in pairs))
    run = CliRunner().invoke(app, ["morph", "baseline", str(words), "--out", str(out), "--corpus-weight", "0.1", "-q"])
    assert run.exit_code == 0 and "20 words" in run.stdout
    run = CliRunner().invoke(app, ["morph", "evaluate", str(out), "--gold", str(gold), "--json"])
    assert run.exit_code == 0 and json.loads(run.stdout)["f1"] > 30
