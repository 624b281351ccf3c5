"""Evaluation of segmentations, roots and lexica: tables of input and expected figure."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from binyan.cli import app
from binyan.errors import InputError
from binyan.evaluation.bootstrap import bootstrap
from binyan.evaluation.gold import GoldWord, halves, read_gold
from binyan.evaluation.lexicon import area_under, gold_lexicon, roc_curve, roc_table, score_lexicon, thinned
from binyan.evaluation.roots import guess_roots, guesser_accuracy, score_roots, strong_roots, surface_realised
from binyan.evaluation.segmentation import borders, coarse, morphemes_per_word, score_segmentation
from binyan.grammar.notation import load_grammar
from binyan.grammar.tree import parse_tree
from binyan.grammar.tree_segments import character_classes, roots, segmentation, simplified
from binyan.segmentation import Part, Segmentation


def word(text: str, root: str = "") -> GoldWord:
    parts = [[Part(*p.rpartition("/")[::2]) for p in a.split(" ")] for a in text.split(";")]
    alternatives = tuple(Segmentation("".join(p.text for p in a), tuple(a)) for a in parts)
    return GoldWord(alternatives[0].word, alternatives, (root,) if root else ())


def pieces(text: str) -> Segmentation:
    return word(text).segmentations[0]


# predicted, gold, precision, recall, F1
BORDERS = [
    ("w/pre ktb/stem", "w/pre ktb/stem", 100, 100, 100),
    ("w/pre kt/stem b/suf", "w/pre ktb/stem", 50, 100, 200 / 3),
    ("wktb/stem", "w/pre ktb/stem", 0, 0, 0),
    ("w/pre ktb/stem", "wktb/stem", 0, 0, 0),
    ("wktb/stem", "wktb/stem", 0, 0, 100),  # nothing to find and nothing found
    ("wk/pre tb/stem", "w/pre ktb/stem", 0, 0, 0),
    ("w/pre kt/stem b/suf", "w/pre ktb/stem;w/pre kt/stem b/suf", 100, 100, 100),  # the closest gold counts
    ("s/stem um/inf ulat/stem", "s/stem um/inf ulat/stem", 100, 100, 100),
]


@pytest.mark.parametrize(("predicted", "gold", "precision", "recall", "f1"), BORDERS)
def test_segment_borders(predicted: str, gold: str, precision: float, recall: float, f1: float) -> None:
    truth = word(gold)
    score = score_segmentation({truth.word: pieces(predicted)}, [truth])
    assert (score.precision, score.recall, score.f1) == pytest.approx((precision, recall, f1))
    assert score.words == 1 and score.missing == 0


def test_borders_are_micro_averaged_and_missing_words_count_as_whole() -> None:
    gold = [word("a/pre b/stem c/suf"), word("d/pre e/stem"), word("f/pre g/stem")]
    predicted = {"abc": pieces("a/pre b/stem c/suf"), "de": pieces("de/stem")}
    score = score_segmentation(predicted, gold)
    assert (score.precision, score.recall, score.missing) == (100, 50, 1)
    assert score.f1 == pytest.approx(200 / 3) and score.exact == pytest.approx(100 / 3)
    assert score.interval.low <= score.f1 <= score.interval.high
    assert score_segmentation(predicted, gold, least_morphemes=3).words == 1


def test_coarse_keeps_the_borders_of_stems_only() -> None:
    fine = pieces("w/pre l/pre ktb/stem h/suf m/suf")
    assert coarse(fine) == pieces("wl/pre ktb/stem hm/suf")
    gold = [word("wl/pre ktb/stem hm/suf")]
    assert score_segmentation({"wlktbhm": fine}, gold, "coarse").f1 == 100
    assert score_segmentation({"wlktbhm": fine}, gold).precision == 50
    assert borders(pieces("a/x bc/y d/z")) == {1, 3}
    assert borders(Segmentation.parse("sumul", "sul@0,3,4/stem um@1,2/inf")) == {1, 3}


def test_morphemes_per_word_are_shares() -> None:
    gold = [word("a/pre b/stem"), word("cd/stem")]
    table = morphemes_per_word({"m": {"ab": pieces("a/pre b/stem"), "cd": pieces("c/pre d/stem")}}, gold, "s")
    assert table.column("gold") == [50, 50] and table.column("m") == [0, 100] and "gold 1.50, m 2.00" in table.note


def test_roots_of_the_illustration_in_the_thesis() -> None:
    tree = parse_tree("(Word (Stem (R3 0=a 2=c 3=d) (T3 1=b 4=e 5=f)))")  # thesis, figure 5.3
    tpl = load_grammar("tpl")
    assert roots(tree, tpl, 3, "A") == ["acd"] and roots(tree, tpl, 3, "B") == ["acd", "bef"]
    assert roots(tree, tpl, 4, "A") == [] == roots(tree, tpl, 4, "B")
    for truth, a, b in (("acd", 100, 100), ("bef", 0, 100)):
        gold = [word("abcdef/stem", truth)]
        assert score_roots({"abcdef": roots(tree, tpl, 3, "A")}, gold).accuracy == a
        assert score_roots({"abcdef": roots(tree, tpl, 3, "B")}, gold).accuracy == b


def test_a_root_inside_a_longer_root_is_none() -> None:
    tree = parse_tree("(Stem (R4 (R3 0=a 1=b 2=c) (R1 3=d)))")
    tplr4 = load_grammar("tplr4")
    assert roots(tree, tplr4, 3) == [] and roots(tree, tplr4, 4) == ["abcd"] == roots(tree, tplr4)


def test_weak_roots_are_not_evaluated() -> None:
    assert surface_realised("ktb", "kitAb") and not surface_realised("jbn", "jabbA")
    assert (
        strong_roots(word("w/pre ktAb/stem", "ktb"), 3) == ["ktb"] and strong_roots(word("ktAb/stem", "ktb"), 4) == []
    )
    gold = [word("qAl/stem", "qwl"), word("ktAb/stem", "ktb"), word("ktb/stem", "ktb")]
    assert score_roots({"ktAb": ["ktb"]}, gold).evaluated == 2
    assert score_roots({"ktAb": ["ktb"]}, gold, roots_that_are_stems=False).accuracy == 100


def test_random_guessers() -> None:
    gold = [word("wa/pre kitAb/stem i/suf", "ktb")] * 1
    assert guesser_accuracy(gold, 3, "doubly constrained") == 100  # only k, t, b are radicals here
    noisy = [*gold, word("bayt/stem", "bay-kat")]  # its root is none: no vowel is a radical by it
    assert guesser_accuracy(noisy, 3, "doubly constrained") == 100
    many = [word(f"x{i}y/pre kta/stem", "kta") for i in range(400)]
    assert guesser_accuracy(many, 3, "stem-constrained") == 100
    # uniform: one subset of C(n, 3), n = 6, 7 or 8 characters
    expected = 100 * np.mean([1 / math.comb(len(w.word), 3) for w in many])
    assert guesser_accuracy(many, 3, "uniform", 50) == pytest.approx(expected, abs=0.35)
    assert guess_roots([word("ab/stem", "abc")], 3) == {}


def test_lexicon_as_a_set_and_as_a_ranking() -> None:
    predicted = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}
    score = score_lexicon(predicted, {"a", "c", "z"})
    assert (score.precision, score.recall) == (50, pytest.approx(200 / 3)) and score.f1 == pytest.approx(400 / 7)
    assert score.auc == 0.75  # of the four pairs of a true and a false string, three are in order
    assert roc_curve(predicted, {"a", "c"}) == [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    assert area_under(roc_curve(dict.fromkeys("abcd", 0.1), {"a", "c"})) == 0.5  # all tied: chance
    assert math.isnan(score_lexicon({"a": 1.0}, {"a"}).auc)
    assert "m (0.75)" in roc_table({"m": roc_curve(predicted, {"a", "c"})}, "ROC", "s").column("model")


def test_a_thinned_curve_keeps_its_shape_and_the_area_of_the_whole_one():
    """Most points of a curve are where few strings have the same probability: points are left out by distance, not by number."""
    curve = [(x * x, x**0.5) for x in (i / 5000 for i in range(4900))] + [(1.0, 1.0)]
    few = thinned(curve, 50)
    assert len(few) <= 50 and (few[0], few[-1]) == (curve[0], curve[-1])
    assert area_under(few) == pytest.approx(area_under(curve), abs=0.002)
    assert roc_table({"m": few}, "ROC", "s", {"m": 0.123}).column("model")[0] == "m (0.12)"


def test_gold_lexica() -> None:
    gold = [word("w/pre ktAb/stem hm/suf", "ktb"), word("w/pre qAl/stem", "qwl")]
    assert gold_lexicon(gold, "pre") == {"w"} and gold_lexicon(gold, "stem") == {"ktAb", "qAl"}
    assert gold_lexicon(gold, "root3") == {"ktb"}


def test_gold_files(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text(
        "wktAb\tw/pre ktAb/stem\tktb\n"
        "a;b\ta;/pre b/stem\t_\n"  # a semicolon that is a letter
        "un/do\tun//pre do/stem\t_\textra\n"
        "зыщы\tзы щы;з ыщы\n",
        encoding="utf-8",
    )
    first, second, third, fourth = read_gold(path)
    assert first == word("w/pre ktAb/stem", "ktb") and first.stem == "ktAb" and first.has_affix
    assert second.segmentations == (Segmentation("a;b", (Part("a;", "pre"), Part("b", "stem"))),) and second.roots == ()
    assert third.segmentations[0].parts[0] == Part("un/", "pre")
    assert [[p.text for p in s] for s in fourth.segmentations] == [["зы", "щы"], ["з", "ыщы"]]
    assert not any(p.label for s in fourth.segmentations for p in s)
    assert read_gold(path, lambda text: text.replace("A", "a"))[0].word == "wktab"
    one, two = halves([first, second, third, fourth])
    assert len(one) + len(two) == 4
    assert halves([first]) in (([first], []), ([], [first])) and halves([first]) == halves([first])
    path.write_text("wktAb\tw/pre ktA/stem\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"gold.tsv:1: the segments .* do not spell"):
        read_gold(path)


def test_colons_that_are_escaped_are_letters_of_the_word(tmp_path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("hyy:n\thyy\\: n\nb\\:c\tb\\: c\na:b\ta \\: b;a: b\n", encoding="utf-8")
    escaped, written, both = read_gold(path)
    assert [part.text for part in escaped.segmentations[0]] == ["hyy:", "n"]
    assert [part.text for part in written.segmentations[0]] == ["b\\:", "c"]
    assert [[part.text for part in s] for s in both.segmentations] == [["a", ":", "b"], ["a:", "b"]]


def test_bootstrap_covers_the_truth_as_often_as_stated() -> None:
    random, covered = np.random.default_rng(5), 0
    for _ in range(200):
        hits = (random.random(150) < 0.3).astype(float)
        counts = np.column_stack([hits, np.ones(150)])
        interval = bootstrap(counts, lambda s: float(s[0] / s[1]), samples=200)
        covered += interval.low <= 0.3 <= interval.high
    assert 178 <= covered <= 199  # 190 expected; outside with probability below 0.002


# tree, pieces
SEGMENTS = [
    ("tpl", "(Word (Pre 0=w) (Stem (R3 1=k 2=t 4=b) (T1 3=A)) (Suf 5=i))", "w/pre ktAb/stem i/suf"),
    ("infix", "(Word (Stem 0=s 3=u 4=l) (Inf 1=u 2=m))", "s/stem um/inf ul/stem"),
    ("circumfix", "(Word (Circ 0=k 1=e 4=a) (Stem 2=p 3=e))", "ke/circ pe/stem a/circ"),
    ("mconcat-hier", "(Word (Pres (Pre 0=a) (Pre 1=b)) (Stem 2=c))", "a/pre b/pre c/stem"),
]


@pytest.mark.parametrize(("grammar", "tree", "expected"), SEGMENTS)
def test_segments_are_read_off_a_tree(grammar: str, tree: str, expected: str) -> None:
    labels = load_grammar(grammar).segment_labels
    assert segmentation(parse_tree(tree), labels).contiguous() == pieces(expected)


def test_pictures_do_without_character_classes() -> None:
    grammar = load_grammar("tpl3ch")
    assert character_classes(grammar) == {"Char", "R1"}  # T1 may be three characters there
    tree = parse_tree("(Word (Suf (Char 0=i)) (Stem (R3 (R1 (Char 1=k)) (R1 (Char 2=t)) (R1 (Char 3=b)))))")
    assert simplified(tree, grammar).discbracket() == "(Word (Suf 0=i) (Stem (R3 1=k 2=t 3=b)))"


def test_morfessor_baseline() -> None:
    pytest.importorskip("morfessor")
    from binyan.evaluation.morfessor_baseline import morfessor_segmentations

    words = [
        stem + suffix for stem in ("walk", "talk", "jump", "work", "play", "look") for suffix in ("", "s", "ed", "ing")
    ]
    found = morfessor_segmentations(words)
    assert found == morfessor_segmentations(reversed(words))
    assert all("".join(part.text for part in parts) == word for word, parts in found.items())
    assert str(found["walking"]) == "walk ing"


@pytest.fixture(scope="module")
def little_arabic(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model of words made of four roots, three templates and two suffixes, and its gold standard."""
    folder = tmp_path_factory.mktemp("arabic")
    rows = []
    for root in ("ktb", "drs", "qrn", "fHm"):
        for template in ("{}a{}a{}", "{}i{}A{}", "{}u{}u{}"):
            for suffix in ("", "hu", "At"):
                stem = template.format(*root)
                rows.append(f"{stem}{suffix}\t{stem}/stem{f' {suffix}/suf' if suffix else ''}\t{root}")
    gold, words, model = folder / "gold.tsv", folder / "words.txt", folder / "m.model"
    gold.write_text("\n".join(rows) + "\n", encoding="utf-8")
    words.write_text("\n".join(row.split("\t")[0] for row in rows) + "\n", encoding="utf-8")
    result = CliRunner().invoke(
        app,
        ["morph", "learn", str(words), "-g", "root-template-vocalised", "--out", str(model), "--sweeps", "60", "-q"],
    )
    assert result.exit_code == 0, result.output
    return model, gold


# task and its options, the keys the command must give, the least value of the first
TASKS = [
    (["--task", "segmentation"], ["f1", "precision", "recall"], 40),
    (["--task", "segmentation", "--coarse"], ["f1", "precision", "recall"], 40),
    (["--task", "roots"], ["accuracy", "evaluated"], 30),
    (["--task", "lexicon", "--category", "stem"], ["f1", "precision", "recall", "auc"], 30),
    (["--task", "lexicon", "--category", "root3"], ["f1", "precision", "recall", "auc"], 40),
]


@pytest.mark.parametrize(("options", "keys", "least"), TASKS)
def test_morph_evaluate(little_arabic: tuple[Path, Path], options: list[str], keys: list[str], least: float) -> None:
    model, gold = little_arabic
    result = CliRunner().invoke(app, ["morph", "evaluate", str(model), "--gold", str(gold), *options, "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert set(keys) <= set(told) and told[keys[0]] >= least and "gold:" in told["signature"]


def test_morph_evaluate_draws_and_takes_halves(little_arabic: tuple[Path, Path], tmp_path: Path) -> None:
    model, gold = little_arabic
    command = ["morph", "evaluate", str(model), "--gold", str(gold), "--plots", str(tmp_path)]
    parts = [
        json.loads(CliRunner().invoke(app, [*command, "--half", h, "--json"]).output) for h in ("development", "report")
    ]
    assert sum(part["words"] for part in parts) == 36
    assert (tmp_path / "morphemes_per_word.svg").exists()
    assert "of 36 words" in CliRunner().invoke(app, [*command[:5], "--task", "roots"]).output
    wrong = CliRunner().invoke(app, [*command, "--task", "poetry"])
    assert wrong.exit_code != 0 and "segmentation, roots or lexicon" in str(wrong.exception)
