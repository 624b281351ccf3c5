"""The commands of the log-bilinear models, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
torch.set_num_threads(1)

from binyan.cli import app  # noqa: E402
from binyan.errors import InputError, SettingsError  # noqa: E402

STEMS, SUFFIXES = ("haus", "hof", "geh", "lauf"), ("en", "st", "t")
SMALL = ["--order", "3", "--dim", "4", "--epochs", "1", "--batch", "50", "--quiet"]


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(0)
    place = tmp_path_factory.mktemp("lbl")
    for name, sentences in (("train", 60), ("dev", 15)):
        lines = [" ".join(random.choice(STEMS) + random.choice(SUFFIXES) for _ in range(5)) for _ in range(sentences)]
        (place / name).write_text("\n".join(lines) + "\n")
    (place / "map.tsv").write_text("".join(f"{s}{e}\t{s}/STM {e}/SUF\n" for s in (*STEMS, "zaun") for e in SUFFIXES))
    (place / "pairs").write_text("Hausen\tHofen\t3\nHausen\tLaufst\t2\nZaunen\tHofen\t1\n")
    run("classes", "train", "--text", place / "train", "-k", "3", "--out", place / "classes")
    for kind in ("clbl", "clbl++"):
        extra = ["--word-map", place / "map.tsv"] if "+" in kind else []
        run(
            *("lm", "train", kind, "--text", place / "train", "--dev", place / "dev", "--out", place / kind),
            *("--classes", place / "classes", "--lowercase", *SMALL, *extra),
        )
    return place


@pytest.mark.parametrize("kind", ["lbl", "nlbl+o", "nclbl+c"])
def test_train_every_kind(folder: Path, kind: str) -> None:
    extra = ["--word-map", folder / "map.tsv"] if "+" in kind else []
    arguments = ["--text", folder / "train", "--dev", folder / "dev", "--out", folder / "m", "--noise", "5"]
    figures = json.loads(run("lm", "train", kind, *arguments, *SMALL, *extra, "--json", "--plots", folder / "figures"))
    assert figures["signature"].startswith(f"model:{kind}|order:3|dim:4")
    assert figures["development_perplexity"][0] < 20
    assert (folder / "figures" / "training.svg").exists()
    assert "perplexity" in run("lm", "perplexity", folder / "m", "--text", folder / "dev", "--by", "frequency")


def test_compare_and_mix(folder: Path) -> None:
    assert "clbl++" in run("lm", "compare", folder / "clbl", folder / "clbl++", "--text", folder / "dev")
    mixed = json.loads(
        run("lm", "mix", folder / "clbl", folder / "clbl++", "--dev", folder / "dev", "--out", folder / "mix", "--json")
    )
    assert sum(mixed["weights"].values()) == pytest.approx(1)
    each = [
        json.loads(run("lm", "perplexity", folder / m, "--text", folder / "dev", "--json"))["perplexity"]
        for m in ("clbl", "clbl++", "mix")
    ]
    assert each[2] <= min(each[:2]) * (1 + 1e-5)
    run("lm", "train", "mkn", "--text", folder / "dev", "--out", folder / "other")
    with pytest.raises(InputError, match="prepared as"):
        run("lm", "mix", folder / "clbl", folder / "other", "--dev", folder / "dev", "--out", folder / "mix2")


def test_mix_by_context(folder: Path) -> None:
    text = ["--dev", folder / "dev"]
    run("lm", "train", "mkn", "--text", folder / "train", "--order", "3", "--lowercase", "--out", folder / "mkn")
    run("lm", "mix", folder / "mkn", folder / "clbl", *text, "--out", folder / "fixed")
    run("lm", "mix", folder / "mkn", folder / "clbl", *text, "--by-context", "--out", folder / "gated")
    fixed, gated = (
        json.loads(run("lm", "perplexity", folder / m, "--text", folder / "dev", "--json")) for m in ("fixed", "gated")
    )
    assert gated["perplexity"] <= fixed["perplexity"] * (1 + 1e-5) and "by_context" in gated["signature"]
    run("lm", "mix", folder / "clbl", folder / "clbl++", *text, "--by-context", "--out", folder / "both")
    both = json.loads(run("lm", "perplexity", folder / "both", "--text", folder / "dev", "--json"))
    assert "by_context" in both["signature"]


def test_tune_goes_on(folder: Path) -> None:
    pytest.importorskip("optuna", reason="the neural extra is not installed")
    common = ["lm", "tune", "clbl", "--text", folder / "train", "--dev", folder / "dev", "--study", folder / "study"]
    small = ["--order", "3", "--dim", "3", "--epochs", "1", "--classes", folder / "classes", "--json"]
    assert len(json.loads(run(*common, *small, "--trials", "1"))["trials"]) == 1
    assert len(json.loads(run(*common, *small, "--trials", "2"))["trials"]) == 2


def test_tune_without_classes_makes_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("optuna", reason="the neural extra is not installed")

    def brown(*arguments: object, **more: object) -> None:
        raise AssertionError("clustered for nothing")

    monkeypatch.setattr("binyan.log_bilinear.word_sources.brown", brown)
    arguments = ["--text", folder / "train", "--dev", folder / "dev", "--study", folder / "lbl.study", "--trials", "1"]
    printed = run("lm", "tune", "lbl", *arguments, "--order", "3", "--dim", "3", "--epochs", "1", "--noise", "5")
    assert printed.startswith("step 0.2000  l2 30.000  dim 3  order 3  development perplexity ")
    assert "best: --step 0.2000 --l2 30.000 --dim 3 --order 3" in printed


def test_classes(folder: Path) -> None:
    arguments = ["--text", folder / "train", "--out", folder / "again"]
    figures = json.loads(run("classes", "train", *arguments, "-k", "3", "--json"))
    assert figures["classes"] == 3 and figures["words"] == 14 and figures["average_mutual_information"] > 0
    assert (folder / "again").read_text() == (folder / "classes").read_text()
    with pytest.raises(SettingsError, match="brown or frequency"):
        run("classes", "train", *arguments, "--method", "k-means")


def test_vectors(folder: Path) -> None:
    model = folder / "clbl++"
    run("vectors", "export", model, "--text", folder / "v.txt", "--safetensors", folder / "v.safetensors")
    assert (folder / "v.txt").read_text().splitlines()[0].endswith(" 8")
    assert len(run("vectors", "nearest", model, "zaunen", "-n", "3").splitlines()) == 3
    assert "/" in run("vectors", "nearest", model, "en/SUF", "--morphemes", "-n", "2")
    guessed = json.loads(run("vectors", "nearest", model, "laufhofen", "-n", "2", "--json"))
    assert guessed["origin"] == "guess" and guessed["morphemes"] == ["lauf/STM", "hof/STM", "en/SUF"]
    with pytest.raises(InputError, match="none of its morphemes"):
        run("vectors", "nearest", model, "laufhofen", "--no-guess")
    composed = json.loads(run("vectors", "evaluate", model, "--pairs", folder / "pairs", "--json"))
    plain = json.loads(run("vectors", "evaluate", model, "--pairs", folder / "pairs", "--no-compose", "--json"))
    assert composed["uncovered_pairs"] == 0 and plain["uncovered_pairs"] == 1
    run("vectors", "plot", model, "--out", folder / "map.html")
    assert "-en" in (folder / "map.html").read_text()


def test_extend(folder: Path) -> None:
    made = json.loads(run("lm", "extend", folder / "clbl++", "--out", folder / "open", "--rest", "0.3", "--json"))
    assert made["new_words"] == 3 and "rest:0.3" in made["signature"]
    (folder / "new").write_text("zaunen hausen\n")
    closed, opened = (
        json.loads(run("lm", "perplexity", folder / m, "--text", folder / "new", "--json")) for m in ("clbl++", "open")
    )
    assert (closed["unknown"], opened["unknown"]) == (1, 0)
    with pytest.raises(SettingsError, match=r"\+o or \+\+"):
        run("lm", "extend", folder / "clbl", "--out", folder / "open")


def test_wordmap_learn(folder: Path) -> None:
    pytest.importorskip("morfessor", reason="the morfessor extra is not installed")
    pytest.importorskip("flatcat", reason="the morfessor extra is not installed")
    (folder / "more").write_text("zaunen zaunst\n")
    for method in ("baseline", "flatcat"):
        out = folder / f"{method}.tsv"
        arguments = ["--also", folder / "more", "--method", method, "--quiet", "--json"]
        figures = json.loads(run("wordmap", "learn", "--text", folder / "train", "--out", out, *arguments))
        assert figures["words"] == 14 and figures["morphemes_per_word"] >= 1
        assert ("/S" in out.read_text()) == (method == "flatcat")
        again = json.loads(run("wordmap", "learn", "--text", folder / "train", "--out", folder / "again", *arguments))
        assert again == figures and (folder / "again").read_text() == out.read_text()


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("clbl++", ["--word-map", "map.tsv", "--morfessor"], "needs one word map"),
        ("clbl++", ["--word-map", "map.tsv", "--map", "own"], "needs one word map"),
        ("clbl", ["--word-map", "map.tsv"], "has no morphemes"),
        ("lbl", ["--class-count", "5"], "has no classes"),
        ("clbl", ["--dim", "0"], "at least 1 dimension"),
        ("clbl", ["--classes", "classes", "--class-count", "3"], "would make others"),
    ],
)
def test_options_that_make_no_sense(folder: Path, kind: str, options: list[str], message: str) -> None:
    given = [folder / x if (folder / x).exists() else x for x in options]
    with pytest.raises(SettingsError, match=message):
        run("lm", "train", kind, "--text", folder / "train", "--dev", folder / "dev", "--out", folder / "x", *given)


def test_vectors_of_a_model_without_any(folder: Path) -> None:
    run("lm", "train", "mkn", "--text", folder / "train", "--out", folder / "mkn")
    with pytest.raises(SettingsError, match="has no vectors"):
        run("vectors", "nearest", folder / "mkn", "hausen")


def test_a_learnt_map_is_kept_beside_the_model(folder: Path, tmp_path: Path) -> None:
    arguments = [
        "--text",
        folder / "train",
        "--dev",
        folder / "dev",
        "--classes",
        folder / "classes",
        "--map",
        "concat",
    ]

    def said(name: str) -> str:
        out = ["--out", tmp_path / name, *SMALL[:-1]]
        result = CliRunner().invoke(app, [str(a) for a in ("lm", "train", "clbl++", *arguments, *out)])
        assert result.exit_code == 0, result.output
        return result.stderr

    assert "kept for further training" in said("first") and "taken from there, nothing learnt anew" in said("second")
    assert len(list(tmp_path.glob("word-map-*.binyan"))) == 1
    with pytest.raises(SettingsError, match="'concta' is neither a file nor"):
        run("lm", "train", "clbl++", *arguments[:-1], "concta", "--out", tmp_path / "third")
