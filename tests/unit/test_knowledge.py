"""What is known before learning: reading it, what contradicts, and what becomes of it in models and commands."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from binyan import Grammar, Morphology
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.grammar.compiled import Compiled
from binyan.morphology.knowledge import (
    Knowledge,
    KnownWord,
    apply_knowledge,
    read_affixes,
    read_known_words,
    read_roots,
)
from binyan.morphology.knowledge.known_words import known_word
from binyan.morphology.knowledge.strength import strength_bits, with_strength
from binyan.morphology.settings import MorphologySettings
from binyan.morphology.word_list import WordList

WORDS = ["walks", "walked", "walking", "talks", "talked", "talking", "jumps", "jumped", "jumping", "stalking"]
QUICK = {"sweeps": 12, "chains": 1, "seed": 3}


def parts(model: Morphology, word: str) -> list[str]:
    return [str(segmentation) for segmentation in model.segmentations(word, 100)]


# Files of known words.


@pytest.mark.parametrize(
    ("analysis", "borders", "labels"),
    [
        ("w/pre ktAb/stem hm/suf", {1: True, 2: False, 3: False, 4: False, 5: True, 6: False}, ["pre", "stem", "suf"]),
        ("w ktAbhm", {1: True, 2: False, 3: False, 4: False, 5: False, 6: False}, []),
        ("w/pre ? hm/suf", {1: True, 5: True, 6: False}, ["pre", "suf"]),
        ("w/pre ktAb/? hm/suf", {1: True, 5: True, 6: False}, ["pre", "suf"]),
        ("? hm/suf", {5: True, 6: False}, ["suf"]),
        ("w|ktA~bhm", {1: True, 4: False}, []),
        ("w/pre ktAb hm/suf;w/pre ktAbhm", {1: True, 2: False, 3: False, 4: False, 6: False}, ["pre"]),
        ("w/pre ktAbhm;w/clitic ktAbhm", {1: True, 2: False, 3: False, 4: False, 5: False, 6: False}, ["pre|clitic"]),
    ],
)
def test_analyses_whole_and_in_part(analysis, borders, labels):
    known = known_word("wktAbhm", analysis)
    assert dict(known.borders) == borders
    assert ["|".join(names) for _, _, names in known.labels] == labels


def test_roots_and_shared_stems():
    assert known_word("ktAb", "_", "ktb;ktA").roots == ("ktb", "ktA")
    assert known_word("ktAb", "=ktAbnA").shares == ("ktAbnA",)
    assert known_word("a=b", "a =b").borders == {1: True, 2: False}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("walks", "wal/stem s/suf"), "do not spell"),
        (("ababa", "? b ?"), "several ways"),
        (("walks", "_", "_"), "nothing is said"),
        (("walks", "?"), "nothing is said"),
    ],
)
def test_rows_that_cannot_be_read_are_named(tmp_path, row, reason):
    path = tmp_path / "known.tsv"
    path.write_text("# comment\ntalks\ttalk s\n" + "\t".join(row) + "\n")
    with pytest.raises(InputError, match=rf"known\.tsv:3: .*({reason})"):
        read_known_words(path)


def test_known_words_from_files_mappings_and_rows_are_the_same(tmp_path):
    path = tmp_path / "known.tsv"
    path.write_text("walks\twalk/stem s/suf\tw\ntalks\t=walks\n")
    rows = [("walks", "walk/stem s/suf", "w"), ("talks", "=walks")]
    read = [
        [replace(word, source="") for word in read_known_words(s)]
        for s in (path, dict((r[0], r[1:]) for r in rows), rows)
    ]
    assert read[0] == read[1] == read[2]
    assert read_known_words([KnownWord("walks", {4: True})])[0].borders == {4: True}
    with pytest.raises(InputError, match="one text"):
        read_known_words(["walks"])


@pytest.mark.parametrize(
    ("line", "role", "pieces"),
    [
        ("w-", "prefix", ("w",)),
        ("-hm", "suffix", ("hm",)),
        ("-um-", "infix", ("um",)),
        ("ke-...-an", "circumfix", ("ke", "an")),
        ("ke-…-an", "circumfix", ("ke", "an")),
        ("-an/suf", "suffix", ("an",)),
        ("Al-/clitic", "clitic", ("Al",)),
        ("ktAb/stem", "stem", ("ktAb",)),
        ("-a/b", "suffix", ("a/b",)),
    ],
)
def test_affixes(line, role, pieces):
    [morpheme] = read_affixes([f"{line}\t7"])
    assert (morpheme.role, morpheme.pieces, morpheme.strength) == (role, pieces, 7)


def test_unreadable_affixes_and_roots_are_named(tmp_path):
    path = tmp_path / "affixes.txt"
    path.write_text("-s\n\nwalk\n")
    with pytest.raises(InputError, match=r"affixes\.txt:3: 'walk' is no affix"):
        read_affixes(path)
    with pytest.raises(InputError, match=r"affixes\[0\].*strength"):
        read_affixes(["-s\tmany"])
    with pytest.raises(InputError, match="no letters"):
        read_roots(["---"])
    assert [(m.role, m.pieces) for m in read_roots({"ktb": 3, "mA-A-": 1})] == [
        ("root", ("ktb",)),
        ("template", ("mA", "A")),
    ]


# Learning.


def test_analyses_agree_with_what_is_known_also_after_saving(tmp_path):
    known = {"walks": "wal/stem ks/suf", "talked": "? d/suf", "jumped": "j|ump~ed", "unheard": "un/pre heard/stem"}
    model = Morphology("concat", known=known, **QUICK).fit(WORDS)
    model.save(tmp_path / "m.model")
    for m in (model, Morphology.load(tmp_path / "m.model")):
        assert parts(m, "walks") == ["wal/stem ks/suf"] and parts(m, "unheard") == ["un/pre heard/stem"]
        assert all(p.endswith(" d/suf") for p in parts(m, "talked"))
        assert all(s.split()[0].startswith("j/") and "mp/" not in s for s in parts(m, "jumped"))
        assert m.knowledge == model.knowledge and str(m.signature()) == str(model.signature())


def test_words_that_share_a_stem_do():
    model = Morphology("concat", known=[("jumps", "=jumping"), ("jumping", "=jumped")], **QUICK).fit(WORDS)
    stems = [[p.text for p in model.segment(w).parts if p.label == "stem"] for w in ("jumps", "jumping", "jumped")]
    assert stems[0] == stems[1] == stems[2]


def test_roots_and_templates():
    words = ["ktAb", "wktAbhm", "ktb", "drs", "dArs", "kAtb"]
    known = {"wktAbhm": ("w/pre ktAb/stem hm/suf", "ktb"), "kAtb": ("_", "ktb")}
    model = Morphology("root-template", known=known, roots=["drs", "-A-"], affix_strength=5, **QUICK).fit(words)
    assert model.roots("wktAbhm") == model.roots("kAtb") == {"ktb": 1.0}
    assert {seed.symbol for seed in model.sampler.applied.seeds} == {"R3", "T1"}


def test_known_morphemes_are_not_counted_among_words():
    plain = Morphology("concat", affixes=["-ed", "-ing"], affix_strength=0, **QUICK).fit(WORDS)
    model = Morphology("concat", affixes=["-ed\t40", "-ing"], affix_strength=20, **QUICK).fit(WORDS)
    assert model.summary()["words"] == plain.summary()["words"] == len(WORDS)
    customers = model.summary()["chains"][0]["customers Suf"]
    assert customers >= 60 and sum(entry.uses for entry in model.lexicon("Suf")) <= len(WORDS)
    assert model.sampler.agreement() == 1


def test_known_affixes_that_no_word_uses_are_said():
    model = Morphology("concat", known={"walks": "walk s"}, affixes=["-s", "-lks"], affix_strength=1, **QUICK)
    model.fit(["walks"])
    assert model.summary()["known"]["never_used"] == ["-lks"] and "never used: -lks" in model.description


def test_strength_is_chosen_on_words_held_back():
    words = WordList.of(
        [stem + end for stem in ("ba", "do", "gu", "ki", "lo", "mi", "na", "po") for end in ("", *"rst", "nd")]
    )
    knowledge = Knowledge(morphemes=tuple(read_affixes(["-nd"])))
    settings = MorphologySettings(seed=1)
    bits = strength_bits(knowledge, Grammar.load("concat"), words, settings, (0, 10))
    assert set(bits) == {0, 10} and all(0 < value < 20 for value in bits.values())
    assert with_strength(knowledge, Grammar.load("concat"), words, settings).strength == 10  # too few words to choose
    given = replace(knowledge, strength=3)
    assert with_strength(given, Grammar.load("concat"), words, settings) is given


# Contradictions.


def contradictions(grammar: str, words: list[str], **given) -> list[str]:
    compiled = Compiled(Grammar.load(grammar), {c for w in words for c in w})
    knowledge = Knowledge(
        tuple(read_known_words(given.get("known", []))), tuple(read_affixes(given.get("affixes", []))), 1
    )
    return [str(c) for c in apply_knowledge(knowledge, compiled, WordList.of(words)).contradictions]


@pytest.mark.parametrize(
    ("grammar", "given", "reason"),
    [
        ("concat", {"known": [("walks", "walk/suf s/stem")]}, r"known\[0\]: walks: the grammar concat cannot derive"),
        (
            "concat",
            {"known": [("walks", "walk s"), ("walks", "wal ks")]},
            r"known\[1\].*disagree on the border.*known\[0\]",
        ),
        ("concat", {"known": [("walks", "_", "wlk")]}, "no symbol with the role root"),
        ("root-template", {"known": [("walks", "_", "wkl")]}, "letters of the root wkl are not in the word"),
        ("root-template", {"known": [("walks", "wa/pre lks/stem", "wlk")]}, "no analysis by the grammar has the root"),
        ("root-template", {"known": [("walks", "_", "wlk"), ("walks", "_", "wls")]}, r"two roots.*known\[0\]"),
        ("concat", {"known": [("walks", "=jumped")]}, "no stem is possible in all of jumped, walks"),
        ("concat", {"known": [("walks", "=flies")]}, "has no word 'flies'"),
        ("concat", {"affixes": ["-wa"]}, "no word can have it"),
        ("concat", {"affixes": ["-xyz"]}, "with the role suffix can derive it"),
        ("concat", {"affixes": ["-l-"]}, "with the role infix can derive it"),
    ],
)
def test_contradictions_are_listed(grammar, given, reason):
    words = ["wa", "lks", "jumped", "walks"] if grammar != "concat" or "affixes" not in given else ["lk", "walks"]
    [listed] = contradictions(grammar, words, **given)
    assert re.search(reason, listed), listed


def test_contradictions_warn_or_stop():
    with pytest.warns(UserWarning, match=r"1 of the things given as known.*\n.*talks"):
        Morphology("concat", known={"walks": "walk s", "talks": "talk/suf s/stem"}, **QUICK).fit(WORDS)
    with pytest.raises(InputError, match="nothing of what is given as known can be used"):
        Morphology("concat", known={"talks": "talk/suf s/stem"}, **QUICK).fit(WORDS)


def test_morphemes_of_strength_0_change_nothing():
    plain = Morphology("concat", **QUICK).fit(WORDS)
    with pytest.warns(UserWarning, match="1 of the things given as known"):
        model = Morphology("concat", affixes=["-ed", "-xyz"], affix_strength=0, **QUICK).fit(WORDS)
    assert (model.trace[0] == plain.trace[0]).all()


def test_knowledge_follows_the_preparation():
    model = Morphology("concat", known={"WALKS": "WALK/stem S/suf"}, lowercase=True, **QUICK).fit(WORDS)
    assert parts(model, "walks") == ["walk/stem s/suf"] and len(model.words) == len(WORDS)


def test_labels_that_the_grammar_does_not_have_are_left_open():
    model = Morphology("concat", known={"walks": "walk/verb s/inflection"}, **QUICK).fit(WORDS)
    assert {len(s.split()) for s in parts(model, "walks")} == {2}


# Resuming, parameters, and the command.


def test_resuming_compares_what_is_known(tmp_path):
    given = {"known": {"walks": "walk s"}, "affixes": ["-ed"], "affix_strength": 4, "seed": 3, "chains": 1}
    whole = Morphology("concat", sweeps=14, burn_in=12, **given).fit(WORDS)
    path = tmp_path / "m.model"
    Morphology("concat", sweeps=8, burn_in=7, **given).fit(WORDS, checkpoint=path).save(path)
    resumed = Morphology("concat", sweeps=14, burn_in=12, **given).fit(WORDS, checkpoint=path, resume=True)
    assert (whole.trace[0] == resumed.trace[0]).all()
    with pytest.raises(SettingsError, match="other knowledge"):
        Morphology("concat", sweeps=14, **{**given, "known": {"walks": "wal ks"}}).fit(
            WORDS, checkpoint=path, resume=True
        )
    with pytest.raises(SettingsError, match="other knowledge"):
        Morphology("concat", sweeps=14, **{**given, "affix_strength": 5}).fit(WORDS, checkpoint=path, resume=True)


def test_parameters_and_bounds():
    model = Morphology("concat", affixes=["-s"], affix_strength=3)
    assert model.get_params()["affixes"] == ["-s"]
    assert model.set_params(affixes=["-ed"]).knowledge.morphemes[0].pieces == ("ed",)
    with pytest.raises(SettingsError, match="strength of known morphemes"):
        Morphology("concat", affix_strength=-1)


def test_command(tmp_path):
    (tmp_path / "words.txt").write_text("\n".join(WORDS))
    (tmp_path / "known.tsv").write_text("walks\twal/stem ks/suf\t_\n")
    (tmp_path / "affixes.txt").write_text("-ed\t2\nre-\n")
    (tmp_path / "letters.txt").write_text("vowel a e i o u\n")
    (tmp_path / "roots.txt").write_text("wlk\n")
    paths = {
        name: str(tmp_path / f"{name}.{end}")
        for name, end in [("known", "tsv"), ("affixes", "txt"), ("letters", "txt")]
    }
    options = [x for name, path in paths.items() for x in (f"--{name}", path)]
    out = str(tmp_path / "m.model")
    arguments = ["morph", "learn", str(tmp_path / "words.txt"), "--out", out, "--sweeps", "10", "--affix-strength", "3"]
    result = CliRunner().invoke(app, [*arguments, *options, "--json", "--quiet"])
    assert result.exit_code == 0, result.output
    known = json.loads(result.output[result.output.index("{") :])["known"]
    assert known["words"] == 1 and known["strength"] == 3 and "affixes.txt:2: re-" in known["contradictions"][0]
    model = Morphology.load(out)
    assert parts(model, "walks") == ["wal/stem ks/suf"] and model.grammar.letters["vowel"] == tuple("aeiou")
