"""The table of translation systems, with commands that only pretend: what is run, what is kept, what is shown."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
ENGLISH = ["the dog sees the cat .", "the cat sees a dog .", "Writer", "a dog sees a cat ."]
CZECH = ["pes vidí tu kočku .", "kočka vidí nějakého psa .", "Writer", "pes vidí nějakou kočku ."]


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import translation_table

    yield translation_table
    sys.modules.pop("translation_table", None)


@pytest.fixture
def calls(table, monkeypatch):
    """The commands that were called. The second tuning of a system writes one word too many in every line."""
    called = []

    def pretend(*words, stdin=None, stdout=None):
        called.append(words)
        if words[:2] == ("lm", "train"):
            words[words.index("--out") + 1].write_text("a model")
        if words[:2] == ("mt", "tune"):
            return json.dumps({"bleu": [30.0, 20.0]})
        if words[:2] == ("mt", "train"):
            words[words.index("--out") + 1].mkdir(exist_ok=True)
        if stdout is not None:
            right = stdin.with_suffix(".target").read_text(encoding="utf-8").lower().splitlines()
            more = " ." if "-2." in str(words[words.index("--weights") + 1]) else ""
            stdout.write_text("".join(f"{line}{more}\n" for line in right), encoding="utf-8")
        return ""

    monkeypatch.setattr(table, "command", pretend)
    return called


def test_rows_are_measured_once_and_shown(table, calls, tmp_path):
    (tmp_path / "multi30k").mkdir()
    for part in ("train", "val", "test_2016_flickr"):
        for language, lines in (("en", ENGLISH), ("cs", CZECH)):
            with gzip.open(tmp_path / "multi30k" / f"{part}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
    options = [
        "--data",
        str(tmp_path),
        "--out",
        str(tmp_path / "out"),
        "--bitexts",
        "multi30k/cs-en",
        "--repetitions",
        "2",
    ]
    options += ["--models", "mkn", "mkn, clbl++"]
    table.main(options)
    page = (tmp_path / "out" / "translation_table.md").read_text()
    scores = json.loads((tmp_path / "out" / "multi30k" / "cs-en" / "mkn-clbl++.json").read_text())
    assert scores["BLEU"]["values"][0] == pytest.approx(100) and scores["BLEU"]["values"][1] < 90
    assert scores["BLEU"]["deviation"] > 0 and scores["p"] == 1.0 and scores["length"] == 1.0
    assert page.count("| multi30k/cs-en |") == 3 and "version:" in page  # BLEU, chrF, lengths; no compounds
    assert "| BLEU | mkn | mkn, clbl++ |" in page and "compounds" not in page
    assert "Writer" not in (tmp_path / "out" / "multi30k" / "cs-en" / "train.source").read_text()
    train = next(words for words in calls if words[:2] == ("mt", "train"))
    assert train[train.index("--source-language") + 1] == "cs" and train[train.index("--target-language") + 1] == "en"
    neural = next(words for words in calls if words[:3] == ("lm", "train", "clbl++"))
    assert not {"--step", "--l2", "--epochs", "--decay"} & set(neural)
    calls.clear()
    table.main(options)
    assert [words[:2] for words in calls] == [("mt", "train")]
    assert (tmp_path / "out" / "translation_table.md").read_text() == page
