"""Grammars as text: round trips in cdec's and Moses's formats, broken lines named, packed files."""

from itertools import pairwise

import numpy as np
import pytest

from binyan import model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.translation import Alignments, Bitext, ExtractionLimits, RuleTable, extract_rules, read_rules, write_rules

BITEXT = Bitext(
    [["das", "haus", "ist", "klein"], ["das", "kleine", "haus"], [], ["ist", "das", "klein"]],
    [["the", "house", "is", "small"], ["the", "small", "house"], [], ["is", "the", "small"]],
)
ALIGNMENTS = Alignments.of([[(0, 0), (1, 1), (2, 2), (3, 3)], [(0, 0), (1, 1), (2, 2)], [], [(0, 0), (1, 1), (2, 2)]])


@pytest.fixture(scope="module")
def grammar():
    return extract_rules(BITEXT, ALIGNMENTS)


def as_dict(grammar, features=None):
    names = features or grammar.features
    columns = [grammar.features.index(n) for n in names]
    return {(r.source, r.target): np.round(r.features[columns], 4).tolist() for r in grammar.rules()}


def test_a_worked_example(grammar):
    rules = as_dict(grammar)
    assert (("das", "haus"), ("the", "house")) in rules
    assert (("das", 1, "ist"), ("the", 1, "is")) in rules
    assert ((1, "ist", 2), (1, "is", 2)) in rules
    assert not any(len(s) > 5 or (1, 2) in pairwise(s) for s, _ in rules)
    # "das" is always "the".
    assert rules[("das",), ("the",)][0] == 0 and rules[("das",), ("the",)][2] == 0


@pytest.mark.parametrize("format", ["cdec", "moses"])
def test_text_round_trip(grammar, format, tmp_path):
    assert write_rules(grammar, tmp_path / "g", format) == len(grammar)
    again = read_rules(tmp_path / "g", format)
    features = again.features
    ours, theirs = as_dict(grammar, features), as_dict(again)
    assert ours.keys() == theirs.keys()
    for rule in ours:
        np.testing.assert_allclose(ours[rule], theirs[rule], atol=2e-4)


def test_packed_round_trip(grammar, tmp_path):
    grammar.save(tmp_path / "g")
    again = RuleTable.load(tmp_path / "g")
    assert as_dict(again) == as_dict(grammar) and str(again.signature()) == str(grammar.signature())
    model_file.save(tmp_path / "other", "toy", {}, {})
    with pytest.raises(ModelFileError, match="'toy'"):
        RuleTable.load(tmp_path / "other")
    file = model_file.load(tmp_path / "g")
    wrong = {**file.sections, "first_child": file.array("first_child")[:-1]}
    model_file.save(tmp_path / "damaged", file.kind, file.meta, wrong)
    with pytest.raises(ModelFileError, match="damaged.*first_child"):
        RuleTable.load(tmp_path / "damaged")


CDEC = "[X] ||| a [X,1] b ||| B [X,1] ||| f=0.5"
MOSES = "a [X][X] b [X] ||| B [X][X] [X] ||| 0.5 0.5 0.5 0.5 ||| 1-1 2-0 ||| 1 1 1"


@pytest.mark.parametrize(
    ("format", "line", "message"),
    [
        ("cdec", "[X] ||| a b", "fields"),
        ("cdec", "[NP] ||| a ||| b ||| f=1", "left-hand side"),
        ("cdec", "[X] ||| a [X,1] ||| b ||| f=1", "different gaps"),
        ("cdec", "[X] ||| a ||| b ||| f", "not name=value"),
        ("cdec", "[X] ||| a ||| b ||| f=x", "not a number"),
        ("cdec", "[X] ||| a ||| b ||| f=nan", "not a finite number"),
        ("cdec", "[X] ||| [X,1] ||| [X,1] b ||| f=1", "no word"),
        ("cdec", "[X] ||| a [X,1] b [X,2] c [X,3] ||| [X,1] [X,2] [X,3] ||| f=1", "more than two gaps"),
        ("cdec", "[X] ||| a ||| ||| f=1", "target side is empty"),
        ("moses", "a b ||| c ||| 0.5 0.5 0.5 0.5", "left-hand side"),
        ("moses", "a [X] ||| c [X] ||| 0.5 0.5", "2 scores"),
        ("moses", "a [X] ||| c [X] ||| 0.5 0.5 0.5 0", "not a probability"),
        ("moses", "a [X][X] [X] ||| c [X][X] [X] ||| 0.5 0.5 0.5 0.5 ||| ", "one to one"),
        ("moses", "a [X][X] [X] ||| c [X][X] [X] ||| 0.5 0.5 0.5 0.5 ||| 0-1 1-0", "joins a gap and a word"),
    ],
)
def test_a_broken_line_is_named(tmp_path, format, line, message):
    (tmp_path / "g").write_text(f"{CDEC if format == 'cdec' else MOSES}\n{line}\n")
    with pytest.raises(InputError, match=rf"g:2: .*{message}"):
        read_rules(tmp_path / "g", format)


def test_glue_rules_are_left_out_and_gaps_renumbered(tmp_path):
    (tmp_path / "g").write_text("[S] ||| [X,1] ||| [X,1] ||| Glue=1\n[X] ||| [X,2] a [X,1] ||| [X,1] A [X,2] ||| f=1\n")
    assert [(r.source, r.target) for r in read_rules(tmp_path / "g").rules()] == [((1, "a", 2), (2, "A", 1))]


def test_limits(tmp_path, grammar):
    frequent = extract_rules(BITEXT, ALIGNMENTS, ExtractionLimits(min_count=2))
    gapped = [r for r in frequent.rules() if 1 in r.source]
    assert all(r.features[4] > 0 for r in gapped) and len(frequent) < len(grammar)
    with pytest.raises(SettingsError, match="gaps"):
        ExtractionLimits(max_gaps=3)
    with pytest.raises(InputError, match="3 alignments for 4"):
        extract_rules(BITEXT, Alignments.of([[], [], []]))
    with pytest.raises(InputError, match="no alignment"):
        extract_rules(BITEXT, [])
    with pytest.raises(InputError, match="sentence pair 1: link 9-0 points outside"):
        extract_rules(BITEXT, Alignments.of([[(9, 0)], [], [], []]))
    with pytest.raises(SettingsError, match="cdec or moses"):
        write_rules(grammar, tmp_path / "g", "joshua")
