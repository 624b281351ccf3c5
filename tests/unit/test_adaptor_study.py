"""The experiments of chapter 5 on a list of 90 words: run, resumed, reported beside figures of a thesis."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from binyan.experiments import adaptor, report
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Workshop


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    folder = tmp_path_factory.mktemp("study")
    rows = []
    for root in ("ktb", "drs", "qrn", "fHm", "jls", "zhr", "slmn", "brqd"):
        for vowels in ("aa", "iA", "uu"):
            stem = "".join(c + v for c, v in zip(root, (*vowels, "a", ""), strict=False))
            stem = stem if len(root) == 4 else stem.rstrip("a")
            for prefix in ("", "wa", "bi"):
                suffix = "hū"
                parts = [f"{prefix}/pre"] * bool(prefix) + [f"{stem}/stem", f"{suffix}/suf"]
                rows.append(f"{prefix}{stem}{suffix}\t{' '.join(parts)}\t{root}")
    path = folder / "data" / adaptor.DATA["HEB"][0]
    path.parent.mkdir(parents=True)
    path.write_bytes(lzma.compress(("\n".join(rows) + "\n").encode()))
    return Workshop(folder / "data", folder / "results", False)


def short(model: str) -> Experiment:
    """The experiment of the study with fewer sweeps."""
    found = next(e for e in adaptor.experiments() if e.name == f"adaptor/HEB/5k/{model}")
    settings = {**found.model, "sweeps": 8, "burn_in": 4} if "sweeps" in found.model else found.model
    return Experiment(found.name, found.data, settings, found.measure)


def test_names_are_unique_and_every_measure_and_grammar_is_there() -> None:
    experiments = adaptor.experiments()
    assert len({e.name for e in experiments}) == len(experiments) > 60
    assert {e.measure for e in experiments} == set(adaptor.MEASURES)
    from binyan.grammar.library import library_text

    assert all(library_text(e.model["grammar"]) for e in experiments if e.measure == "adaptor")
    order = [e.name.split("/")[2] for e in experiments]
    assert order.index("all") > max(i for i, size in enumerate(order) if size == "5k") - 1


def test_stressed_vowels_are_conflated(workshop: Workshop) -> None:
    gold = adaptor.gold_words(short("concat").data, workshop)
    assert len(gold) == 72 and all(word.word.endswith("hu") for word in gold)
    assert adaptor.without_macrons("šāç") == "šaç"
    assert (
        adaptor.gold_words({**short("concat").data, "words": 10}, workshop)
        == sorted(gold, key=lambda word: adaptor.digest(word.word.encode()))[:10]
    )


def test_study_runs_and_reports(workshop: Workshop, tmp_path: Path) -> None:
    results = Results(workshop.results)
    chosen = [short(m) for m in ("guessers", "concat", "tplr4", "tplr4-apart", "root-template-vocalised")]
    for experiment in chosen:
        outcome = adaptor.MEASURES[experiment.measure](experiment, workshop)
        results.put(experiment, outcome, 1.0, 2**20)
        again = adaptor.MEASURES[experiment.measure](experiment, workshop)  # goes on from its checkpoint, at its end
        drop = ("words_per_second",)
        assert {k: v for k, v in again.figures.items() if k not in drop} == {
            k: v for k, v in outcome.figures.items() if k not in drop
        }
    tpl = results.get(short("tplr4"))
    assert tpl is not None and 0 <= tpl.figures["root_accuracy"] <= 100 and tpl.figures["evaluated_3"] == 54
    assert tpl.figures["evaluated_4"] == 18 and tpl.figures["roots_4_A"]["evaluated"] == 18
    assert "unseen" not in tpl.figures and len(tpl.arrays()["log_joint"]) == 8

    thesis = {
        "adaptor": {
            "segment_border_f1": {"Concat": {"HEB": 60.05}, "TplR4": {"HEB": 78.59}},
            "root_accuracy_triliteral": {"A TplR4": {"HEB": 69.54}},
        }
    }
    from binyan.experiments import adaptor_report

    sections = adaptor_report.sections(results, thesis, chosen)
    tables = {table.title: table for section in sections for table in section.tables}
    f1 = tables["Segment-border F1"]
    assert f1.column("HEB thesis")[f1.column("model").index("concat")] == 60.05
    assert f1.column("HEB thesis")[f1.column("model").index("tplr4-apart")] == 78.59
    roots = tables["Root accuracy, triliteral roots"]
    row = dict(
        zip(roots.column("model"), zip(roots.column("HEB"), roots.column("HEB thesis"), strict=True), strict=True)
    )
    assert row["A TplR4"] == (tpl.figures["root_accuracy"], 69.54) and row["evaluated"][0] == 54
    assert row["A TplR4, apart"][1] == 69.54
    assert any("ROC" in title for title in tables) and any("trace" in title for title in tables)
    for path in report.write(tmp_path, adaptor.TITLE, sections):
        assert path.stat().st_size > 1000
    assert (tmp_path / "plots" / "morphemes-per-word-in-heb-5k.svg").exists()


def test_words_no_grammar_was_chosen_on_are_scored_apart(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptor, "CHOSEN_ON", 10)
    experiment = short("concat")
    sample = adaptor.gold_words({**experiment.data, "words": 10}, workshop)
    others = adaptor.unseen(adaptor.gold_words(experiment.data, workshop))
    assert len(others) == 62 and not set(others) & set(sample)
    figures = adaptor.measure_adaptor(experiment, workshop).figures
    assert figures["unseen"]["segmentation"]["words"] == 62


def test_a_checkpoint_of_another_grammar_is_not_gone_on_from(workshop: Workshop) -> None:
    short_of = {name: short(name) for name in ("tpl", "tpl-apart")}
    expected = adaptor.measure_adaptor(short_of["tpl-apart"], workshop).figures["log_joint"]
    adaptor.measure_adaptor(short_of["tpl"], workshop)
    workshop.checkpoint(short_of["tpl"]).replace(workshop.checkpoint(short_of["tpl-apart"]))
    assert adaptor.measure_adaptor(short_of["tpl-apart"], workshop).figures["log_joint"] == expected
