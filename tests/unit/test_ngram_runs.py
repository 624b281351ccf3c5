"""The experiments of chapter 3 on a toy Europarl: text, vocabulary, splitter, test text, models and analyses of them."""

from __future__ import annotations

import gzip
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from binyan.evaluation import evaluate
from binyan.experiments import hpylm, runner
from binyan.experiments.experiment import Workspace
from binyan.experiments.hpylm import europarl, models
from binyan.experiments.results import Results

MODIFIERS = ("haus", "hof", "schul", "stadt", "land", "wasser")
HEADS = ("tür", "rat", "plan", "weg", "markt")
COMPOUNDS = [(m, h) for m in MODIFIERS for h in HEADS]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> Workspace:
    folder = tmp_path_factory.mktemp("chapter3")
    random = np.random.default_rng(0)
    words = [*MODIFIERS, *HEADS, *(m + h for m, h in COMPOUNDS), "der", "die", "das"]

    def sentences(number: int) -> list[str]:
        return [" ".join([*random.choice(words, 5), "."]) for _ in range(number)]

    for name, number in (("train1", 200), ("train2", 20), ("train3", 20), ("train4", 20), ("test", 30)):
        lines = sentences(number)
        write(folder / f"data/text/europarl_de/de_mono.{name}.txt.xz", [*lines, *lines[:5]])
    germanet = [f"{(m + h).capitalize()}\t{m.capitalize()}\t\t{h.capitalize()}" for m, h in COMPOUNDS[:20]]
    write(folder / "data/compounds/germanet18_links.tsv.xz", ["#compound\tmodifier\tlink\thead", *germanet])
    write(folder / "data/compounds/gecodb_train_50000.tsv.xz", [f"{m}_{h}\t3\t9\tcommon" for m, h in COMPOUNDS[10:25]])
    (folder / "data/compounds/gecodb_dev_1000.tsv").write_text(
        "".join(f"{m}_{h}\t3\t9\tcommon\n" for m, h in COMPOUNDS[25:])
    )
    return Workspace(folder / "data", folder / "results", progress=False)


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress("".join(f"{line}\n" for line in lines).encode()))


def run(name: str, workspace: Workspace, **changes):
    """Run an experiment with a short schedule, as the study lists it otherwise."""
    experiment = next(e for e in hpylm.experiments() if e.name == f"hpylm/{name}")
    model = {**experiment.model, **{k: v for k, v in changes.items() if k in experiment.model}}
    experiment = replace(experiment, model=model)
    return runner.run_one(experiment, hpylm.MEASURES[experiment.measure], workspace)


def test_every_sentence_once(workspace):
    data = europarl.settings("all")
    assert europarl.training_corpus(data, workspace).sentences == 200 + 3 * 20  # five more of each file are there twice
    assert "punctuation" in data["preparation"] == europarl.settings("1m")["preparation"]


def test_splitter_and_test_text(workspace):
    splitter = run("compounds/gecodb-dev/splitter", workspace)
    assert splitter.figures["words"] == 5 and 0 <= splitter.figures["f1_merged_left"] <= 100
    assert set(splitter.data_files) >= {"compounds/gecodb_dev_1000.tsv", "compounds/germanet18_links.tsv.xz"}
    composition = run("europarl-de/1m/order-4/composition", workspace).figures
    counts = composition["by_hit_length"]
    assert sum(sum(by_length.values()) for by_length in counts.values()) == composition["tokens"] == 35 * 7
    assert list(counts["compound"]) == ["1", "2", "3", "4"] and composition["compounds"] > 0
    assert run("europarl-de/1m/components", workspace).figures["compounds"] > 0


def test_models_and_analysis(workspace):
    short = {"burn_in": 1, "iterations": 2, "samples": 1}
    place = "europarl-de/all/order-4"
    for label in ("mkn", "hpylm", "hpylm+c-right"):
        assert run(f"{place}/{label}", workspace, **short).figures["training_tokens"] > 100
    scored = [
        r
        for e in hpylm.experiments()
        if (e.size, e.order, e.measure) == ("all", 4, "perplexity")
        and (
            r := Results(workspace.results).get(replace(e, model={**e.model, **short} if e.label != "mkn" else e.model))
        )
    ]
    from binyan.experiments.hpylm.analyses import subset_outcome

    subsets = next(e for e in hpylm.experiments() if e.name == f"hpylm/{place}/subsets")
    assert subsets.is_analysis
    figures = subset_outcome(subsets, scored, workspace).figures
    assert figures["tokens"] == 35 * 7 and set(figures["change_at_hit_length_1"]) <= {"compound", "other"}
    assert len(figures["subsets"]) == 4 and len(figures["differences"]) == 2


def test_news_is_scored_too_and_samples_are_averaged(workspace):
    """The average over three samples is the mean of what they give, and lies on the better side of their geometric mean."""
    columns = [("1", "Haustür", "NOUN"), ("2", "der", "DET"), ("3", ".", "PUNCT")]
    rows = "".join(f"{i}\t{w}\t_\t{tag}" + "\t_" * 6 + "\n" for i, w, tag in columns)
    news = workspace.data / europarl.NEWS
    news.parent.mkdir(parents=True)
    news.write_bytes(gzip.compress(f"{rows}\n".encode()))
    three = {"burn_in": 1, "iterations": 4, "samples": 3}
    for label in ("hpylm", "hpylm+g"):
        figures = run(f"europarl-de/100k/order-4/{label}", workspace, **three).figures
        assert figures["news"]["averaged"]["tokens"] == 4 and set(figures["news"]) == set(figures["variants"])
        assert "samples:3" in figures["variants"]["averaged"]["signature"] and len(figures["trace"][0]) == 4


def test_chains_are_averaged_one_by_one_and_resumed(workspace, monkeypatch):
    """The average over chains is the mean of what their models give; chains that are done are not sampled again."""
    short = {"burn_in": 1, "iterations": 3, "samples": 2, "chains": 3}
    experiment = next(e for e in hpylm.experiments() if e.label == "hpylm-chains")
    experiment = replace(experiment, model={**experiment.model, **short})
    corpus = europarl.training_corpus(experiment.data, workspace)
    text = europarl.held_out_text(workspace)
    trained: list[int] = []
    train = models.train

    def interrupted(settings, *given, **options):
        if settings["seed"] == 3 and trained == [1, 2]:
            raise KeyboardInterrupt
        trained.append(settings["seed"])
        return train(settings, *given, **options)

    monkeypatch.setattr(models, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        hpylm.MEASURES["perplexity"](experiment, workspace)
    trained.append(0)
    outcome = hpylm.MEASURES["perplexity"](experiment, workspace)
    assert trained == [1, 2, 0, 3]
    single = {name: value for name, value in experiment.model.items() if name != "chains"}
    probabilities = [
        np.exp(evaluate(train({**single, "seed": seed}, corpus, workspace, progress=False), text).scores.log_prob)
        for seed in (1, 2, 3)
    ]
    np.testing.assert_allclose(np.exp(outcome.arrays["log_prob.averaged"]), np.mean(probabilities, axis=0), rtol=1e-12)
    assert "seed:1-3|" in outcome.signature and "chains:3|" in outcome.signature
    assert [len(trace) for trace in outcome.figures["trace"]] == [3, 3, 3]
