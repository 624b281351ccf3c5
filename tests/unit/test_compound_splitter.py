"""Splitters on small invented and real words: what is learnt, what hyphens and odd input do, saving and loading."""

import json

import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import InputError, ModelFileError, NotFittedError, SettingsError
from binyan.evaluation.compounds import evaluate_splits
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.frequencies import word_frequencies
from binyan.segmentation.gold import read_gold, recursive, simplex_words
from binyan.signature import Signature

DUTCH_LIKE = ["stad", "huis", "boek", "winkel", "water", "molen", "fiets", "pad", "kaas", "markt", "dorp", "kerk"]
LINK = {"stad": "s", "dorp": "s", "boek": "en", "fiets": ""}


def compound(*stems):
    parts = " ".join(
        stem + (f" +{LINK[stem]}" if LINK.get(stem) and place < len(stems) - 1 else "")
        for place, stem in enumerate(stems)
    )
    return Segmentation.parse(parts.replace(" ", "").replace("+", ""), parts)


@pytest.fixture(scope="module")
def splitter():
    pairs = [(a, b) for a in DUTCH_LIKE for b in DUTCH_LIKE if a != b and (len(a) * 7 + len(b) * 3 + ord(a[1])) % 4]
    gold = SegmentationTable([*(compound(*pair) for pair in pairs), compound("kaas", "markt", "pad")])
    return CompoundSplitter(iterations=60, min_link=2).fit(gold, dict.fromkeys(DUTCH_LIKE, 30), progress=False)


def test_unseen_compounds_get_their_linking_element_and_any_number_of_parts(splitter):
    for stems in [("dorp", "huis"), ("stad", "water", "molen"), ("boek", "winkel"), ("kerk", "dorp", "fiets", "pad")]:
        expected = compound(*stems)
        assert splitter.split(expected.word) == expected


@pytest.mark.parametrize(
    ("language", "links"),
    [
        ("Afrikaans-like", {"hond": "e", "perd": "e", "boer": "e", "staat": "s", "stad": "s"}),
        ("Finnish-like", {}),
        ("Turkish-like, right part marked by no link", {"kapı": "", "göz": ""}),
    ],
)
def test_linking_elements_are_those_of_the_gold_list(language, links):
    stems = ["hond", "perd", "boer", "staat", "stad", "kapı", "göz", "talo", "koira", "werk", "huis", "väri"]

    def made(a, b):
        parts = f"{a} +{links[a]} {b}" if links.get(a) else f"{a} {b}"
        return Segmentation.parse(parts.replace(" ", "").replace("+", ""), parts)

    pairs = [(a, b) for a in stems for b in stems if a != b]
    held_out = pairs[3::7]
    gold = SegmentationTable(made(*pair) for pair in pairs if pair not in held_out)
    trained = CompoundSplitter(min_link=2, iterations=60).fit(gold, dict.fromkeys(stems, 20), progress=False)
    assert set(trained.engine.fields["links"]) == {"", *links.values()}
    expected = SegmentationTable(made(*pair) for pair in held_out)
    assert trained.split_words(expected) == expected


def test_simplex_words_stay_whole(splitter):
    assert all(row.is_simplex for row in splitter.split_words(DUTCH_LIKE).values())


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Stadshuis", "Stad +s huis"),  # as it is written, looked at in lowercase
        ("water-molen", "water +- molen"),
        ("kaasmarkt-fietspad", "kaas markt +- fiets pad"),
        ("-huis", "+- huis"),
        ("huis-", "huis +-"),
        ("--", "--"),
        ("1999-2000", "1999 +- 2000"),
        ("123456", "123456"),
        ("İstadshuis", None),  # its lowercase is longer
        ("кот", "кот"),
        ("x" * 300, None),
    ],
)
def test_hyphens_and_odd_words(splitter, word, expected):
    row = splitter.split(word)
    assert row.word == word
    assert expected is None or str(row) == expected


def test_no_boundary_falls_before_a_combining_mark(splitter):
    word = "kaasma\u0308rkt"
    for row in splitter.segmentations(word, 50):
        assert all("\u0308" not in (word[a : a + 1], word[b : b + 1]) for a, b in row.boundaries())


def test_n_best_are_ordered_probabilities_and_sum_to_one(splitter):
    ways = splitter.segmentations("Stadshuis-pad", 100_000)
    probabilities = [way.probability for way in ways]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) == pytest.approx(1.0)
    assert ways[0] == splitter.split("Stadshuis-pad")
    assert splitter.segmentations("Stadshuis-pad", 1)[0].probability == pytest.approx(probabilities[0])


def test_saved_splitters_split_as_before(splitter, tmp_path):
    splitter.save(tmp_path / "s")
    words = [compound("dorp", "kerk", "pad").word, "onbekend"]
    assert binyan.load(tmp_path / "s").split_words(words) == splitter.split_words(words)
    assert str(binyan.load(tmp_path / "s").signature()) == str(splitter.signature())
    binyan.Morphology(sweeps=2).fit(["stad", "huis"]).save(tmp_path / "other")
    with pytest.raises(ModelFileError, match="holds a Morphology .*, not a CompoundSplitter"):
        CompoundSplitter.load(tmp_path / "other")
    with pytest.raises(ModelFileError, match="'binyan compounds' has the commands"):
        splitter.as_language_model()


def test_a_gold_list_without_compounds_is_refused():
    with pytest.raises(InputError, match="splits no word"):
        CompoundSplitter().fit(SegmentationTable([Segmentation.simplex("huis")]), progress=False)
    with pytest.raises(NotFittedError):
        CompoundSplitter().split("huis")
    with pytest.raises(SettingsError, match="neither was given"):
        CompoundSplitter().fit()


def test_frequencies_alone_choose_the_greatest_geometric_mean(tmp_path):
    counts = {
        "aktion": 1000,
        "plan": 900,
        "aktionsplan": 10,
        "frei": 1000,
        "tag": 3000,
        "freitag": 5000,
        "aktionsplans": 1,
    }
    splitter = CompoundSplitter(links="s").fit(text=counts)
    splitter.save(tmp_path / "s")
    for each in (splitter, binyan.load(tmp_path / "s")):
        rows = each.split_words(["Aktionsplan", "freitag", "unbekannt", "aktions-plan"])
        assert [str(row) for row in rows.values()] == ["Aktion +s plan", "freitag", "unbekannt", "aktions +- plan"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("frühling_+s_tisch\t3\t4\tcommon", "frühling +s tisch"),
        ("schule_-e_pony\t3\t4\tcommon", "schul pony"),
        ("buch_+=er_spiel\t3\t4\tcommon", "büch +er spiel"),
        ("haus_+=er_spiel\t3\t4\tcommon", "häus +er spiel"),
        ("vater_+=_verein\t3\t4\tcommon", "väter verein"),
        ("Mischehe\tmischen\tV:\tEhe", "misch ehe"),
        ("Ladezyklus\tladen\tV:e\tZyklus", "lad +e zyklus"),
        ("Schulhof\tSchule\tHof", "schul hof"),
        ("Ministerratssitzung\tMinisterrat|Rat\tSitzung", "ministerrat +s sitzung"),
        ("küchentisch\tküche +n tisch", "küche +n tisch"),
    ],
)
def test_gold_formats_are_recognised(tmp_path, line, expected):
    path = tmp_path / "gold.tsv"
    path.write_text(line + "\n")
    assert [str(row) for row in read_gold(path).table.values()] == [expected]


def test_rows_that_do_not_align_are_counted(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("Schulhof\tSchule\tHof\nHimbeere\tx\tStrauch\n")
    gold = read_gold(path)
    assert (len(gold.table), gold.unaligned) == (1, 1)


def test_a_file_of_another_kind_is_not_a_gold_list(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("tisch\tNOUN\t1\n")
    with pytest.raises(InputError, match="in none of its 1 rows"):
        read_gold(path)
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="holds no segmentation"):
        read_gold(path)


def test_parts_that_are_compounds_are_split_in_turn():
    rows = ["regen schirm", "regenschirm hersteller", "regenschirm +s tor"]
    table = SegmentationTable(Segmentation.parse(r.replace(" ", "").replace("+", ""), r) for r in rows)
    assert [str(r) for r in recursive(table).values()] == [
        "regen schirm",
        "regen schirm hersteller",
        "regen schirm +s tor",
    ]
    assert simplex_words(table) == ["regen", "schirm", "hersteller", "tor"]


def test_boundaries_need_their_linking_element():
    gold = SegmentationTable([Segmentation.parse("küchentisch", "küche +n tisch"), Segmentation.simplex("haustier")])
    found = SegmentationTable(
        [Segmentation.parse("küchentisch", "küchen tisch"), Segmentation.parse("haustier", "haus tier")]
    )
    result = evaluate_splits(found, gold, Signature())
    assert (result.precision, result.recall, result.f1) == (0.0, 0.0, 0.0)
    assert result.f1_merged_left == pytest.approx(2 / 3)
    assert (result.simplex, result.simplex_split) == (1, 1)
    assert evaluate_splits(gold, gold, Signature()).f1 == 1.0


def test_frequencies_of_raw_text_leave_punctuation_behind(tmp_path):
    (tmp_path / "t").write_text("Das Haus, das „Haus“ -- steht.\n")
    assert word_frequencies([tmp_path / "t"]) == {"das": 2, "haus": 2, "steht": 1}


def test_commands(tmp_path):
    gold = SegmentationTable(compound(a, b) for a in DUTCH_LIKE[:8] for b in DUTCH_LIKE[4:] if a != b)
    gold.write(tmp_path / "gold.tsv")
    (tmp_path / "text").write_text(" ".join(DUTCH_LIKE) + " Stadshuis\n")
    run = CliRunner().invoke
    files = {name: str(tmp_path / name) for name in ("gold.tsv", "text", "s", "f", "out.tsv")}
    made = run(app, ["compounds", "train", "--gold", files["gold.tsv"], "--text", files["text"], "--out", files["s"]])
    assert made.exit_code == 0, made.output
    shown = run(app, ["compounds", "evaluate", files["s"], "--gold", files["gold.tsv"], "--json"])
    figures = json.loads(shown.output)
    assert figures["f1"] > 0.9 and {"precision", "recall", "signature"} <= set(figures)
    run(app, ["compounds", "split", files["s"], "--text", files["text"], "--out", files["out.tsv"]])
    assert str(SegmentationTable.read(files["out.tsv"])["Stadshuis"]) == "Stad +s huis"
    assert (
        run(app, ["compounds", "train", "--text", files["text"], "--links", "s en", "--out", files["f"]]).exit_code == 0
    )
    absent = run(app, ["compounds", "split", files["f"], "--words", files["text"] + "?", "--out", files["out.tsv"]])
    assert isinstance(absent.exception, InputError)
    nothing = run(app, ["compounds", "train", "--out", files["f"]])
    assert isinstance(nothing.exception, SettingsError)
