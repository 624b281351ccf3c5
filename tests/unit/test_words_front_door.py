"""Morphology, grammars, compound splitters and word maps as a person meets them: made, fitted, asked, saved, loaded."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.datasets import semitic_words
from binyan.errors import InputError, ModelFileError, NotFittedError, SettingsError
from binyan.evaluation.compounds import evaluate_splitter
from binyan.evaluation.morphology import evaluate_morphology, trace_table
from binyan.segmentation import Segmentation, SegmentationTable

WORDS = [stem + end for stem in ("walk", "talk", "jump", "look") for end in ("", "s", "ed", "ing")]


@pytest.fixture(scope="module")
def m() -> binyan.Morphology:
    return binyan.Morphology("root-template", sweeps=30).fit([w.word for w in semitic_words(150, 1, "arabic")])


def test_the_block_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("".join(f"{w.word}\n" for w in semitic_words(400, 1, "arabic")), encoding="utf-8")
    m = binyan.Morphology("root-template", sweeps=60).fit("words.txt")
    best = m.segment("liljaalisa")
    assert "".join(part.text for part in best.parts) == "liljaalisa" and 0 < best.probability <= 1
    assert m.root("liljaalisa") == "jls"
    assert "–" in m.template("liljaalisa")
    assert {e.text for e in m.lexicon("Suf")} & {"a", "u", "un", "in"}
    tree = m.tree("liljaalisa")
    assert "R3" in str(tree) and "0=l" in str(tree) and tree.word() == "liljaalisa"
    assert tree._repr_svg_() == tree.svg() and tree.svg().startswith("<svg")
    for name in ("tree.svg", "tree.html", "tree.txt"):
        tree.save(name)
    assert Path("tree.svg").read_text() == tree.svg() and "<bdi" in Path("tree.html").read_text()
    with pytest.raises(SettingsError, match=r"\.svg, \.html or \.txt"):
        tree.save("tree.png")
    m.save("m.binyan")
    loaded = binyan.load("m.binyan")
    assert loaded.segment("liljaalisa") == best and loaded.segment("liljaalisa").probability == best.probability


def test_settings_are_keywords_stated_once() -> None:
    parameters = inspect.signature(binyan.Morphology).parameters
    assert parameters["sweeps"].default == 1000 and parameters["chains"].default == 2
    assert {"lowercase", "strip_marks", "unit", "burn_in", "seed", "initialisation"} <= set(parameters)
    help_text = CliRunner().invoke(app, ["morph", "learn", "--help"], env={"COLUMNS": "200"}).output
    assert all(f"--{name.replace('_', '-')}" in help_text for name in parameters if name not in ("memory_mb",))
    assert binyan.Morphology(initialisation="incremental").settings.initialisation == "sequential"
    with pytest.raises(SettingsError, match="did you mean 'sweeps'"):
        binyan.Morphology(sweep=3)
    with pytest.raises(SettingsError, match="'grapheme' or 'codepoint'"):
        binyan.Morphology(unit="letter")


def test_fit_takes_a_file_several_files_or_words(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("\n".join(WORDS[:6]) + "\n")
    (tmp_path / "two.txt").write_text("\n".join(WORDS[6:]) + "\n")
    (tmp_path / "all.txt").write_text("\n".join(WORDS) + "\n")
    sources = [
        str(tmp_path / "all.txt"),
        tmp_path / "all.txt",
        [tmp_path / "one.txt", tmp_path / "two.txt"],
        WORDS,
        iter(WORDS),
    ]
    traces = {binyan.Morphology(sweeps=3).fit(source).trace[0][-1, 0] for source in sources}
    assert len(traces) == 1
    with pytest.raises(InputError, match="list of pathlib.Path objects"):
        binyan.Morphology(sweeps=3).fit([str(tmp_path / "one.txt"), str(tmp_path / "two.txt")])


def test_what_has_learnt_nothing_says_so(tmp_path: Path) -> None:
    m = binyan.Morphology("tpl")
    for use in (
        lambda: m.segment("a"),
        lambda: m.root("a"),
        lambda: m.lexicon("Suf"),
        lambda: m.tree("a"),
        lambda: m.words,
        lambda: m.trace,
        lambda: m.transform(["a"]),
        lambda: m.signature(),
        lambda: m.save(tmp_path / "m"),
        lambda: binyan.CompoundSplitter().split_words(["a"]),
        lambda: binyan.CompoundSplitter().save(tmp_path / "m"),
        lambda: binyan.WordMap().save(tmp_path / "m"),
    ):
        with pytest.raises(NotFittedError, match="call fit first"):
            use()
    assert "not fitted" in repr(m) and "not fitted" in repr(binyan.WordMap()) and not (tmp_path / "m").exists()


def test_a_morphology_is_no_language_model_and_says_what_it_is(m: binyan.Morphology) -> None:
    with pytest.raises(ModelFileError, match="'binyan morph' has the commands"):
        m.as_language_model()
    assert repr(m) == "<Morphology learnt from 150 words, 6 states of the grammar root-template>"
    assert {"chains", "r_hat", "agreement", "signature"} <= set(m.summary())
    assert "chain 1: log joint probability" in m.description
    assert (
        trace_table(m, "tables Stem").column("chain 0") == m.trace[0][:, m.trace_columns.index("tables Stem")].tolist()
    )
    with pytest.raises(SettingsError, match="it has log_joint"):
        trace_table(m, "nothing")


def test_many_words_at_once(m: binyan.Morphology, tmp_path: Path) -> None:
    segmented = m.segment_words(n=2)
    assert list(segmented) == list(m.words.words) and segmented.table[m.words.words[0]] == m.segment(m.words.words[0])
    assert segmented.to_dict()["words"][0]["analyses"][0]["segmentation"] == str(m.segment(m.words.words[0]))
    roots = m.find_roots(length=3)
    assert roots[m.words.words[3]] == m.roots(m.words.words[3], 3) and roots.to_dict()["length"] == 3
    gold = tmp_path / "gold.tsv"
    gold.write_text("".join(f"{w.word}\t{w.word}/stem\t{w.root}\n" for w in semitic_words(150, 1, "arabic")))
    result = evaluate_morphology(m, gold, "roots")
    assert result.figures["evaluated"] == 150 and "roots: accuracy" in str(result)


def test_a_transformer_of_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.base")
    m = binyan.Morphology("concat", sweeps=20, seed=3, lowercase=True)
    other = sklearn.clone(m)
    assert other.get_params() == m.get_params() and other.get_params()["grammar"] == "concat"
    split = other.set_params(sweeps=30, grammar="mconcat").fit_transform(WORDS)
    assert other.grammar.name == "mconcat" and other.settings.sweeps == 30 and other.preparation.lowercase
    assert ["".join(morpheme.split("/")[0] for morpheme in word) for word in split] == WORDS
    with pytest.raises(SettingsError, match="no setting 'sweps'"):
        m.set_params(sweps=3)


def test_codepoints_may_be_torn_apart_and_put_together_again() -> None:
    """Parts with gaps keep their positions when a mark is an atom of its own."""
    words = [f"k{v}t{v}b{end}" for v in ("a\u0301", "i", "u\u0301") for end in ("", "u", "i")]
    m = binyan.Morphology("root-template", unit="codepoint", sweeps=10, chains=1).fit(words)
    for analysis in m.best():
        assert analysis.segmentation.contiguous().word == analysis.word
    laced = binyan.Grammar.from_text(
        "Word -> Root(*) T(*)\n@Root(a,b) -> C(a) C(b)\n@T -> C\nC -> <any>\nrole root Root\nrole template T"
    )
    torn = binyan.Morphology(laced, unit="codepoint", sweeps=5, chains=1).fit(["ka\u0301", "be\u0301"])
    assert {len(s.parts) for s in torn.segmentations("ka\u0301")} == {2}


def test_grammars_from_the_front_door() -> None:
    grammar = binyan.Grammar.load("tpl")
    assert repr(grammar) == "<Grammar tpl: 50 rules of 11 symbols>" and grammar.expanded().count("\n") == 50
    parses = grammar.parse("kitAb", 3, full=False)
    assert len(parses.parses) == 3 and sum(parses.shares) < 1 and "36 derivation(s)" in str(parses)
    with pytest.raises(InputError, match="the word is empty"):
        grammar.parse("")


def test_splitters_with_and_without_gold(tmp_path: Path) -> None:
    gold = {"stadhuis": "stad huis", "stadpad": "stad pad", "huispad": "huis pad", "huisboek": "huis boek"}
    (tmp_path / "gold.tsv").write_text("".join(f"{w}\t{p}\n" for w, p in gold.items()))
    (tmp_path / "text.txt").write_text("het huis en de stad en het pad en het boek\n" * 3)
    trained = binyan.CompoundSplitter(iterations=30).fit(tmp_path / "gold.tsv", tmp_path / "text.txt", progress=False)
    same = binyan.CompoundSplitter(iterations=30).fit(gold, [tmp_path / "text.txt"], progress=False)
    assert np.array_equal(trained.engine.weights, same.engine.weights)
    untrained = binyan.CompoundSplitter().fit(text=tmp_path / "text.txt", progress=False)
    for splitter, kind in ((trained, "compound-splitter"), (untrained, "frequency-splitter")):
        assert isinstance(splitter.split("huisstad"), Segmentation) and str(splitter.split("huisstad")) == "huis stad"
        assert splitter.segmentations("huisstad", 2)[0] == splitter.split("huisstad") and splitter.kind == kind
        splitter.save(tmp_path / kind)
        loaded = binyan.load(tmp_path / kind)
        assert loaded.split_words(gold) == splitter.split_words(gold) and repr(loaded) == repr(splitter)
    assert 0 < trained.segmentations("huisstad")[0].probability <= 1
    assert evaluate_splitter(trained, tmp_path / "gold.tsv").f1 == 1.0
    held_out = binyan.CompoundSplitter(iterations=5).fit(gold, exclude={"huisboek": "huis boek"}, progress=False)
    assert held_out.engine.fields["compounds"] == 3


def test_word_maps_are_learnt_written_and_loaded(tmp_path: Path) -> None:
    pytest.importorskip("morfessor")
    (tmp_path / "train.txt").write_text(" ".join(WORDS) + "\n")
    (tmp_path / "more.txt").write_text("walking jumper\n")
    word_map = binyan.WordMap(method="baseline", seed=2).fit(tmp_path / "train.txt", also=[tmp_path / "more.txt"])
    assert "jumper" in word_map and isinstance(word_map["walking"], Segmentation) and len(word_map) == len(WORDS) + 1
    word_map.save(tmp_path / "map.tsv")
    assert (tmp_path / "map.tsv").read_text().startswith("# map:baseline|threshold:50.0")
    loaded = binyan.load(tmp_path / "map.tsv")
    assert isinstance(loaded, binyan.WordMap) and loaded == word_map == binyan.WordMap.read(tmp_path / "map.tsv")
    assert SegmentationTable.of_any(loaded) is loaded
    with pytest.raises(SettingsError, match="methods here are flatcat and baseline"):
        binyan.WordMap(method="magic")


NOT_MAPS = [
    ("a word list", "katab\nkitaab\n"),
    ("words with counts", "katab\t12\nkitaab\t3\n"),
    ("three columns", "katab\tktb\tx\n"),
    ("nothing", ""),
    ("only comments", "# nothing\n"),
]


@pytest.mark.parametrize(("what", "text"), NOT_MAPS)
def test_other_tables_are_not_taken_for_word_maps(what: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(ModelFileError, match="not a Binyan model file"):
        binyan.load(tmp_path / "t.tsv")


def test_word_maps_are_recognised_behind_comments_and_packed(tmp_path: Path) -> None:
    import gzip

    rows = "\ufeff# made by hand\n\nküchentisch\tküche +n tisch\n"
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    assert binyan.load(tmp_path / "t.tsv.gz").components("küchentisch") == ("küchen", "tisch")
    (tmp_path / "bad.tsv").write_text("haustür\thaus tür\nhaus\tha sus\n")
    with pytest.raises(InputError, match=r"bad.tsv:2: the parts of 'haus' spell 'hasus'"):
        binyan.load(tmp_path / "bad.tsv")
