"""Transducers against the parser: the same probability of every word, the same analyses, within bounds."""

from __future__ import annotations

import math
from functools import lru_cache

import pytest

import binyan
from binyan.errors import InputError, SettingsError
from binyan.grammar.rules import Grammar
from binyan.morphology import Analysis
from binyan.morphology.transducer import Transducer
from binyan.morphology.transducer.tape import read_tape

WORDS = ["walks", "walked", "walking", "talks", "talked", "talking", "jumps", "jumped", "jumping", "unjumped"]
UNSEEN = ["stalking", "unwalks", "j", "talkinged", "zalks", "jumpszz", "wéalks"]
SHIPPED = ["concat", "mconcat", "mconcat-hier", "affixes", "compound", "circumfix", "infix"]
TEMPLATIC = ["tpl", "root-template-vocalised", "tpl3ch-apart"]

RIGHT = """
Word -> Stem Sufs | Stem
Sufs -> Suf Sufs | Suf
@Stem -> Chars
@Suf -> Sub Suf2 | Sub
Suf2 -> Sub
@Sub -> Chars
Chars -> Char Chars | Char
Char -> <any>
role stem Stem
role suffix Suf
"""
LINKED = """
Word -> Stem Link Stem | Stem 'ed' | Stem
Link -> 's' | 'in'
@Stem -> Char+
Char -> <any>
role stem Stem
"""


@lru_cache
def learnt(name: str, text: str = "") -> binyan.Morphology:
    grammar = Grammar.from_text(text, name) if text else name
    return binyan.Morphology(grammar, sweeps=25, seed=3, snapshots=3).fit(WORDS, progress=False)


def probabilities(model, word):
    """The posterior of each segmentation, summed over all trees that the kept states give a word."""
    sums: dict = {}
    for tree, p in model.posterior.trees(word, 200_000):
        segmentation = Analysis(word, tree, p, model.grammar).segmentation
        sums[segmentation] = sums.get(segmentation, 0.0) + p
    return sums


@pytest.mark.parametrize("name", SHIPPED)
def test_every_word_has_the_probability_that_the_parser_gives_it(name):
    model = learnt(name)
    fst = model.to_fst()
    assert fst.exact and "exact" in fst.note and "average of 4" in fst.note
    for word in WORDS + UNSEEN:
        assert fst.log_probability(word) == pytest.approx(model.log_probability(word), abs=1e-9), word


@pytest.mark.parametrize("name", TEMPLATIC)
def test_roots_and_templates_are_exact_where_all_are_allowed(name):
    model = learnt(name)
    fst = model.to_fst(stems="all")
    assert fst.exact
    for word in WORDS + UNSEEN:
        assert fst.log_probability(word) == pytest.approx(model.log_probability(word), abs=1e-9), word


@pytest.mark.parametrize("text", [RIGHT, LINKED], ids=["right", "linked"])
def test_recursion_at_the_end_and_letters_of_rules(text):
    model = learnt("own", text)
    fst = model.to_fst()
    for word in WORDS + UNSEEN:
        assert fst.log_probability(word) == pytest.approx(model.log_probability(word), abs=1e-9), word


@pytest.mark.parametrize("name", ["concat", "affixes", "infix", "circumfix"])
def test_analyses_have_the_probabilities_of_their_trees(name):
    model = learnt(name)
    fst = model.to_fst()
    for word in ["unwalks", "stalks"]:
        wanted = probabilities(model, word)
        assert math.fsum(wanted.values()) > 0.99
        analyses = fst.analyse(word, 5)
        assert [a.probability for a in analyses] == sorted((a.probability for a in analyses), reverse=True)
        for analysis in analyses:
            assert analysis.probability == pytest.approx(wanted[analysis.segmentation], abs=2e-3)
        assert analyses[0].segmentation == max(wanted, key=lambda s: wanted[s])


def test_parts_that_no_role_covers_are_labelled_as_the_parser_labels_them():
    model = learnt("own", LINKED)
    fst = model.to_fst()
    wanted = probabilities(model, "jumpswalk")
    best = fst.analyse("jumpswalk", 1)[0]
    assert wanted[best.segmentation] == pytest.approx(best.probability, abs=1e-6)


def test_the_roots_of_an_analysis_are_those_of_the_trees():
    model = learnt("root-template-vocalised")
    fst = model.to_fst(stems="all")
    sums: dict = {}
    for tree, p in model.posterior.trees("stalking", 10_000):
        roots = tuple(Analysis("stalking", tree, p, model.grammar).roots())
        sums[roots] = sums.get(roots, 0.0) + p
    mine: dict = {}
    for analysis in fst.analyse("stalking", 50):
        mine[analysis.roots] = mine.get(analysis.roots, 0.0) + analysis.probability
    for roots, p in sums.items():
        if p > 0.01:
            assert mine[roots] == pytest.approx(p, abs=5e-3)


def test_fewer_stems_have_less_probability():
    model = learnt("tpl3ch-apart")
    seen, combined, everything = (model.to_fst(stems=stems) for stems in ("seen", "combined", "all"))
    assert not seen.exact and not combined.exact and everything.exact
    assert seen.states < everything.states
    for word in WORDS + UNSEEN:
        a, b, c = (fst.log_probability(word) for fst in (seen, combined, everything))
        assert a <= c + 1e-9 and b <= c + 1e-9
    for word in WORDS:
        assert seen.segmentations(word, 1)[0].parts == everything.segmentations(word, 1)[0].parts


LACED = """
Word -> Stem | Stem Suf
@Stem(abc) -> R2(a,c) T1(b) | R2(a,b) T1(c)
@R2(a,b) -> RootChar(a) RootChar(b)
@T1 -> TemplateChar
@Suf -> SufChar+
RootChar | TemplateChar | SufChar -> <any>
role stem Stem
role suffix Suf
role root R2
role template T1
"""


@pytest.mark.parametrize("states", ["average", "best"])
def test_a_stem_that_was_seen_has_the_probability_it_has_with_all_rules(states):
    words = ["kat", "kit", "kut", "sat", "sit", "kats", "kits", "tka", "tki", "sut", "kas", "kis"]
    model = binyan.Morphology(Grammar.from_text(LACED, "laced"), sweeps=6, burn_in=2, seed=2).fit(words, progress=False)
    seen, everything = (model.to_fst(states=states, stems=stems) for stems in ("seen", "all"))
    compared = 0
    for word in words:
        whole = {a.text: a.weight for a in everything.analyse(word, 100)}
        for analysis in seen.analyse(word, 100):
            assert analysis.weight == pytest.approx(whole[analysis.text], abs=1e-9)
            compared += 1
    assert compared > len(words)


def test_one_kept_state_alone():
    model = learnt("concat")
    fst = model.to_fst(states="best")
    assert not fst.exact and "best of" in fst.note
    best = max(
        sum(binyan.morphology.posterior.Posterior.log_probability(_alone(model, s), w) for w in WORDS)
        for s in model.posterior.snapshots
    )
    assert sum(fst.log_probability(word) for word in WORDS) == pytest.approx(best)


def _alone(model, snapshot):
    from dataclasses import replace

    return replace(model.posterior, snapshots=[snapshot])


@pytest.mark.parametrize("name", ["affixes", "infix"])
def test_new_morphemes_may_be_left_out(name):
    model = learnt(name)
    whole, stems, none = (model.to_fst(new=new) for new in ("all", "stems", "none"))
    assert whole.exact and not stems.exact and "no new morphemes" in none.note
    assert none.states < stems.states <= whole.states
    for word in WORDS:
        assert none.log_probability(word) <= stems.log_probability(word) <= whole.log_probability(word) + 1e-12
        assert none.log_probability(word) > -math.inf
    assert none.log_probability("zzz") == -math.inf < stems.log_probability("zzzz")
    with pytest.raises(SettingsError, match="'all', 'stems' or 'none'"):
        model.to_fst(new="some")


def test_generation_is_the_inverse_of_analysis():
    fst = learnt("infix").to_fst()
    for word in ["unjumped", "stalking"]:
        for analysis in fst.analyse(word, 3):
            [(generated, weight)] = fst.generate(analysis.text)
            assert generated == word and weight == pytest.approx(analysis.weight)
            assert fst.generate(analysis) == fst.generate(analysis.text)
            [(again, _)] = fst.generate(analysis.segmentation)
            assert again == word
    assert fst.generate("walk<nothing>") == [] and fst.generate("walk") == [] and fst.generate("") == []


def test_long_words_do_not_vanish_and_impossible_words_are_impossible():
    model = learnt("concat")
    fst = model.to_fst()
    word = "talking" * 60
    assert fst.log_probability(word) == pytest.approx(model.log_probability(word), rel=1e-9)
    closed = binyan.Morphology(
        Grammar.from_text("@Word -> A B\nA -> 'a' | 'c'\nB -> 'b'\n", "ab"), sweeps=5, seed=1
    ).fit(["ab", "cb"], progress=False)
    shut = closed.to_fst()
    assert shut.log_probability("ax") == -math.inf and shut.analyse("ax") == []
    assert math.exp(shut.log_probability("ab")) + math.exp(shut.log_probability("cb")) == pytest.approx(1.0)


def test_marks_and_right_to_left_letters_stay_whole(tmp_path):
    words = ["כָּתַב", "כָּתְבוּ", "שָׁמַר", "שָׁמְרוּ", "cafe\u0301", "cafe\u0301s"]
    model = binyan.Morphology("concat", sweeps=10, seed=1).fit(words, progress=False)
    fst = model.to_fst()
    assert "e\u0301" in fst.letters and "כָּ" in fst.letters
    fst.save(tmp_path / "a.att")
    again = Transducer.read(tmp_path / "a.att")
    for word in words:
        assert again.log_probability(word) == pytest.approx(model.log_probability(word), abs=1e-9)
        assert "".join(part.text for part in fst.analyse(word, 1)[0].segmentation) == word


def test_too_many_states_are_refused_with_what_to_do():
    model = learnt("root-template-vocalised")
    with pytest.raises(
        SettingsError, match=r"more than 200 states.*would have up to about [\d,]+: .*--states best.*--stems seen"
    ):
        model.to_fst(stems="all", max_states=200)
    with pytest.raises(SettingsError, match="at least one state"):
        model.to_fst(max_states=0)
    with pytest.raises(SettingsError, match="'average' or 'best'"):
        model.to_fst(states="worst")
    with pytest.raises(SettingsError, match="'seen', 'combined' or 'all'"):
        model.to_fst(stems="some")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Word -> 'a' Word 'b' | Stem\n@Stem -> Char+\nChar -> <any>\n", "contains itself"),
        ("Word -> Word Word | Stem\n@Stem -> Char+\nChar -> <any>\n", "contains itself"),
        (
            "Word(ab) -> Root(a,b,b)\nWord -> Char+\n@Root(a,b,c) -> Char(a) Char(b) Char(c)\nChar -> <any>\n",
            "does not show",
        ),
    ],
    ids=["middle", "both", "not shown"],
)
def test_what_no_transducer_can_do_is_refused(text, why):
    model = binyan.Morphology(Grammar.from_text(text, "odd"), sweeps=3, seed=1).fit(["aab", "abab"], progress=False)
    with pytest.raises(SettingsError, match=f"odd cannot be written as a transducer.*{why}.*--format tsv"):
        model.to_fst()


def test_a_grammar_that_is_more_than_its_rules_is_refused(monkeypatch):
    model = learnt("concat")
    log_probability = type(model.posterior).log_probability
    monkeypatch.setattr(type(model.posterior), "log_probability", lambda self, word: log_probability(self, word) - 0.1)
    with pytest.raises(SettingsError, match=r"rules that a transducer does not hold.*1\.11 times"):
        model.to_fst()


def test_att_text(tmp_path):
    model = learnt("affixes")
    fst = model.to_fst()
    fst.save(tmp_path / "a.att")
    lines = (tmp_path / "a.att").read_text().splitlines()
    assert len(lines) == fst.arcs + len(fst.finals)
    assert lines[0].startswith("0\t") and {len(line.split("\t")) for line in lines} == {2, 5}
    assert any(line.split("\t")[2:4] == ["@0@", "<stem>"] for line in lines)
    assert any(line.split("\t")[2:4] == ["@_IDENTITY_SYMBOL_@"] * 2 for line in lines)
    again = Transducer.read(tmp_path / "a.att")
    assert (again.states, again.arcs) == (fst.states, fst.arcs)
    for word in WORDS + UNSEEN:
        assert again.log_probability(word) == pytest.approx(fst.log_probability(word), abs=1e-12)
    fst.save(tmp_path / "g.att", generator=True)
    assert any("<stem>\t@0@" in line for line in (tmp_path / "g.att").read_text().splitlines())


def test_att_text_by_hand(tmp_path):
    path = tmp_path / "hand.att"
    path.write_text("s\tt\ta\ta\nt\tu\t@0@\t<stem>\t0.5\n\nu\t1\n")
    fst = Transducer.read(path)
    assert fst.log_probability("a") == pytest.approx(-1.5) and fst.analyse("a")[0].text == "a<stem>"
    for text, why in [
        ("0\t1\ta\n", ":1: 3 columns"),
        ("0\t1\ta\ta\tx\n", "not 'x'"),
        ("0\tnan\n", "not 'nan'"),
        ("0\t1\ta\tb\n", ":1: an arc of an analyser"),
        ("0\t1\ta\ta\nx\t1\t@0@\t@0@\n", ":2: an arc of an analyser"),
        ("0\t0\t@0@\t<stem>\n", "in a circle"),
        ("", "no transducer"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=why):
            Transducer.read(path)


def test_pyfoma_opens_the_att_file(tmp_path):
    pytest.importorskip("pyfoma")
    model = learnt("concat")
    model.to_fst(states="best").save(tmp_path / "a.att")
    fst = Transducer.read(tmp_path / "a.att")
    theirs = fst.to_pyfoma()
    for word in [*WORDS, "unwalks", "xwalks"]:
        text, cost = next(theirs.generate(word, weights=True))
        assert cost >= -fst.log_probability(word) - 1e-9
        assert text in [a.text for a in fst.analyse(word, 3)]
        assert word in list(theirs.analyze(text))
    model.to_fst().save(tmp_path / "a.foma")
    assert next(type(theirs).load_foma(str(tmp_path / "a.foma"))["binyan"].generate("walks")).endswith(">")


@pytest.mark.parametrize("ending", ["att", "hfst", "hfstol"])
def test_hfst_opens_the_file(tmp_path, ending):
    hfst = pytest.importorskip("hfst")
    fst = learnt("concat").to_fst(states="best")
    path = tmp_path / f"a.{ending}"
    fst.save(path)
    if ending == "att":
        with open(path, encoding="utf-8") as source:
            theirs = hfst.AttReader(source, "@0@").read()
    else:
        theirs = hfst.HfstInputStream(str(path)).read()
    for word in [*WORDS, "unwalks"]:
        text, cost = min(theirs.lookup(word), key=lambda found: found[1])
        assert cost >= -fst.log_probability(word) - 1e-3 and text in [a.text for a in fst.analyse(word, 3)]


def test_openfst(tmp_path):
    pynini = pytest.importorskip("pynini")
    fst = learnt("concat").to_fst(states="best")
    fst.save(tmp_path / "a.fst")
    theirs = pynini.Fst.read(str(tmp_path / "a.fst"))
    assert theirs.num_states() == fst.states


def test_analysis_sides():
    reading = read_tape(["k", "e", "<circ->", "b", "a", "<stem>", "a", "n", "<circ>"])
    assert str(reading.segmentation) == "kean@0,1,4,5/circ ba@2,3/stem"
    for symbols in (["a"], ["a", "<stem->"], [], ["a", "<stem>", "b"]):
        with pytest.raises(InputError, match="not complete"):
            read_tape(symbols)
    with pytest.raises(InputError, match="behind no letters"):
        read_tape(["a", "<stem>", "<suf>"])
