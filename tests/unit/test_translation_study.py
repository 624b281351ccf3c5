"""The translation study on a toy bitext in the place of the real one: run, kept, reported."""

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from binyan import CompoundHPYLM
from binyan.errors import InputError
from binyan.evaluation import Table
from binyan.experiments import translation
from binyan.experiments.experiment import Outcome, Workspace
from binyan.experiments.results import Results
from binyan.experiments.translation import bitexts
from binyan.experiments.translation.models import GERMAN_COMPOUNDS, ORDER, TargetText

WORDS = {"the": "le", "dog": "chien", "cat": "chat", "sees": "voit", "small": "petit", "old": "vieux", ".": "."}


def lines(count, offset):
    names, sizes = ("dog", "cat"), ("small", "old")
    for i in range(offset, offset + count):
        yield f"the {names[i % 2]} sees the {sizes[i // 2 % 2]} {names[i // 4 % 2]} ."


@pytest.mark.filterwarnings("ignore::binyan.ngram.kneser_ney.DiscountWarning")
def test_a_study_runs_and_is_reported(tmp_path, monkeypatch):
    pytest.importorskip("eflomal")
    pytest.importorskip("sacrebleu")
    folder = tmp_path / "data" / "parallel" / "multi30k"
    folder.mkdir(parents=True)
    for part, count, offset in (("train", 40, 0), ("val", 6, 1), ("test_2016_flickr", 4, 3)):
        text = list(lines(count, offset))
        for language, table in (("en", None), ("cs", WORDS)):
            out = [" ".join(table[w] for w in line.split()) if table else line for line in text]
            with gzip.open(folder / f"{part}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write("\n".join(out) + "\n")
    workspace = Workspace(tmp_path / "data", tmp_path / "results", progress=False)
    workspace.cache.mkdir(parents=True)
    chosen = next(e for e in translation.experiments() if e.name == "translation/multi30k/en-cs/mkn")
    outcome = translation.MEASURES["bleu"](chosen, workspace)
    assert outcome.figures["bleu_mean"] > 60 and len(outcome.figures["bleu"]) == 3
    results = Results(workspace.results)
    results.put(chosen, outcome, 1.0, 1)
    thesis = {"lbl": {"translation": {"MKN": {"en-cs": 12.6}}}}
    (section,) = translation.sections(results, thesis, translation.experiments())
    (table,) = section.tables
    assert isinstance(table, Table) and table.rows[0][0] == "multi30k en-cs" and table.rows[0][-1] is None
    monkeypatch.setattr("binyan.translation.translator.Translator.translate", None)
    assert translation.MEASURES["bleu"](chosen, workspace).figures == outcome.figures  # translations are kept


def test_language_models_are_trained_once_as_the_command_trains_them(tmp_path):
    text = tmp_path / "train.target"
    text.write_text("Der Küchentisch steht dort .\nDer Tisch steht hier .\n" * 5, encoding="utf-8")
    (tmp_path / "data" / "compounds").mkdir(parents=True)
    with lzma.open(tmp_path / "data" / "compounds" / GERMAN_COMPOUNDS, "wt", encoding="utf-8") as file:
        file.write("Küchentisch\tKüche\tn\tTisch\n")
    target = TargetText(tmp_path, "de", text, text)
    workspace = Workspace(tmp_path / "data", tmp_path / "results", progress=False)
    left = CompoundHPYLM.load(target.model("hpylm+c-left", workspace))
    assert left.settings.head == "left" and not left.settings.both_ways and left.order == ORDER
    assert left.decomposition.table.components("küchentisch") == ("küchen", "tisch")
    first = target.model("hpylm+g", workspace).stat().st_mtime_ns
    assert target.model("hpylm+g", workspace).stat().st_mtime_ns == first


def test_systems_are_compared_with_their_neighbours(tmp_path):
    pytest.importorskip("sacrebleu")
    (tmp_path / "compounds").mkdir()
    with lzma.open(tmp_path / "compounds" / GERMAN_COMPOUNDS, "wt", encoding="utf-8") as file:
        file.write("Küchentisch\tKüche\tn\tTisch\n")
    listed = [e for e in translation.experiments() if e.name.startswith("translation/europarl/en-de/")]
    *systems, compared = [e for e in listed if "alignment" not in e.label]
    workspace, results = Workspace(tmp_path, tmp_path / "results"), Results(tmp_path / "results")
    with pytest.raises(InputError, match="needs the translations of translation/europarl/en-de/mkn"):
        translation.MEASURES[compared.measure](compared, workspace)
    references = ["der küchentisch steht dort", "er steht noch immer hier"] * 10
    worse = [line.replace("küchentisch", "tisch der küche") for line in references]
    figures = {"bleu_mean": 1.0, "bleu_deviation": 0.0, "chrf_mean": 1.0, "length": 1.0}
    for e in systems:
        texts = {"best": np.array(worse if e.label == "mkn" else references), "references": np.array(references)}
        results.put(e, Outcome(figures, "signature", texts), 1.0, 1)
    outcome = translation.MEASURES[compared.measure](compared, workspace)
    assert outcome.figures["p"]["hpylm"] < 0.05 and outcome.figures["p"]["hpylm+g"] == 1.0
    examples = outcome.figures["examples"]["hpylm+c-right"]
    assert len(examples) == 3 and examples[0]["baseline"] == worse[0] and examples[0]["system"] == references[0]
    assert examples[0]["right"] == "küchentisch"
    results.put(compared, outcome, 1.0, 1)
    (section,) = translation.sections(results, {}, listed)
    quality, shown = section.tables
    assert quality.column("p")[:2] == [None, outcome.figures["p"]["hpylm"]] and len(shown.rows) == 6


def test_of_a_large_corpus_the_first_pairs_are_taken(tmp_path):
    folder = tmp_path / "parallel" / "europarl"
    folder.mkdir(parents=True)
    for language in ("en", "es"):
        with lzma.open(folder / f"par4.test.{language}.xz", "wt", encoding="utf-8") as file:
            file.writelines(f"{language} {i}\n" for i in range(600))
    chosen = next(e for e in translation.experiments() if e.name == "translation/europarl/en-es/mkn")
    made = [path.read_text() for path in bitexts.files(chosen.data, "test", tmp_path, Workspace(tmp_path, tmp_path))]
    assert made == ["".join(f"{language} {i}\n" for i in range(500)) for language in ("en", "es")]


def test_what_was_not_translated_is_left_out_of_the_help(tmp_path):
    folder = tmp_path / "parallel" / "libreoffice_help"
    folder.mkdir(parents=True)
    (folder / "test.en").write_text("Open a file.\nWriter\nClose it.\n")
    (folder / "test.ru").write_text("Откройте файл.\nWriter \nЗакройте его.\n")
    chosen = next(e for e in translation.experiments() if e.name == "translation/libreoffice_help/en-ru/mkn")
    made = [path.read_text() for path in bitexts.files(chosen.data, "test", tmp_path, Workspace(tmp_path, tmp_path))]
    assert made == ["Open a file.\nClose it.\n", "Откройте файл.\nЗакройте его.\n"]


def test_compounds_are_compared_with_those_of_kneser_ney(tmp_path):
    """Written: recall over precision. The thesis's differences, not its figures, stand beside ours."""
    chosen = [
        e
        for e in translation.experiments()
        if e.name in (f"translation/europarl/en-de/{x}" for x in ("mkn", "hpylm+c-left"))
    ]
    for experiment, (precision, recall, f) in zip(chosen, [(40.0, 40.0, 40.0), (50.0, 40.0, 44.5)], strict=True):
        quality = {"bleu_mean": 1.0, "bleu_deviation": 0.0, "chrf_mean": 1.0, "length": 1.0}
        compounds = {"compound_precision": precision, "compound_recall": recall, "compound_f_score": f}
        Results(tmp_path).put(experiment, Outcome({**quality, **compounds}, "signature"), 1.0, 1)
    figures = {"precision": {"MKN": 10.0, "HPYLM+c inv": 20.0}, "recall": {"MKN": 8.0, "HPYLM+c inv": 10.0}}
    thesis = {"hpylm": {"translation": {f"compound_{name}": by_model for name, by_model in figures.items()}}}
    (section,) = translation.sections(Results(tmp_path), thesis, chosen)
    assert section.tables[1].rows == [
        ["europarl en-de", "mkn", 40.0, 40.0, 40.0, 100.0],
        ["europarl en-de", "hpylm+c-left", 50.0, 40.0, 44.5, 80.0],
    ]
    assert section.tables[2].rows == [
        ["europarl en-de", "hpylm+c-left", 10.0, 10.0, 0.0, 2.0, 4.5, None, -20.0, -30.0],
    ]


def test_every_experiment_is_told_apart():
    listed = translation.experiments()
    assert len({e.name for e in listed}) == len({e.signature.digest for e in listed}) == len(listed)
    assert translation.sections(Results(Path("nowhere")), {}, listed) == []
