"""Grammars of MorphAGram and py-cfg as they are: hexadecimal terminals, marks at the edges of words, seeds, repeated rules."""

from __future__ import annotations

import math

import pytest
from typer.testing import CliRunner

from binyan import Morphology
from binyan.cli import app
from binyan.grammar import check_grammar
from binyan.grammar.morphagram import decoded, decoded_word, morph_roles
from binyan.grammar.notation import examine_grammar, read_grammar
from binyan.grammar.parser import Parser


def hexadecimal(text):
    return " ".join(char.encode("utf-16").hex() for char in text)


RULES = """1 1 Word --> Prefix Stem Suffix

Prefix --> ^^^
Prefix --> ^^^ PrefixMorphs
1 1 PrefixMorphs --> PrefixMorph PrefixMorphs
1 1 PrefixMorphs --> PrefixMorph
PrefixMorph --> SubMorphs
Stem --> SubMorphs
Suffix --> $$$
Suffix --> SuffixMorphs $$$
1 1 SuffixMorphs --> SuffixMorph SuffixMorphs
1 1 SuffixMorphs --> SuffixMorph
SuffixMorph --> SubMorphs
1 1 SubMorphs --> SubMorph SubMorphs
1 1 SubMorphs --> SubMorph
SubMorph --> Chars
1 1 Chars --> Char
1 1 Chars --> Char Chars
"""
LETTERS = "".join(f"1 1 Char --> {hexadecimal(c)}\n" for c in "abdeiknsш")
SMALL = "1 1 Word --> Prefix Stem\nPrefix --> ^^^\nPrefix --> ^^^ Char\nStem --> Chars\n1 1 Chars --> Char\n1 1 Chars --> Char Chars\n"


@pytest.mark.parametrize(("token", "char"), [("fffe3004", "а"), ("fffe3dd800de", "😀"), ("fffe", None), ("face", None)])
def test_tokens_are_decoded(token, char):
    assert decoded(token) == char


def test_words_are_decoded_with_their_marks():
    assert decoded_word(f"^^^ {hexadecimal('шаг')} $$$") == "шаг"
    assert decoded_word("^^^ walk $$$") is None and decoded_word("^^^ $$$") is None


@pytest.mark.parametrize("text", [RULES + LETTERS, RULES], ids=["with letters", "open"])
def test_a_grammar_derives_words_as_they_are_written(text):
    grammar = read_grammar(text)
    parser = Parser(grammar, ["askинш", "abdeiknsш"] if grammar.open_terminals else [])
    word = "bandes"
    assert parser.derivations(word) > 0
    tree = parser.best(word)[0].tree
    assert tree.word() == word and [leaf.position for leaf in tree.leaves()] == list(range(6))
    assert set(grammar.adapted) == {"Prefix", "Stem", "Suffix", "PrefixMorph", "SuffixMorph", "SubMorph"}


def test_no_prefix_is_a_prefix_of_its_own():
    """P(word) by hand: a prefix is nothing or one letter, each with probability one half, before anything is learnt."""
    grammar = read_grammar(SMALL + "".join(f"1 1 Char --> {hexadecimal(c)}\n" for c in "ab"))
    # Of n letters: 1/2^n letters, and Chars of length m with (1/2)^m: ab by (nothing, ab) and by (a, b).
    expected = 0.5 * 0.25 * 0.25 + 0.5 * 0.25 * 0.5
    parser = Parser(grammar)
    assert parser.derivations("ab") == 2
    assert math.exp(parser.log_inside("ab")) == pytest.approx(expected)
    assert sorted(p.tree.discbracket() for p in parser.best("ab", 2)) == [
        "(Word (Prefix (Char 0=a)) (Stem (Chars (Char 1=b))))",
        "(Word (Stem (Chars (Char 0=a) (Chars (Char 1=b)))))",
    ]


def test_marks_do_not_fill_in_open_terminals():
    parser = Parser(read_grammar(SMALL), ["ab"])
    assert parser.compiled.grammar.rules_of["Char"] and len(parser.compiled.grammar.rules_of["Char"]) == 2


def test_seeds_follow_py_cfg():
    seeds = f"1 1 SuffixMorph --> {hexadecimal('ed')}\n" * 2 + f"5 1 SuffixMorph --> {hexadecimal('s')}\n"
    grammar, problems = examine_grammar(RULES + seeds + LETTERS)
    assert {p.severity for p in problems} == {"warning"} and {p.code for p in problems} >= {"repeated", "settings"}
    assert "SuffixMorph" not in grammar.adapted
    weights = {rule.arguments[0]: rule.weight for rule in grammar.rules if rule.lhs == "SuffixMorph" and not rule.rhs}
    assert weights == {("e", "d"): 2.0, ("s",): 5.0}


def test_morphs_are_what_words_are_split_on():
    assert morph_roles(["Prefix", "PrefixMorph", "Stem", "Suffix"]) == {
        "PrefixMorph": "prefix",
        "Stem": "stem",
        "Suffix": "suffix",
    }
    assert morph_roles(["Pre", "Stem"]) is None


def test_words_are_learnt_saved_and_segmented(tmp_path):
    grammar, words, model = (tmp_path / name for name in ("grammar.txt", "words.txt", "model"))
    grammar.write_text(RULES + "".join(f"1 1 Char --> {hexadecimal(c)}\n" for c in "abdegiklnstuw"))
    listed = [stem + end for stem in ("walk", "talk", "land", "sail") for end in ("s", "ed", "ing", "")]
    words.write_text("".join(f"^^^ {hexadecimal(word)} $$$\n" for word in listed))
    with pytest.warns(UserWarning, match="read as hex"):
        learnt = Morphology(grammar, sweeps=20, seed=1).fit(words)
    learnt.save(model)
    loaded = Morphology.load(model)
    assert loaded.words.words == tuple(listed)
    for m in (learnt, loaded):
        for word in ("walked", "sailing", "wails"):
            segmentation = m.segment(word)
            assert "".join(p.text for p in segmentation) == word and {p.label for p in segmentation} <= {
                "pre",
                "stem",
                "suf",
            }
        assert m.log_probability("walked") > m.log_probability("dlawek") > -math.inf
    assert all("\x02" not in s and "\x03" not in s for entry in learnt.lexicon("Suffix") for s in entry.strings)


def test_words_that_are_not_derived_are_said(tmp_path):
    grammar, words = tmp_path / "g.txt", tmp_path / "words.txt"
    grammar.write_text(RULES + LETTERS)
    report = check_grammar(grammar, ["xyz", "zzz"])
    assert [p.code for p in report.problems] == ["derives-none"] and "no terminal for x y z" in str(report)
    assert [p.code for p in check_grammar(grammar, ["band", "zzz"]).problems] == ["derives-some"]
    assert not check_grammar(grammar, ["band", "side"]).problems
    words.write_text("xyz\n")
    run = CliRunner().invoke(app, ["grammar", "check", str(grammar), "--words", str(words), "--strict"])
    assert run.exit_code != 0 and "derives none of 1 words" in run.stdout
