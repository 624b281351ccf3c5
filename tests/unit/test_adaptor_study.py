"""The experiments of chapter 5 on a list of 90 words: run, resumed, reported beside figures of a thesis."""

from __future__ import annotations

import lzma
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from binyan.errors import BinyanError
from binyan.evaluation.gold import GoldWord
from binyan.experiments import adaptor, report_page
from binyan.experiments.adaptor import stemmers, word_lists
from binyan.experiments.adaptor.learning import learn
from binyan.experiments.adaptor.runs import AdaptorExperiment
from binyan.experiments.adaptor.sample_scores import SampledAnalyses
from binyan.experiments.experiment import Workspace
from binyan.experiments.results import Results
from binyan.segmentation import Part, Segmentation
from binyan.signature import digest


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
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
    path = folder / "data" / word_lists.WORD_LISTS["HEB"].file
    path.parent.mkdir(parents=True)
    path.write_bytes(lzma.compress(("\n".join(rows) + "\n").encode()))
    return Workspace(folder / "data", folder / "results", False)


def short(label: str) -> AdaptorExperiment:
    """The experiment of the study with fewer sweeps."""
    listed = next(e for e in adaptor.experiments() if e.name == f"adaptor/HEB/all/{label}")
    model = {**listed.model, "sweeps": 8, "burn_in": 4} if "sweeps" in listed.model else listed.model
    return replace(listed, model=model)


def test_names_are_unique_and_every_measure_and_grammar_is_there() -> None:
    experiments = adaptor.experiments()
    assert len({e.name for e in experiments}) == len(experiments) > 60
    assert {e.measure for e in experiments} == set(adaptor.MEASURES)
    from binyan.grammar.library import library_text

    assert all(library_text(e.model["grammar"]) for e in experiments if e.measure == "adaptor")
    order = [e.size for e in experiments]
    assert order.index("all") > max(i for i, size in enumerate(order) if size == "5k") - 1


def test_stressed_vowels_are_conflated(workspace: Workspace) -> None:
    gold = word_lists.gold_words(short("concat").data, workspace)
    assert len(gold) == 72 and all(word.word.endswith("hu") for word in gold)
    assert word_lists.without_macrons("šāç") == "šaç"
    assert (
        word_lists.gold_words({**short("concat").data, "words": 10}, workspace)
        == sorted(gold, key=lambda word: digest(word.word.encode()))[:10]
    )


def test_study_runs_and_reports(workspace: Workspace, tmp_path: Path) -> None:
    results = Results(workspace.results)
    chosen = [short(m) for m in ("guessers", "concat", "tplr4", "tplr4-apart", "root-template-vocalised")]
    for experiment in chosen:
        outcome = adaptor.MEASURES[experiment.measure](experiment, workspace)
        results.put(experiment, outcome, 1.0, 2**20)
        again = adaptor.MEASURES[experiment.measure](experiment, workspace)  # resumes from its checkpoint, at its end
        drop = ("words_per_second",)
        assert {k: v for k, v in again.figures.items() if k not in drop} == {
            k: v for k, v in outcome.figures.items() if k not in drop
        }
    tpl = results.get(short("tplr4"))
    assert tpl is not None and 0 <= tpl.figures["root_accuracy"] <= 100 and tpl.figures["evaluated_3"] == 54
    assert tpl.figures["evaluated_4"] == 18 and tpl.figures["roots_4_A"]["evaluated"] == 18
    assert "unseen" not in tpl.figures and len(tpl.figures["trace"]) == 8

    thesis = {
        "adaptor": {
            "segment_border_f1": {"Concat": {"HEB": 60.05}, "TplR4": {"HEB": 78.59}},
            "root_accuracy_triliteral": {"A TplR4": {"HEB": 69.54}},
        }
    }
    sections = adaptor.sections(results, thesis, chosen)
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
    assert {"Best trees and maximum marginal decoding, F1 of segment borders", "Lexica of all samples"} <= set(tables)
    parts = tables["Roots of four that are found in part"]
    assert parts.column("HEB")[parts.column("model").index("tplr4: words with a root of four")] == 18
    examples = tables["Roots and words, HEB, tplr4, all"]
    assert len(examples.rows) == 5 and any("|" in str(row[3:]) for row in examples.rows)
    drawn = [svg for section in sections for svg in section.drawings]
    assert len(drawn) == 2 and all("<svg" in svg for svg in drawn)
    assert any("ROC" in title for title in tables) and any("trace" in title for title in tables)
    sample = replace(short("concat"), size="5k")
    results.put(sample, adaptor.MEASURES[sample.measure](sample, workspace), 1.0, 1)
    shown = [
        [c.name for c in t.columns] for section in adaptor.sections(results, thesis, [sample]) for t in section.tables
    ]
    assert shown and not any("thesis" in str(names) for names in shown)  # its figures are of whole lists
    for path in report_page.write(tmp_path, adaptor.TITLE, sections):
        assert path.stat().st_size > 1000
    assert (tmp_path / "plots" / "morphemes-per-word-in-heb-all.svg").exists()


def test_words_no_grammar_was_chosen_on_are_scored_apart(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_lists, "CHOSEN_ON", 10)
    experiment = short("concat")
    sample = word_lists.gold_words({**experiment.data, "words": 10}, workspace)
    others = word_lists.unseen(word_lists.gold_words(experiment.data, workspace))
    assert len(others) == 62 and not set(others) & set(sample)
    figures = adaptor.MEASURES["adaptor"](experiment, workspace).figures
    assert figures["unseen"]["segmentation"]["words"] == 62


def test_a_checkpoint_of_another_grammar_is_not_resumed(workspace: Workspace) -> None:
    short_of = {name: short(name) for name in ("tpl", "tpl-apart")}
    expected = adaptor.MEASURES["adaptor"](short_of["tpl-apart"], workspace).figures["log_joint"]
    adaptor.MEASURES["adaptor"](short_of["tpl"], workspace)
    workspace.checkpoint(short_of["tpl"]).replace(workspace.checkpoint(short_of["tpl-apart"]))
    assert adaptor.MEASURES["adaptor"](short_of["tpl-apart"], workspace).figures["log_joint"] == expected


def test_affixes_that_are_not_adapted(workspace: Workspace) -> None:
    words = [word.word for word in word_lists.gold_words(short("concat").data, workspace)]
    for label, adapted in (("concat", {"Stem"}), ("tpl", {"Stem", "R3"})):
        experiment = next(e for e in adaptor.experiments() if e.name == f"adaptor/BW/5k/{label}-unadapted")
        assert experiment.model["unadapted"] == "Pre Suf"
        model = {**experiment.model, "sweeps": 3, "burn_in": 1}
        morphology = learn(model, words, workspace, workspace.checkpoint(experiment))
        assert set(morphology.grammar.adapted) == adapted


def test_marginal_decoding_sums_over_trees() -> None:
    """Two trees with one segmentation are together more probable than the best tree."""

    class Trees:
        def analyses(self, word: str, n: int) -> list[SimpleNamespace]:
            cuts = [(("a", "bc"), 0.4), (("ab", "c"), 0.3), (("ab", "c"), 0.3)]
            return [
                SimpleNamespace(
                    segmentation=Segmentation(word, tuple(map(Part, parts))),
                    probability=p,
                    roots=lambda length, method, p=p: ["xyz"] if method == "A" or p < 0.4 else ["xyz", "abc"],
                )
                for parts, p in cuts
            ]

    gold = [GoldWord("abc", (Segmentation("abc", (Part("ab"), Part("c"))),))]
    samples = SampledAnalyses.of(Trees(), gold, ())
    assert [part.text for part in samples.marginal["abc"]] == ["ab", "c"]
    assert samples.templates == {"abc": 0.4}  # what B has beyond A, in one tree of three


def test_stemmers(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roots are compared in Arabic letters, hamza on any seat being one letter."""
    assert "ktb>".translate(stemmers.TO_ARABIC) == "كتبأ" and len(stemmers.TO_ARABIC) == 37
    path = workspace.data / word_lists.WORD_LISTS["BW"].file
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ["wktAb\tw/pre ktAb/stem\tktb", ">sr\t>sr/stem\t>sr", "qlm\tqlm/stem\tqlm", "fy\tfy/stem\t_"]
    path.write_bytes(lzma.compress("\n".join(rows).encode()))
    experiment = next(e for e in adaptor.experiments() if e.name == "adaptor/BW/all/stemmers")
    known = {"وكتاب": ["كتب"], "أسر": ["اسر", "سرر"], "قلم": ["قل"]}
    monkeypatch.setattr(stemmers, "stemmers", lambda: {"ISRI": known.__getitem__})
    monkeypatch.setattr(stemmers, "version", lambda package: "1")
    figures = adaptor.MEASURES["stemmers"](experiment, workspace).figures
    assert figures["ISRI"]["evaluated"] == 3 and figures["ISRI"]["accuracy"] == pytest.approx(50)


def test_scores_by_number_of_sweeps(workspace: Workspace, tmp_path: Path) -> None:
    """Each number of sweeps is a run of its own; means over seeds stand beside the thesis's figure."""
    listed = next(e for e in adaptor.experiments() if e.name == "adaptor/HEB/all/sweeps")
    experiment = replace(listed, model={**listed.model, "grammars": "concat tpl-apart", "sweeps": "2 10", "seeds": 2})
    outcome = adaptor.MEASURES[experiment.measure](experiment, workspace)
    runs = outcome.figures["by_sweeps"]
    assert [run[:3] for run in runs[:4]] == [["concat", 2, 1], ["concat", 2, 2], ["concat", 10, 1], ["concat", 10, 2]]
    results = Results(tmp_path)
    results.put(experiment, outcome, 1.0, 1)
    thesis = {"adaptor": {"segment_border_f1": {"Tpl": {"HEB": 77.3}}}}
    tables = [table for section in adaptor.sections(results, thesis, [experiment]) for table in section.tables]
    table = next(t for t in tables if t.title == "By number of sweeps, HEB")
    assert len(table.rows) == 4 and table.column("thesis, F1 after 1,000") == [None, None, 77.3, 77.3]
    assert table.column("F1")[0] == pytest.approx((runs[0][4] + runs[1][4]) / 2) and table.column("roots, %")[0] is None


def test_scores_by_kind_of_word(workspace: Workspace, tmp_path: Path) -> None:
    """Parts of a list are learnt on their own, and words with and without a root are scored apart."""
    listed = next(e for e in adaptor.experiments() if e.name == "adaptor/HEB/all/subsets")
    path = workspace.data / word_lists.WORD_LISTS["HEB"].file
    rows = lzma.decompress(path.read_bytes()).decode().splitlines()
    data = {**listed.data, "gold": "half_with_roots.tsv"}
    without = [row.rpartition("\t")[0] + "\t_" if number % 3 == 0 else row for number, row in enumerate(rows)]
    (workspace.data / data["gold"]).write_text("\n".join(without))
    experiment = replace(listed, data=data, model={**listed.model, "grammars": "tpl", "sweeps": 4, "burn_in": 2})
    outcome = adaptor.MEASURES[experiment.measure](experiment, workspace)
    runs = outcome.figures["by_subset"]
    assert [run[2] for run in runs[::3]] == [72, 36, 18, 48] and [run[3] for run in runs[:3]] == [1, 2, 3]
    results = Results(tmp_path)
    results.put(experiment, outcome, 1.0, 1)
    thesis = {"adaptor": {"segment_border_f1": {"Tpl": {"HEB": 77.3}}}}
    tables = [table for section in adaptor.sections(results, thesis, [experiment]) for table in section.tables]
    table = next(t for t in tables if t.title == "By kind of word, HEB")
    assert table.column("thesis") == [77.3, None, None, None]
    rooted, others = table.column("words with a root")[0], table.column("words without")[0]
    assert min(rooted, others) <= table.column("F1")[0] <= max(rooted, others) and rooted != others


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(stemmers, "version", missing)
    with pytest.raises(BinyanError, match="pip install nltk tashaphyne"):
        stemmers.stemmers()
