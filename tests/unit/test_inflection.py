"""hpylm+i as a user meets it: training, files, sums, unknown words, explanations, errors."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from binyan import InflectionHPYLM
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.language_model import load
from binyan.ngram.segmentation_candidates import SegmentationCandidates
from binyan.ngram.word_ways import WAYS, Way
from binyan.sampling import Schedule
from binyan.text.vocabulary import UNKNOWN, UNKNOWN_ID

STEMS, ENDINGS = ["dom", "hrad", "strom"], {"za": "em", "k": "u", "vidím": "a"}
TABLE = {stem + ending: f"{stem} {ending}" for stem in STEMS for ending in ENDINGS.values()}
TEXT = [f"{before} {stem}{ending}" for stem in STEMS for before, ending in ENDINGS.items()][:-1] * 3
TEXT += ["můj dom stojí", "hrad stojí za domem"]


def train(order: int = 3, schedule: Schedule | None = None, **more: Any) -> InflectionHPYLM:
    settings = {name: more.pop(name) for name in ("ways",) if name in more}
    schedule = schedule or Schedule(sweeps=10, samples=2)
    return InflectionHPYLM(order, schedule=schedule, segmentation=TABLE, **settings).fit(TEXT, progress=False, **more)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_sums_to_one_closed_and_says_what_it_leaves_open(order: int) -> None:
    model = train(order)
    opened = model.opened()
    for sentence in [*TEXT[:4], "k domem stojí xyz"]:
        state = model.begin()
        for word in sentence.split():
            assert model.distribution(state).sum() == pytest.approx(1.0, abs=1e-6)
            assert opened.distribution(state).sum() == pytest.approx(opened.vocabulary_mass(state), abs=1e-6)
            assert opened.vocabulary_mass(state) < 1
            state = model.score_word(state, word).state


WHOLE = Way("word", "first", "stems"), Way("word", "last", "endings")


def test_words_are_drawn_whole_after_stems_and_endings(tmp_path: Path) -> None:
    """`domem` never stands before `stojí`, but other forms of its stem do, and so do other words with its ending."""
    text = [
        "dom stojí",
        "domu stojí",
        "doma stojí",
        "hradem stojí",
        "strom padá",
        "k hradu",
        "za domem",
        "za stromem",
    ] * 4
    table = {**TABLE, "hradem": "hrad em"}
    model = InflectionHPYLM(2, segmentation=table, ways=(*WAYS, *WHOLE), sweeps=60, samples=5).fit(text, progress=False)
    for before in (["domem"], ["stromem"], ["k"], ["qqq"]):
        assert model.distribution(model.state_after(before)).sum() == pytest.approx(1.0, abs=1e-6)
    after, elsewhere = (model.score_word(model.state_after([w]), "stojí").log_prob for w in ("domem", "za"))
    assert after > elsewhere + 0.5
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.ways == model.ways and loaded.score("domem stojí") == model.score("domem stojí")
    assert len(model.weights[1]) == 5 and sum(model.weights[1]) == pytest.approx(1.0)
    names = [step.name for explained in model.explain("domem stojí") for step in explained.steps]
    assert any(name.startswith("word after 1 stems") for name in names)


def test_what_stands_for_a_word_in_a_context() -> None:
    parts, stems, endings = ("ev", "ler", "de"), *WHOLE
    assert stems.context_token(parts, 99) == ("stem", "ev") and endings.context_token(parts, 99) == ("ending", "de")
    assert stems.context_token(parts, 100) == parts and stems.context_token(("ev",), 1) == ("ev",)
    assert stems.tokens(parts) == (("word", "evlerde"), "")
    with pytest.raises(SettingsError, match="or as a 'word', not 'root'"):
        Way("root", "first", "words")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="'endings' or their 'stems', not 'roots'"):
        Way("word", "first", "roots")  # type: ignore[arg-type]


def test_agreement_reaches_a_form_never_seen_there() -> None:
    """`stroma` is not in the text: what follows `vidím` ends in -a, and `strom` is a stem."""
    model = train(2, Schedule(sweeps=60, samples=5)).opened()
    state = model.state_after(["vidím"])
    assert "stroma" not in model.vocabulary and "stroma" in set(model.further_words())
    right, wrong = (model.score_word(state, word) for word in ("stroma", "qqq"))
    assert right.unknown and wrong.unknown and right.log_prob != wrong.log_prob
    closed = model.closed()
    assert closed.score_word(state, "stroma").log_prob == closed.score_word(state, UNKNOWN).log_prob
    batch = model.score_sentences([["vidím", "stroma"], ["qqq"]])
    assert batch.log_prob[1] == right.log_prob and batch.unknown.tolist() == [False, True, False, True, False]


def test_batch_is_word_by_word_and_unk_is_one_word() -> None:
    for model in (train(), train().opened()):
        sentences = [*(line.split() for line in TEXT[:5]), ["xyz", "stroma", "dom"]]
        batch = model.score_sentences(sentences)
        alone = [e.log_prob for s in sentences for e in model.explain(s)]
        np.testing.assert_allclose(batch.log_prob, alone, rtol=0, atol=1e-12)
        state = model.state_after(["za"])
        unknown = model.score_word(state, UNKNOWN).log_prob
        assert unknown == pytest.approx(math.log(model.distribution(state)[UNKNOWN_ID]), abs=1e-9)


def test_saved_loaded_resumed(tmp_path: Path) -> None:
    schedule = Schedule(sweeps=12, samples=2, chains=2)
    whole = train(schedule=schedule)
    train(schedule=Schedule(sweeps=5, chains=2), checkpoint=tmp_path / "m")
    resumed = train(schedule=schedule, checkpoint=tmp_path / "m", resume=True)
    a, b = whole.contents()[1], resumed.contents()[1]
    assert a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)
    resumed.save(tmp_path / "full")
    resumed.save(tmp_path / "reduced", reduced=True)
    resumed.opened().save(tmp_path / "open", reduced=True)
    sentences = [line.split() for line in TEXT] + [["stroma"]]
    for name, expected in (("full", whole), ("reduced", whole), ("open", whole.opened())):
        other = load(tmp_path / name)
        assert str(other.signature()) == str(expected.signature())
        np.testing.assert_array_equal(
            other.score_sentences(sentences).log_prob, expected.score_sentences(sentences).log_prob
        )
    full = load(tmp_path / "full")
    assert full.sampling.chains.chains[0].step() == whole.sampling.chains.chains[0].step()  # type: ignore[attr-defined, union-attr]
    with pytest.raises(SettingsError, match="another ways"):
        train(schedule=schedule, checkpoint=tmp_path / "m", resume=True, ways=WAYS[:1])


def test_explanations_add_up_and_name_the_ways() -> None:
    model = train()
    for explanation in model.explain(["k", "hradu"]):
        shares = [s.share for s in explanation.steps if s.share is not None]
        assert sum(shares) == pytest.approx(1.0)
    names = {s.name for s in model.explain(["k", "hradu"])[1].steps}
    assert {"stem first after 1 words", "ending first after 1 endings"} <= names


def test_weights_and_one_sample() -> None:
    model = train()
    assert all(sum(row) == pytest.approx(1.0, abs=1e-5) for row in model.weights) and len(model.weights[0]) == 3
    one = model.one_sample()
    assert one.native.columns == 1 and model.native.columns == 2
    assert one.distribution(one.begin()).sum() == pytest.approx(1.0, abs=1e-6)


def test_segmentation_is_learnt_and_written(tmp_path: Path) -> None:
    """The table cuts every form one letter too late; the candidates have the cuts that share endings."""
    late = {word: f"{word[:-1]} {word[-1]}" for word in TABLE}
    candidates = {word: [parts, word] for word, parts in TABLE.items()}
    model = InflectionHPYLM(2, sweeps=60, samples=10, segmentation=late, candidates=candidates).fit(
        TEXT, progress=False
    )
    learnt = model.learnt_segmentation()
    assert set(learnt) == set(model.vocabulary.own_words) and learnt.components("dom") == ("dom",)
    known = [word for word in TABLE if word in model.vocabulary]
    assert any(learnt.components(word) != (word[:-1], word[-1]) for word in known)
    state = model.state_after(["za"])
    assert model.distribution(state).sum() == pytest.approx(1.0, abs=1e-6)
    model.save(tmp_path / "m")
    other = load(tmp_path / "m")
    np.testing.assert_array_equal(other.distribution(state), model.distribution(state))
    assert other.learnt_segmentation() == learnt  # type: ignore[attr-defined]


def test_candidates_are_read_and_bounded(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("domu\tdom u\ndomu\tdo mu\n", encoding="utf-8")
    assert SegmentationCandidates.read(tmp_path / "c.tsv").parts("domu") == [("dom", "u"), ("do", "mu")]
    word = "a" * 20
    many = "".join(f"{word}\t{word[:i]} {word[i:]}\n" for i in range(1, 20))
    (tmp_path / "c.tsv").write_text(many, encoding="utf-8")
    with pytest.raises(InputError, match=r"c.tsv:17: .*more than 16"):
        SegmentationCandidates.read(tmp_path / "c.tsv")


def test_without_parts_it_is_the_hpylm() -> None:
    """No way at all: the same model as the HPYLM, sampled by another sampler."""
    from binyan import HPYLM

    schedule = Schedule(sweeps=2000, samples=700)
    mine = train(2, schedule, ways=())
    theirs = HPYLM(2, schedule=schedule).fit(TEXT, progress=False)
    for context in ([], ["k"], ["dom"]):
        ours = mine.distribution(mine.state_after(context))
        np.testing.assert_allclose(ours, theirs.distribution(theirs.state_after(context)), atol=0.04)


def test_exports_the_nearest_back_off_model(tmp_path: Path) -> None:
    model = train(2)
    written = model.to_arpa(tmp_path / "m.arpa", progress=False)
    assert written.perplexity(TEXT) < 2 * model.perplexity(TEXT)


def test_settings_are_checked() -> None:
    for wrong in ({"first": "root"}, {"cut": "middle"}, {"context": "letters"}):
        with pytest.raises(SettingsError, match=next(iter(wrong.values()))):
            Way(**{"first": "stem", "cut": "last", "context": "words", **wrong})
    with pytest.raises(InputError, match="at most"):
        train(ways=WAYS * 4)


@pytest.mark.parametrize("learn", [False, True])
def test_a_segmentation_of_other_words_is_refused(learn: bool) -> None:
    other = {"Häuser": "Häus er", "Höfe": "Höf e"}
    with pytest.raises(InputError, match="2 words and none of the vocabulary; is it of another language"):
        InflectionHPYLM(2, segmentation=other, learn_segmentation=learn, sweeps=2).fit(TEXT, progress=False)


def test_command(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(TEXT), encoding="utf-8")
    (tmp_path / "parts.tsv").write_text("".join(f"{w}\t{p}\n" for w, p in TABLE.items()), encoding="utf-8")
    arguments = ["lm", "train", "hpylm+i", "--order", "2", "--sweeps", "5", "--segmentation", tmp_path / "parts.tsv"]
    runner = CliRunner()
    run = [*arguments, "--text", tmp_path / "text", "--out", tmp_path / "m"]
    trained = runner.invoke(app, list(map(str, run)), catch_exceptions=False)
    assert trained.exit_code == 0 and "hpylm+i of order 2" in trained.stdout
    scored = runner.invoke(app, ["lm", "perplexity", str(tmp_path / "m"), "--text", str(tmp_path / "text")])
    assert scored.exit_code == 0, scored.output


def test_segmentation_is_learnt_without_any_file(tmp_path: Path) -> None:
    """Candidates come from the adaptor grammar, Morfessor and the frequency splitter; all words keep the one-part reading too."""
    (tmp_path / "text").write_text("\n".join(TEXT * 3), encoding="utf-8")
    run = ["lm", "train", "hpylm+i", "--order", "2", "--sweeps", "5", "--learn-segmentation", "--quiet"]
    run += ["--text", tmp_path / "text", "--out", tmp_path / "m", "--learnt", tmp_path / "learnt.tsv"]
    trained = CliRunner().invoke(app, list(map(str, run)), catch_exceptions=False)
    assert trained.exit_code == 0, trained.output
    model = load(tmp_path / "m")
    assert isinstance(model, InflectionHPYLM)
    several = {word: model.candidates.parts(word) for word in model.vocabulary.own_words}
    assert any(len(parts) > 1 for parts in several.values())
    assert all(0 < 1 + len(parts) <= 16 for parts in several.values())
    for word, parts in several.items():
        assert (word,) in [model.segmentation.components(word, "left"), *parts]
    assert model.candidates.parts("</s>") == [] and len((tmp_path / "learnt.tsv").read_text().splitlines()) > 5
    again = InflectionHPYLM(2, sweeps=5, learn_segmentation=True).fit(tmp_path / "text", progress=False)
    assert again.signature() == model.signature()


def test_candidates_of_learners_differ_at_an_end_and_respect_the_bound() -> None:
    """A word of which sixteen segmentations are given gets no further ones."""
    from binyan.morphology.map_sources import MapLearner
    from binyan.ngram.candidate_learning import learn_candidates
    from binyan.text import Corpus, Preparation

    word = "domemhradustroma" * 2
    given = SegmentationCandidates.of_any({word: [f"{word[:i]} {word[i:]}" for i in range(1, 17)]})
    corpus = Corpus.read([*TEXT, word], Preparation())
    table, candidates = learn_candidates(MapLearner(), corpus, given, seed=1, progress=False)
    assert len(candidates.parts(word)) == 16
    for each in TABLE:
        ends = [(parts[0], parts[-1]) for parts in (table.components(each, "left"), *candidates.parts(each))]
        assert len(set(ends)) == len(ends)
