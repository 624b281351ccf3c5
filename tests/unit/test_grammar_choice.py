"""The grammar is chosen by words held back: the right kind on made-up lists, with evidence that is kept."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.grammar.composition import Recipe, candidates, string_rules
from binyan.grammar.letter_classes import letter_classes
from binyan.grammar.notation import examine_grammar, load_grammar, read_grammar
from binyan.morphology import Choice, WordList, choose
from binyan.morphology.border_agreement import border_f1, wholly_analysed
from binyan.morphology.choice import compose
from binyan.morphology.choice_search import Round, Standing, close_to, paired_difference, survivors
from binyan.morphology.grammar_trial import learn_briefly, splits_of
from binyan.morphology.knowledge import KnownWord
from binyan.text.vowels import vowels
from reference import made_up_languages as languages

QUICK = (Round(250, 1, 15, 4), Round(250, 3, 30))
SHORT = (Round(100, 1, 4),)
WHOLE_STEMS = tuple(recipe for recipe in candidates() if recipe.stem == "plain")
FEW = (Recipe("plain", "one"), Recipe("plain", "sequences"), Recipe("root", "one"))


@pytest.fixture(scope="module")
def templatic() -> Choice:
    return choose(languages.templatic(), rounds=QUICK)


def test_roots_and_templates_are_chosen_where_words_have_them(templatic):
    assert templatic.name.startswith("root+")
    best_other = min((row for row in templatic.table if not row.name.startswith("root")), key=lambda row: row.behind)
    assert best_other.behind > 2 * best_other.error > 0
    assert templatic.table[0].behind == 0.0 and templatic.table[0].round == 2
    assert len(templatic.table) == len(candidates())


def test_suffixes_alone_are_chosen_where_words_have_no_prefixes():
    choice = choose(languages.suffixing(), rounds=QUICK, recipes=WHOLE_STEMS)
    assert choice.name.startswith("plain+suffixes")
    assert "role suffix Suf" in choice.grammar and "Pre" not in choice.grammar


def test_prefixes_alone_are_chosen_where_words_have_no_suffixes():
    choice = choose([word[::-1] for word in languages.suffixing()], rounds=QUICK, recipes=WHOLE_STEMS)
    assert choice.name == "plain+prefixes" and "Suf" not in choice.grammar


def test_infixes_are_chosen_where_words_have_them():
    assert choose(languages.infixing(), rounds=QUICK).name.startswith("infix+")


def test_the_runner_up_is_named_with_what_it_sees_differently(templatic):
    text = str(templatic)
    assert templatic.runner_up in text and f"What {templatic.runner_up} sees differently:" in text
    assert all(d.chosen != d.runner_up for d in templatic.differences) and templatic.differences


def test_the_same_seed_gives_the_same_choice_at_any_number_of_threads():
    words = languages.suffixing(120)
    one, two = (choose(words, rounds=SHORT, recipes=FEW, threads=n, seed=5) for n in (1, 2))
    assert one.table == two.table and one.grammar == two.grammar and one.differences == two.differences


def test_a_close_call_is_said_and_the_simpler_preferred():
    choice = choose(languages.unrelated(), rounds=(Round(120, 2, 20),))
    assert choice.name == "plain+none" and "no parts that recur" in choice.reason


def test_few_words_are_said_to_be_too_few():
    choice = choose(languages.suffixing(10))
    assert "10 words are too few" in choice.reason and choice.table == ()
    assert read_grammar(choice.grammar).start == "Word"


def test_words_of_one_letter_are_handled():
    choice = choose(
        [chr(code) for code in range(ord("a"), ord("a") + 26)] + [f"{c}{c}" for c in "abcdefghijklmnopqrst"],
        rounds=SHORT,
    )
    assert choice.name.startswith("plain+")


def test_words_that_no_candidate_derives_are_refused():
    only_roots = Recipe("infix", "none")
    with pytest.raises(InputError, match="name a grammar"):
        choose([chr(0x4E00 + i) for i in range(60)], recipes=[only_roots], rounds=SHORT)


def test_analysed_words_decide():
    words = languages.suffixing(200)
    whole = {word: word for word in words[:40]}
    recipes = [Recipe("plain", "none"), Recipe("plain", "sequences")]
    plan = (Round(200, 1, 10),)
    assert choose(words, recipes=recipes, rounds=plan).name == "plain+sequences"
    decided = choose(words, known=whole, recipes=recipes, rounds=plan)
    assert decided.name == "plain+none" and "analysed words" in decided.reason
    assert {row.f1 for row in decided.table} >= {100.0}


def test_analysed_words_that_no_split_holds_back_count_too():
    words = languages.suffixing(200)
    recipes, known = [Recipe("plain", "none")], {word: word for word in words}
    assert choose(words, known=known, recipes=recipes, rounds=(Round(200, 2, 5),)).table[0].f1 == 100.0
    cut = {
        word: f"{word.removesuffix(end)} {end}" for word in words for end in ("de", "dan", "sin") if word.endswith(end)
    }
    affixed = choose(words, known=cut, recipes=[Recipe("plain", "sequences")], rounds=(Round(200, 2, 20),))
    assert (affixed.table[0].f1 or 0.0) > 30.0


def test_borders_of_analysed_words():
    assert border_f1([frozenset({2})], [frozenset({2, 4})]) == pytest.approx(200 / 3)
    whole = wholly_analysed([KnownWord("walked", dict.fromkeys((1, 2, 3, 5), False) | {4: True}), KnownWord("ab")])
    assert whole == {"walked": frozenset({4})}


def standing(recipe: Recipe, behind: float, error: float) -> Standing:
    return Standing(recipe, per_letter=3.0 + behind, behind=behind, error=error)


def test_of_grammars_that_predict_about_equally_well_the_one_that_assumes_less_comes_first():
    best = standing(Recipe("root", "sequences"), 0.0, 0.0)
    within_share = standing(Recipe("root", "one"), 0.04, 0.005)
    within_errors = standing(Recipe("plain", "suffixes"), 0.09, 0.05)
    behind = standing(Recipe("plain", "none"), 0.06, 0.02)
    assert close_to(best, [best, within_share, behind, within_errors]) == [within_errors, within_share, best]


def test_survivors_are_the_best_the_simplest_close_ones_and_a_whole_stem():
    best, second = standing(Recipe("infix", "sequences"), 0.0, 0.0), standing(Recipe("circumfix", "one"), 0.01, 0.01)
    third, simple = (standing(Recipe("root", kind), 0.02, 0.01) for kind in ("sequences", "one"))
    whole, hopeless = standing(Recipe("plain", "one"), 0.5, 0.01), standing(Recipe("plain", "none"), 0.6, 0.01)
    ranked = [best, second, third, simple, whole, hopeless]
    assert survivors(ranked, 3) == [best, second, simple, whole]
    assert survivors(ranked, 6) == [best, second, third, simple, whole]


def test_what_recipes_assume():
    def ordered(*recipes: Recipe) -> bool:
        return list(recipes) == sorted(recipes, key=lambda recipe: recipe.complexity)

    assert ordered(*(Recipe("plain", kind) for kind in ("none", "suffixes", "sequences", "one")))
    assert ordered(*(Recipe("root", kind) for kind in ("none", "one", "sequences")))
    assert ordered(Recipe("plain", "one"), Recipe("plain", "one", True), Recipe("compound", "suffixes"), Recipe("root"))


# What is kept and printed.


def test_json_and_back(templatic):
    assert Choice.from_dict(json.loads(json.dumps(templatic.to_dict()))) == templatic


def test_the_model_keeps_the_evidence(tmp_path, monkeypatch):
    monkeypatch.setattr("binyan.morphology.choice.ROUNDS", SHORT)
    words = languages.suffixing(100)
    model = binyan.Morphology(sweeps=8, chains=1).fit(words, progress=False)
    assert model.choice is not None and model.grammar.name == model.choice.name
    assert model.choice.reason in model.description and model.summary()["choice"]["name"] == model.choice.name
    model.save(tmp_path / "m")
    loaded = binyan.load(tmp_path / "m")
    assert loaded.choice == model.choice and loaded.grammar.same_rules(model.grammar)
    assert loaded.segment("qqq").word == "qqq"  # letters that were never seen
    assert binyan.Morphology("concat", sweeps=2, chains=1).fit(words, progress=False).choice is None


def test_learning_is_resumed_with_the_grammar_chosen_before(tmp_path, monkeypatch):
    monkeypatch.setattr("binyan.morphology.choice.ROUNDS", SHORT)
    words, path = languages.suffixing(100), tmp_path / "m"
    first = binyan.Morphology(sweeps=4, chains=1).fit(words, progress=False, checkpoint=path)
    again = binyan.Morphology(sweeps=8, burn_in=6, chains=1).fit(words, progress=False, checkpoint=path, resume=True)
    assert again.choice == first.choice and again.sampler.sweeps == 8


def test_an_unfitted_model_says_that_its_grammar_will_be_chosen():
    model = binyan.Morphology()
    assert "auto" in repr(model) and model.get_params()["grammar"] == "auto"
    assert model.set_params(sweeps=7).settings.sweeps == 7


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr("binyan.morphology.choice.ROUNDS", SHORT)
    (tmp_path / "words").write_text("\n".join(languages.suffixing(80)))
    arguments = ["morph", "choose", str(tmp_path / "words"), "--out", str(tmp_path / "g.grammar"), "--quiet"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0 and "bits/char" in shown.output and "chosen" in shown.output
    fields = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)
    assert load_grammar(tmp_path / "g.grammar").start == "Word" and len(fields["table"]) == len(candidates())


# The parts.


@pytest.mark.parametrize("recipe", candidates(), ids=lambda r: r.name)
@pytest.mark.parametrize("classes", [None, [["b", "'"], ["a", "e"], ["#"]]], ids=["bag", "classes"])
def test_every_candidate_is_a_grammar_without_problems(recipe, classes):
    grammar, problems = examine_grammar(recipe.text(classes), "candidate")
    assert grammar is not None and not [p for p in problems if p.severity == "error"]


@pytest.mark.parametrize("name", ["morphagram", "root-template-affixes", "root-template-vocalised-affixes"])
def test_shipped_grammars_with_sequences_of_affixes(name):
    assert "suffix" in load_grammar(name).roles.values()


def test_unknown_parts_are_refused():
    with pytest.raises(SettingsError, match="kind of stem"):
        Recipe("tonal")  # type: ignore[arg-type]


def test_strings_with_memory_are_a_distribution():
    """The probabilities of all strings, letters never seen included, sum to one."""
    grammar = read_grammar("\n".join(["Word -> _S", *string_rules("_S", [["b"], ["a"]])]))
    posterior = learn_briefly(grammar, WordList.of(["ab", "ba", "a", "b", "aab"]), 3, 1, 100)
    letters = "ab?"
    strings = ("".join(s) for n in range(1, 9) for s in itertools.product(letters, repeat=n))
    mass = sum(math.exp(posterior.log_probability(s)) for s in strings)
    assert 0.97 < mass <= 1.0 + 1e-9


def test_strings_with_memory_know_the_letter_before():
    grammar = read_grammar("\n".join(["Word -> _S", *string_rules("_S", [["b"], ["a"]])]))
    posterior = learn_briefly(grammar, WordList.of(["ba" * n for n in range(1, 6)]), 3, 1, 100)
    assert posterior.log_probability("bababa") > posterior.log_probability("bbbaaa") + 5


def test_vowels_and_classes_are_found():
    words = [list(word) for word in languages.infixing()]
    assert vowels(words) == set("aiou")
    assert set(letter_classes(words, 2)[1]) == set("aiou")
    assert letter_classes([], 2) == [[]]


def test_the_grammars_compared_are_those_that_are_composed():
    words = languages.suffixing(120)
    grammars = compose(words, seed=3)
    choice = choose(words, rounds=SHORT, seed=3)
    assert list(grammars) == [recipe.name for recipe in candidates()]
    assert grammars[choice.name].same_rules(read_grammar(choice.grammar))


def test_splits_do_not_overlap():
    words = WordList.of(languages.suffixing(100))
    splits = splits_of(words, 80, 3, seed=1)
    held = [word for split in splits for word in split.held]
    assert len(held) == len(set(held)) == 48
    assert all(not set(split.held) & set(split.learnt.words) and len(split.learnt) == 64 for split in splits)


def test_the_error_of_a_difference_by_hand():
    bits, best, letters = np.array([10.0, 6.0, 8.0]), np.array([8.0, 6.0, 6.0]), np.array([4.0, 4.0, 2.0])
    rate, error = paired_difference(bits, best, letters)
    residuals = [2 - 0.4 * 4, -0.4 * 4, 2 - 0.4 * 2]
    assert rate == pytest.approx(0.4) and error == pytest.approx(math.sqrt(sum(r * r for r in residuals)) / 10)
