"""Rescoring n-best lists: each format in and out, scores as the model gives them, streaming, tuning."""

import json
import warnings

import pytest

import binyan
from binyan.errors import InputError, SettingsError
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation.nbest import parse, read_lists
from binyan.translation.rescoring import Rescorer

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
