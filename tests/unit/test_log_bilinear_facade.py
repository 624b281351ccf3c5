"""LogBilinear as a user meets it: settings, what may be given for map and classes, tuning, files, the cache."""

from __future__ import annotations

import importlib.util
import inspect
import threading
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")

import binyan  # noqa: E402
from binyan import clustering  # noqa: E402
from binyan.clustering import WordClasses  # noqa: E402
from binyan.errors import InputError, MissingExtra, ModelFileError, NotFittedError, SettingsError  # noqa: E402
from binyan.log_bilinear import storage  # noqa: E402
from binyan.log_bilinear.factor_map import FactorMap  # noqa: E402
from binyan.log_bilinear.network import LogBilinearNetwork  # noqa: E402
from binyan.log_bilinear.output import Targets  # noqa: E402
from binyan.log_bilinear.predictions import CACHE_BYTES, PredictionCache  # noqa: E402
from binyan.log_bilinear.settings import Shape, TrainingSettings, Variant  # noqa: E402
from binyan.model_file import ModelFile  # noqa: E402
from binyan.text import Vocabulary  # noqa: E402
from log_bilinear_world import CLASSES, CORPUS, TABLE, lm, text  # noqa: E402

SMALL = {"order": 3, "dim": 4, "epochs": 1, "batch": 50}
TEXT, DEVELOPMENT = [" ".join(s) for s in text()], [" ".join(s) for s in text(20, 1)]


def test_settings_are_keywords_of_the_constructor() -> None:
    model = binyan.LogBilinear("clbl", order=3, dim=7, step=0.1, classes=4, lowercase=True, min_count=2)
    assert (model.shape.order, model.shape.dim, model.training.step) == (3, 7, 0.1)
    assert model.preparation.lowercase and model.policy.min_count == 2
    assert binyan.LogBilinear(Shape=Shape(Variant.parse("lbl"), 2, 3)).shape == Shape(Variant.parse("lbl"), 2, 3)
    shown = inspect.signature(binyan.LogBilinear).parameters
    assert shown["patience"].default == TrainingSettings().patience == 1 and shown["dim"].default == 100
    with pytest.raises(SettingsError, match="did you mean 'epochs'"):
        binyan.LogBilinear("clbl", epoch=3)
    with pytest.raises(SettingsError, match="has no classes"):
        binyan.LogBilinear("lbl", classes=4)
    with pytest.raises(SettingsError, match="has no morphemes"):
        binyan.LogBilinear("clbl", word_map=TABLE)
    with pytest.raises(InputError, match="no such file"):
        binyan.LogBilinear("clbl++", word_map="nowhere.tsv")


def test_a_model_that_was_not_fitted_refuses(tmp_path: Path) -> None:
    model = binyan.LogBilinear("clbl++", word_map=TABLE)
    assert not model.is_fitted and repr(model) == "<LogBilinear, not fitted>"
    for use in (
        lambda: model.score("hausen hofen"),
        lambda: model.vectors,
        lambda: model.description,
        lambda: model.next_words("hausen"),
        lambda: model.extended(),
        lambda: model.network,
        lambda: model.save(tmp_path / "m"),
    ):
        with pytest.raises(NotFittedError, match="this LogBilinear has learnt nothing yet"):
            use()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = model.nonsense
    assert not (tmp_path / "m").exists()


def test_map_and_classes_may_be_files_mappings_and_numbers(tmp_path: Path) -> None:
    TABLE.write(tmp_path / "map.tsv")
    CLASSES.write(tmp_path / "classes")
    (tmp_path / "train.txt").write_text("\n".join(TEXT) + "\n")
    (tmp_path / "dev.txt").write_text("\n".join(DEVELOPMENT) + "\n")
    mapping = {word: str(TABLE[word]) for word in TABLE}
    models = [
        binyan.LogBilinear("clbl++", word_map=word_map, classes=classes, **SMALL).fit(source, held_out, progress=False)
        for word_map, classes, source, held_out in (
            (TABLE, CLASSES, CORPUS, text(20, 1)),
            (tmp_path / "map.tsv", str(tmp_path / "classes"), tmp_path / "train.txt", str(tmp_path / "dev.txt")),
            (mapping, 4, TEXT, DEVELOPMENT),
        )
    ]
    scores = [m.score_sentences(text(5, 7)).log_prob for m in models]
    assert np.array_equal(scores[0], scores[2]) and np.allclose(scores[0], scores[1], atol=0.2)
    assert models[0].history == models[2].history and models[0].parts_of("hausen") == ("haus/STM", "en/SUF")
    assert models[0].parts_of("fremd") == ("fremd",) and lm("clbl").parts_of("hausen") is None
    assert models[0].summary()["kind"] == "clbl++" and "development perplexity" in models[0].description


def test_a_map_learnt_from_the_text() -> None:
    pytest.importorskip("morfessor", reason="the morfessor extra is not installed")
    pytest.importorskip("flatcat", reason="the morfessor extra is not installed")
    model = binyan.LogBilinear("clbl++", word_map="morfessor", classes=3, **SMALL).fit(
        TEXT, DEVELOPMENT, progress=False
    )
    assert set(model.segmentations) == {w for s in text() for w in s} and model.factor_map.morphemes


def test_fit_is_resumed_from_its_checkpoint(tmp_path: Path) -> None:
    def model(epochs: int) -> binyan.LogBilinear:
        return binyan.LogBilinear(
            "clbl", classes=CLASSES, **(SMALL | {"epochs": epochs, "patience": 9, "decay": False})
        )

    seen: list[int] = []
    unbroken = model(3).fit(TEXT, DEVELOPMENT, progress=False, after_epoch=lambda history: seen.append(history.epochs))
    model(1).fit(TEXT, DEVELOPMENT, checkpoint=tmp_path / "state", progress=False)
    resumed = model(3).fit(TEXT, DEVELOPMENT, checkpoint=tmp_path / "state", progress=False)
    assert seen == [1, 2, 3] and resumed.history == unbroken.history
    assert resumed.score("hausen hofen") == unbroken.score("hausen hofen")
    with pytest.raises(InputError, match="development text holds no sentence"):
        model(1).fit(TEXT, [])
    with pytest.raises(ModelFileError, match="cannot open"):
        binyan.load(tmp_path / "state")


def test_a_saved_model_keeps_its_history_and_can_be_fitted_again(tmp_path: Path) -> None:
    model = lm("clbl++")
    model.save(tmp_path / "m")
    again = binyan.load(tmp_path / "m")
    assert isinstance(again, binyan.LogBilinear) and again.history == model.history
    assert again.training == model.training and again.shape == model.shape
    assert again.fit(CORPUS, text(20, 1), progress=False).score("hausen hofen") == pytest.approx(
        lm("clbl++", classes=None).score("hausen hofen")
    )
    extended = model.extended(["zaunen", "hausen"])
    assert extended.extension == ("zaunen",) and not model.extension
    (tmp_path / "words").write_text("zaunen\nhausen\n")
    assert model.extended(tmp_path / "words").extension == ("zaunen",)
    assert extended.summary()["new_words"] == 1 and extended.vectors is not model.vectors
    assert binyan.LogBilinear.from_bytes(extended.to_bytes()).extension == ("zaunen",)


def test_files_of_version_0_1_have_no_history() -> None:
    path = next((Path(__file__).parents[1] / "golden" / "log_bilinear").glob("clbl++-*.binyan"))
    old = binyan.load(path)
    assert old.history is None and old.training.batch == 20 and old.summary()["epochs"] == 0
    assert "perplexity" not in old.description
    assert (
        old.vectors.morphemes_of("gehhofen").origin == "guess" and len(old.vectors.most_similar("zaunen", topn=3)) == 3
    )


def test_closed_and_extended_event_spaces_are_native_in_the_decoder() -> None:
    model, words = lm("clbl++"), ["hausen", "zaunen", "fremd"]
    extended = model.extended(["zaunen"])
    for one in (model, extended):
        assert type(one.decoder_feature(words)).__name__ == "LogBilinearFeature"
    assert len(model.decoder_words(words)) == 3 and model.decoder_words(words)[-1].tolist() == [0, 1, 1]
    *_, unknown, place = extended.decoder_words(words)
    assert unknown.tolist() == [0, 0, 1] and place.tolist() == [2**32 - 1, 0, 1]


@pytest.mark.parametrize(("name", "clusterings"), [("lbl", 0), ("clbl", 1)])
def test_tuning_clusters_only_where_there_are_classes(
    name: str, clusterings: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("optuna", reason="the neural extra is not installed")
    made = []
    brown = clustering.brown
    monkeypatch.setattr(
        "binyan.log_bilinear.word_sources.brown", lambda *args, **more: made.append(args) or brown(*args, **more)
    )
    model = binyan.LogBilinear(name, noise_samples=5, step=0.1, **SMALL)
    result = model.tune(TEXT, DEVELOPMENT, study=tmp_path / "study", trials=2, epochs=1, progress=False)
    assert len(made) == clusterings and not model.is_fitted
    assert len(result.trials) == 2 and result.best["step"] in [t.settings["step"] for t in result.trials]
    assert result.trials[0].settings["step"] == pytest.approx(model.training.step)
    assert str(result).splitlines()[-1].startswith("best: --step ") and len(str(result).splitlines()) == 3
    more = model.tune(TEXT, DEVELOPMENT, study=tmp_path / "study", trials=3, epochs=1, progress=False)
    assert more.trials[:2] == result.trials
    alone = model.tune(TEXT, DEVELOPMENT, trials=2, epochs=1, progress=False)  # not kept
    assert alone.to_dict() == result.to_dict()
    assert {(t.settings["dim"], t.settings["order"]) for t in result.trials} > {(4, 3)}
    fixed = model.tune(TEXT, DEVELOPMENT, trials=2, epochs=1, search="step, l2", progress=False)
    assert all(set(t.settings) == {"step", "l2"} for t in fixed.trials)
    with pytest.raises(SettingsError, match="what can be searched is step, l2, dim, order, not 'depth'"):
        model.tune(TEXT, DEVELOPMENT, search="depth")
    with pytest.raises(SettingsError, match="at least one trial"):
        model.tune(TEXT, DEVELOPMENT, trials=0)


@pytest.mark.parametrize("name", ["lbl", "clbl"])
def test_the_cache_of_a_large_vocabulary_keeps_within_its_bytes(name: str) -> None:
    """A tenth of the vocabulary that took 3.7 GB, and a tenth of the bound; scores are those of no cache, bit for bit."""
    model, uncached = wide(name, 5000), wide(name, 5000)
    assert model.scorer.cache.limit == CACHE_BYTES == 256 * 2**20
    model.scorer.cache.limit, uncached.scorer.cache.limit = CACHE_BYTES // 100, 0
    random = np.random.default_rng(1)
    words = [f"w{i}" for i in random.integers(0, 5000, 300)]
    state, largest, kept = model.begin(), 0, 0
    for word in [*words, *words[:20]]:
        scored = model.score_word(state, word)
        assert scored.log_prob == uncached.score_word(state, word).log_prob
        if word in words[:5]:
            assert np.array_equal(model.distribution(state), uncached.distribution(state))
        largest, kept = max(largest, model.scorer.cache.bytes), max(kept, len(model.scorer.cache))
        state = scored.state
    assert 0 < largest <= CACHE_BYTES // 100 and kept > 10
    assert len(uncached.scorer.cache) == 0 and uncached.scorer.cache.bytes == 0
    measured = sum(p.bytes for p in model.scorer.cache._predictions.values())
    assert measured == model.scorer.cache.bytes


def test_the_context_used_last_is_dropped_last() -> None:
    model = wide("lbl", 1000)
    states = [(3, i) for i in range(3, 8)]
    for state in states:
        model.score_word(state, "w1")
    cache = model.scorer.cache
    cache.limit = cache.bytes
    model.score_word(states[0], "w1")
    model.score_word((4, 4), "w1")
    assert cache.get(states[0]) is not None and cache.get(states[1]) is None and cache.bytes <= cache.limit


def test_one_cache_serves_several_threads() -> None:
    model, alone = wide("clbl", 400), wide("clbl", 400)
    model.scorer.cache = PredictionCache(50_000)
    expected = [alone.score_word((i % 50, i % 7), f"w{i % 90}").log_prob for i in range(3, 300)]
    results: list[list[float]] = []

    def work() -> None:
        results.append([model.score_word((i % 50, i % 7), f"w{i % 90}").log_prob for i in range(3, 300)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
    assert sum(p.bytes for p in model.scorer.cache._predictions.values()) == model.scorer.cache.bytes <= 50_000


def wide(name: str, words: int) -> binyan.LogBilinear:
    """A model of many words with random parameters, from a file in memory."""
    vocabulary = Vocabulary(f"w{i}" for i in range(words))
    shape = Shape(Variant.parse(name), 3, 4)
    class_of = (np.arange(len(vocabulary)) % round(words**0.5)).astype(np.uint32) if shape.variant.classes else None
    factor_map = FactorMap.identity(len(vocabulary))
    network = LogBilinearNetwork(shape, Targets(class_of, vocabulary), factor_map, scale=0.5)
    meta = {"shape": shape.to_dict(), "preparation": {}, "fields": {}, "rest": 0.5}
    sections = {
        "vocabulary": vocabulary.to_bytes(),
        "counts": np.ones(len(vocabulary), np.int64),
        "segmentations": b"",
        "extension": b"",
        **factor_map.sections(),
        **({"classes": class_of} if class_of is not None else {}),
        **{f"parameter/{k}": p.detach().numpy() for k, p in network.named_parameters()},
    }
    return binyan.LogBilinear.from_file(ModelFile("log-bilinear", meta, sections))


def test_without_pytorch_the_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("binyan.log_bilinear.find_spec", lambda name: None if name == "torch" else find(name))
    monkeypatch.delitem(vars(binyan), "LogBilinear", raising=False)
    with pytest.raises(MissingExtra, match=r"binyan\[neural\]"):
        _ = binyan.LogBilinear
    assert storage.extension is not None  # what is imported stays


def test_classes_are_learnt_in_one_call(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("\n".join(TEXT) + "\n")
    classes = WordClasses.learn(tmp_path / "train.txt", classes=4)
    assert classes == binyan.WordClasses.learn(CORPUS, classes=4) == CLASSES
    assert classes.average_mutual_information == clustering.average_mutual_information(CORPUS, CLASSES)
    assert classes.to_dict()["classes"] == 4 and "text:" + CORPUS.digest in str(classes.signature)
    assert str(classes).startswith("4 classes of 14 words, average mutual information ")
    assert str(CLASSES) == "4 classes of 14 words"
    classes.write(tmp_path / "classes")
    assert f"\thausen\t{sum(s.count('hausen') for s in text())}\n" in (tmp_path / "classes").read_text()
    assert WordClasses.learn(TEXT, classes=3, method="frequency").classes == 3
    with pytest.raises(SettingsError, match="brown or frequency"):
        WordClasses.learn(TEXT, method="k-means")
    model = binyan.LogBilinear("clbl", classes=classes, **SMALL).fit(CORPUS, text(20, 1), progress=False)
    assert model.network.targets.classes == lm("clbl").network.targets.classes
