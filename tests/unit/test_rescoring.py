"""Rescoring n-best lists: each format in and out, scores as the model gives them, streaming, tuning."""

import json
import warnings

import pytest

from binyan.errors import InputError, SettingsError
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation.nbest import parse
from binyan.translation.rescoring import Rescorer, read_lists, tune_rescoring

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
    weights, bleu = tune_rescoring(rescorer, read_lists(lists), references)
    assert bleu == pytest.approx(1.0) and weights["LanguageModel1"] > 0
    with pytest.raises(InputError, match="3 lists and 2 references"):
        tune_rescoring(rescorer, read_lists(lists), references[:2])
    best = list(Rescorer([model], weights).stream(lists))
    assert best[0].startswith("0 ||| das haus ist klein")
