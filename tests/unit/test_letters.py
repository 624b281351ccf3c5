"""Letters: digraphs and profiles, syllables taken apart, tones as a tier; stored, and applied on every way in."""

from __future__ import annotations

import random
import unicodedata
from itertools import product

import pytest
from typer.testing import CliRunner

from binyan import Morphology
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.grammar.notation import load_grammar
from binyan.grammar.parser import Parser
from binyan.grammar.tree_segments import segmentation
from binyan.morphology.transducer import TransducerSettings, build_transducer
from binyan.morphology.word_reading import mixed_marks
from binyan.text.digraphs import find_digraphs
from binyan.text.letters import TONES, Letters, read_profile
from binyan.text.syllables import ETHIOPIC_BLOCKS, HANGUL_SYLLABLES, put_together, take_apart

ETHIOPIC = [chr(c) for block in ETHIOPIC_BLOCKS for c in block if unicodedata.name(chr(c), "")]


# Syllables.


def test_every_ethiopic_syllable_is_put_together_again():
    syllables = [c for c in ETHIOPIC if unicodedata.name(c).startswith("ETHIOPIC SYLLABLE")]
    assert len(syllables) > 400
    parts = {c: take_apart(c) for c in ETHIOPIC}
    assert all(put_together(apart) == c for c, apart in parts.items())
    assert len(set(parts.values())) == len(parts)
    whole = [c for c in syllables if len(parts[c]) == 1 and not unicodedata.name(c).endswith("E")]
    assert len(whole) < 20, [unicodedata.name(c) for c in whole]


def test_every_pair_of_common_syllables_is_put_together_again():
    common = [chr(c) for c in range(0x1200, 0x1360) if unicodedata.name(chr(c), "").startswith("ETHIOPIC SYLLABLE")]
    for first, second in product(common[::3], common):
        assert put_together(take_apart(first + second)) == first + second


def test_every_hangul_syllable_is_put_together_again():
    for code in HANGUL_SYLLABLES:
        assert put_together(take_apart(chr(code))) == chr(code)
    assert put_together(take_apart("가나간아")) == "가나간아" and len(take_apart("한국")) == 6


@pytest.mark.parametrize(
    ("word", "apart"), [("ከተበ", "ክäትäብä"), ("ኳ", "ኰ"), ("ቋ", "ቍa"), ("ክäብ", "ክäብ"), ("kätäb", "kätäb"), ("é", "é")]
)
def test_words_are_taken_apart(word, apart):
    if word != "ኳ":
        assert take_apart(word) == apart
    assert take_apart(take_apart(word)) == take_apart(word)


def test_roots_of_ethiopic_words_are_consonants(tmp_path):
    roots, templates = (
        ("ስብር", "ክትብ", "ንግር", "ፍልግ", "ድርስ", "ግድል"),
        ("{}ä{}ä{}ä", "{}ä{}i{}", "m{}ä{}{}".replace("m", "ም")),
    )
    words = [put_together(t.format(*r)) for r in roots for t in templates]
    model = Morphology("root-template", syllables=True, sweeps=60, seed=1).fit(words)
    assert all(len(model.words.atoms(w)) > 4 for w in model.words.words)
    model.save(tmp_path / "m")
    loaded = Morphology.load(tmp_path / "m")
    assert loaded.words.letters == Letters(syllables=True)
    for word in words:
        assert loaded.root(word, 3) == model.root(word, 3)
        text = "".join(part.text for part in loaded.segment(word).contiguous())
        assert put_together(text) == word
    assert loaded.log_probability("ከተበ") > loaded.log_probability("ቦቦቦ")


# Digraphs and profiles.


def test_digraphs_are_letters():
    letters = Letters(("sh", "ts", "tsh"))
    assert letters.atoms("tshashts") == ["tsh", "a", "sh", "ts"]
    assert letters.atoms("sh\u0323a") == ["s", "h\u0323", "a"], "a mark belongs to its letter"
    assert letters.atoms("Sha") == ["S", "h", "a"]


def test_digraphs_are_found():
    vowels = "aeiou"
    plain = [f"{c}{v}{d}{w}" for c, d in product("ptkslmnbdg", repeat=2) for v, w in product(vowels, repeat=2)]
    with_digraphs = [f"{c}h{v}{d}{w}" for c, d in product("sc", "ptkm") for v, w in product(vowels, repeat=2)]
    with_digraphs += [f"{d}{v}{c}h{w}" for c, d in product("sc", "ptkm") for v, w in product(vowels, repeat=2)]
    found = [d.text for d in find_digraphs(plain + with_digraphs)]
    assert sorted(found) == ["ch", "sh"]
    assert find_digraphs(plain) == []


def test_a_rare_pair_of_an_affix_is_none():
    words = [f"{c}{v}{d}zx" for c, d in product("ptk", repeat=2) for v in "aei"]
    assert find_digraphs(words) == [], "zx comes at the end only"


def test_digraphs_are_one_letter_of_a_root(tmp_path):
    """Made-up roots in four templates: all are found with the digraphs as letters, less than half without."""
    draw = random.Random(1)
    consonants = ["sh", "th", "k", "b", "d", "r", "g", "l", "n", "p", "z", "m"]
    roots = [tuple(draw.sample(consonants, 3)) for _ in range(30)]
    words = {t.format(*r): "".join(r) for r in roots for t in ("{}a{}a{}", "{}o{}e{}", "{}i{}u{}", "ya{}{}u{}")}
    hits = []
    for digraphs in (None, "sh,th"):
        model = Morphology("root-template", digraphs=digraphs, sweeps=60, seed=1).fit(list(words))
        model.save(tmp_path / "m")
        loaded = Morphology.load(tmp_path / "m")
        assert loaded.words.letters.graphemes == (("sh", "th") if digraphs else ())
        hits.append(sum(loaded.root(word, 3) == root for word, root in words.items()) / len(words))
        for word in words:
            assert "".join(p.text for p in loaded.segment(word).contiguous()) == word
    assert hits[0] < 0.5 and hits[1] > 0.9
    assert loaded.root("bashuk", 3) in ("bshk", None) and loaded.log_probability("bashuk") > loaded.log_probability(
        "khsuba"
    )


def test_positions_of_parts_are_characters():
    from binyan.grammar.tree import Leaf, Tree

    tree = Tree("W", (Tree("R3", (Leaf(0, "sh"), Leaf(2, "m"))), Tree("T2", (Leaf(1, "a"), Leaf(3, "ts")))))
    parts = segmentation(tree, {"R3": "root", "T2": "template"})
    assert str(parts) == "shm@0,1,3/root ats@2,4,5/template" and parts.word == "shamts"


def test_profiles_are_read(tmp_path):
    path = tmp_path / "profile.tsv"
    path.write_text("Grapheme\tIPA\n^\tNULL\nsh\tʃ\ns\ts\na\ta\n", encoding="utf-8")
    assert read_profile(path) == ("sh", "s", "a")
    path.write_text("# mine\nsh\ns\n", encoding="utf-8")
    assert read_profile(path) == ("sh", "s")
    path.write_text("sh\tʃ\n", encoding="utf-8")
    with pytest.raises(InputError, match="names one of them Grapheme"):
        read_profile(path)
    path.write_text("sh\na\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="the profile lacks 1 letters of the words, which are taken as they are: k"):
        model = Morphology("concat", profile=path, sweeps=3).fit(["sha", "shaka", "ka"])
    assert model.words.atoms("shaka") == ["sh", "a", "k", "a"]


def test_bad_digraphs_are_refused():
    with pytest.raises(SettingsError, match="separated by commas"):
        Morphology("concat", digraphs="sh,,ch", sweeps=3).fit(["sha"])


def test_the_command_finds_digraphs_and_says_so(tmp_path):
    path = tmp_path / "words"
    vowels = "aeiou"
    words = [f"{c}h{v}{d}{w}" for c, d in product("sc", "ptkm") for v, w in product(vowels, repeat=2)]
    words += [f"{d}{v}{c}h{w}" for c, d in product("sc", "ptkm") for v, w in product(vowels, repeat=2)]
    path.write_text("\n".join(words + [f"{c}{v}s{w}" for c in "ptkm" for v, w in product(vowels, repeat=2)]))
    options = ["--sweeps", "3", "-g", "concat", "--digraphs", "auto"]
    run = CliRunner().invoke(app, ["morph", "learn", str(path), "-o", str(tmp_path / "m"), *options])
    assert run.exit_code == 0 and "digraphs found, each one letter from here on: " in run.output
    assert "sh" in Morphology.load(tmp_path / "m").words.letters.graphemes


# Tones and marks.


@pytest.mark.parametrize("word", ["bákà", "ǘma", "ẹ̀kọ́", "ǹ", "kɔ̂m", "plain"])
def test_tones_come_back(word):
    letters = Letters(tones=True)
    word = unicodedata.normalize("NFC", word)
    apart = letters.take_apart(word)
    assert letters.put_together(apart) == word and letters.take_apart(apart) == apart
    assert all(atom in TONES or not set(atom) & TONES for atom in letters.atoms(apart))


def test_melodies_are_found(tmp_path):
    segments = ("b{}k{}", "t{}l{}", "s{}m{}", "d{}n{}", "l{}g{}", "k{}p{}")
    melodies = (("á", "à"), ("á", "á"), ("à", "á"))
    words = [unicodedata.normalize("NFC", s.format(*m)) for s in segments for m in melodies]
    model = Morphology("tone", tones=True, sweeps=100, seed=1).fit(words)
    model.save(tmp_path / "m")
    loaded = Morphology.load(tmp_path / "m")
    assert not loaded.unparsable
    melody = {e.strings for e in loaded.lexicon("Mel2")}
    assert melody <= set(product("\u0300\u0301", repeat=2)) and len(melody) >= 3
    hits = sum(
        loaded.root(word) == "".join(c for c in unicodedata.normalize("NFD", word) if c not in TONES) for word in words
    )
    assert hits >= 12
    assert "".join(p.text for p in loaded.segment(words[0]).contiguous()) in (
        words[0],
        Letters(tones=True).take_apart(words[0]),
    )


def test_the_tones_of_the_grammar_are_those_of_the_letters():
    grammar = load_grammar("tone")
    [tone] = {rule.rhs[0] for rule in grammar.rules if rule.lhs == "Mel1"}
    assert {rule.arguments[0][0] for rule in grammar.rules if rule.lhs == tone} == TONES
    parser = Parser(grammar, alphabet=["b", "a", "\u0301"])
    assert parser.derivations("ba") > 0


def test_abjads_with_and_without_marks_are_said():
    assert (
        mixed_marks(["كتب", "درس"]) is None and mixed_marks(["כָּתַב"]) is None and mixed_marks(["walk", "naïve"]) is None
    )
    with pytest.warns(UserWarning, match="2 of 4 words have vowel marks and the others none: with --strip-marks"):
        Morphology("concat", sweeps=3).fit(["كَتَبَ", "كتب", "دَرَسَ", "درس"])
    stripped = Morphology("concat", sweeps=3, strip_marks=True).fit(["كَتَبَ", "كتب", "دَرَسَ", "درس"])
    assert stripped.words.words == ("كتب", "درس")


def test_a_transducer_is_refused():
    model = Morphology("concat", digraphs="sh", sweeps=3).fit(["sha", "shaka", "ka"])
    with pytest.raises(SettingsError, match="a transducer reads words character by character"):
        build_transducer(model.posterior, TransducerSettings())
