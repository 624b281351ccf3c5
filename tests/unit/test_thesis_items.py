"""Every table and figure of the thesis has its line, with experiments that show it and figures that exist."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from binyan import experiments
from binyan.cli import app
from binyan.experiments import hpylm
from binyan.experiments.experiment import Outcome
from binyan.experiments.results import Results
from binyan.experiments.studies import load_study, select
from binyan.experiments.thesis import thesis_figures
from binyan.experiments.thesis_items import comparisons_table, item_statuses, items_table, thesis_items


def test_all_tables_and_figures_are_listed():
    numbers = [item.number for item in thesis_items()]
    for chapter, figures, tables in ((3, 7, 8), (4, 7, 9), (5, 5, 10)):
        expected = [f"Figure {chapter}.{n}" for n in range(1, figures + 1)]
        expected += [f"Table {chapter}.{n}" for n in range(1, tables + 1)]
        listed = [n for n in numbers if n.startswith((f"Figure {chapter}.", f"Table {chapter}."))]
        assert sorted(listed) == sorted(expected)
    assert len(set(numbers)) == len(numbers)
    assert all(item.number.split()[1].startswith(str(item.chapter)) for item in thesis_items())


def test_patterns_match_experiments_and_keys_figures():
    names, figures = [e.name for e in select()], thesis_figures()
    for item in thesis_items():
        for pattern in item.shown_by:
            assert any(replace(item, shown_by=(pattern,)).is_shown_by(name) for name in names), pattern
        for path in item.figures:
            node = figures
            for key in path.split("."):
                assert key in node, f"{item.number}: the thesis has no {path}"
                node = node[key]
        assert bool(item.figures) == (item.compare in ("figures", "changes")) == bool(item.better), item.number
        assert (item.compare == "drawing") != bool(item.shown_by), item.number


def test_what_is_compared_has_headlines():
    """Each item that compares finds figures of experiments with the thesis's beside, or is computed of several."""
    thesis = thesis_figures()
    keys = Counter()
    for experiment in select():
        for headline in load_study(experiment.study).headlines(experiment):
            shown = [headline.thesis] if headline.beside(thesis) is not None else []
            shown += [change.keys for change in headline.changes if change.beside(thesis) is not None]
            keys.update(
                item.number
                for k in shown
                for item in thesis_items()
                if item.is_shown_by(experiment.name) and item.has(k)
            )
    compared = {item.number for item in thesis_items() if item.figures}
    assert compared - set(keys) == {"Table 4.5"}  # averages over languages


@pytest.mark.parametrize(
    ("better", "ours", "verdict"),
    [
        ("lower", -2.5, "agrees"),
        ("lower", -4, "better"),
        ("lower", 0, "worse"),
        ("higher", 0, "better"),
        ("closer", 0, "differs"),
    ],
)
def test_verdicts(better, ours, verdict):
    item = replace(thesis_items()[6], better=better, tolerance=1.0)
    assert item.verdict(ours, -2.0) == verdict


def test_statuses_from_results(tmp_path):
    results = Results(tmp_path)
    listed = {e.label: e for e in hpylm.experiments() if (e.size, e.order) == ("all", 4)}
    results.put(listed["mkn"], Outcome({"perplexity": 100.0}, "s"), 1.0, 1)
    variants = {"one sample": {"perplexity": 97.8}, "averaged": {"perplexity": 96.0}}
    results.put(listed["hpylm"], Outcome({"variants": variants}, "s"), 1.0, 1)
    statuses = {s.item.number: s for s in item_statuses(results, thesis_figures())}
    main = statuses["Table 3.3"]
    assert main.agreement == "yes" and main.comparisons[0].ours == pytest.approx(-2.2)
    assert (
        main.shown == f"2 of {len(listed)} run"
        and statuses["Table 5.4"].shown == statuses["Table 5.4"].agreement == "not run"
    )
    assert comparisons_table(main).column("verdict") == ["agrees"]
    assert len(items_table(list(statuses.values())).rows) == len(thesis_items())
    shown = CliRunner().invoke(app, ["reproduce", "tables", "--results", str(tmp_path), "--json"])
    rows = {row["number"]: row for row in json.loads(shown.stdout)}
    assert rows["Table 3.3"]["comparisons"][0]["verdict"] == "agrees"
    listed = CliRunner().invoke(app, ["reproduce", "tables", "--results", str(tmp_path)]).output.splitlines()
    assert [str(s) for s in experiments.tables(tmp_path)] == listed[:-1]
    # The change of the HPYLM at n = 4 is in Table 3.3 and in Table 3.4, and counts once.
    assert listed[-1].endswith("Of our 1 figures that can be compared, 1 agree.")
