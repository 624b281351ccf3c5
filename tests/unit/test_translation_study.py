"""The translation study on a toy bitext in the place of the real one: run, kept, reported."""

import gzip
import lzma
from pathlib import Path

import pytest

from binyan.evaluation import Table
from binyan.experiments import translation
from binyan.experiments.experiment import Workspace
from binyan.experiments.results import Results
from binyan.experiments.translation import bitexts

WORDS = {"the": "le", "dog": "chien", "cat": "chat", "sees": "voit", "small": "petit", "old": "vieux", ".": "."}


def lines(count, offset):
    names, sizes = ("dog", "cat"), ("small", "old")
    for i in range(offset, offset + count):
        yield f"the {names[i % 2]} sees the {sizes[i // 2 % 2]} {names[i // 4 % 2]} ."


@pytest.mark.filterwarnings("ignore::binyan.ngram.kneser_ney.DiscountWarning")
def test_a_study_runs_and_is_reported(tmp_path):
    pytest.importorskip("eflomal")
    pytest.importorskip("sacrebleu")
    folder = tmp_path / "data" / "parallel" / "multi30k"
    folder.mkdir(parents=True)
    for part, count, offset in (("train", 40, 0), ("val", 6, 1), ("test_2016_flickr", 4, 3)):
        text = list(lines(count, offset))
        for language, table in (("en", None), ("fr", WORDS)):
            out = [" ".join(table[w] for w in line.split()) if table else line for line in text]
            with gzip.open(folder / f"{part}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write("\n".join(out) + "\n")
    workspace = Workspace(tmp_path / "data", tmp_path / "results", progress=False)
    workspace.cache.mkdir(parents=True)
    chosen = next(e for e in translation.experiments() if e.name == "translation/multi30k/en-fr/mkn")
    outcome = translation.MEASURES["bleu"](chosen, workspace)
    assert outcome.figures["bleu_mean"] > 60 and len(outcome.figures["bleu"]) == 3
    results = Results(workspace.results)
    results.put(chosen, outcome, 1.0, 1)
    thesis = {"lbl": {"translation": {"MKN": {"en-fr": 24.1}}}}
    (section,) = translation.sections(results, thesis, translation.experiments())
    (table,) = section.tables
    assert isinstance(table, Table) and table.rows[0][0] == "multi30k en-fr" and table.rows[0][-1] is None


def test_of_a_large_corpus_the_first_pairs_are_taken(tmp_path):
    folder = tmp_path / "parallel" / "europarl"
    folder.mkdir(parents=True)
    for language in ("en", "es"):
        with lzma.open(folder / f"par4.test.{language}.xz", "wt", encoding="utf-8") as file:
            file.writelines(f"{language} {i}\n" for i in range(600))
    chosen = next(e for e in translation.experiments() if e.name == "translation/europarl/en-es/mkn")
    made = [path.read_text() for path in bitexts.files(chosen.data, "test", Workspace(tmp_path, tmp_path))]
    assert made == ["".join(f"{language} {i}\n" for i in range(500)) for language in ("en", "es")]


def test_what_was_not_translated_is_left_out_of_the_help(tmp_path):
    folder = tmp_path / "parallel" / "libreoffice_help"
    folder.mkdir(parents=True)
    (folder / "test.en").write_text("Open a file.\nWriter\nClose it.\n")
    (folder / "test.ru").write_text("Откройте файл.\nWriter \nЗакройте его.\n")
    chosen = next(e for e in translation.experiments() if e.name == "translation/libreoffice_help/en-ru/mkn")
    made = [path.read_text() for path in bitexts.files(chosen.data, "test", Workspace(tmp_path, tmp_path))]
    assert made == ["Open a file.\nClose it.\n", "Откройте файл.\nЗакройте его.\n"]


def test_every_experiment_is_told_apart():
    listed = translation.experiments()
    assert len({e.name for e in listed}) == len({e.signature.digest for e in listed}) == len(listed)
    assert translation.sections(Results(Path("nowhere")), {}, listed) == []
