"""Frames, readings, paradigms with their gaps, and the words made from them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.grammar.tree import parse_tree
from binyan.morphology import Morphology
from binyan.morphology.paradigm.frame import parse_affixes, parse_template
from binyan.morphology.paradigm.grid import Grid, GridCell, aligned
from binyan.morphology.paradigm.reading import read

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

STEMS = ["walk", "talk", "jump", "look", "call", "open", "turn", "play"]
WORDS = [s + e for s in STEMS for e in ("", "s", "ed", "ing") if (s, e) != ("jump", "ed")]
ROOTS, TEMPLATES = ["ktb", "drs", "qtl", "slm", "frq", "hml"], ["{}a{}a{}", "{}i{}A{}", "{}u{}i{}", "ma{}{}U{}"]
LACED = [t.format(*r) for r in ROOTS for t in TEMPLATES if (r, t) != ("qtl", "{}i{}A{}")]
# Every word has one analysis, so that what a paradigm must hold is known.
EXACT = """
Word -> Pre? Stem Suf?
@Pre -> 'n' 'a' | 'm' 'a'
@Stem -> C V C V
@Suf -> 'n' | 't'
C -> 'k' | 'p' | 's'
V -> 'i' | 'u'
role prefix Pre
role stem Stem
role suffix Suf
"""


ENGLISH = """
Word -> Stem | Stem Suf
@Stem -> C C C C | C C C
@Suf -> 's' | 'e' 'd' | 'i' 'n' 'g'
C -> <any>
role stem Stem
role suffix Suf
"""
SEMITIC = """
Word -> Stem
@Stem(abcde) -> R3(a,c,e) T2(b,d)
@Stem(abcde) -> R3(b,c,e) T2i(a,d)
@R3(a,b,c) -> C(a) C(b) C(c)
@T2(a,b) -> V(a) V(b)
@T2i(a,b) -> Ma(a) V(b)
Ma -> 'm' 'a'
C -> <any but "aiuAU">
V -> 'a' | 'i' | 'u' | 'A' | 'U'
role stem Stem
role root R3
role template T2 T2i
"""


@pytest.fixture(scope="module")
def english() -> Morphology:
    grammar = binyan.Grammar.from_text(ENGLISH, "english")
    return Morphology(grammar, sweeps=20, burn_in=10, snapshots=4, seed=4).fit(WORDS, progress=False)


@pytest.fixture(scope="module")
def exact() -> Morphology:
    words = ["kipu", "nakipu", "kiput", "nakiput", "susi", "nasusi", "susit", "pika", "pikun", "pikut"]
    return Morphology(binyan.Grammar.from_text(EXACT), sweeps=10, burn_in=5, chains=1).fit(words, progress=False)


@pytest.fixture(scope="module")
def semitic() -> Morphology:
    grammar = binyan.Grammar.from_text(SEMITIC, "semitic")
    return Morphology(grammar, sweeps=20, burn_in=10, snapshots=4).fit(LACED, progress=False)


@pytest.mark.parametrize(
    ("written", "frame", "base", "word"),
    [
        ("w- Al- -hm", "w-Al-…-hm", "ktAb", "wAlktAbhm"),
        ("w-Al-...-hm", "w-Al-…-hm", "ktAb", "wAlktAbhm"),
        ("-ed", "…-ed", "walk", "walked"),
        ("", "…", "walk", "walk"),
        ("<um>", "–‹um›…", "sulat", "sumulat"),
        ("[1,2]~", "[1,2]~…", "sulat", "susulat"),
        ("[1]‹um›[2]~…", "[1]‹um›[2]~…", "sulat", "sumusulat"),
        ("mag- <um> -an", "mag-–‹um›…-an", "sulat", "magsumulatan"),
    ],
)
def test_affixes_as_linguists_write_them(written, frame, base, word):
    parsed = parse_affixes(written)
    assert str(parsed) == frame and parsed.fill(list(base)) == word
    assert parse_affixes(str(parsed)) == parsed
    assert parsed.spelt(list(base)).translate(str.maketrans("", "", "-‹›~")) == word


@pytest.mark.parametrize("written", ["–i–A–", "_i_A_", "-i-A-", "C1iC2AC3"])
def test_templates_as_people_write_them(written):
    template = parse_template(written)
    assert str(template) == "–i–A–" and template.fill("ktb") == "kitAb" and template.radicals == 3
    assert template.fill("kt") is None and template.fill("drhm") is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse_affixes("hm"), "a hyphen behind"),
        (lambda: parse_affixes("a-…-b…"), "no place for the stem"),
        (lambda: parse_template("kitAb"), "no place for a radical"),
    ],
)
def test_what_cannot_be_read_is_said(call, message):
    with pytest.raises(SettingsError, match=message):
        call()


def test_short_stems_do_not_fit():
    assert parse_affixes("<um>").fill(["a"]) is None and parse_affixes("[1,2]~").fill(["a"]) is None


@pytest.mark.parametrize(
    ("grammar", "tree", "affixes", "stem", "template", "root"),
    [
        ("tpl", "(Word (Pre 0=w) (Stem (R3 1=k 3=t 5=b) (T2 2=i 4=A)) (Suf 6=h))", "w-…-h", "kitAb", "–i–A–", "ktb"),
        ("infix", "(Word (Stem 0=s 3=u 4=l 5=a 6=t) (Inf 1=u 2=m))", "–‹um›…", "sulat", None, None),
        (
            "infix",
            "(Word (Red 0=s 3=u) (Inf 1=u 2=m) (Stem 4=s 5=u 6=l 7=a 8=t))",
            "[1]‹um›[2]~…",
            "sulat",
            None,
            None,
        ),
        ("circumfix", "(Word (Circ 0=k 1=e 6=a 7=n) (Stem 2=a 3=d 4=i 5=l))", "ke-…-an", "adil", None, None),
    ],
)
def test_readings_of_trees(grammar, tree, affixes, stem, template, root):
    analysis = parse_tree(tree)
    reading = read(analysis, binyan.Grammar.load(grammar))
    assert (str(reading.affixes), "".join(reading.stem)) == (affixes, stem)
    assert reading.affixes.fill(reading.stem) == analysis.word()
    assert (None if reading.template is None else str(reading.template)) == template
    assert (None if reading.root is None else "".join(reading.root)) == root
    if reading.template is not None:
        assert reading.template.fill(reading.root) == stem


def test_letters_keep_their_marks():
    tree = parse_tree("(Word (Stem (R3 0=k\u0301 2=t 4=b) (T2 1=i 3=a\u0308)))")
    reading = read(tree, binyan.Grammar.load("tpl"))
    assert reading.root == ("k\u0301", "t", "b") and str(reading.template) == "–i–a\u0308–"
    assert reading.template.fill(["m\u0323", "l", "k"]) == "m\u0323ila\u0308k"


def test_every_word_is_read_as_itself(english, semitic):
    for morphology in (english, semitic):
        readings = morphology.word_readings()
        assert [w.word for w in readings] == list(morphology.words.words)
        for word in readings:
            assert sum(p for _, p in word.readings) == pytest.approx(1.0)
            for reading, _ in word.readings:
                assert reading.affixes.fill(reading.stem) == word.word
            segmentation = morphology.segment(word.word)
            assert word.certainty == pytest.approx(segmentation.probability)


def test_cells_shares_and_gaps_by_hand(exact):
    kipu = exact.paradigm("kipu")
    assert {c.form for c in kipu.attested} == {"kipu", "nakipu", "kiput", "nakiput"}
    gaps = {c.form: c for c in kipu.gaps}
    assert set(gaps) == {"kipun"} and gaps["kipun"].affixes == "…-n"
    # Stems: kipu, susi, and piku, since pika cannot be derived. Two share a cell with kipu other than the bare stem.
    assert gaps["kipun"].share == pytest.approx(1 / 3) and gaps["kipun"].share_alike == pytest.approx(1 / 2)
    for cell in kipu.cells:
        assert cell.probability == pytest.approx(math.exp(exact.log_probability(cell.form)))
        assert cell.attested == (cell.form in exact.words.words)
    assert exact.unparsable == ("pika",)


def test_many_stems_side_by_side(english):
    table = english.paradigms(limit=8, cells=4)
    assert {p.base for p in table} == set(STEMS) and table.by == "stem" and table.bases == len(table)
    assert set(table.columns) == {"…", "…-s", "…-ed", "…-ing"}
    gaps = [c.form for p in table for c in p.gaps]
    assert gaps == ["jumped"] and "(jumped)" in str(table) and "walked" in str(table)
    assert [len(p.cells) for p in table] == [4] * 8
    page = table._repr_html_()
    assert page.count("<tr>") == 9 and page.count('class="gap"') == 1 and 'scope="row"' in page
    assert json.loads(json.dumps(table.to_dict()))["paradigms"][0]["cells"][0]["attested"] is True


def test_the_paradigm_of_a_root(semitic):
    qtl = semitic.paradigm("qtl")
    assert qtl.by == "root" and {"qatal", "qutil", "maqtUl"} <= {w for c in qtl.attested for w in c.words}
    assert "qitAl" in {c.form for c in qtl.gaps}
    table = semitic.paradigms()
    assert table.by == "root" and {"–a–a–", "–i–A–", "–u–i–"} <= set(table.columns)
    assert semitic.paradigm("qatal", by="stem").by == "stem"


def test_a_root_with_many_affixes_stays_readable():
    affixed = [p + w + s for w in LACED for p in ("", "wa", "al", "bi") for s in ("", "un", "in")]
    grammar = binyan.Grammar.from_text(
        SEMITIC.replace("Word -> Stem", "Word -> Pre? Stem Suf?\n@Pre -> 'w' 'a' | 'a' 'l' | 'b' 'i'\n@Suf -> V 'n'")
        + "role prefix Pre\nrole suffix Suf"
    )
    m = Morphology(grammar, sweeps=5, chains=1).fit(affixed, progress=False)
    shown = str(m.paradigm("ktb", limit=10)).split("\n\n")[0].splitlines()
    assert shown[0].split("  ")[0] == "ktb" and "in the list" in shown[0] and len(shown) < 12
    assert any(re.search(r"katab.* \+6", line) for line in shown)


def test_data_frames(english):
    pandas = pytest.importorskip("pandas")
    frame = english.paradigms(limit=8, cells=4).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 32 and frame.attrs["signature"]
    assert (~frame.attested).sum() == 1 and frame[~frame.attested].form.item() == "jumped"
    assert len(english.paradigm("jump").to_pandas()) and len(english.generate(stem="jump").to_pandas())


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda m: m.paradigm("wolk"), InputError, "no word of the list has the stem or root 'wolk'; near it: walk"),
        (lambda m: m.paradigm("walked"), InputError, "the word walked has the stem walk"),
        (lambda m: m.paradigm("walk on"), SettingsError, "not one stem or root"),
        (lambda m: m.paradigm(""), InputError, "no word of the list"),
        (lambda m: m.paradigms("root"), SettingsError, "no word of the list has a root"),
        (lambda m: m.paradigms("word"), SettingsError, "by 'stem' or by 'root'"),
        (lambda m: m.paradigms(limit=0), SettingsError, "one row and cell or more"),
        (lambda m: m.paradigms(limit=1000, cells=1000), SettingsError, "ask for fewer"),
        (lambda m: m.generate(), SettingsError, "say what words to make"),
        (lambda m: m.generate(stem="walk", root="wlk"), SettingsError, "not both"),
        (lambda m: m.generate(root="ktb"), SettingsError, "no word of the list has a root"),
        (lambda m: m.generate(stem="walk", affixes="ed"), SettingsError, "a hyphen behind"),
        (lambda m: m.generate(stem="w", affixes="<um>"), SettingsError, "too short"),
        (lambda m: m.generate(stem=""), SettingsError, "the stem is empty"),
        (lambda m: m.generate(stem="walk", limit=0), SettingsError, "one form or more"),
        (lambda m: m.generate(random=0), SettingsError, "words can be drawn"),
        (lambda m: m.generate(random=10**9), SettingsError, "words can be drawn"),
        (lambda m: m.generate(random=3, stem="walk"), SettingsError, "drawn whole"),
        (lambda m: m.generate(random=3, seed=-1), SettingsError, "seed"),
    ],
)
def test_bad_questions_are_answered_with_what_to_do(english, ask, error, message):
    with pytest.raises(error, match=message):
        ask(english)


def test_roots_that_do_not_fit(semitic):
    with pytest.raises(SettingsError, match="4 radicals \\(drhm\\) do not fit: the template _a_a_ has 3"):
        semitic.generate(root="drhm", template="_a_a_")
    with pytest.raises(SettingsError, match="do not fit: no template has that number of radicals"):
        semitic.generate(root="k")


def test_tables_for_people_who_write_from_right_to_left():
    grid = Grid("root", ["–ا––"], [("كتب", [GridCell("كاتب")]), ("درس", [GridCell("دارس", True, "5%", "<not seen>")])])
    lines = grid.text().splitlines()
    assert lines[2] == "\u2068درس\u2069   \u2068(دارس)\u2069"
    page = grid.html()
    assert '<bdi dir="auto">–ا––</bdi>' in page and "&lt;not seen&gt;" in page and "<small>5%</small>" in page
    assert aligned([["e\u0301", "b"], ["word", "c"]]).splitlines()[0] == "e\u0301     b"


def test_long_rows_are_laid_upright():
    wide = Grid("x", [f"c{i}" for i in range(12)], [("row", [GridCell(str(i)) for i in range(12)])])
    assert wide.upright().columns == ["row"] and wide.upright().rows[3][0] == "c3"


def test_generated_forms(english, semitic):
    forms = english.generate(stem="jump")
    by_form = {f.form: f for f in forms}
    assert not by_form["jumped"].seen and by_form["jumps"].seen
    assert list(forms) == sorted(forms, key=lambda f: -f.log_probability)
    [one] = english.generate(stem="zap", affixes="-ed")
    assert one.form == "zaped" and one.probability == pytest.approx(math.exp(english.log_probability("zaped")))
    assert 0.5 < one.analysed_so <= 1.0 and one.share == pytest.approx(7 / 8) and not one.seen
    laced = semitic.generate(root="qtl", template="_i_A_")
    assert [f.form for f in laced] == ["qitAl"] and laced[0].template == "–i–A–" and not laced[0].seen
    assert {f.form for f in semitic.generate(template="–a–a–")} >= {"katab", "daras", "salam"}
    assert len(english.generate(affixes="-ed", limit=3)) == 3 and english.generate(affixes="-ed", limit=3).left_out
    assert len(english.generate(stem="walk", affixes="all", limit=100)) > 3


def test_forms_the_grammar_cannot_derive_are_named(exact):
    forms = exact.generate(stem="xyz", affixes="-n")
    assert forms[0].probability == 0.0 and forms.warning == "the grammar cannot derive xyzn"


def test_commands(english, semitic, tmp_path: Path):
    english.save(tmp_path / "e.model", reduced=True)
    semitic.save(tmp_path / "s.model")
    run = CliRunner()
    e, s = str(tmp_path / "e.model"), str(tmp_path / "s.model")
    shown = run.invoke(app, ["morph", "paradigms", e, "--limit", "8"])
    assert shown.exit_code == 0 and "(jumped)" in shown.stdout
    one = run.invoke(app, ["morph", "paradigms", s, "--root", "qtl", "--html", str(tmp_path / "p.html"), "--json"])
    assert json.loads(one.stdout)["by"] == "root" and "qitAl" in (tmp_path / "p.html").read_text(encoding="utf-8")
    made = run.invoke(app, ["morph", "generate", s, "--root", "qtl", "--template", "_i_A_", "--json"])
    assert json.loads(made.stdout)["forms"][0]["form"] == "qitAl"
    drawn = [run.invoke(app, ["morph", "generate", e, "--random", "5", "--new", "--json"]).stdout for _ in range(2)]
    forms = json.loads(drawn[0])["forms"]
    assert drawn[0] == drawn[1] and len(forms) == 5 and not any(f["seen"] for f in forms)
    both = run.invoke(app, ["morph", "paradigms", e, "--stem", "walk", "--root", "wlk"])
    assert isinstance(both.exception, SettingsError)
