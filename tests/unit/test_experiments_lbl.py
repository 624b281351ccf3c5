"""The experiments of chapter 4 on toy novels: data, training, and the report with the thesis's figures beside."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
pytest.importorskip("flatcat", reason="the morfessor extra is not installed")
torch.set_num_threads(1)

from binyan.errors import InputError  # noqa: E402
from binyan.experiments import lbl, runner  # noqa: E402
from binyan.experiments.experiment import Experiment, Workspace  # noqa: E402
from binyan.experiments.lbl import eltec, mixtures  # noqa: E402
from binyan.experiments.lbl.stored import StoredRuns  # noqa: E402
from binyan.experiments.results import Results  # noqa: E402
from binyan.experiments.studies import select  # noqa: E402
from binyan.segmentation import Part, Segmentation, SegmentationTable  # noqa: E402

SMALL = {"dim": 4, "classes": 3, "epochs": 1, "batch": 50}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
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
    (folder / "data/text/ud_pud").mkdir()
    columns = [("1", "Hausen", "NOUN"), ("2", "gehst", "VERB"), ("3", "12.", "NUM")]
    rows = "".join(f"{i}\t{w}\t_\t{tag}" + "\t_" * 6 + "\n" for i, w, tag in columns)
    with gzip.open(folder / "data/text/ud_pud/de_pud.conllu.gz", "wt", encoding="utf-8") as out:
        out.write(f"{rows}\n{rows}\n")
    (folder / "data/parallel/europarl").mkdir(parents=True)
    (folder / "data/similarity").mkdir()
    for part in ("train", "dev"):
        with lzma.open(folder / f"data/parallel/europarl/par4.{part}.de.xz", "wt", encoding="utf-8") as out:
            out.write("Hausen gehst hoft .\nHofen geht .\n" * 20)
    for name in ("de-gur350", "de-zg222"):  # "hofenhausen" is in no text
        (folder / f"data/similarity/{name}.tsv").write_text("Hausen\thofen\t3\ngehst\thofenhausen\t2\ngeht\thaust\t1\n")
    return Workspace(folder / "data", folder / "results", progress=False)


def small(name: str) -> Experiment:
    """An experiment of the list with a small model and a small text."""
    listed = select(["lbl"], [name])[0]
    model = {**listed.model, **({k: v for k, v in SMALL.items() if k in listed.model})}
    return replace(listed, data={**listed.data, "tokens": 300}, model=model)


def test_texts(workspace: Workspace) -> None:
    data = {**eltec.settings("de"), "tokens": 300}
    corpus = eltec.training_corpus(data, workspace)
    assert 300 <= len(corpus.words) < 310 and "hausen" in corpus.vocabulary and "00." in corpus.vocabulary
    second = eltec.held_out(data, "second", workspace)
    assert len(second.sentences) == 80 - corpus.sentences
    everything = eltec.training_corpus({**data, "tokens": 10**6}, workspace)
    assert second.sentences[0] == [everything.vocabulary.words[i] for i in everything.words[len(corpus.words) :][:6]]
    assert eltec.held_out({**data, "tokens": 10**6}, "second", workspace).sentences == []
    assert eltec.settings("ru")["script"] == "cyrillic"


def test_measure_and_report(workspace: Workspace) -> None:
    listed = [
        small(f"lbl/eltec-de/1m/{n}")
        for n in ("mkn", "mkn-tuned", "hpylm", "clbl/l2-15", "clbl/l2-30", "clbl++/l2-30", "lbl/l2-30")
    ]
    for experiment in listed:
        result = runner.run_one(experiment, lbl.MEASURES[experiment.measure], workspace)
        assert result is not None
        mixed = {"is_unknown", "share", "mass", "unknown", "features"}
        kept = {"log_prob"} | (mixed if experiment.model["kind"] in ("mkn", "hpylm", "clbl++") else set())
        parts = ("test",) if experiment.model["kind"] == "lbl" else ("dev", "second", "test")
        assert set(result.arrays()) == {f"{array}.{part}" for array in kept for part in parts}
        bins = result.figures["by_frequency"]
        assert sum(n for n, _ in bins.values()) == result.figures["tokens"]
        tags = {tag: n for tag, (n, _) in result.figures.get("by_pos", {}).items()}
        assert tags == ({} if experiment.model["kind"] == "lbl" else {"NOUN": 2, "VERB": 2, "NUM": 2, "</s>": 2})
    stored = StoredRuns(Results(workspace.results), listed)
    mixed = small("lbl/eltec-de/1m/mixtures")
    Results(workspace.results).put(mixed, mixtures.outcome(mixed, stored), 1.0, 1)
    listed.append(mixed)
    thesis = {"lbl": {"perplexity_1m": {"MKN": {"de": 400}, "CLBL": {"de": 300}}}}
    sections = {s.title: s for s in lbl.sections(Results(workspace.results), thesis, listed)}
    table = sections["Perplexity"].tables[0]
    rows = {row[1]: dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows}
    assert list(rows) == ["MKN", "MKN, tuned", "HPYLM", "CLBL", "CLBL++", "LBL"]
    assert rows["CLBL"]["thesis, change, %"] == pytest.approx(-25) and rows["MKN"]["thesis, change, %"] is None
    runs = {
        l2: Results(workspace.results).get(e) for e in listed if (l2 := e.model.get("l2")) and e.model["kind"] == "clbl"
    }
    assert rows["CLBL"]["dev"] == min(r.figures["perplexity_dev"] for r in runs.values() if r is not None)
    rows_of_mixtures = sections["Mixtures"].tables[0].rows
    assert [row[1] for row in rows_of_mixtures] == ["MKN and CLBL++", "HPYLM and CLBL++"] and rows_of_mixtures[0][3] < 5
    with pytest.raises(InputError, match="run the experiments of its language first"):
        mixtures.outcome(mixed, StoredRuns(Results(workspace.results), []))
    assert rows["MKN, tuned"]["dev"] < rows["MKN"]["dev"] and "discounts_fitted_to:" in table.signature
    assert sections["By frequency"].tables and sections["Penalty"].tables
    assert [row[0] for row in sections["By part of speech"].tables[0].rows] == ["NOUN", "NUM", "VERB", "</s>"]


def test_word_similarity(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def stems(counts: Mapping[str, int], more: Iterable[str], **settings: object) -> SegmentationTable:
        """Three letters are the stem, in place of what Morfessor finds in too few words."""
        words = (w for w in dict.fromkeys([*counts, *more]) if len(w) > 3)
        return SegmentationTable(Segmentation(w, (Part(w[:3], "STM"), Part(w[3:], "SUF"))) for w in words)

    monkeypatch.setattr("binyan.segmentation.morfessor.learn", stems)
    listed = [small(f"lbl/similarity-de-2m/{n}") for n in ("clbl", "clbl++", "clbl++-own")]
    for experiment in listed:
        result = runner.run_one(experiment, lbl.MEASURES[experiment.measure], workspace)
        assert result is not None
        scores = result.figures["similarity"]
        assert set(scores) == ({"composed", "not composed"} if "+" in experiment.model["kind"] else {"not composed"})
        assert scores["not composed"]["de-gur350"]["uncovered_pairs"] == 1
    assert scores["composed"]["de-gur350"]["uncovered_pairs"] == 0  # its stem is known
    thesis = {"lbl": {"word_similarity": {"CLBL++": {"Gur_de": 56}}}}
    sections = {s.title: s for s in lbl.sections(Results(workspace.results), thesis, listed)}
    rows = sections["Word similarity"].tables[0].rows
    vectors = ["CLBL", "CLBL++", "CLBL++, our word map", "CLBL++ -compose", "CLBL++ -compose, our word map"]
    assert [row[1] for row in rows] == vectors * 2
    assert rows[1][6] is None  # the thesis's figure stands beside those of all the text at hand
    known = next(t for t in sections["Word similarity"].tables if "known words" in t.title)
    assert known.column("seeds") == [1, 1]  # our own word map is no further seed


def test_the_whole_list_has_different_names_and_settings() -> None:
    listed = lbl.experiments()
    assert len({e.name for e in listed}) == len({e.signature.digest for e in listed}) == len(listed)
