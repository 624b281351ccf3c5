"""The report of chapter 4 from made-up results of every experiment: each section, averages, boxes and comparisons with the thesis."""

from __future__ import annotations

from statistics import fmean

import pytest

from binyan.evaluation.plots import inline_svg
from binyan.experiments import lbl
from binyan.experiments.experiment import Outcome
from binyan.experiments.lbl.eltec import LANGUAGES
from binyan.experiments.lbl.perplexity_experiment import PerplexityExperiment
from binyan.experiments.lbl.similarity import SETS
from binyan.experiments.results import Results
from binyan.experiments.thesis import thesis_figures
from binyan.experiments.thesis_items import item_statuses

PAIRS = {"pairs": 60, "uncovered_pairs": 2, "pairs_known": 50, "rho_known": 40.0, "pairs_other": 10, "rho_other": 20.0}
LEVELS = {"mkn": 400.0, "hpylm": 380.0, "clbl": 360.0, "clbl++": 340.0, "lbl": 350.0, "lbl++": 330.0}


def similarity(experiment) -> dict[str, dict[str, dict[str, float]]]:
    """The rho of each set; with other seeds a little higher."""
    score = {"rho": 29.0 + experiment.model["seed"], **PAIRS}
    ways = ("composed", "not composed") if experiment.model["kind"] == "clbl++" else ("not composed",)
    return {way: dict.fromkeys(SETS[experiment.language], score) for way in ways}


def made_up(experiment) -> Outcome:
    if not isinstance(experiment, PerplexityExperiment):
        figures = {"similarity": similarity(experiment)}
        figures["training_tokens"] = experiment.data["tokens_each"] or 9_000_000
        if experiment.label == "clbl++" and experiment.language == "en":
            figures["map"] = [["un-", 0.0, 1.0], ["-ing", 2.0, 0.5], ["-ed", 1.5, 0.0]]
        return Outcome(figures, f"model:{experiment.name}")
    if experiment.measure == "mixtures":
        mixed = {"fixed": 300.0, "weight": 0.4, "by_context": 295.0, "better_alone": 320.0}
        return Outcome({"mkn": mixed, "hpylm": mixed}, f"model:{experiment.name}")
    label = experiment.label.partition("-seed-")[0]
    level = (
        LEVELS.get(label, 345.0)
        + experiment.model.get("seed", 1)
        - 1
        + len(experiment.language)
        + ord(experiment.language[0]) % 7
    )
    figures = {
        "perplexity": level,
        "perplexity_dev": level + abs((experiment.penalty or 30.0) - 30.0),
        "perplexity_news": 2 * level,
        "tokens": 1000,
        "training_tokens": experiment.data["tokens"] or 33_000_000,
        "vocabulary_size": 5_000 if experiment.has_fixed_vocabulary else 9_000,
        "scoring_seconds": 20.0 if experiment.label.startswith("lbl") else 1.0,
        "morphemes_per_type": 2.0,
        "by_frequency": {"unknown": [10, -60.0], "1–9": [20, -100.0]},
        "by_pos": {"NOUN": [10, -60.0], "VERB": [20, -100.0]},
        "by_sequence": {"adjective, noun": [4, -20.0], "adjective, adjective, noun": [0, 0.0]},
    }
    if experiment.has_similarity:
        figures["similarity"] = similarity(experiment)
    return Outcome(figures, f"model:{experiment.name}")


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    stored = Results(tmp_path_factory.mktemp("results"))
    for experiment in lbl.experiments():
        stored.put(experiment, made_up(experiment), 1.0, 1)
    return stored


@pytest.fixture(scope="module")
def sections(results):
    return {s.title: s for s in lbl.sections(results, thesis_figures(), lbl.experiments())}


def test_every_section_is_there(sections):
    assert list(sections) == [
        "Perplexity",
        "Text further from training",
        "The family of models",
        "Mixtures",
        "By frequency",
        "By part of speech",
        "Words seen once",
        "Penalty",
        "Classes",
        "Sizes",
        "Word similarity",
        "A map of morphemes",
    ]
    assert "un-" in sections["A map of morphemes"].drawings[0]
    titles = [table.title for section in sections.values() for table in section.tables]
    assert len(set(titles)) == len(titles)  # drawings are files of these names


def test_the_family(sections):
    averages, boxes, times = sections["The family of models"].tables
    row = dict(zip(averages.column("model"), averages.rows, strict=True))
    assert row["CLBL++"][1] == pytest.approx(fmean(342 + ord(language[0]) % 7 for language in LANGUAGES))
    assert row["CLBL++"][2] == pytest.approx(100 * (row["CLBL++"][1] / row["CLBL"][1] - 1))
    assert row["CLBL++"][3] == pytest.approx(100 * (299 / 320 - 1))
    ours = [r for r in boxes.rows if r[:2] == ["CLBL++", "ours"]]
    theirs = [r for r in boxes.rows if r[:2] == ["CLBL++", "thesis"]]
    assert len(ours) == len(theirs) == 6 and theirs[0][3] == -4.3
    assert {r[0] for r in boxes.rows} >= {"nCLBL+c", "nCLBL+o", "LBL++"}
    svg = inline_svg(boxes)
    assert "ours" in svg and "thesis" in svg
    speed = dict(zip(times.column("model"), times.rows, strict=True))
    assert speed["LBL"][2:] == pytest.approx([20_000, 20, 209 / 6])


def test_sizes_have_fixed_and_growing_vocabularies(sections):
    perplexities, changes = sections["Sizes"].tables
    assert perplexities.column("training tokens") == [250_000, 500_000, 1_000_000, 3_000_000]
    fixed = [r for r in changes.rows if r[0] == "CLBL++ against MKN, fixed"]
    assert [r[1] for r in fixed] == [500_000, 1_000_000, 3_000_000] and fixed[0][2] == 5_000
    assert "128 million" in changes.note


def test_similarity_by_amount_of_text(sections):
    table, *by_size, _ = sections["Word similarity"].tables
    others = [row for row in table.rows if row[1] == "C&W+csmRNN (others)"]
    assert [row[-1] for row in others] == [34]
    rare = {row[1]: row[-1] for row in table.rows if row[0] == "en-rw" and row[2] is not None and row[-1] is not None}
    assert rare["CLBL++"] == rare["CLBL++, our word map, 200 dimensions"] == 30
    german = {t.title: t for t in by_size}["Word similarity by amount of text, de-gur350"]
    assert "CLBL++" in german.column("vectors")
    assert sections["Classes"].tables[0].column("language") == ["de", "de", "cs", "cs"]
    assert (
        sections["By part of speech"].tables[-1].column("sequence").count("adjective, noun") == 6 + 2
    )  # Europarl twice


def test_parliament_and_news(sections):
    table = sections["Text further from training"].tables[0]
    row = next(row for row in table.rows if row[:2] == [0.05, "CLBL++ against CLBL"])
    assert row[2] == row[3] < 0 and row[4] == pytest.approx(100 * (404 / 422 - 1))


def test_several_seeds(sections):
    kappa = sections["Words seen once"].tables[0]
    german = [row for row in kappa.rows if row[:2] == ["de", 1.0]]
    assert [row[2] for row in german] == ["CLBL", "CLBL++", "CLBL++, <unk> for unknown words"]
    assert [row[3] for row in german] == [3, 3, 3] and [row[3] for row in kappa.rows if row[0] == "cs"] == [1] * 6
    plain = [359.0 + seed + 2 + ord("d") % 7 for seed in (1, 2, 3)]
    assert german[0][4] == pytest.approx(fmean(plain)) and german[0][5] is None
    assert german[1][5] == pytest.approx(fmean(100 * ((p - 20) / p - 1) for p in plain)) and german[1][6] > 0
    pairs = sections["Word similarity"].tables[-1]
    spanish = next(row for row in pairs.rows if row[0] == "es-ws353")
    assert spanish[2:] == [3, 31.0, 31.0, 50, 40.0, 10, 20.0]
    german = [row for row in pairs.rows if row[0] == "de-gur350"]
    assert german[-1][1] == 33_000_000  # the models of German Europarl


def test_comparisons_with_the_thesis(results):
    statuses = {s.item.number: s for s in item_statuses(results, thesis_figures())}
    averages = statuses["Table 4.5"].comparisons
    assert {c.keys[-1] for c in averages} >= {"LBL", "LBL++", "CLBL", "CLBL++"}
    main = statuses["Table 4.6"].comparisons
    assert {c.keys[2] for c in main} == {"CLBL 0.05", "CLBL++ 0.05", "CLBL 1.0", "CLBL++ 1.0"} and len(
        main
    ) == 12  # on parliament and on news
    small = [c for c in statuses["Table 4.4"].comparisons if c.keys[-1] == "de" and "clbl++/" in c.experiment]
    assert len(small) == 4  # of clbl++ and nclbl++: against Kneser-Ney and against the plain model
    assert statuses["Table 4.8"].comparisons and statuses["Table 4.3"].shown == "shown"
