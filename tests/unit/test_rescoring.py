"""Rescoring n-best lists: each format in and out, scores as the model gives them, streaming, tuning."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import binyan
from binyan.errors import InputError, SettingsError
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation.nbest import parse, read_lists
from binyan.translation.rescoring import Rescorer, unknown_weight
from binyan.translation.word_error_rate import _best_step, errors_at, word_errors

TEXT = ["das haus ist klein", "das haus ist alt", "ein hund sieht das haus"] * 3


@pytest.fixture(scope="module")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KneserNey(order=3).fit(TEXT)


LISTS = {
    "moses": [
        "0 ||| haus das klein ||| LM0= -3.5 TM= -1 -2 ||| -4",
        "0 ||| das haus ist klein ||| LM0= -3 TM= -1 -2.5 ||| -4.5",
        "1 ||| das xyz ||| LM0= -1 TM= -1 -1 ||| -2",
    ],
    "cdec": [
        "0 ||| haus das klein ||| LM=-3.5 ||| -4",
        "0 ||| das haus ist klein ||| LM=-3 ||| -4.5",
        "1 ||| das xyz ||| LM=-1 ||| -2",
    ],
    "json": [
        '{"id": 0, "text": "haus das klein", "score": -4, "n": 1}',
        '{"id": 0, "text": "das haus ist klein", "score": -4.5}',
        '{"id": 1, "text": "das xyz"}',
    ],
    "plain": ["-4\thaus das klein", "-4.5\tdas haus ist klein", "-2\tdas xyz"],
}


@pytest.mark.parametrize("format", LISTS)
def test_formats(model, format):
    rescorer = Rescorer([model], {"LanguageModel1": 0.5, "Unknown1": -1.0})
    out = list(rescorer.stream(LISTS[format]))
    assert len(out) == 3
    old = [parse(line, format, "here") for line in LISTS[format]]
    new = {e.text: e for e in (parse(line, format, "there") for line in out)}
    for entry in old:
        scores = model.score_sentences([entry.text.split()])
        added = 0.5 * scores.log_prob.sum() - scores.unknown.sum()
        assert new[entry.text].score == pytest.approx(entry.score + added, abs=1e-3)
        assert set(entry.features) <= set(new[entry.text].features)
    # Lists are sorted; lines that belong to no list stay in their order.
    first = parse(out[0], format, "there").text
    assert first == ("haus das klein" if format == "plain" else "das haus ist klein")


def test_what_a_format_carries_is_kept(model):
    out = list(Rescorer([model], sort=False).stream(LISTS["moses"]))
    assert out[0].startswith("0 ||| haus das klein ||| LM0= -3.5 TM= -1 -2 LanguageModel1= ")
    assert json.loads(next(iter(Rescorer([model], sort=False).stream(LISTS["json"]))))["n"] == 1


def test_lists_are_written_as_they_end(model):
    taken = []

    def lines():
        for line in [*LISTS["moses"][:2], "", LISTS["moses"][2]]:
            taken.append(line)
            yield line

    stream = Rescorer([model]).stream(lines())
    assert "das haus" in next(stream) and len(taken) == 3
    assert [next(stream)[:1], next(stream)] == ["0", ""] and len(taken) == 3


@pytest.mark.parametrize(
    ("format", "line"),
    [
        ("moses", "0 ||| das"),
        ("moses", "0 ||| a ||| -3 LM= 2 ||| 1"),
        ("moses", "0 ||| a ||| LM= x ||| 1"),
        ("cdec", "0 ||| a ||| LM ||| 1"),
        ("json", '{"txt": 1}'),
        ("json", "{"),
        ("plain", "das haus"),
        ("plain", "nan\tdas haus"),
    ],
)
def test_a_broken_line_is_named(model, format, line):
    with pytest.raises(InputError, match=r"<stdin>:2: not a line of the format"):
        list(Rescorer([model]).stream([LISTS[format][0], line], format))


def test_settings(model):
    with pytest.raises(SettingsError, match="needs a language model"):
        Rescorer([])
    with pytest.raises(SettingsError, match="no feature is called 'LM'"):
        Rescorer([model], {"LM": 1.0})
    with pytest.raises(SettingsError, match="not 'xml'"):
        list(Rescorer([model]).stream([], "xml"))


def test_tuned_weights_choose_the_references(model):
    lists = [
        f"{i} ||| {text} ||| ||| {score}"
        for i in range(3)
        for text, score in (("klein haus ist das", -1), ("das haus ist klein", -1))
    ]
    references = [["das", "haus", "ist", "klein"]] * 3
    rescorer = Rescorer([model], {"LanguageModel1": 0.0})
    assert rescorer.fit(read_lists(lists), references) is rescorer
    assert rescorer.bleu == pytest.approx(1.0) and rescorer.weights["LanguageModel1"] > 0
    with pytest.raises(InputError, match="3 lists and 2 references"):
        rescorer.fit(read_lists(lists), references[:2])
    best = list(Rescorer([model], rescorer.weights).stream(lists))
    assert best[0].startswith("0 ||| das haus ist klein")


def test_models_lists_references_and_weights_may_be_files(model, tmp_path):
    model.save(tmp_path / "lm.binyan")
    lists = [f"{i} ||| {text} ||| ||| -1" for i in range(3) for text in ("klein haus ist das", "das haus ist klein")]
    (tmp_path / "nbest").write_text("\n".join(lists) + "\n")
    (tmp_path / "references").write_text("das haus ist klein\n" * 3)
    rescorer = binyan.Rescorer(tmp_path / "lm.binyan").fit(tmp_path / "nbest", tmp_path / "references", seed=3)
    same = binyan.Rescorer(model).fit(lists, ["das haus ist klein"] * 3, seed=3)
    assert rescorer.weights == same.weights
    rescorer.save(tmp_path / "weights.json")
    again = binyan.Rescorer.load(tmp_path / "weights.json", str(tmp_path / "lm.binyan"))
    assert again.weights == rescorer.weights and list(again.stream(lists)) == list(same.stream(lists))
    (tmp_path / "weights.json").write_text("[1]")
    with pytest.raises(InputError, match="weights.json: not a JSON object of weights"):
        binyan.Rescorer.load(tmp_path / "weights.json", model)


@pytest.fixture(scope="module")
def frequent_unknowns():
    """A model of a text whose rare words are unknown, so that <unk> is likely everywhere."""
    rare = [f"das haus sieht wort{i} klein" for i in range(40)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KneserNey(order=2, min_count=2).fit([*TEXT, *rare])


def test_a_non_word_does_not_outrank_the_right_word(frequent_unknowns):
    lists = ["0 ||| das haus sieht xqzt klein ||| ||| -1", "0 ||| das haus sieht das haus ||| ||| -1"]
    plain = Rescorer(frequent_unknowns, {"Unknown1": 0.0})
    assert "xqzt" in next(iter(plain.stream(lists)))  # what the model alone says: any unknown word is likely here
    rescorer = Rescorer(frequent_unknowns)
    assert "xqzt" not in next(iter(rescorer.stream(lists)))
    assert rescorer.weights["Unknown1"] == pytest.approx(-math.log(40 + 40 * 39 / 2))


def test_unknown_words_are_counted_as_unseen_species_are():
    text = [f"wort{i}" for i in range(100)] + ["zwei", "zwei"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KneserNey(order=1).fit(text)
    assert unknown_weight(model) == pytest.approx(-math.log(100 * 99 / (2 * 2)))


def test_compounds_that_a_model_spells_cost_nothing_more():
    from model_zoo import ngram_models

    compound = ngram_models()["hpylm+g"]
    assert Rescorer(compound).features(["das haushof xyz"])[0, 1] == 1
    assert Rescorer(compound.closed()).features(["das haushof xyz"])[0, 1] == 2


def test_text_is_prepared_as_by_lm_score_unless_it_is_tokenised():
    text = ["Das Haus ist klein.", "Das Haus, es ist alt."] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KneserNey(order=2, tokenise="de", lowercase=True, normalise="nfc").fit(text)
    for raw in ("Das Haus ist klein.", "Das Haus, ist alt.", "das haus ist klein ."):
        assert Rescorer(model).features([raw])[0, 0] == pytest.approx(model.score(raw) * math.log(10), abs=1e-9)
    tokens = model.preparation("Das Haus ist klein.")
    by_hand = Rescorer(model, tokenised=True).features([" ".join(tokens)])
    assert by_hand[0].tolist() == Rescorer(model).features(["Das Haus ist klein."])[0].tolist()
    assert Rescorer(model, tokenised=True).features(["Das Haus ist klein."])[0, 1] == 1


def test_weights_are_tuned_by_word_error_rate(frequent_unknowns, tmp_path):
    """The old score is misleading: words are left out of the hypotheses it prefers."""
    right = ["das haus ist klein", "ein hund sieht das haus", "das haus ist alt"]
    lists = []
    for i, sentence in enumerate(right):
        short = " ".join(sentence.split()[:2])
        lists += [
            f"{i} ||| {short} ||| ||| -1",
            f"{i} ||| {sentence} ||| ||| -40",
            f"{i} ||| xx {sentence} ||| ||| -60",
        ]
    rescorer = Rescorer(frequent_unknowns)
    assert "|||  das haus ist klein" not in next(iter(rescorer.stream(lists)))
    rescorer.fit(lists, right, metric="wer")
    assert rescorer.word_error_rate == 0.0
    best = [line.split(" ||| ")[1] for line in rescorer.stream(lists)][::3]
    assert best == right
    with pytest.raises(SettingsError, match="bleu or wer, not 'ter'"):
        rescorer.fit(lists, right, metric="ter")
    with pytest.raises(InputError, match="no list to tune on"):
        rescorer.fit([], [])


@given(st.integers(0, 10_000))
@example(1490)  # two corners that differ by rounding alone
@settings(max_examples=60, deadline=None)
def test_a_line_search_finds_the_fewest_errors(seed):
    random = np.random.default_rng(seed)
    features = [np.round(random.normal(size=(random.integers(1, 7), 2)), 1) for _ in range(4)]
    errors = [random.integers(0, 5, len(f)) for f in features]
    weights, direction = random.normal(size=2), random.normal(size=2)
    step = _best_step(features, errors, weights, direction)
    reached = errors_at(features, errors, weights + step * direction)
    tried = min(errors_at(features, errors, weights + s * direction) for s in np.linspace(-30, 30, 4001) + 1e-7)
    assert reached <= tried


def test_word_errors_are_edit_distances():
    for one, other, distance in [
        ("", "", 0),
        ("a", "", 1),
        ("a b c", "a c", 1),
        ("a b", "b a", 2),
        ("x y z", "a b c d", 4),
    ]:
        assert word_errors(one.split(), other.split()) == word_errors(other.split(), one.split()) == distance


def test_boundaries_in_a_hypothesis_are_named(model):
    with pytest.raises(InputError, match=r"<stdin>:2: the text holds <s> or </s>"):
        list(Rescorer(model).stream(["0 ||| das haus ||| ||| 1", "0 ||| <s> das haus </s> ||| ||| 1"]))


def test_an_impossible_hypothesis_is_last_and_its_score_can_be_read(model):
    class Strict(KneserNey):
        def score_sentences(self, sentences):
            scores = super().score_sentences(sentences)
            scores.log_prob[scores.unknown] = -np.inf
            return scores

    strict = Strict.__new__(Strict)
    strict.__dict__.update(model.__dict__)
    lists = ["0 ||| das xyz ||| ||| -1", "0 ||| das haus ||| ||| -1", "1 ||| das haus ||| ||| -1"]
    lines = list(Rescorer(strict).stream(lists))
    assert "das haus" in lines[0] and [parse(line, "moses", "here").group for line in lines] == ["0", "0", "1"]
    assert all(math.isfinite(parse(line, "moses", "here").score) for line in lines)
    off = list(Rescorer(strict, {"LanguageModel1": 0.0, "Unknown1": 0.0}).stream(lists))
    assert parse(off[0], "moses", "here").score == -1
