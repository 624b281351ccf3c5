"""Analyses for other programs: what is written, that it is valid, and that it comes back."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.morphology.exports import (
    ANALYSIS_FORMATS,
    AnalysedWord,
    AnalysedWords,
    analysed_words,
    read_field_data,
    read_flextext,
    read_glosses,
    read_lift,
    write_analyses,
)
from binyan.morphology.exports.interlinear import gloss_line, morpheme_line
from binyan.morphology.exports.morph_types import LABELS, TYPES, laced, marked, unmarked
from binyan.segmentation import Segmentation

TAGALOG = [
    "sulat",
    "sumulat",
    "sinulat",
    "susulat",
    "basa",
    "bumasa",
    "binasa",
    "babasa",
    "takbo",
    "tumakbo",
    "tinakbo",
    "tatakbo",
]


def analysed(word, parts, root=None, template=None, count=1):
    return AnalysedWord(word, Segmentation.parse(word, parts), root, template, count)


ROWS = AnalysedWords(
    (
        analysed("wAlktAb", "wAl/pre ktAb/stem", "ktb", "––A–", 3),
        analysed("sumulat", "sulat@0,3,4,5,6/stem um@1,2/inf"),
        analysed("sumusulat", "su@0,3/redup um@1,2/inf sulat@4,5,6,7,8/stem"),
        analysed("kepercayaan", "kean@0,1,9,10/circ percaya@2,3,4,5,6,7,8/stem"),
        analysed("lo-stesso", "lo/clitic -stesso/stem"),
        analysed("כָּתְבוּ", "כָּתְב/stem וּ/suf", "כתב"),
        analysed("cafe\u0301s", "cafe\u0301/stem s/suf"),
        analysed("a&b<c>|d;", "a&b/stem <c>/suf |d;/suf"),
        AnalysedWord("xyz"),
    ),
    "und",
    {"sulat": "write", "um/inf": "AV", "su": "IPFV", "xyz": "unknown thing"},
    signature="made by hand",
)
EMPTY = AnalysedWords(())


@lru_cache
def tagalog() -> binyan.Morphology:
    return binyan.Morphology("infix", sweeps=60, seed=1).fit(TAGALOG, progress=False)


def written(rows, tmp_path, kind):
    write_analyses(rows, tmp_path / f"out.{kind}", kind)
    return (tmp_path / f"out.{kind}").read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "read"), [("lift", read_lift), ("flextext", read_flextext)])
def test_field_data_come_back(tmp_path, kind, read):
    written(ROWS, tmp_path, kind)
    data = read(tmp_path / f"out.{kind}")
    assert list(data.counts) == [row.word for row in ROWS] or sorted(data.counts) == sorted(row.word for row in ROWS)
    assert {word: row.segmentation for word, row in data.known.items()} == {
        row.word: _as_read(row.segmentation, kind) for row in ROWS if row.segmentation
    }
    assert not data.problems
    if kind == "lift":
        assert data.known["wAlktAb"] == analysed("wAlktAb", "wAl/pre ktAb/stem", "ktb", "––A–")
        assert set(data.roots) == {"ktb", "כתב"}
    assert ("um", "inf") in data.affixes and ("wAl", "pre") in data.affixes
    assert {"wAlktAb\twAl/pre ktAb/stem\t_", "wAlktAb\twAl/pre ktAb/stem\tktb"} & set(data.known_rows)
    assert set(data.word_list().words) == {row.word for row in ROWS}


def _as_read(segmentation, kind):
    """FieldWorks has no type for a reduplicant: it is a prefix there."""
    if kind == "lift":
        return segmentation
    return Segmentation.parse(segmentation.word, str(segmentation).replace("/redup", "/pre"))


def test_reduplicants_with_an_infix_are_laced_again():
    assert str(laced("sumusulat", [("su", "pre"), ("um", "inf"), ("sulat", "stem")])) == (
        "su@0,3/pre um@1,2/inf sulat@4,5,6,7,8/stem"
    )
    assert str(laced("kepercayaan", [("kean", "circ"), ("percaya", "stem")])).startswith("kean@0,1,9,10/circ")
    assert laced("abc", [("x", "stem"), ("bc", "suf")]) is None
    assert laced("a" * 100, [("a" * 50, "stem"), ("b" * 50, "inf")]) is None


def test_every_label_has_a_type_that_leads_back():
    assert {label for label in TYPES if LABELS[TYPES[label]] != label} == {"redup"}
    for kind in TYPES.values():
        assert unmarked(marked("ab", kind), kind) == "ab"
    assert unmarked("-", "suffix") == "-"


@pytest.mark.parametrize("kind", ["lift", "flextext"])
def test_xml_is_well_formed_whatever_the_letters_are(tmp_path, kind):
    rows = AnalysedWords((analysed("<a>&\"'\x07", "<a>&/stem \"'\x07/suf"),), glosses={"<a>&": "<gloss> & more"})
    text = written(rows, tmp_path, kind)
    document = ElementTree.fromstring(text.encode())
    assert "<a>&\"'" in {e.text for e in document.iter()} and "<gloss> & more" in {e.text for e in document.iter()}


def test_lift_structure(tmp_path):
    document = ElementTree.fromstring(written(ROWS, tmp_path, "lift").encode())
    assert document.tag == "lift" and document.get("version") == "0.13" and document[0].tag == "header"
    entries = document.findall("entry")
    assert len({e.get("id") for e in entries}) == len({e.get("guid") for e in entries}) == len(entries)
    for entry in entries:
        assert entry.find("lexical-unit/form/text").text and entry.find("lexical-unit/form").get("lang") == "und"
        assert len(entry.findall("sense")) == 1 and {child.tag for child in entry} <= {
            "lexical-unit",
            "trait",
            "variant",
            "sense",
        }
    types = {e.find("lexical-unit/form/text").text: e.find("trait") for e in entries}
    assert types["wAl"].attrib == {"name": "morph-type", "value": "prefix"} and types["xyz"] is None
    assert types["ktb"].get("value") == "root" and types["um"].get("value") == "infix"
    assert document.find(".//gloss/text").text == "write"


def test_lift_is_valid_by_its_schema(tmp_path):
    etree = pytest.importorskip("lxml.etree")
    schema = os.environ.get("BINYAN_LIFT_SCHEMA")
    if not schema:
        pytest.skip("BINYAN_LIFT_SCHEMA names no RELAX NG schema of LIFT 0.13")
    relax_ng = etree.RelaxNG(etree.parse(schema))
    for rows in (ROWS, EMPTY, analysed_words(tagalog())):
        written(rows, tmp_path, "lift")
        assert relax_ng.validate(etree.parse(str(tmp_path / "out.lift"))), relax_ng.error_log


def test_cldf_is_valid(tmp_path):
    pycldf = pytest.importorskip("pycldf")
    write_analyses(ROWS, tmp_path / "set", "cldf")
    dataset = pycldf.Dataset.from_metadata(tmp_path / "set" / "Wordlist-metadata.json")
    assert dataset.validate()
    forms = {row["Form"]: row for row in dataset["FormTable"]}
    assert list(forms) == [row.word for row in ROWS]
    assert forms["sumulat"]["Segments"] == ["s", "+", "u", "m", "+", "u", "l", "a", "t"]
    assert forms["cafe\u0301s"]["Segments"] == ["c", "a", "f", "e\u0301", "+", "s"]
    assert forms["wAlktAb"]["Morphemes"] == ["wAl", "ktAb"] and forms["wAlktAb"]["Root"] == "ktb"
    assert forms["xyz"]["Morphemes"] == [] and forms["xyz"]["Parameter_ID"] == "p1"
    write_analyses(EMPTY, tmp_path / "empty", "cldf")
    assert pycldf.Dataset.from_metadata(tmp_path / "empty" / "Wordlist-metadata.json").validate()


def test_interlinear_text_by_the_leipzig_rules():
    lines = [(morpheme_line(row), gloss_line(row, ROWS)) for row in ROWS]
    assert lines[:5] == [
        ("wAl-ktAb", "PRE-STEM"),
        ("s<um>ulat", "<AV>write"),
        ("s<um>u~sulat", "<AV>IPFV~write"),
        ("ke-percaya-an", "CIRC-STEM-CIRC"),
        ("lo=-stesso", "CLITIC=STEM"),
    ]
    assert lines[-1] == ("xyz", "unknown.thing") or lines[-1] == ("xyz", "unknown thing")


def test_sentences_stand_below_each_other(tmp_path):
    rows = AnalysedWords(ROWS.rows, glosses=ROWS.glosses, sentences=(("sumulat", "xyz", "sumulat"), ("cafe\u0301s",)))
    text = written(rows, tmp_path, "igt")
    assert text.splitlines()[:4] == [
        "(1)",
        "sumulat    xyz            sumulat",
        "s<um>ulat  xyz            s<um>ulat",
        "<AV>write  unknown.thing  <AV>write",
    ]
    conllu = written(rows, tmp_path, "conllu")
    assert conllu.count("# sent_id") == 2 and "3\tsumulat\t" in conllu
    flex = ElementTree.fromstring(written(rows, tmp_path, "flextext").encode())
    assert [len(phrase.findall("words/word")) for phrase in flex.iter("phrase")] == [3, 1]


def test_tables(tmp_path):
    assert written(ROWS, tmp_path, "morfessor").splitlines()[:2] == ["3 wAl + ktAb", "1 s + um + ulat"]
    assert written(ROWS, tmp_path, "morfessor").splitlines()[-1] == "1 xyz"
    unimorph = written(ROWS, tmp_path, "unimorph").splitlines()
    assert unimorph[0] == "ktb\twAlktAb\ttemplate(––A–);pre(wAl)\twAl|ktAb"
    assert unimorph[1] == "sulat\tsumulat\tinf(um)\ts|um|ulat" and unimorph[-1] == "xyz\txyz\t_\txyz"
    assert all(len(line.split("\t")) == 4 for line in unimorph)
    conllu = written(ROWS, tmp_path, "conllu")
    rows = [line.split("\t") for line in conllu.splitlines() if line and not line.startswith("#")]
    assert all(len(row) == 10 for row in rows) and rows[-1][9] == "_"
    assert rows[0][9] == "MLabel=pre-stem|MSeg=wAl-ktAb|Root=ktb|Template=––A–"
    assert rows[1][9] == "MGloss=write-AV-write|MLabel=stem-inf-stem|MSeg=s-um-ulat"
    assert "MSeg=a&b-<c>-\\pd;" in conllu and "MSeg=lo-\\-stesso" in conllu
    from binyan.text.reading import read_tagged

    assert [s.words for s in read_tagged(tmp_path / "out.conllu")] == [[row.word] for row in ROWS]
    content = json.loads(written(ROWS, tmp_path, "json"))
    assert content["words"][1]["parts"][0]["positions"] == [0, 3, 4, 5, 6] and content["words"][-1]["parts"] == []


def test_gold_rows_are_read_as_gold(tmp_path):
    from binyan.evaluation.gold import read_gold

    written(ROWS, tmp_path, "tsv")
    gold = read_gold(tmp_path / "out.tsv")
    assert [g.word for g in gold] == [row.word for row in ROWS if row.segmentation]
    assert str(gold[1].segmentations[0]) == "s/stem um/inf ulat/stem" and gold[0].roots == ("ktb",)


@pytest.mark.parametrize("kind", [kind for kind in ANALYSIS_FORMATS if kind != "cldf"])
def test_nothing_to_write_is_a_valid_file(tmp_path, kind):
    text = written(EMPTY, tmp_path, kind)
    if kind in ("lift", "flextext"):
        data = read_field_data(tmp_path / f"out.{kind}")
        assert not data.counts
        with pytest.raises(InputError, match="not one word"):
            data.word_list()
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<!DOCTYPE lift [<!ENTITY a "b">]><lift/>', "document type"),
        ('<!DOCTYPE lift SYSTEM "file:///etc/passwd"><lift/>', "document type"),
        ("<lift>&unknown;</lift>", "not well-formed"),
        ("<lift><entry></lift>", ":1: not well-formed"),
        ("<document/>", "<lift> is wanted"),
        ("", "not well-formed"),
        ("<lift>" + "<entry>" * 300 + "</entry>" * 300 + "</lift>", "nested"),
    ],
)
def test_bad_xml_is_refused(tmp_path, text, why):
    path = tmp_path / "bad.lift"
    path.write_text(text)
    with pytest.raises(InputError, match=why):
        read_lift(path)


def test_field_data_of_others(tmp_path):
    path = tmp_path / "flex.lift"
    path.write_text(
        """<?xml version="1.0"?><lift version="0.13">
    <entry id="1"><lexical-unit><form lang="seh"><text>ku-</text></form></lexical-unit><trait name="morph-type" value="prefix"/></entry>
    <entry id="2"><lexical-unit><form lang="en"><text>go</text></form><form lang="seh"><text>en<span>da</span></text></form></lexical-unit>
      <trait name="morph-type" value="stem"/><variant><form lang="seh"><text>kuenda</text></form></variant></entry>
    <entry id="3"><lexical-unit><form lang="seh"><text>two words</text></form></lexical-unit></entry>
    <entry id="4" dateDeleted="2020-01-01"><lexical-unit><form lang="seh"><text>gone</text></form></lexical-unit></entry>
    <entry id="5"><variant><form lang="seh"><text>abc</text></form><trait name="segments" value="x/stem"/></variant></entry>
    </lift>"""
    )
    data = read_lift(path, "seh")
    assert list(data.counts) == ["enda", "kuenda", "abc"] and data.left_out == 1 and not data.known
    assert list(data.affixes) == [("ku", "pre")] and len(data.problems) == 1 and "phrases" in str(data)


def test_flextext_of_others(tmp_path):
    path = tmp_path / "text.flextext"
    path.write_text(
        """<document version="2"><interlinear-text><paragraphs><paragraph><phrases><phrase><words>
    <word><item type="txt" lang="xx">dogs</item><morphemes>
      <morph type="stem"><item type="txt" lang="xx">dog</item><item type="cf" lang="xx">dog</item></morph>
      <morph type="suffix"><item type="txt" lang="xx">-s</item></morph></morphemes></word>
    <word><item type="txt" lang="xx">men</item><morphemes><morph type="stem"><item type="txt" lang="xx">man</item></morph></morphemes></word>
    <word><item type="punct" lang="xx">.</item></word><word><item type="txt" lang="xx">dogs</item></word>
    </words></phrase></phrases></paragraph></paragraphs></interlinear-text></document>"""
    )
    data = read_flextext(path)
    assert data.counts == {"dogs": 2, "men": 1} and data.known_rows == ["dogs\tdog/stem s/suf\t_"]
    assert data.problems == ["men: its morphemes man do not spell it"]
    data.save(tmp_path / "w.txt", tmp_path / "k.tsv", tmp_path / "a.tsv")
    assert (tmp_path / "w.txt").read_text() == "dogs\t2\nmen\t1\n" and (tmp_path / "a.tsv").read_text() == "-s\n"


def test_a_learnt_model_goes_out_and_comes_back(tmp_path):
    model = tagalog()
    assert str(model.to_lift(tmp_path / "t.lift", language="tgl")).endswith("12 words")
    assert str(model.to_flextext(tmp_path / "t.flextext", words=["sumulat", "tumakbo"])).endswith("2 words")
    rows = {row.word: row.segmentation for row in analysed_words(model)}
    assert {word: row.segmentation for word, row in read_lift(tmp_path / "t.lift").known.items()} == rows
    (tmp_path / "text.txt").write_text("sumulat basa\nbasa\n")
    report = model.export(tmp_path / "t.conllu", "conllu", text=tmp_path / "text.txt")
    assert report.to_dict()["words"] == 2 and (tmp_path / "t.conllu").read_text().count("sent_id") == 2


def test_what_is_imported_is_taken_as_knowledge(tmp_path):
    tagalog().to_lift(tmp_path / "t.lift")
    data = read_lift(tmp_path / "t.lift")
    data.save(known=tmp_path / "known.tsv", affixes=tmp_path / "affixes.txt")
    assert "-um-" in data.affix_rows
    known = {"known": tmp_path / "known.tsv", "affixes": tmp_path / "affixes.txt"}
    model = binyan.Morphology("infix", sweeps=10, seed=1, **known).fit(data.word_list(), progress=False)
    for word, row in data.known.items():
        assert model.segment(word) == row.segmentation
    fst = model.to_fst()
    for word in [*TAGALOG, "zulat"]:
        assert fst.log_probability(word) == pytest.approx(model.log_probability(word), abs=1e-9)


def test_words_without_an_analysis_are_said(tmp_path):
    grammar = binyan.Grammar.from_text("@Word -> A B\nA -> 'a' | 'c'\nB -> 'b'\n", "ab")
    model = binyan.Morphology(grammar, sweeps=3, seed=1).fit(["ab", "cb"], progress=False)
    report = model.export(tmp_path / "a.lift", "lift", words=["ab", "zz"])
    assert "1 without an analysis" in str(report) and set(read_lift(tmp_path / "a.lift").counts) == {"ab", "zz"}


def test_wrong_settings_are_explained(tmp_path):
    model = tagalog()
    with pytest.raises(SettingsError, match="the formats are fst, lift"):
        model.export(tmp_path / "x", "xls")
    with pytest.raises(SettingsError, match="not both"):
        model.export(tmp_path / "x", "tsv", words=["basa"], text=["basa"])
    with pytest.raises(SettingsError, match="code"):
        model.export(tmp_path / "x", "lift", language='"><x')
    with pytest.raises(SettingsError, match=r"\.lift or \.flextext"):
        read_field_data(tmp_path / "words.txt")
    (tmp_path / "g.tsv").write_text("um\tAV\nsulat\n")
    with pytest.raises(InputError, match=r"g\.tsv:2"):
        read_glosses(tmp_path / "g.tsv")


def test_the_commands(tmp_path):
    tagalog().save(tmp_path / "m.binyan", reduced=True)
    run = CliRunner()

    def call(*arguments):
        result = run.invoke(app, ["morph", *map(str, arguments)])
        assert result.exit_code == 0, (result.output, result.exception)
        return result.output

    assert "states" in call("export", tmp_path / "m.binyan", "--format", "fst", "--out", tmp_path / "m.att", "-q")
    assert (tmp_path / "m.att").read_text().startswith("0\t")
    made = json.loads(
        call("export", tmp_path / "m.binyan", "-f", "fst", "-o", tmp_path / "b.att", "--states", "best", "--json", "-q")
    )
    assert made["exact"] is False and made["states"] > 10
    call("export", tmp_path / "m.binyan", "--format", "lift", "--language", "tgl", "--out", tmp_path / "m.lift")
    printed = call("import", tmp_path / "m.lift", "--words", tmp_path / "w.txt", "--known", tmp_path / "k.tsv")
    assert "12 words, 12 of them analysed" in printed
    assert len(Path(tmp_path / "k.tsv").read_text().splitlines()) == 12
