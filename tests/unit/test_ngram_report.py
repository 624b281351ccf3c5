"""The report of chapter 3 from made-up results: every section, with results missing, and without the thesis's figures."""

from __future__ import annotations

import numpy as np
import pytest

from binyan.errors import InputError
from binyan.evaluation import HeldOutText
from binyan.experiments import hpylm, report_page
from binyan.experiments.experiment import Outcome, Workspace
from binyan.experiments.hpylm import analyses, europarl, perplexity_tables
from binyan.experiments.hpylm.ngram_experiment import NGramExperiment
from binyan.experiments.hpylm.stored import StoredRuns
from binyan.experiments.hpylm.variants import MODELS
from binyan.experiments.results import Results
from binyan.language_model import perplexity

SENTENCES = ["im hochhaus wohnt er", "das haus", "er wohnt im haus am hochhaus"]
SIZES = (("1m", 4), ("10m", 4), ("all", 3), ("all", 4))
THESIS = {
    "hpylm": {
        "data": {"word_types": 100, "components": {"delete": 50, "merge_left": 60, "merge_right": 70}},
        "perplexity": {"MKN": 300.0, "HPYLM": 294.0, "HPYLM+c ling": 291.0},
        "perplexity_by_order": {
            n: {"2": 390.0 - i, "3": 305.0 - i, "4": 300.0 - i} for i, n in enumerate(("MKN", "HPYLM", "HPYLM+c"))
        },
        "cross_entropy_change_at_hit_length_1": {"compounds": -4.6, "non_compounds": -0.9},
    }
}


def made_up(size: str, order: int, name: str, variants: list[str], events: int) -> tuple[NGramExperiment, Outcome]:
    random = np.random.default_rng([len(size), order, len(name)])
    model = {"kind": name, "order": order, "burn_in": 2}
    experiment = NGramExperiment(size=size, label=name, data={"size": size}, model=model, measure="perplexity")
    where = f"hpylm/europarl-de/{size}/order-{order}/{name}"
    assert experiment.name == where
    log_probs = {v: -random.exponential(5, events) for v in variants}
    figures = {
        "vocabulary": "digest",
        "vocabulary_size": 10,
        "training_tokens": 1_000_000 if size == "1m" else 9_990_000,
        "variants": {v: {"signature": f"{where}|{v}", "perplexity": perplexity(p)} for v, p in log_probs.items()},
        "news": {v: {"perplexity": 100.0 if name == "mkn" else 90.0} for v in variants},
    }
    if name != "mkn":
        figures |= {"trace": [[-30.0, -20, -19, -18, -19, -18]], "sweeps": 6, "seconds_per_sweep": 0.5}
    arrays = {
        "matched": np.minimum(random.integers(1, 5, events), order).astype(np.uint8),
        "unknown": np.zeros(events, bool),
        **{f"log_prob.{v}": p for v, p in log_probs.items()},
    }
    return experiment, Outcome(figures, where, arrays)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    results = Results(tmp_path)
    results.cache.mkdir()
    monkeypatch.setattr(europarl, "held_out_text", lambda workspace: HeldOutText.read(SENTENCES))
    europarl.segmentation_path(results.cache, "digest").write_text("hochhaus\thoch haus\n")
    events = len(HeldOutText.read(SENTENCES).words)
    variants: dict[str, list[str]] = {}
    for model in MODELS:
        variants.setdefault(model.label, []).append(model.variant)
    outcomes = [made_up(s, o, n, v, events) for s, o in SIZES for n, v in variants.items()]
    components = {linking: {"all": 8, "compounds": 3} for linking in ("delete", "left", "right")}
    figures = {"words": 10, "compounds": 2, "compounds_by_parts": {"2": 2}, "components": components}
    components = NGramExperiment(size="all", label="components", data={}, model={}, measure="components")
    assert components.name == "hpylm/europarl-de/all/components"
    outcomes.append((components, Outcome(figures, "c")))
    for experiment, outcome in outcomes:
        results.put(experiment, outcome, 1.0, 2**30)
    subsets = NGramExperiment(size="all", label="subsets", data={}, model={"order": 4}, measure="subsets")
    scored = [results.get(e) for e, _ in outcomes if (e.size, e.order) == ("all", 4)]
    results.put(subsets, analyses.subset_outcome(subsets, scored, Workspace(tmp_path, tmp_path)), 1.0, 1)
    for path in tmp_path.rglob("*.npz"):  # a report needs neither the scores nor the text
        path.unlink()
    return results, [*(e for e, _ in outcomes), subsets]


def test_subsets_need_scores(stored, tmp_path):
    results, experiments = stored
    scored = [r for e in experiments if e.size == "all" and (r := results.get(e)) and e.measure == "perplexity"]
    with pytest.raises(InputError, match="--again --only 'hpylm/europarl-de/all/order-3/mkn'"):
        analyses.subset_outcome(experiments[-1], scored, Workspace(tmp_path, tmp_path))
    with pytest.raises(InputError, match="run the experiments of its size first"):
        analyses.subset_outcome(experiments[-1], [], Workspace(tmp_path, tmp_path))


def test_every_section(stored, tmp_path):
    results, experiments = stored
    missing = NGramExperiment(size="33m", label="mkn", data={}, model={"order": 4}, measure="perplexity")
    sections = hpylm.sections(results, THESIS, [*experiments, missing])
    names = "Perplexity, Order, Subsets of the test text, Text further from training, Training size, Linking elements, Where compounds win and lose, Burn-in, Cost, Missing"
    assert [s.title for s in sections] == names.split(", ") and "hpylm/europarl-de/33m/order-4/mkn" in sections[-1].text
    titles = [t.title for s in sections for t in s.tables]
    assert len(set(titles)) == len(titles)  # drawings are files of these names
    main = sections[0].tables[0]
    figures = {
        (e.size, e.order, e.label): r.figures["variants"]
        for e in experiments
        if (r := results.get(e)) and e.measure == "perplexity"
    }
    mkn, sampled = (
        figures["all", 4, "mkn"]["plain"]["perplexity"],
        figures["all", 4, "hpylm"]["one sample"]["perplexity"],
    )
    row = next(row for row in main.rows if row[0] == "HPYLM")
    assert row[1] == pytest.approx(sampled) and row[2] == pytest.approx(100 * (sampled / mkn - 1))
    assert row[4] == pytest.approx(-2) and row[5] == pytest.approx(row[2] + 2)
    smaller = perplexity_tables.main(StoredRuns(results, experiments), "10m", THESIS["hpylm"])
    row = next(row for row in smaller.rows if row[0] == "HPYLM")
    assert row[4:] == [None, None]  # the thesis's are of a larger text
    news = next(row for row in sections[3].tables[0].rows if row[:3] == ["all text", 4, "HPYLM"])
    assert news[3] == pytest.approx(100 * (sampled / mkn - 1)) and news[4:] == [
        90.0,
        pytest.approx(-10),
        pytest.approx(-100 / 300),
    ]
    subset = sections[2].tables[1]
    theirs = {tuple(row[:2]): row[-1] for row in subset.rows}
    assert theirs.get(("1", "compound"), -4.6) == -4.6 and theirs.get(("2", "other")) is None
    assert all("hoch+haus" in row[1] for row in sections[6].tables[0].rows)
    written = report_page.write(tmp_path / "out", "Chapter 3", sections)
    assert all(path.stat().st_size > 10_000 for path in written)


def test_without_thesis_or_results(stored, tmp_path):
    results, experiments = stored
    sections = hpylm.sections(results, {}, experiments)
    assert sections[0].tables[0].rows[0][4] is None
    empty = hpylm.sections(Results(tmp_path / "none"), {}, hpylm.experiments())
    assert [s.title for s in empty] == ["Missing"]


def test_sizes_may_have_any_names(stored):
    """A name with slashes and words of other names is not taken apart."""
    results, _ = stored
    size, events = "order-2/hpylm/kappa-1", len(HeldOutText.read(SENTENCES).words)
    outcomes = [
        made_up(size, 4, label, [variant], events) for label, variant in (("mkn", "plain"), ("hpylm", "averaged"))
    ]
    for experiment, outcome in outcomes:
        results.put(experiment, outcome, 1.0, 1)
    main, _, burn_in, cost = hpylm.sections(results, {}, [e for e, _ in outcomes])
    assert main.tables[0].title == f"Perplexity, Europarl German, {size} tokens, n = 4"
    assert main.tables[0].column("model") == ["MKN", "HPYLM averaged"]
    assert burn_in.tables[0].title.endswith(f", europarl-de/{size}/order-4/hpylm")
    assert cost.tables[0].column("experiment") == [e.name for e, _ in outcomes]
