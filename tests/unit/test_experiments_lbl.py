"""The experiments of chapter 4 on toy novels: data, training, and the report with the thesis's figures beside."""

from __future__ import annotations

import lzma
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
pytest.importorskip("flatcat", reason="the morfessor extra is not installed")
torch.set_num_threads(1)

from binyan.experiments import eltec, lbl, runner  # noqa: E402
from binyan.experiments.results import Results  # noqa: E402
from binyan.experiments.study import Experiment, Workshop, select  # noqa: E402

SMALL = {"dim": 4, "classes": 3, "epochs": 1, "batch": 50}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    random = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("chapter4")
    (folder / "data/text/eltec").mkdir(parents=True)
    for part, sentences in (("train", 80), ("dev", 15), ("test", 15)):
        lines = [
            " ".join(f"{random.choice(['Haus', 'hof', 'geh'])}{random.choice(['en', 'st', 't'])}" for _ in range(5))
            + " 12."
            for _ in range(sentences)
        ]
        with lzma.open(folder / f"data/text/eltec/de.{part}.txt.xz", "wt", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    return Workshop(folder / "data", folder / "results", progress=False)


def small(name: str) -> Experiment:
    """An experiment of the list with a small model and a small text."""
    found = select(["lbl"], [name])[0]
    model = {**found.model, **({k: v for k, v in SMALL.items() if k in found.model})}
    return replace(found, data={**found.data, "tokens": 300}, model=model)


def test_texts(workshop: Workshop) -> None:
    data = {**eltec.settings("de"), "tokens": 300}
    corpus = eltec.training_corpus(data, workshop)
    assert 300 <= len(corpus.words) < 310 and "hausen" in corpus.vocabulary and "00." in corpus.vocabulary
    second = eltec.held_out(data, "second", workshop)
    assert len(second.sentences) == 80 - corpus.sentences
    everything = eltec.training_corpus({**data, "tokens": 10**6}, workshop)
    assert second.sentences[0] == [everything.vocabulary.words[i] for i in everything.words[len(corpus.words) :][:6]]
    assert eltec.held_out({**data, "tokens": 10**6}, "second", workshop).sentences == []
    assert eltec.settings("ru")["script"] == "cyrillic"


def test_measure_and_report(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [small(f"lbl/eltec-de/1m/{n}") for n in ("mkn", "clbl/l2-8", "clbl/l2-25", "clbl++/l2-25", "lbl/l2-25")]
    for experiment in listed:
        came = runner.attempt(experiment, lbl.MEASURES[experiment.measure], workshop)
        assert came is not None and not isinstance(came, Exception), came
        assert set(came.arrays()) == {"log_prob.dev", "log_prob.second", "log_prob.test"}
        bins = came.figures["frequency_bins"]
        assert sum(n for n, _ in bins.values()) == came.figures["tokens"]
    monkeypatch.setattr(lbl, "experiments", lambda: listed)
    thesis = {"lbl": {"perplexity_1m": {"CLBL": {"de": 316}}}}
    made = {s.title: s for s in lbl.sections(Results(workshop.results), thesis)}
    table = made["Perplexity"].tables[0]
    rows = {row[1]: dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows}
    assert list(rows) == ["MKN", "CLBL", "CLBL++", "LBL"] and rows["CLBL"]["thesis"] == 316
    runs = {
        l2: Results(workshop.results).get(e) for e in listed if (l2 := e.model.get("l2")) and e.model["kind"] == "clbl"
    }
    assert rows["CLBL"]["dev"] == min(r.figures["perplexity_dev"] for r in runs.values() if r is not None)
    assert made["Mixtures"].tables[0].rows[0][3] < 5
    assert made["By frequency"].tables and made["Penalty"].tables


def test_the_whole_list_has_different_names_and_settings() -> None:
    listed = lbl.experiments()
    assert len({e.name for e in listed}) == len({e.signature.digest for e in listed}) == len(listed)
