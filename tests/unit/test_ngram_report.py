"""The report of chapter 3 from made-up results: every section, with results missing, and without the thesis's figures."""

from __future__ import annotations

import numpy as np
import pytest

from binyan.evaluation import HeldOutText
from binyan.experiments import europarl, ngram, ngram_report, report
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Outcome
from binyan.language_model import perplexity

SENTENCES = ["im hochhaus wohnt er", "das haus", "er wohnt im haus am hochhaus"]
SIZES = (("1m", 4), ("10m", 4), ("first-shard", 3), ("first-shard", 4))
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


def made_up(size: str, order: int, name: str, variants: list[str], events: int) -> tuple[Experiment, Outcome]:
    random = np.random.default_rng([len(size), order, len(name)])
    where = f"hpylm/europarl-de/{size}/order-{order}/{name}"
    experiment = Experiment(where, {"size": size}, {"kind": name, "order": order, "burn_in": 2}, "perplexity")
    log_probs = {v: -random.exponential(5, events) for v in variants}
    figures = {
        "vocabulary": "digest",
        "vocabulary_size": 10,
        "training_tokens": {"1m": 1_000_000, "10m": 9_990_000, "first-shard": 9_990_000}[size],
        "variants": {v: {"signature": f"{where}|{v}", "perplexity": perplexity(p)} for v, p in log_probs.items()},
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
def shelf(tmp_path):
    results = Results(tmp_path)
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    (prepared / "de_mono.test.0.txt").write_text("\n".join(SENTENCES))
    europarl.segmentation_path(prepared, "digest").write_text("hochhaus\thoch haus\n")
    events = len(HeldOutText.read(SENTENCES).words)
    variants: dict[str, list[str]] = {}
    for model, variant in ngram_report.ROWS:
        variants.setdefault(model, []).append(variant)
    made = [made_up(s, o, n, v, events) for s, o in SIZES for n, v in variants.items()]
    components = {linking: {"all": 8, "compounds": 3} for linking in ("delete", "left", "right")}
    figures = {"words": 10, "compounds": 2, "compounds_by_parts": {"2": 2}, "components": components}
    made.append((Experiment("hpylm/europarl-de/first-shard/components", {}, {}, "components"), Outcome(figures, "c")))
    for experiment, outcome in made:
        results.put(experiment, outcome, 1.0, 2**30)
    return results, [e for e, _ in made]


def test_every_section(shelf, tmp_path):
    results, experiments = shelf
    missing = Experiment("hpylm/europarl-de/all-shards/order-4/mkn", {}, {}, "perplexity")
    sections = ngram_report.sections(results, THESIS, [*experiments, missing])
    names = "Perplexity, Order, Subsets of the test text, Training size, Linking elements, Where compounds win and lose, Burn-in, Cost, Missing"
    assert [s.title for s in sections] == names.split(", ") and missing.name in sections[-1].text
    titles = [t.title for s in sections for t in s.tables]
    assert len(set(titles)) == len(titles)  # drawings are files of these names
    main = sections[0].tables[0]
    figures = {
        r.experiment.name.split("/", 2)[2]: r.figures["variants"]
        for e in experiments
        if (r := results.get(e)) and "components" not in e.name
    }
    mkn, hpylm = (
        figures["first-shard/order-4/mkn"]["plain"]["perplexity"],
        figures["first-shard/order-4/hpylm"]["one sample"]["perplexity"],
    )
    row = next(row for row in main.rows if row[0] == "HPYLM")
    assert row[1] == pytest.approx(hpylm) and row[2] == pytest.approx(100 * (hpylm / mkn - 1))
    assert row[4:6] == [294.0, pytest.approx(-2)] and row[6] == pytest.approx(row[2] + 2)
    subset = sections[2].tables[1]
    theirs = {tuple(row[:2]): row[-1] for row in subset.rows}
    assert theirs.get(("1", "compound"), -4.6) == -4.6 and theirs.get(("2", "other")) is None
    assert all("hoch+haus" in row[1] for row in sections[5].tables[0].rows)
    written = report.write(tmp_path / "out", "Chapter 3", sections)
    assert all(path.stat().st_size > 10_000 for path in written)


def test_without_thesis_or_results(shelf, tmp_path):
    results, experiments = shelf
    sections = ngram_report.sections(results, {}, experiments)
    assert sections[0].tables[0].rows[0][4] is None
    empty = ngram.sections(Results(tmp_path / "none"), {})
    assert [s.title for s in empty] == ["Missing"]
