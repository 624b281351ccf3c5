"""Translations with their derivations, as objects and as JSON lines, and lines of every kind."""

from __future__ import annotations

import io
import json
import time

import pytest
from typer.testing import CliRunner

from binyan import Translator
from binyan.cli import app
from binyan.errors import BinyanError, InputError, SettingsError
from binyan.translation import Decoder, DecoderSettings, ExplainedTranslation, Explanation, decoder, read_rules
from binyan.translation.any_line import FittedLines
from binyan.translation.rule_words import RuleWords
from translation_world import ORDER, system, translated

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SENTENCES = [
    "the old dog sees a green house",
    "a green king guards the old zebra",
    "dog",
    "unheard words only",
    "sees sees the",
]


@pytest.fixture(scope="module")
def translator(tmp_path_factory) -> Translator:
    return system(tmp_path_factory.mktemp("world"))


def explanations(translator: Translator) -> list[Explanation]:
    return [translator.explain(sentence, 30, consensus=1) for sentence in SENTENCES]


def rebuilt(explanation: Explanation, translation: ExplainedTranslation, i: int) -> tuple[list[str], list[str]]:
    """The source and target words of a step, put together from its sides and parts."""
    step = translation.steps[i]
    parts = [rebuilt(explanation, translation, part) for part in step.parts]
    sides = [
        [word for symbol in side for word in (parts[symbol - 1][which] if isinstance(symbol, int) else [symbol])]
        for which, side in enumerate((step.source, step.target))
    ]
    assert sides[0] == list(explanation.words[slice(*step.source_span)])
    assert sides[1] == list(translation.words[slice(*step.target_span)])
    return sides[0], sides[1]


def test_steps_make_the_sentence_and_its_translation(translator):
    for explanation in explanations(translator):
        for one in explanation.translations:
            assert rebuilt(explanation, one, 0) == (list(explanation.words), list(one.words))
            assert [s.kind for s in one.steps].count("glue") == 1 and one.steps[0].kind == "glue"
            assert sorted(p for s in one.steps for p in s.parts) == list(range(1, len(one.steps)))


def test_steps_add_up_to_the_score_and_the_features(translator):
    weights = translator.decoder().weights
    for explanation in explanations(translator):
        for one in explanation.translations:
            assert sum(s.score for s in one.steps) == pytest.approx(one.score, abs=1e-4)
            for step in one.steps:
                value = sum(weights[name] * value for name, value in step.features.items())
                assert value == pytest.approx(step.score, abs=1e-4)
            for name in weights:
                total = sum(step.features.get(name, 0.0) for step in one.steps)
                assert total == pytest.approx(one.features.get(name, 0.0), abs=1e-4)


def test_rules_are_those_of_the_table(translator):
    table = list(translator.rules.rules())
    used = 0
    for explanation in explanations(translator):
        for step in (s for one in explanation.translations for s in one.steps if s.kind == "rule"):
            assert (step.source, step.target) == (table[step.rule].source, table[step.rule].target)
            used += 1
    assert used > 100


def test_translations_are_those_of_the_decoder(translator):
    for sentence, explanation in zip(SENTENCES, explanations(translator), strict=True):
        expected = translator.translations(sentence, 30)
        assert [(t.text, t.score) for t in explanation.translations] == [(t.text, t.score) for t in expected]


def test_words_are_aligned_across_reordering(translator):
    right = tuple(sorted((s, t) for t, s in enumerate(ORDER)))
    for sentence in SENTENCES[:2]:
        best = translator.explain(sentence).translations[0]
        assert best.text == translated(sentence.split()) and best.alignment == right


def test_the_first_is_what_translate_writes_under_consensus_too(translator):
    for sentence in SENTENCES:
        for settings in ({}, {"consensus": 1}, {"consensus": 20, "pop_limit": 50}):
            explanation = translator.explain(sentence, 3, **settings)
            assert explanation.translations[0].text == translator.translate(sentence, **settings)
            texts = [t.text for t in explanation.translations]
            assert len(set(texts)) == len(texts) <= 3


def test_links_within_rules(tmp_path):
    rules = ["[X] ||| of course ||| natürlich ||| {}", "[X] ||| the ||| das ||| {}", "[X] ||| dog ||| hund ||| {}"]
    rules += ["[X] ||| by the way ||| übrigens ja ||| {}", "[X] ||| the ||| hund ||| {low}"]
    features = "TargetGivenSource=-0.5 SourceGivenTarget=-0.5"
    low = "TargetGivenSource=-5 SourceGivenTarget=-5"
    lines = [rule.replace("{}", features).replace("{low}", low) for rule in rules]
    (tmp_path / "rules").write_text("\n".join(lines) + "\n")
    links = RuleWords(read_rules(tmp_path / "rules")).links
    assert links(["the", "dog"], ["das", "hund"]) == [(0, 0), (1, 1)]
    assert links(["the"], ["hund"]) == [(0, 0)]  # a chance pair, but nothing else is left
    assert links(["the", "dog", "the", "dog"], ["das", "hund", "das", "hund"]) == [(i, i) for i in range(4)]
    assert links(["of", "course"], ["natürlich"]) == [(0, 0), (1, 0)]
    assert links(["by", "the", "way"], ["das", "x", "y"]) == [(0, 1), (0, 2), (1, 0), (2, 1), (2, 2)]
    assert links(["the", "quick"], ["das"]) == [(0, 0)]
    assert links([], ["das"]) == links(["dog"], []) == []


def test_bounds_of_explanations(translator):
    with pytest.raises(SettingsError, match="1 to 100 translations"):
        translator.explain("dog", 101)
    with pytest.raises(InputError, match="1,001 words: translations of at most 1,000"):
        translator.explain("dog " * 1001)
    assert translator.explain("  ") == Explanation((), ())


# JSON lines.


def answers(translator: Translator, text: str | bytes, **options) -> list[dict]:
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return [json.loads(line) for line in translator.answer_lines(stream, **options)]


def test_lines_and_requests_are_answered_in_order(translator):
    lines = ["the old dog", "", '{"id": "x", "text": "a green king", "n": 3}', '{"text": "dog"}']
    whole = answers(translator, "\n".join(lines) + "\n", n=2)
    assert whole == answers(translator, "\n".join(lines), n=2, threads=3)
    assert [a["text"] for a in whole] == ["the old dog", "", "a green king", "dog"]
    assert [a.get("id") for a in whole] == [None, None, "x", None]
    assert whole[1] == {"text": "", "words": [], "translation": "", "translations": []}
    assert [len(a["translations"]) for a in whole[::2]] == [2, 3]
    first = translator.explain("the old dog", 2).to_dict()
    assert whole[0] == {"text": "the old dog", **json.loads(json.dumps(first))}
    assert whole[0]["translation"] == "ה־ כלב זקן" and whole[0]["translations"][0]["alignment"] == [
        [0, 0],
        [1, 2],
        [2, 1],
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 5', "not JSON"),
        ('{"id": 5, "text": 7}', "'text', which is a string"),
        ('{"id": 5, "txt": "a"}', "no field 'txt'; there are id, n, text"),
        ('{"id": 5, "text": "dog", "n": 0}', "'n', the number of translations, is 1 to 100"),
        ('{"id": 5, "text": "dog", "n": true}', "'n'"),
        ('{"id": 5, "text": "dog\\u0000"}', "no line ends, NUL"),
        ('{"id": 5, "text": "\\ud800"}', "surrogate"),
        ('{"id": 5, "text": "the </s>"}', "mark of language models"),
        (json.dumps({"id": 5, "text": "dog " * 5_000}), "5,000 words"),
        (json.dumps({"id": 5, "text": "dog " * 20_000}), "80,000 characters; at most 50,000"),
        (json.dumps({"id": 5, "text": "x" * 1_001}), "a word of 1,001 characters"),
        (json.dumps({"id": 5, "text": "x" * 1_000_001}), "a request has at most 1,000,000"),
        ("[" * 100_000, "100,000 characters"),
        ("{" * 100_000, "not JSON"),
        (b"dog \xff", "not UTF-8: byte 0xff at column 5"),
    ],
)
def test_what_is_wrong_is_the_answer_and_the_stream_goes_on(translator, line, message):
    raw = line if isinstance(line, bytes) else line.encode()
    wrong, right = answers(translator, raw + b"\ndog\n")
    assert message in wrong["error"] and wrong["line"] == 1 and right["translation"] == "כלב"
    if raw.startswith(b'{"id": 5,') and len(raw) < 1_000_000:
        assert wrong["id"] == 5


def test_ids_that_cannot_come_back_do_not(translator):
    for given in ('"\\ud800"', "NaN", "Infinity", "true", "[1]", json.dumps("x" * 300)):
        right, wrong = answers(translator, f'{{"id": {given}, "text": "dog"}}\n{{"id": {given}, "text": 7}}\n')
        assert right["translation"] == "כלב" and "id" not in right and "id" not in wrong and "error" in wrong


def test_the_command_writes_the_same(translator):
    result = CliRunner().invoke(
        app, ["mt", "translate", str(translator.folder), "--json", "--nbest", "2"], input="the old dog\n{\n"
    )
    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == answers(translator, "the old dog\n{\n", n=2)


# Lines of every kind.


def test_lines_of_every_kind_are_translated_one_by_one(translator):
    blob = "x" * 100_000
    long = " ".join(["the old dog sees a green house ."] * 1250)  # 10,000 words
    lines = [
        "dog",
        "",
        " \t ",
        blob,
        f"the old {blob} dog",
        long,
        "\x01\x02 dog\x85\u2028\ufeff",
        "dog\x0b\x0chouse",
        "dog",
    ]
    started = time.process_time()
    out = list(translator.stream(lines, batch=2, pop_limit=20))
    assert time.process_time() - started < 60
    assert len(out) == len(lines) and not any("\n" in line for line in out)
    assert out[:4] == ["כלב", "", "", blob] and out[4].split(" ").count(blob) == 1 and "זקן" in out[4]
    assert len(out[5].split()) == 10_000 and out[5].split()[:3] == ["ה־", "כלב", "זקן"]
    assert out[6] == "\x01\x02 dog\x85\u2028\ufeff" and out[8] == "כלב"
    assert sorted(out[7].split()) == sorted(["כלב", "בית"])
    short = [*lines[:5], *lines[6:]]
    assert [*out[:5], *out[6:]] == list(translator.stream(short, batch=1, pop_limit=20))


def test_long_lines_are_cut_after_sentences():
    lines = FittedLines([["a", "b", ".", "c", "."] * 3, ["a"] * 9], longest=6)
    assert [" ".join(piece) for piece in lines.pieces] == [
        "a b . c .",
        "a b . c .",
        "a b . c .",
        "a a a a a a",
        "a a a",
    ]
    assert list(lines.joined("ABCDE")) == ["A B C", "D E"]


def test_memory_of_many_translations_of_long_lines_is_bounded(translator, monkeypatch):
    monkeypatch.setattr(decoder, "_MOST_KEPT", 20 * 30**2)
    line = "dog " * 31
    with pytest.raises(InputError, match="the 20 best translations of a line of 31 words would take too much memory"):
        translator.translations(line, 20)
    assert len(translator.translations("dog " * 30, 20)) == 1
    assert translator.translate(line).split() == ["כלב"] * 31  # in pieces
    assert list(translator.stream([line], consensus=20)) == [" ".join(["כלב"] * 31)]


def test_a_line_without_end_is_refused(translator, monkeypatch):
    monkeypatch.setattr("binyan.cli.output.LONGEST_LINE", 1000)
    result = CliRunner().invoke(app, ["mt", "translate", str(translator.folder)], input="dog\n" + "dog " * 1000)
    assert isinstance(result.exception, BinyanError) and "<stdin>:2: a line of over 1,000 bytes" in str(
        result.exception
    )


def test_words_that_were_copied_long_ago_are_forgotten(translator, monkeypatch):
    text = [[f"w{i}", "dog", f"v{i}"] for i in range(60)]
    whole = Decoder(translator.rules, translator.decoder().models)
    monkeypatch.setattr(decoder, "_MOST_COPIED", 50)
    bounded = Decoder(translator.rules, whole.models, settings=DecoderSettings())
    known = len(translator.rules.target.words)
    for sentence, expected in zip(text, whole.translate(text), strict=True):
        [hypothesis] = bounded.translate([sentence])
        assert (hypothesis.words, hypothesis.score) == (expected.words, expected.score)
        assert len(bounded._target.words) < known + 30
    assert len(whole._target.words) >= known + 120
