"""HPYLM+c and hpylm+g as a user meets them: training, files, open vocabulary, explanations, errors."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from binyan.errors import InputError, SettingsError
from binyan.language_model import load
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.compound_sampling import ComponentInventory, Decomposition, prepared
from binyan.sampling import Schedule
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.text import Preparation, Vocabulary
from binyan.text.vocabulary import UNKNOWN, UNKNOWN_ID
from killed_training import resumes_bit_for_bit

TEXT = [
    "der alte schulhof",
    "der alte gasthof am küchentisch",
    "die schul am alten hof",
    "der gast am tisch der küchen",
    "der neue gasthof",
]
TABLE = SegmentationTable(
    Segmentation.parse(word, parts)
    for word, parts in (
        ("schulhof", "schul hof"),
        ("gasthof", "gast hof"),
        ("küchentisch", "küche +n tisch"),
        ("gasttisch", "gast tisch"),
        ("schulbank", "schul bank"),
    )
)
KINDS = ["hpylm+c", "hpylm+g"]


def compound_model(kind: str, order: int = 3, **settings: Any) -> CompoundHPYLM:
    return CompoundHPYLM(order, both_ways=kind == "hpylm+g", **settings)


def train(kind: str, order: int = 3, schedule: Schedule | None = None, **more: Any) -> CompoundHPYLM:
    settings = {name: more.pop(name) for name in ("head", "linking", "preparation") if name in more}
    schedule = schedule or Schedule(sweeps=10, samples=2)
    return compound_model(kind, order, schedule=schedule, segmentation=TABLE, **settings).fit(TEXT, **more)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", ["right", "left"])
@pytest.mark.parametrize("linking", ["left", "right", "delete"])
def test_sums_to_one_renormalised(kind: str, head: Any, linking: Any) -> None:
    model = train(kind, head=head, linking=linking)
    closed = model.closed()
    for sentence in TEXT:
        state = model.begin()
        for word in sentence.split():
            assert model.distribution(state).sum() == pytest.approx(model.vocabulary_mass(state), abs=1e-6)
            assert model.vocabulary_mass(state) < 1
            assert closed.distribution(state).sum() == pytest.approx(1.0, abs=1e-6)
            state = model.score_word(state, word).state


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("closed", [False, True])
def test_unk_is_one_word_on_every_way_in(kind: str, closed: bool) -> None:
    """`<unk>` was scored as a compound never seen, of one component, where single words were asked for."""
    model = train(kind).closed() if closed else train(kind)
    for words in ([], ["der"], ["der", "alte"]):
        state = model.state_after(words)
        alone = model.score_word(state, UNKNOWN).log_prob
        assert alone == pytest.approx(math.log(model.distribution(state)[UNKNOWN_ID]), abs=1e-9)
        assert alone == pytest.approx(model.score_sentences([[*words, UNKNOWN]]).log_prob[len(words)], abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_gives_probability_to_compounds_never_seen(kind: str) -> None:
    model = train(kind)
    unseen, unknown = model.score_word(model.begin(), "gasttisch"), model.score_word(model.begin(), "qqq")
    assert unseen.unknown and unknown.unknown
    assert unseen.log_prob != unknown.log_prob
    batch = model.score_sentences([["gasttisch", "qqq"], ["der", "schulbank"]])
    assert batch.log_prob[0] == unseen.log_prob
    assert batch.unknown.tolist() == [True, True, False, False, True, False]
    # One component of schulbank is unknown, and the closed vocabulary knows neither: both are <unk>.
    state = model.score_word(model.begin(), "der").state
    assert batch.log_prob[4] == model.score_word(state, "<unk>").log_prob
    closed = model.closed()
    assert (
        closed.score_word(closed.begin(), "gasttisch").log_prob == closed.score_word(closed.begin(), "<unk>").log_prob
    )


@pytest.mark.parametrize("kind", KINDS)
def test_saved_loaded_resumed(kind: str, tmp_path: Path) -> None:
    schedule = Schedule(sweeps=12, samples=2, chains=2)
    whole = train(kind, schedule=schedule)
    train(kind, schedule=Schedule(sweeps=5, chains=2), checkpoint=tmp_path / "m")
    resumed = train(kind, schedule=schedule, checkpoint=tmp_path / "m", resume=True)
    a, b = whole.contents()[1], resumed.contents()[1]
    assert a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)
    resumed.save(tmp_path / "full")
    resumed.save(tmp_path / "reduced", reduced=True)
    resumed.closed().save(tmp_path / "closed", reduced=True)
    sentences = [line.split() for line in TEXT] + [["gasttisch"]]
    for name, expected in (("full", whole), ("reduced", whole), ("closed", whole.closed())):
        other = load(tmp_path / name)
        assert str(other.signature()) == str(expected.signature())
        np.testing.assert_array_equal(
            other.score_sentences(sentences).log_prob, expected.score_sentences(sentences).log_prob
        )
    full = load(tmp_path / "full")
    assert full.kind == kind and full.sampling is not None
    assert full.sampling.chains.chains[0].step() == whole.sampling.chains.chains[0].step()  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_random_moments(kind: str, tmp_path: Path) -> None:
    assert resumes_bit_for_bit(
        tmp_path,
        "from binyan.ngram.compound import CompoundHPYLM\n"
        "from binyan.segmentation import Segmentation, SegmentationTable\n"
        "parts = {f'{a}{b}': f'{a} {b}' for a in 'klmno' for b in 'pqrst'}\n"
        "words = [*parts, *'klmnopqrst']\n"
        "text = [' '.join(words[(i * j * j + i) % len(words)] for j in range(20)) for i in range(100)]\n"
        "table = SegmentationTable(Segmentation.parse(w, p) for w, p in parts.items())\n"
        f"model = CompoundHPYLM(3, sweeps=150, samples=3, chains=2, segmentation=table, both_ways={kind == 'hpylm+g'})\n"
        "model.fit(text, checkpoint=checkpoint, checkpoint_seconds=0.0, resume=True)",
    )


# By language: where the head is, compounds of the text, one that is not in it, and its components from the head on.
LANGUAGES: dict[str, tuple[Any, dict[str, str], tuple[str, str], tuple[str, ...]]] = {
    "afrikaans": (
        "right",
        {"besigheidstyd": "besigheid +s tyd", "perdekar": "perd +e kar"},
        ("perdetyd", "perd +e tyd"),
        ("tyd", "perde"),
    ),
    "dutch": (
        "right",
        {"kinderboek": "kind +er boek", "zonnebril": "zon +ne bril"},
        ("kinderbril", "kind +er bril"),
        ("bril", "kinder"),
    ),
    "english": (
        "right",
        {"e-mail": "e +- mail", "rail-car": "rail +- car"},
        ("rail-mail", "rail +- mail"),
        ("mail", "rail-"),
    ),
    "finnish": (
        "right",
        {"auringonlasku": "auringon lasku", "linja-auto": "linja +- auto"},
        ("auringonauto", "auringon auto"),
        ("auto", "auringon"),
    ),
    "hebrew": (  # construct state: the head is on the left
        "left",
        {"beit-sefer": "beit +- sefer", "chadar-cholim": "chadar +- cholim"},
        ("beit-cholim", "beit +- cholim"),
        ("beit", "-cholim"),
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_the_model_is_german(kind: str, language: str) -> None:
    """Other linking elements, hyphens and heads on the left: components, sums, and a compound never seen."""
    head, seen, (word, parts), components = LANGUAGES[language]
    table = SegmentationTable(Segmentation.parse(*row) for row in [*seen.items(), (word, parts)])
    assert Decomposition(table, head)(word) == components
    model = compound_model(kind, 2, sweeps=10, segmentation=table, head=head).fit([" ".join(seen), *seen])
    closed = model.closed()
    assert closed.distribution(closed.begin()).sum() == pytest.approx(1.0, abs=1e-6)
    scored = model.score_word(model.begin(), word)
    assert scored.unknown and scored.log_prob != model.score_word(model.begin(), "<unk>").log_prob
    steps = {(s.name, s.detail) for s in model.explain([word])[0].steps}
    assert ("modifier", f"{components[1]} | {components[0]}") in steps


def test_interrupted_checkpoint_loads(tmp_path: Path) -> None:
    def interrupt(done: int, total: int | None, figures: dict[str, float]) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train("hpylm+g", checkpoint=tmp_path / "m", progress=interrupt)
    early = load(tmp_path / "m")
    assert 0.3 < early.distribution(early.begin()).sum() < 1


def test_one_sample_and_hyperparameters() -> None:
    model = train("hpylm+g", schedule=Schedule(sweeps=10, samples=3))
    one = model.one_sample()
    assert one.native.columns == 1 and model.native.columns == 3
    assert one.closed().distribution(0).sum() == pytest.approx(1.0, abs=1e-6)
    assert [len(v) for v in model.hyperparameters.values()] == [3, 3, 2]
    assert model.shortening[0] == 0.0 and all(0 < w < 1 for w in model.shortening[1:])
    assert train(CompoundHPYLM).shortening == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_samples_one_by_one_average_to_the_model_that_keeps_them(kind: str) -> None:
    """Sweeps 6, 8 and 10 are kept: the same chain, asked for one sample at a time."""
    model = train(kind, schedule=Schedule(sweeps=10, burn_in=4, samples=3)).closed()
    sampled = train(kind, schedule=Schedule(sweeps=6, burn_in=5, samples=1))
    samples = [sampled.one_sample(), sampled.next_sample(2), sampled.next_sample(2)]
    mean = np.mean([sample.closed().distribution(sample.begin()) for sample in samples], axis=0)
    np.testing.assert_allclose(mean, model.distribution(model.begin()), rtol=1e-6)
    assert len(samples[-1].trace[0]) == 10 and "sweeps:10" in str(samples[-1].signature())
    with pytest.raises(SettingsError, match="cannot be sampled further"):
        samples[0].next_sample()


@pytest.mark.parametrize("kind", KINDS)
def test_explanation_tells_head_and_modifiers(kind: str) -> None:
    model = train(kind)
    words = model.explain(["der", "gasttisch"])
    steps = words[1].steps
    assert ("modifier", "gast | tisch") in {(s.name, s.detail) for s in steps}
    assert any(s.name == "head" and s.detail.endswith("+tisch") for s in steps)
    assert sum(s.share for s in steps if s.share is not None) == pytest.approx(1.0)
    made = math.prod(s.probability or 1 for s in steps if s.name in ("modifier", "end"))
    assert 0 < made < 1


def test_linking_elements_go_away_from_the_head() -> None:
    vocabulary = Vocabulary(["küchentisch", "tisch"])
    right, left = (ComponentInventory(vocabulary, Decomposition(TABLE, head)) for head in ("right", "left"))  # type: ignore[arg-type]
    assert right.of(3) == ["tisch", "küchen"] and left.of(3) == ["küche", "ntisch"]
    assert right.compounds == 1 and len(right) == 5  # <unk> <s> </s> tisch küchen


def test_preparation_reaches_the_segmentation() -> None:
    table = SegmentationTable(
        [Segmentation.parse("Schulhof", "Schul hof"), Segmentation.parse("schulhof", "schulh of")]
    )
    assert prepared(table, Preparation(lowercase=True)).components("schulhof") == ("schul", "hof")
    assert prepared(table, Preparation()) is table


@pytest.mark.parametrize("both_ways", [False, True])
def test_a_segmentation_of_other_words_is_refused(both_ways: bool) -> None:
    with pytest.raises(InputError, match="1 words and none of the vocabulary; is it of another language"):
        CompoundHPYLM(2, segmentation={"Haustür": "Haus tür"}, both_ways=both_ways, sweeps=2).fit(["die haustür"])
    lowered = CompoundHPYLM(2, segmentation={"Haustür": "Haus tür"}, both_ways=both_ways, sweeps=2, lowercase=True)
    assert lowered.fit(["die Haustür"], progress=False).coverage.missing == ("die",)


def test_refuses_other_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="head"):
        train(CompoundHPYLM, head="middle")
    with pytest.raises(SettingsError, match="linking"):
        train(CompoundHPYLM, linking="drop")
    train(CompoundHPYLM, checkpoint=tmp_path / "m")
    with pytest.raises(SettingsError, match="another head"):
        train(CompoundHPYLM, checkpoint=tmp_path / "m", resume=True, head="left")
    with pytest.raises(SettingsError, match=r"hpylm\+c"):
        train("hpylm+g", checkpoint=tmp_path / "m", resume=True)


def test_views_share_the_model_instead_of_copying_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> bytes:
        raise AssertionError("a view went through the container")

    from binyan import model_file

    text = ["der alte schulhof", "der alte gasthof", "der neue hof"]
    table = SegmentationTable([Segmentation.parse("schulhof", "schul hof"), Segmentation.parse("gasthof", "gast hof")])
    model = CompoundHPYLM(2, schedule=Schedule(sweeps=5), segmentation=table, both_ways=False).fit(text)
    monkeypatch.setattr(model_file, "to_bytes", refuse)
    assert model.closed().native is model.native
    assert model.one_sample().corpus is model.corpus
