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

from binyan.errors import InputError, SettingsError  # noqa: E402
from binyan.evaluation.similarity import WordPair, evaluate_similarity, read_pairs  # noqa: E402
from binyan.log_bilinear import vector_map  # noqa: E402
from binyan.log_bilinear.estimation import train  # noqa: E402
from binyan.log_bilinear.factor_map import FactorMap  # noqa: E402
from binyan.log_bilinear.language_model import LogBilinearLM  # noqa: E402
from binyan.log_bilinear.network import Shape, Variant  # noqa: E402
from binyan.log_bilinear.training import Trainer, TrainingSettings  # noqa: E402
from binyan.log_bilinear.training_task import TrainingTask  # noqa: E402
from binyan.log_bilinear.tuning import tune  # noqa: E402
from binyan.log_bilinear.vectors import Vectors, read_text  # noqa: E402
from binyan.segmentation import Segmentation, SegmentationTable  # noqa: E402
from binyan.text import Corpus  # noqa: E402

STEMS, SUFFIXES = ("haus", "hof", "geh", "lauf"), ("en", "st", "t")
RANDOM = np.random.default_rng(0)
TEXT = [[RANDOM.choice(STEMS) + RANDOM.choice(SUFFIXES) for _ in range(5)] for _ in range(40)]
TABLE = SegmentationTable(
    Segmentation.parse(s + e, f"{s}/STM {e}/SUF") for s in (*STEMS, "zaun") for e in SUFFIXES if s + e != "hofst"
)


@lru_cache
def model(name: str = "clbl++") -> LogBilinearLM:
    settings = TrainingSettings(epochs=2, batch=50)
    corpus = Corpus.read([s for s in TEXT if "hofen" not in s])
    return train(
        corpus, TEXT[:10], name, order=3, dim=4, classes=3, segmentations=TABLE, settings=settings, progress=False
    )


def test_a_guess_takes_compounds_apart_into_parts_and_words() -> None:
    table = SegmentationTable([Segmentation.parse("küchentisch", "küche +n tisch")])
    text = [["der", "küchentisch", "neben", "einem", "garten"]] * 5
    settings = TrainingSettings(epochs=1, batch=10)
    made = train(
        text, text, "clbl++", order=2, dim=3, classes=2, segmentations=table, settings=settings, progress=False
    )
    vectors = Vectors(made, guess=True)
    assert vectors.known_morphemes("gartentisch") == ["garten", "tisch"]  # a word, and a part of a compound
    assert vectors.known_morphemes("küchengarten") == ["küche", "garten"]
    assert np.allclose(vectors["gartentisch"], vectors["garten"] + vectors.morpheme("tisch"))
    assert "gartenzaun" not in vectors and "gartentisch" not in Vectors(made)


def test_vectors_are_both_sides_of_composed_words() -> None:
    vectors = Vectors(model())
    assert vectors.dim == 8 and "hofen" not in vectors.vocabulary and "zaunen" in vectors
    lm = model()
    index = lm.word_map.morpheme_index["en/SUF"] - lm.word_map.words
    stem = lm.word_map.morpheme_index["hof/STM"] - lm.word_map.words
    assert np.allclose(vectors["hofen"], vectors.morpheme_matrix[index] + vectors.morpheme_matrix[stem])
    assert np.allclose(vectors["zaunen"], vectors.morpheme("en/SUF"))  # the stem is unknown
    assert np.array_equal(vectors["nirgends"], vectors["<unk>"]) and "nirgends" not in vectors
    q, r = Vectors(lm, "context")["hausen"], Vectors(lm, "target")["hausen"]
    assert np.array_equal(vectors["hausen"], np.concatenate([q, r]))
    row = lm.model.targets.row_of[lm.vocabulary["hausen"]]
    assert np.array_equal(r, lm.target_vectors[row].numpy())
    assert np.array_equal(Vectors(lm, compose=False)["hofen"], vectors["<unk>"])
    with pytest.raises(SettingsError, match="sides"):
        Vectors(lm, "inside")  # type: ignore[arg-type]


def test_neighbours() -> None:
    vectors = Vectors(model())
    near = vectors.nearest("hofen", 3)
    assert len(near) == 3 and near == sorted(near, key=lambda n: -n[1]) and "<unk>" not in dict(near)
    assert vectors.similarity("hausen", "hausen") == pytest.approx(1)
    assert "en/SUF" not in dict(vectors.nearest("en/SUF", 3, morphemes=True))
    with pytest.raises(InputError, match="there is en/SUF"):
        vectors.nearest("en/PRE", 3, morphemes=True)
    with pytest.raises(InputError, match="none of its morphemes"):
        vectors.nearest("nirgends")


def test_exchange_formats(tmp_path: Path) -> None:
    from safetensors import safe_open

    vectors = Vectors(model())
    vectors.write_text(tmp_path / "v.txt")
    names, matrix = read_text(tmp_path / "v.txt")
    assert names[0] == "<unk>" and "<s>" not in names and len(names) == len(vectors.vocabulary) - 1
    assert np.allclose(matrix[names.index("hausen")], vectors["hausen"], rtol=1e-5)
    vectors.write_safetensors(tmp_path / "v.safetensors", morphemes=True)
    with safe_open(tmp_path / "v.safetensors", "np") as file:
        words = file.metadata()["words"].split("\n")
        assert np.array_equal(file.get_tensor("vectors")[words.index("en/SUF")], vectors.morpheme("en/SUF"))
    (tmp_path / "bad.txt").write_text("2 3\nhaus 1 2\n")
    with pytest.raises(InputError, match="bad.txt:2"):
        read_text(tmp_path / "bad.txt")


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

    settings = TrainingSettings(epochs=1, batch=50, noise_samples=5)
    first = tune(trainer, settings, 2, tmp_path / "study.db")
    second = tune(trainer, settings, 4, tmp_path / "study.db")
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
    study = tune(task, settings, 2, tmp_path / "s.db", jobs=2, progress=lambda done, total, figures: seen.append(done))
    assert seen == [1, 2] and len({t.settings["step"] for t in study.trials}) == 2
    for trial in study.trials:
        again = task(replace(settings, **trial.settings)).run(progress=False)
        assert trial.perplexity == min(again.perplexity) and trial.epochs == again.epochs
    with pytest.raises(SettingsError, match="TrainingTask"):
        tune(lambda s: task(s), settings, 4, tmp_path / "s.db", jobs=2)
