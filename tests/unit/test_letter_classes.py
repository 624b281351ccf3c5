"""Named classes of letters in grammars."""

from __future__ import annotations

import pytest

from binyan import Grammar, Morphology
from binyan.errors import GrammarError, InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.letters import read_letters
from binyan.grammar.notation import examine_grammar
from binyan.grammar.parser import Parser
from binyan.morphology.storage import grammar_fields, grammar_of

TEXT = """
Word -> Syllable+
@Syllable -> C V
C -> <consonant> [w=0.5]
V -> <vowel>
"""


def terminals(grammar: Grammar, symbol: str) -> set[str]:
    return {rule.arguments[0][0] for rule in grammar.rules if rule.lhs == symbol}


def test_classes_are_filled_with_those_of_their_letters_that_occur():
    grammar = Grammar.from_text(TEXT).with_letters({"vowel": "aeiou"})
    filled = Compiled(grammar, "bdai").grammar
    assert terminals(filled, "V") == {"a", "i"}
    assert terminals(filled, "C") == {"b", "d"}


def test_consonants_can_be_given_apart():
    grammar = Grammar.from_text(TEXT).with_letters({"vowel": "ay", "consonant": "by"})
    filled = Compiled(grammar, "abdy").grammar
    assert terminals(filled, "C") == {"b", "y"} and terminals(filled, "V") == {"a", "y"}


def test_words_that_break_the_classes_have_no_parse():
    parser = Parser(Grammar.from_text(TEXT).with_letters({"vowel": "ai"}), ["badi"])
    assert parser.derivations("badi") == 1 and parser.derivations("abid") == 0


def test_a_grammar_may_give_its_letters_itself():
    grammar = Grammar.from_text(TEXT + "letters vowel a e io\n")
    assert grammar.letters == {"vowel": ("a", "e", "i", "o")}
    assert grammar.letter_classes == {"vowel", "consonant"}


def test_letters_missing_for_a_class_are_named():
    with pytest.raises(GrammarError, match="<consonant>.*--letters"):
        Compiled(Grammar.from_text(TEXT), "ab")
    with pytest.raises(GrammarError, match="no letter of the class <vowel>"):
        Compiled(Grammar.from_text(TEXT).with_letters({"vowel": "xz", "consonant": "b"}), "ab")


@pytest.mark.parametrize("line", ["letters", "letters vowel", "letters 5 a b", "letters any a"])
def test_unusable_lines_of_a_grammar_are_reported(line):
    _, problems = examine_grammar(TEXT + line, thorough=False)
    assert [p.code for p in problems if p.severity == "error"] == ["letters"]


def test_rules_print_as_they_were_written():
    assert str(Grammar.from_text(TEXT).rules[-1]) == "V -> <vowel>"


def test_a_file_of_classes(tmp_path):
    path = tmp_path / "letters.txt"
    path.write_text("# Arabic\nvowel: a i u\nweak w y\nweak A\n")
    assert read_letters(path) == {"vowel": ("a", "i", "u"), "weak": ("w", "y", "A")}
    path.write_text("vowel\n")
    with pytest.raises(InputError, match=r"letters\.txt:1"):
        read_letters(path)
    with pytest.raises(InputError, match="no class of letters"):
        path.write_text("# nothing\n")
        read_letters(path)


def test_letters_are_part_of_what_a_model_keeps():
    grammar = Grammar.from_text(TEXT).with_letters({"vowel": "aeiou"})
    assert grammar_of(grammar_fields(grammar)).same_rules(grammar)
    assert not grammar.same_rules(grammar.with_letters({"vowel": "a"}))
    assert "letters" not in grammar_fields(Grammar.from_text(TEXT))


def test_learning_and_unseen_letters(tmp_path):
    grammar = Grammar.from_text(TEXT).with_letters({"vowel": "aeiou"})
    model = Morphology(grammar, sweeps=5, chains=1).fit(["badi", "dabi", "baba"])
    model.save(tmp_path / "m.model")
    again = Morphology.load(tmp_path / "m.model")
    assert [str(again.segment(w)) for w in ("badi", "fada")] == ["ba/Syllable di/Syllable", "fa/Syllable da/Syllable"]
    assert again.log_probability("bdai") == float("-inf")


def test_strong_letters_are_the_consonants_that_are_not_weak():
    text = "Word -> S | W\nS -> <strong>\nW -> <weak>\n"
    filled = Compiled(Grammar.from_text(text).with_letters({"vowel": "A", "weak": "wy"}), "Abktw").grammar
    assert terminals(filled, "S") == {"b", "k", "t"} and terminals(filled, "W") == {"w"}
    with pytest.raises(GrammarError, match="<strong>.*--letters"):
        Compiled(Grammar.from_text("Word -> <strong>").with_letters({"vowel": "A"}), "Ab")
