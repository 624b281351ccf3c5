"""Learning, freezing, saving and using a morphology, from Python and from the command line."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.tree import parse_tree
from binyan.grammar.tree_segments import segmentation
from binyan.morphology import AdaptorSampler, Morphology, MorphologySettings, WordList

STEMS = ["walk", "talk", "jump", "look", "call", "open", "turn", "play"]
WORDS = [s + e for s in STEMS for e in ("", "s", "ed", "ing")]
QUICK = {"sweeps": 40, "burn_in": 20, "snapshots": 3, "seed": 4}


@pytest.fixture(scope="module")
def sampler() -> AdaptorSampler:
    made = AdaptorSampler(load_grammar("concat"), WordList.of(WORDS), MorphologySettings(chains=2, **QUICK))
    made.run(progress=False)
    return made


@pytest.fixture(scope="module")
def morphology(sampler: AdaptorSampler) -> Morphology:
    return Morphology.from_sampler(sampler)


def test_suffixes_are_found_and_carried_over_to_new_words(morphology: Morphology) -> None:
    assert {e.text for e in list(morphology.lexicon("Suf"))[:3]} == {"s", "ed", "ing"}
    best = morphology.segment("zapping")
    assert [p.text for p in best.parts] == ["zapp", "ing"] and 0.5 < best.probability <= 1.0


def test_probabilities_of_known_words_sum_to_one(morphology: Morphology) -> None:
    for word in WORDS[:5]:
        assert sum(s.probability for s in morphology.segmentations(word, 10_000)) == pytest.approx(1.0)
        assert sum(a.probability for a in morphology.analyses(word, 10_000)) == pytest.approx(1.0)


def test_probabilities_of_new_words_sum_to_one(morphology: Morphology) -> None:
    probabilities = [s.probability for s in morphology.segmentations("wed", 100)]
    assert sum(probabilities) == pytest.approx(1.0)
    assert probabilities == sorted(probabilities, reverse=True)


def test_unseen_characters_have_the_prior_weight_of_their_rule(morphology: Morphology) -> None:
    assert "".join(p.text for p in morphology.segment("ñañed").parts) == "ñañed"
    assert morphology.log_probability("ñ") == morphology.log_probability("ß") > -math.inf
    assert morphology.log_probability("ñ") < morphology.log_probability("l")


def test_lexicon_probabilities_sum_to_one_and_unknown_symbols_are_named(morphology: Morphology) -> None:
    for symbol in ("Pre", "Stem", "Suf", "Char"):
        lexicon = morphology.lexicon(symbol)
        assert math.isclose(sum(e.probability for e in lexicon), 1.0) or (symbol == "Pre" and not lexicon)
    with pytest.raises(SettingsError, match="no symbol 'Root'; it has Word, Pre"):
        morphology.lexicon("Root")


def test_saved_and_loaded_models_are_the_same(tmp_path: Path, morphology: Morphology) -> None:
    morphology.save(tmp_path / "whole")
    morphology.save(tmp_path / "reduced", reduced=True)
    for path in (tmp_path / "whole", tmp_path / "reduced"):
        loaded = binyan.load(path)
        for word in ["walked", "zapping"]:
            assert loaded.segmentations(word) == morphology.segmentations(word)
            mine, theirs = ([s.probability for s in m.segmentations(word)] for m in (morphology, loaded))
            assert mine == theirs
        assert str(loaded.signature()) == str(morphology.signature())
        assert all(np.array_equal(a, b) for a, b in zip(loaded.trace, morphology.trace, strict=True))
        assert loaded.trace_columns == morphology.trace_columns
    with pytest.raises(ModelFileError, match="cannot be resumed"):
        loaded.sampler  # noqa: B018
    assert binyan.load(tmp_path / "whole").to_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("grammar", ["concat", "tpl", "infix"])
def test_resumed_learning_is_bit_identical(tmp_path: Path, grammar: str) -> None:
    words = WordList.of(WORDS)
    settings = MorphologySettings(sweeps=12, burn_in=6, chains=2, relabel=3)
    whole = AdaptorSampler(load_grammar(grammar), words, settings)
    whole.run(progress=False)
    part = Morphology(grammar, sweeps=7, burn_in=6, chains=2, relabel=3)
    part.fit(WORDS, checkpoint=tmp_path / "m", progress=False)
    resumed = Morphology(grammar, settings=settings)
    resumed.fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)
    for a, b in zip(whole.states, resumed.sampler.states, strict=True):
        assert a.trace == b.trace
        assert np.array_equal(a.core.state(), b.core.state())
        assert np.array_equal(a.samples.state(), b.samples.state())
    with pytest.raises(SettingsError, match="seed was 1"):
        Morphology(grammar, settings=settings, seed=2).fit(WORDS, checkpoint=tmp_path / "m", resume=True)
    with pytest.raises(SettingsError, match="other words"):
        Morphology(grammar, settings=settings).fit(WORDS[1:], checkpoint=tmp_path / "m", resume=True)
    with pytest.raises(SettingsError, match="another grammar"):
        Morphology("mtpl", settings=settings).fit(WORDS, checkpoint=tmp_path / "m", resume=True)


BEGUN_WITH = "Word -> Stem Suffix | Stem\n@Stem[a=0.4, b=0.7] -> Char+\n@Suffix -> Char+\nChar -> <any>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@Suffix", "Suffix"),
        ("a=0.4", "a=0.5"),
        ("b=0.7", "b=0.8"),
        ("[a=0.4, b=0.7]", ""),
        ("Char -> <any>", "Char -> <any>\nstart Stem"),
        ("Char -> <any>", "Char -> <any>\nadapt Char"),
    ],
)
def test_learning_is_not_resumed_with_other_adaptors(tmp_path: Path, before: str, after: str) -> None:
    """The rules are the same; what is adapted, its a or b, or the start symbol is not."""
    settings = {"sweeps": 4, "burn_in": 2, "chains": 1}
    Morphology(read_grammar(BEGUN_WITH), **settings).fit(WORDS, checkpoint=tmp_path / "m", progress=False)
    other = read_grammar(BEGUN_WITH.replace(before, after))
    with pytest.raises(SettingsError, match="another grammar"):
        Morphology(other, **settings).fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)


@pytest.mark.parametrize("other", [{"relabel": 1}, {"anneal_from": 3.0, "anneal_sweeps": 4}, {"sum_out_seats": True}])
def test_learning_is_not_resumed_with_another_past(tmp_path: Path, other: dict[str, float]) -> None:
    settings = {"sweeps": 4, "burn_in": 2, "chains": 1, "relabel": 2}
    Morphology("concat", **settings).fit(WORDS, checkpoint=tmp_path / "m", progress=False)
    changed = Morphology("concat", **(settings | {"sweeps": 8, "burn_in": 4} | other))
    with pytest.raises(SettingsError, match="sweep [12] was done with other settings"):
        changed.fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)


def test_learning_with_seats_summed_out_is_resumed(tmp_path: Path) -> None:
    settings = {"burn_in": 6, "chains": 1, "sum_out_seats": True}
    whole = Morphology("concat", sweeps=12, **settings).fit(WORDS, progress=False)
    Morphology("concat", sweeps=7, **settings).fit(WORDS, checkpoint=tmp_path / "m", progress=False)
    resumed = Morphology("concat", sweeps=12, **settings)
    resumed.fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)
    assert resumed.sampler.traces == whole.sampler.traces
    given = Morphology("concat", sweeps=12, burn_in=6, chains=1).fit(WORDS, progress=False)
    assert given.sampler.traces != whole.sampler.traces


def test_any_number_of_threads_gives_the_same_result() -> None:
    traces = []
    for threads in (1, 3):
        made = AdaptorSampler(
            load_grammar("tpl"), WordList.of(WORDS), MorphologySettings(sweeps=5, burn_in=2, chains=3)
        )
        made.run(progress=False, threads=threads)
        traces.append([state.trace for state in made.states])
    assert traces[0] == traces[1]


def test_agreement_of_chains() -> None:
    apart = AdaptorSampler(load_grammar("concat"), WordList.of(WORDS), MorphologySettings(joint=0.0, **QUICK))
    apart.run(progress=False)
    assert 0.0 < apart.agreement() < 1.0
    alone = AdaptorSampler(
        load_grammar("concat"), WordList.of(WORDS), MorphologySettings(sweeps=3, burn_in=1, chains=1)
    )
    alone.run(progress=False)
    assert alone.agreement() == 1.0


def test_init_and_step_are_the_run(sampler: AdaptorSampler) -> None:
    other = AdaptorSampler(load_grammar("concat"), WordList.of(WORDS), MorphologySettings(chains=2, **QUICK))
    state = other.init(1)
    figures = [other.step(state) for _ in range(3)]
    assert [f.log_joint for f in figures] == [row[0] for row in sampler.states[1].trace[:3]]
    assert figures[2].sweep == 3 and set(figures[0].tables) == {"Pre", "Stem", "Suf"}


def test_words_without_derivation_are_named_skipped_or_refused() -> None:
    grammar = read_grammar("Word -> Stem 's'\n@Stem -> Char+\nChar -> <any>")
    words = ["cats", "dogs", "ox"]
    with pytest.warns(UserWarning, match="1 of 3 words cannot be derived.*: ox"):
        morphology = Morphology(grammar, sweeps=3, burn_in=1).fit(words)
    assert morphology.unparsable == ("ox",) and morphology.segmentations("ox") == [] and morphology.segment("cats")
    assert morphology.transform(["ox", "cats"])[0] == ["ox"] and morphology.root("ox") is None
    for ask in (morphology.segment, morphology.tree):
        with pytest.raises(InputError, match="cannot derive 'ox'"):
            ask("ox")
    segmented = morphology.segment_words(words)
    assert segmented.without_analysis == ["ox"] and list(segmented.table) == ["cats", "dogs"]
    with pytest.raises(InputError, match="ox; change the grammar"):
        Morphology(grammar, unparsable="refuse").fit(words)
    with pytest.raises(InputError, match="2 of 2 words"):
        Morphology(grammar).fit(["ox", "ax"])


def test_memory_is_estimated_before_the_run() -> None:
    grammar = load_grammar("tplr4")
    with pytest.raises(InputError, match="memory limit"):
        AdaptorSampler(
            grammar,
            WordList.of("abcdefghijklmnop"[i:] + str(i) * 9 for i in range(16)),
            MorphologySettings(memory_mb=1),
        )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sweeps": 0}, "sweeps is 1 or more"),
        ({"sweeps": 5, "burn_in": 5}, "burn-in is below"),
        ({"sweeps": 5, "burn_in": 3, "thin": 4}, "leaves no sample"),
        ({"unparsable": "cry"}, "unparsable"),
        ({"initialisation": "x"}, "batch or sequential"),
    ],
)
def test_senseless_settings_are_refused(wrong: dict, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        MorphologySettings(**wrong)
    with pytest.raises(SettingsError, match=message):
        Morphology(**wrong)


def test_snapshots_are_spread_over_the_kept_sweeps() -> None:
    assert sorted(MorphologySettings(sweeps=100, burn_in=50, snapshots=5, chains=1).snapshot_sweeps) == [
        60,
        70,
        80,
        90,
        100,
    ]
    assert len(MorphologySettings(sweeps=100, burn_in=50, snapshots=5, chains=2).snapshot_sweeps) == 3
    assert MorphologySettings(sweeps=3, burn_in=1, snapshots=9).snapshot_sweeps == {2, 3}


def test_temperatures_fall_to_one() -> None:
    settings = MorphologySettings(anneal_from=8.0, anneal_sweeps=3)
    assert [round(settings.temperature(i), 6) for i in range(5)] == [8.0, 4.0, 2.0, 1.0, 1.0]


def test_interleaved_parts_have_positions() -> None:
    tree = parse_tree("(Word (Pre 0=w) (Stem (R3 1=k 3=t 5=b) (T2 2=i 4=A)))")
    assert str(segmentation(tree, {"Pre": "pre", "Stem": "stem"})) == "w/pre kitAb/stem"
    laced = segmentation(tree, {"Pre": "pre", "R3": "R3", "T2": "T2"}, "wkitAb")
    assert str(laced) == "w@0/pre ktb@1,3,5/R3 iA@2,4/T2"
    assert str(laced.contiguous()) == "w/pre k/R3 i/T2 t/R3 A/T2 b/R3"


WORD_FILES = [
    ("a\nb\na\n", ("a", "b"), (2, 1)),
    ("a\t3\nb\t1\n", ("a", "b"), (3, 1)),
    ("the cat\nthe dog\n", ("the", "cat", "dog"), (2, 1, 1)),
    ("ktAb\tktAb/stem\tktb\n", ("ktAb",), (1,)),
]


@pytest.mark.parametrize(("text", "words", "counts"), WORD_FILES)
def test_word_lists_are_read(tmp_path: Path, text: str, words: tuple[str, ...], counts: tuple[int, ...]) -> None:
    (tmp_path / "w").write_text(text)
    listed = WordList.read(tmp_path / "w")
    assert (listed.words, listed.counts) == (words, counts)


def test_commands(tmp_path: Path) -> None:
    run = CliRunner().invoke
    words, model = tmp_path / "words.txt", tmp_path / "m"
    words.write_text("\n".join(WORDS))
    learnt = run(
        app, ["morph", "learn", str(words), "--grammar", "tpl", "--out", str(model), "--sweeps", "10", "--json", "-q"]
    )
    assert learnt.exit_code == 0, learnt.output
    figures = json.loads(learnt.stdout)
    assert figures["sweeps"] == 10 and len(figures["chains"]) == 2 and "seed:1" in figures["signature"]
    again = run(
        app,
        [
            "morph",
            "learn",
            str(words),
            "--grammar",
            "tpl",
            "--out",
            str(model),
            "--sweeps",
            "12",
            "--burn-in",
            "10",
            "--resume",
            "--json",
            "-q",
        ],
    )
    assert again.exit_code == 0 and json.loads(again.stdout)["sweeps"] == 12, again.output
    found = run(app, ["morph", "segment", str(model), "-", "--n-best", "2", "--json"], input="walking\nzap\n")
    assert [len(w["analyses"]) > 0 for w in json.loads(found.stdout)["words"]] == [True, True]
    assert len(run(app, ["morph", "segment", str(model)]).stdout.splitlines()) == len(WORDS)
    assert isinstance(json.loads(run(app, ["morph", "roots", str(model), "--json"]).stdout)["roots"]["walk"], dict)
    assert run(app, ["morph", "lexicon", str(model), "--category", "R3", "--limit", "3"]).stdout.count("\t") == 6
    traced = run(app, ["morph", "trace", str(model), "--figure", "tables R3", "--json"])
    assert len(json.loads(traced.stdout)["rows"]) == 12, traced.output
    drawn = run(app, ["morph", "tree", str(model), "walking", "--svg", str(tmp_path / "t.svg")])
    assert "Word" in drawn.stdout and (tmp_path / "t.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["morph", "learn", "EMPTY", "--out", "M"], "not one word"),
        (["morph", "learn", "WORDS", "--out", "M", "--grammar", "nosuch"], "nosuch"),
        (["morph", "learn", "WORDS", "--out", "M", "--sweeps", "0"], "sweeps is 1 or more"),
        (["morph", "segment", "WORDS"], "not a Binyan model"),
    ],
)
def test_bad_input_is_explained(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "EMPTY").write_text("\n")
    (tmp_path / "WORDS").write_text("a\nb\n")
    arguments = [str(tmp_path / a) if a in ("EMPTY", "WORDS", "M") else a for a in arguments]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0 and message in str(result.exception)


def test_a_morphology_travels_as_its_container() -> None:
    morphology = Morphology("concat", sweeps=10).fit(["walking", "walked", "talking", "talked"])
    other = pickle.loads(pickle.dumps(morphology))
    assert other.to_bytes() == morphology.to_bytes()
    assert other.segmentations("stalked", 3) == morphology.segmentations("stalked", 3)
