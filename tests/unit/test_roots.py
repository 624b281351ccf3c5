"""The roots of words: the marginal over analyses, none as an outcome, inferred radicals, and scores by kind of root."""

from __future__ import annotations

from pathlib import Path

import pytest

import binyan
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.morphology import evaluate_morphology
from binyan.evaluation.root_kinds import comparable, root_kind, score_root_answers
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.tree import parse_tree
from binyan.morphology import Analysis
from binyan.morphology.roots import WordRoots, root_outcomes, words_that_show
from binyan.segmentation import Part, Segmentation

GRAMMAR = read_grammar(
    "W -> Stem\nStem -> C+\nStem(abc) -> R3(a,b,c)\nStem(a 'A' c) -> R3(a,<weak>,c)\nR3(a,b,c) -> C(a) C(b) C(c)\n"
    "C -> <any>\nrole root R3\nrole stem Stem\nletters weak w y"
)
TREES = {
    "(W (Stem (R3 0=q 0+=w 2=l) 1=A))": 0.4,
    "(W (Stem (R3 0=q 0+=y 2=l) 1=A))": 0.1,
    "(W (Stem (R3 0=q 1=A 2=l)))": 0.2,
    "(W (Stem 0=q 1=A 2=l))": 0.3,
}


def analyses(trees: dict[str, float]) -> list[Analysis]:
    return [Analysis("qAl", parse_tree(tree), p, GRAMMAR) for tree, p in trees.items()]


def test_the_root_is_the_most_probable_outcome_over_analyses() -> None:
    outcomes = root_outcomes(analyses(TREES), GRAMMAR)
    assert outcomes.of_length(3) == pytest.approx({"qwl": 0.4, "qAl": 0.2, "qyl": 0.1})
    assert outcomes.none == pytest.approx(0.3)
    best = outcomes.best
    assert best is not None and (best.root, best.written, best.inferred) == ("qwl", "q[w]l", True)
    assert best.letter_probability == pytest.approx(0.8)  # w against y between q and l
    assert not outcomes.candidates[1].inferred and outcomes.candidates[1].letter_probability == 1
    assert outcomes.answer(4) is None and outcomes.answer(3) == best


def test_a_word_has_no_root_where_that_is_more_probable() -> None:
    outcomes = root_outcomes(analyses({**TREES, "(W (Stem 0=q 1=A 2=l))": 0.5}), GRAMMAR)
    assert outcomes.best is None and outcomes.none == 0.5
    listed = WordRoots({"qAl": outcomes}, None, "A", "signature")
    assert str(listed) == "qAl\t_\t0.5000" and listed["qAl"]["qwl"] == 0.4
    assert listed.warning.startswith("no root for 1 of 1 words") and listed.to_dict()["answers"] == {"qAl": None}


def test_an_inferred_radical_is_listed_with_words_that_show_it() -> None:
    shown = Analysis("qwl", parse_tree("(W (Stem (R3 0=q 1=w 2=l)))"), 1.0, GRAMMAR)
    words = words_that_show(["qwl"], [shown, *analyses(TREES)])
    assert words == {"qwl": ("qwl",)}
    listed = WordRoots({"qAl": root_outcomes(analyses(TREES), GRAMMAR)}, 3, "A", "signature", words)
    assert str(listed) == "qAl\tqwl\t0.4000\tq[w]l\t0.8000\tqwl"
    assert listed.to_dict()["inferred"]["qAl"]["shown_in"] == ["qwl"]


def test_roots_are_strong_weak_or_geminate() -> None:
    assert [root_kind("ktb", "mktb"), root_kind("qwl", "qAl"), root_kind("mdd", "mtd")] == [
        "strong",
        "weak",
        "geminate",
    ]
    assert root_kind("r>y", "rAy") == "strong" and comparable("s>l") == comparable("s'l") == comparable("sAl")


def gold(word: str, *roots: str) -> GoldWord:
    return GoldWord(word, (Segmentation(word, (Part(word, "stem"),)),), roots)


def test_kinds_are_scored_apart() -> None:
    words = [
        gold("ktb", "ktb"),
        gold("qAl", "qwl"),
        gold("bAE", "byE"),
        gold("md", "md"),
        gold("fy"),
        gold("dHrj", "dHrj"),
    ]
    answers = {"ktb": "ktb", "qAl": "qwl", "bAE": "bwE", "md": "mdd", "fy": None, "dHrj": "dHrj"}
    scores = score_root_answers(answers, words)
    assert (scores.all.evaluated, scores.kinds["geminate"].evaluated) == (3, 0)
    scores = score_root_answers(answers, words, short_geminates=True)
    assert {kind: (s.evaluated, s.accuracy) for kind, s in scores.kinds.items()} == {
        "strong": (1, 100),
        "weak": (2, 50),
        "geminate": (1, 100),
    }
    assert scores.all.accuracy == 75 and scores.rootless.accuracy == 100
    assert scores.to_dict()["accuracy"] == 100 and scores.to_dict()["weak"]["accuracy"] == 50
    assert scores.table("signature").column("words") == [4, 1, 2, 1, 1]


WORDS = [
    "qwl",
    "qwlh",
    "qwlhm",
    "yqwl",
    "tqwl",
    "nqwl",
    "qAl",
    "qAlt",
    "qAlwA",
    "qlt",
    "md",
    "mdd",
    "mdwd",
    "ymd",
    "tmd",
    "mdt",
    "ktb",
    "kAtb",
    "mktwb",
    "yktb",
    "tktb",
    "ktbt",
    "ktAb",
]


@pytest.fixture(scope="module")
def morphology() -> binyan.Morphology:
    grammar = load_grammar("root-template-weak").with_letters({"weak": "wy", "vowel": "A", "changed": "A"})
    return binyan.Morphology(grammar, sweeps=30, seed=2, chains=1).fit(WORDS)


def test_all_commands_give_one_answer(morphology: binyan.Morphology, tmp_path: Path) -> None:
    listed = morphology.find_roots()
    for word, answer in listed.answers.items():
        assert morphology.root(word) == (None if answer is None else answer.root)
    file = tmp_path / "gold.tsv"
    file.write_text("".join(f"{word}\t{word}/stem\tktb\n" for word in WORDS if set("ktb") <= set(word)))
    result = evaluate_morphology(morphology, file, "roots")
    right = [morphology.root(word) == "ktb" for word in WORDS if set("ktb") <= set(word)]
    assert result.figures["all"]["accuracy"] == pytest.approx(100 * sum(right) / len(right))
    assert "weak" in str(result) and result.tables["roots"].column("words")[0] == len(right)
    thesis = evaluate_morphology(morphology, file, "roots", method="A")
    assert "weak" not in thesis.figures and "method:A" in thesis.signature


def test_a_model_with_unseen_letters_is_saved_and_loaded(morphology: binyan.Morphology, tmp_path: Path) -> None:
    morphology.save(tmp_path / "m.binyan")
    again = binyan.Morphology.load(tmp_path / "m.binyan")
    for word in ("qAl", "yqlt", "ymdwA"):
        assert again.root_outcomes(word) == morphology.root_outcomes(word)
    trees = [analysis.tree for word in WORDS for analysis in morphology.analyses(word, 50)]
    assert any(not leaf.shown for tree in trees for leaf in tree.underlying_leaves())
    assert all(tree.word() in WORDS for tree in trees)


def test_a_known_root_may_have_letters_that_the_word_does_not_show() -> None:
    grammar = load_grammar("root-template-weak").with_letters({"weak": "wy", "vowel": "A", "changed": "A"})
    known = [("qAl", "_", "qyl"), ("md", "md/stem", "mdd"), ("ktbt", "ktb/stem t/suf", "ktb")]
    model = binyan.Morphology(grammar, sweeps=5, seed=2, chains=1, known=known).fit([*WORDS, "by"])
    assert model.roots("qAl") == model.roots("qAl", 3) == {"qyl": 1.0}
    assert model.roots("md") == {"mdd": 1.0} and model.roots("ktbt") == {"ktb": 1.0}
