"""Vectors: composition of unseen words, neighbours, formats, similarity, the map; tuning that goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
torch.set_num_threads(1)

import binyan  # noqa: E402
from binyan.errors import InputError, SettingsError  # noqa: E402
from binyan.evaluation.similarity import WordPair, evaluate_similarity, read_pairs  # noqa: E402
from binyan.log_bilinear import vector_map  # noqa: E402
from binyan.log_bilinear.factor_map import FactorMap  # noqa: E402
from binyan.log_bilinear.language_model import LogBilinear  # noqa: E402
from binyan.log_bilinear.settings import SearchSettings, Shape, TrainingSettings, Variant  # noqa: E402
from binyan.log_bilinear.training import Trainer  # noqa: E402
from binyan.log_bilinear.training_task import TrainingTask  # noqa: E402
from binyan.log_bilinear.tuning import tune  # noqa: E402
from binyan.log_bilinear.vectors import Vectors, WordMorphemes, read_word2vec  # noqa: E402
from binyan.segmentation import Segmentation, SegmentationTable  # noqa: E402
from binyan.text import Corpus  # noqa: E402

STEMS, SUFFIXES = ("haus", "hof", "geh", "lauf"), ("en", "st", "t")
RANDOM = np.random.default_rng(0)
TEXT = [[RANDOM.choice(STEMS) + RANDOM.choice(SUFFIXES) for _ in range(5)] for _ in range(40)]
TABLE = SegmentationTable(
    Segmentation.parse(s + e, f"{s}/STM {e}/SUF") for s in (*STEMS, "zaun") for e in SUFFIXES if s + e != "hofst"
)


@lru_cache
def model(name: str = "clbl++") -> LogBilinear:
    corpus = Corpus.read([s for s in TEXT if "hofen" not in s])
    word_map = TABLE if Variant.parse(name).additive else None
    made = LogBilinear(name, order=3, dim=4, classes=3, word_map=word_map, epochs=2, batch=50)
    return made.fit(corpus, TEXT[:10], progress=False)


def test_a_guess_takes_compounds_apart_into_parts_and_words() -> None:
    text = [["der", "küchentisch", "neben", "einem", "garten"]] * 5
    settings = {"order": 2, "dim": 3, "classes": 2, "epochs": 1, "batch": 10}
    made = LogBilinear("clbl++", word_map={"küchentisch": "küche +n tisch"}, **settings)
    vectors = made.fit(text, text, progress=False).vectors
    assert vectors.known_morphemes("gartentisch") == ["garten", "tisch"]  # a word, and a part of a compound
    assert vectors.known_morphemes("küchengarten") == ["küche", "garten"]
    assert np.allclose(vectors["gartentisch"], vectors["garten"] + vectors.morpheme("tisch"))
    assert "gartentisch" in vectors and "gartenzaun" not in vectors
    assert "gartentisch" not in vectors.using(guess=False)
    assert str(vectors.morphemes_of("gartentisch")) == "gartentisch = garten + tisch (guess)"
    assert vectors.morphemes_of("küchentisch").origin == "vocabulary"
    assert vectors.morphemes_of("gartenzaun") == WordMorphemes("gartenzaun", (), "none")


def test_vectors_as_a_user_of_gensim_writes_it(tmp_path: Path) -> None:
    """The block of the front page, on a model with labelled morphemes."""
    model().save(tmp_path / "clbl.binyan")
    v = binyan.load(tmp_path / "clbl.binyan").vectors
    assert v["laufhofen"].shape == (v.dim,) == (8,)
    assert v.morphemes_of("laufhofen").origin == "guess" and v.morphemes_of("zaunen").origin == "word map"
    assert len(v.most_similar("hausen", topn=5)) == 5 and "hausen" not in dict(v.most_similar("hausen"))
    v.save_word2vec(tmp_path / "v.txt")
    v.save_safetensors(tmp_path / "v.safetensors")
    assert (tmp_path / "v.txt").read_text().startswith(f"{len(v) + 2} 8\n")  # and <unk> and </s>
    assert v.words[0] in v and "hausen" in v.words and "<unk>" not in v.words
    analogy = v.most_similar(["hausen", "gehst"], negative=["gehen"], topn=1)
    total = sum(sign * v[w] / np.linalg.norm(v[w]) for w, sign in (("hausen", 1), ("gehst", 1), ("gehen", -1)))
    best = dict(v.neighbours(total, 1, skip=["hausen", "gehst", "gehen"]))
    assert dict(analogy) == pytest.approx(best)
    assert v is not v.using(side="context") and v.using(side="context").dim == 4 and v.using() is v
    with pytest.raises(InputError, match="at least one word"):
        v.most_similar([])


def test_vectors_are_measured_and_drawn(tmp_path: Path) -> None:
    vectors = model().vectors
    (tmp_path / "pairs.tsv").write_text("hausen\thofen\t3\nhausen\tlaufst\t2\nzaunen\thofen\t1\nlaufhofen\thofen\t1\n")
    result = vectors.evaluate(tmp_path / "pairs.tsv")
    assert result.pairs == 4 and result.uncovered == 1  # what the map lacks is not guessed
    assert "pairs:pairs.tsv|side:both|compose:yes" in result.signature and result.to_dict()["signature"]
    assert vectors.evaluate(read_pairs(tmp_path / "pairs.tsv"), guess=True).uncovered == 0
    assert vectors.using(compose=False).evaluate(tmp_path / "pairs.tsv").uncovered == 3
    assert vectors.plot(tmp_path / "map.html", 5) == 5 and "-en" in (tmp_path / "map.html").read_text()
    assert vectors.plot(tmp_path / "map.svg", 6, morphemes=False) == 5
    with pytest.raises(SettingsError, match="name the file .html"):
        vectors.plot(tmp_path / "map.doc")


def test_vectors_are_both_sides_of_composed_words() -> None:
    vectors = Vectors(model())
    assert vectors.dim == 8 and "hofen" not in vectors.vocabulary and "zaunen" in vectors
    lm = model()
    index = lm.factor_map.morpheme_index["en/SUF"] - lm.factor_map.words
    stem = lm.factor_map.morpheme_index["hof/STM"] - lm.factor_map.words
    assert np.allclose(vectors["hofen"], vectors.morpheme_matrix[index] + vectors.morpheme_matrix[stem])
    assert np.allclose(vectors["zaunen"], vectors.morpheme("en/SUF"))  # the stem is unknown
    assert np.array_equal(vectors["nirgends"], vectors["<unk>"]) and "nirgends" not in vectors
    q, r = Vectors(lm, side="context")["hausen"], Vectors(lm, side="target")["hausen"]
    assert np.array_equal(vectors["hausen"], np.concatenate([q, r]))
    row = lm.network.targets.row_of[lm.vocabulary["hausen"]]
    assert np.array_equal(r, lm.target_vectors[row].numpy())
    assert np.array_equal(Vectors(lm, compose=False)["hofen"], vectors["<unk>"])
    with pytest.raises(SettingsError, match="sides"):
        Vectors(lm, side="inside")


def test_neighbours() -> None:
    vectors = Vectors(model())
    near = vectors.most_similar("hofen", topn=3)
    assert len(near) == 3 and near == sorted(near, key=lambda n: -n[1]) and "<unk>" not in dict(near)
    assert vectors.similarity("hausen", "hausen") == pytest.approx(1)
    assert "en/SUF" not in dict(vectors.most_similar("en/SUF", topn=3, morphemes=True))
    with pytest.raises(InputError, match="there is en/SUF"):
        vectors.most_similar("en/PRE", topn=3, morphemes=True)
    with pytest.raises(InputError, match="none of its morphemes"):
        vectors.most_similar("nirgends")


def test_exchange_formats(tmp_path: Path) -> None:
    from safetensors import safe_open

    vectors = Vectors(model())
    vectors.save_word2vec(tmp_path / "v.txt")
    names, matrix = read_word2vec(tmp_path / "v.txt")
    assert names[0] == "<unk>" and "<s>" not in names and len(names) == len(vectors.vocabulary) - 1
    assert np.allclose(matrix[names.index("hausen")], vectors["hausen"], rtol=1e-5)
    vectors.save_safetensors(tmp_path / "v.safetensors", morphemes=True)
    with safe_open(tmp_path / "v.safetensors", "np") as file:
        words = file.metadata()["words"].split("\n")
        assert np.array_equal(file.get_tensor("vectors")[words.index("en/SUF")], vectors.morpheme("en/SUF"))
    (tmp_path / "bad.txt").write_text("2 3\nhaus 1 2\n")
    with pytest.raises(InputError, match="bad.txt:2"):
        read_word2vec(tmp_path / "bad.txt")


def test_models_without_morphemes_have_word_vectors_only() -> None:
    vectors = Vectors(model("clbl"))
    assert not vectors.morphemes and np.array_equal(vectors["hofen"], vectors["<unk>"])
    with pytest.raises(InputError, match="no morphemes"):
        vector_map.chosen(vectors, 10, morphemes=True)


def test_spearman_on_word_pairs(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("word1\tword2\tscore\nA\tb\t1\nc\td\t2.5\ne\tf\t3\n")
    pairs = read_pairs(tmp_path / "pairs.tsv", lowercase=True)
    assert pairs[0] == WordPair("a", "b", 1.0)
    made = {("a", "b"): 0.1, ("c", "d"): 0.9, ("e", "f"): 0.5}
    result = evaluate_similarity(pairs, lambda a, b: made[a, b], lambda w: w != "f")
    assert result.rho == pytest.approx(0.5) and result.pairs == 3 and result.uncovered == 1
    (tmp_path / "bad.tsv").write_text("a\tb\t1\nc\td\n")
    with pytest.raises(InputError, match="bad.tsv:2"):
        read_pairs(tmp_path / "bad.tsv")


def test_map_of_morphemes(tmp_path: Path) -> None:
    vectors = Vectors(model())
    names, matrix = vector_map.chosen(vectors, 50, morphemes=True)
    places = vector_map.plane(matrix)
    assert places.shape == (len(names), 2) and np.array_equal(places, vector_map.plane(matrix))
    vector_map.draw(names, places, tmp_path / "map.png")
    vector_map.write_page(names, places, tmp_path / "map.html", "a<b")
    page = (tmp_path / "map.html").read_text()
    points = json.loads(page.split("const points = ")[1].split(", svg =")[0])
    assert {p[0] for p in points} >= {"-en", "haus"} and "a&lt;b" in page
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_a_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="the neural extra is not installed")
    corpus = Corpus.read(TEXT[:30])
    development = Corpus.encode(TEXT[30:], corpus.vocabulary)
    runs = []

    def trainer(settings: TrainingSettings) -> Trainer:
        runs.append(settings)
        return Trainer(corpus, development, Shape(Variant.parse("lbl"), 2, 3), settings)

    settings = TrainingSettings(step=0.06, l2=8.0, epochs=1, batch=50, noise_samples=5)
    first = tune(trainer, settings, SearchSettings(2), tmp_path / "study.db")
    second = tune(trainer, settings, SearchSettings(4), tmp_path / "study.db")
    assert len(runs) == 4 and len(second.trials) == 4 and second.trials[:2] == first.trials
    assert runs[0].step == pytest.approx(settings.step) and runs[0].l2 == pytest.approx(settings.l2)
    assert second.perplexity <= first.perplexity
    assert len({t.settings["step"] for t in second.trials}) == 4


def test_trials_in_processes_are_those_of_this_one(tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="the neural extra is not installed")
    corpus = Corpus.read(TEXT[:30])
    held_out = Corpus.encode([*TEXT[30:], ["zaunen", TEXT[0][0]]], corpus.vocabulary)
    word_map = FactorMap.from_segmentations(TABLE, corpus.vocabulary, held_out.outside)
    assert word_map.outside == ("zaunen",)
    task = TrainingTask(
        corpus,
        held_out,
        Shape(Variant.parse("clbl++"), 2, 3),
        word_map,
        (np.arange(len(corpus.vocabulary)) % 3).astype(np.uint32),
    )
    settings = TrainingSettings(epochs=2, batch=50)
    seen: list[int] = []
    study = tune(
        task, settings, SearchSettings(2, 2), tmp_path / "s.db", progress=lambda done, total, figures: seen.append(done)
    )
    assert seen == [1, 2] and len({t.settings["step"] for t in study.trials}) == 2
    for trial in study.trials:
        own = {name: trial.settings[name] for name in ("step", "l2")}
        shape = {name: int(trial.settings[name]) for name in ("dim", "order")}
        again = task.of_shape(**shape)(replace(settings, **own)).run(progress=False)
        assert trial.perplexity == min(again.perplexity) and trial.epochs == again.epochs
    with pytest.raises(SettingsError, match="TrainingTask"):
        tune(lambda s: task(s), settings, SearchSettings(4, 2), tmp_path / "s.db")
