"""The benchmark over gold lists on a list made up here: measured once, resumed, and shown on a page."""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("morfessor")
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def lists(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import morphology_lists

    yield morphology_lists
    for name in ("morphology_lists", "morphology_page", "morphology_systems", "gold_lists"):
        sys.modules.pop(name, None)


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data" / "words" / "morpho_challenge"
    folder.mkdir(parents=True)
    stems, endings = ("walk", "talk", "jump", "paint"), ("s", "ed", "ing", "er")
    rows = [f"{s}{e}\t{s} {e};{s}{e}\n" for s, e in product(stems, endings)]
    (folder / "mc2010_eng.tsv").write_text("".join(rows) + "a:b\ta \\: b\n", encoding="utf-8")
    return tmp_path / "data"


def run(lists, data, out, *more):
    options = ["--data", str(data), "--out", str(out), "--sweeps", "5", "--seeds", "2", "--only", "english"]
    lists.main([*options, "--systems", "morfessor", "morphagram", "thesis", *more])


def test_every_run_is_measured_once_and_shown(lists, data, tmp_path):
    out = tmp_path / "out"
    run(lists, data, out)
    files = sorted((out / "runs").iterdir())
    systems = ("morfessor", "morphagram", "thesis")
    assert [f.name for f in files] == [f"english.{system}.{seed}.json" for system in systems for seed in (1, 2)]
    first = json.loads(files[0].read_text(encoding="utf-8"))
    assert first["learnt"] == 17 and 0 < first["scored"] < 17 and 0 <= first["f1"] <= 100
    page = (out / "morphology.html").read_text(encoding="utf-8")
    assert (
        "MorphAGram&#x27;s grammar" in page and "<svg" in page and "| english |" in (out / "morphology.md").read_text()
    )

    files[0].write_text(json.dumps(first | {"f1": 12.25}), encoding="utf-8")
    run(lists, data, out)
    assert json.loads(files[0].read_text(encoding="utf-8"))["f1"] == 12.25
    run(lists, data, out, "--chains", "1")
    assert json.loads(files[0].read_text(encoding="utf-8"))["f1"] == first["f1"]


def test_any_segmentation_stands_beside(lists, data, tmp_path):
    theirs = tmp_path / "theirs.txt"
    theirs.write_text(
        "".join(f"{s} {e}\n" for s in ("walk", "talk", "jump", "paint") for e in ("s", "ed", "ing", "er"))
    )
    run(lists, data, tmp_path / "out", "--segmentation", f"perfect={theirs}")
    [row] = [
        line for line in (tmp_path / "out" / "morphology.md").read_text().splitlines() if "| perfect |" in line[:30]
    ]
    assert float(row.split("|")[3]) > 90


def test_roots_are_counted_by_kind(lists):
    from binyan.evaluation.gold import GoldWord
    from binyan.segmentation import Part, Segmentation

    def word(text, root):
        return GoldWord(text, (Segmentation(text, (Part(text, "stem"),)),), (root,))

    gold = [word("katab", "ktb"), word("darab", "drb"), word("kAl", "kwl"), word("abcd", "abcd")]
    analysed = lists.Analysed({}, {"katab": "ktb", "darab": "dab", "kAl": "kwl", "abcd": "abcd"})
    shares = lists.root_shares(analysed, gold)
    assert shares["roots_strong"] == 50 and shares["roots_weak"] == 100 and shares["roots_evaluated"] == 3
    assert shares["roots_all"] == pytest.approx(200 / 3)


def test_lists_in_other_styles_are_read(lists, tmp_path):
    from gold_lists import GoldFile, read_gold_file

    (tmp_path / "canonical.tsv").write_text("walked\twalk @@ed\ntried\ttry @@ed\n", encoding="utf-8")
    words = read_gold_file(tmp_path, GoldFile("x", "canonical.tsv", style="canonical"), None)
    assert sorted(words.learn) == ["tried", "walked"] and words.left_out == 1
    (tmp_path / "labelled.tsv").write_text("перелёт\tпере/PREF лёт/ROOT\n", encoding="utf-8")
    words = read_gold_file(tmp_path, GoldFile("x", "labelled.tsv", style="tikhonov"), None)
    assert [part.label for w in (*words.development, *words.report) for part in w.segmentations[0]] == ["pre", "stem"]
