"""`binyan lm`: every command, its JSON keys, and what bad input gets: a clear error, an exit code, nothing lost."""

from __future__ import annotations

import errno
import json
import math
import os
import random
import subprocess
import sys

import pytest

from binyan import cli, language_model, model_file
from binyan.errors import ModelFileError
from binyan.model import from_model_file
from binyan.ngram.arpa import ArpaModel

INPUT, SETTINGS, MODEL_FILE = 3, 2, 4  # exit codes
NOUNS, VERBS = ["hund", "mond", "baum", "tisch", "stuhl", "wald"], ["sah", "fand", "traf"]


def sentences(seed, number):
    rng = random.Random(seed)
    weights = range(len(NOUNS), 0, -1)
    return [
        f"der {rng.choices(NOUNS, weights)[0]} {rng.choice(VERBS)} den {rng.choices(NOUNS, weights)[0]} ."
        for _ in range(number)
    ]


@pytest.fixture
def binyan(monkeypatch, capsys):
    """Runs the command as a shell does; returns exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["binyan", *map(str, arguments)])
        try:
            code = cli.main() or 0
        except SystemExit as end:
            code = end.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("lm")
    (path / "train.txt").write_text("\n".join(sentences(1, 60)) + "\n")
    (path / "more.txt").write_text("\n".join(sentences(2, 20)) + "\n")
    (path / "test.txt").write_text("\n".join([*sentences(3, 9), "der zaun sah den hund ."]) + "\n")
    return path


@pytest.fixture
def mkn(folder, binyan):
    out = folder / "mkn.binyan"
    if not out.exists():
        code, _, err = binyan("lm", "train", "mkn", "--text", folder / "train.txt", "--order", 3, "--out", out)
        assert code == 0, err
    return out


@pytest.fixture
def hpylm(folder, binyan):
    out = folder / "hpylm.binyan"
    if not out.exists():
        options = ["--order", 3, "--iterations", 8, "--samples", 2, "--chains", 2, "--seed", 4]
        code, _, err = binyan("lm", "train", "hpylm", "--text", folder / "train.txt", *options, "--out", out)
        assert code == 0, err
    return out


def test_train_reports_what_it_made(folder, binyan, tmp_path):
    texts = [folder / "train.txt", folder / "more.txt"]
    code, out, err = binyan("lm", "train", "mkn", "--text", *texts, "--order", 2, "--out", tmp_path / "m", "--json")
    assert code == 0
    report = json.loads(out)
    assert report["kind"] == "mkn" and report["order"] == 2 and len(report["ngrams"]) == 2
    assert report["vocabulary"] == len({w for line in sentences(1, 60) + sentences(2, 20) for w in line.split()}) + 3
    assert err == ""
    assert f"events:{80 * 7}" in report["signature"]


def test_text_without_discounts_gets_a_warning_a_line(binyan, tmp_path):
    (tmp_path / "t").write_text("a b\na c\n")
    code, _, err = binyan("lm", "train", "mkn", "--text", tmp_path / "t", "--order", 2, "--out", tmp_path / "m")
    assert code == 0
    first, second = err.splitlines()
    assert first.startswith(
        "binyan: warning: order 1: discounts cannot be estimated: no 1-gram has adjusted count 3; took 0.5"
    )
    assert second.startswith("binyan: warning: order 2: ") and "adjusted count 3" in second


def test_train_options_reach_the_model(folder, binyan, tmp_path):
    (tmp_path / "words").write_text("der\nden\nhund\n")
    train = ["lm", "train", "mkn", "--text", folder / "train.txt", "--out", tmp_path / "m", "--order", 2]
    assert binyan(*train, "--vocabulary", tmp_path / "words")[0] == 0
    assert language_model.load(tmp_path / "m").vocabulary.words[3:] == ["der", "den", "hund"]
    assert binyan(*train, "--min-count", 50)[0] == 0
    assert language_model.load(tmp_path / "m").vocabulary.words[3:] == [".", "den", "der"]
    assert binyan(*train, "--prune", 0, "--prune", 5, "--lowercase")[0] == 0
    model = language_model.load(tmp_path / "m")
    assert model.preparation.lowercase and "prune:0-5" in str(model.signature())
    assert binyan(*train, "--vocabulary", tmp_path / "words", "--kappa", 0.5)[0] == SETTINGS


def test_discounts_may_be_fitted(folder, binyan, tmp_path):
    train = ["lm", "train", "mkn", "--text", folder / "train.txt", "--order", 2, "--out", tmp_path / "m", "--json"]
    code, out, _ = binyan(*train, "--dev", folder / "test.txt")
    report = json.loads(out)
    assert code == 0 and [d["origin"] for d in report["discounts"]] == ["given", "given"]
    assert "discounts_fitted_to:" in report["signature"]
    (tmp_path / "empty").write_text("")
    code, _, err = binyan(*train, "--dev", tmp_path / "empty")
    assert code != 0 and "no sentence found" in err


def test_perplexity(folder, binyan, mkn):
    by = ["--by", "hit-length", "--by", "frequency"]
    code, out, _ = binyan("lm", "perplexity", mkn, "--text", folder / "test.txt", *by, "--json")
    assert code == 0
    figures = json.loads(out)
    assert {"perplexity", "perplexity_known", "tokens", "unknown", "signature", "hit-length", "frequency"} <= set(
        figures
    )
    assert (figures["tokens"], figures["unknown"]) == (70, 1)
    scores = language_model.load(mkn).score_text(folder / "test.txt")
    assert figures["perplexity"] == pytest.approx(scores.perplexity)
    assert figures["perplexity_known"] < figures["perplexity"]
    for table in ("hit-length", "frequency"):
        assert sum(row["tokens"] for row in figures[table]["rows"]) == 70
    code, out, _ = binyan("lm", "perplexity", mkn, "--text", folder / "test.txt", *by)
    assert code == 0 and f"{figures['perplexity']:.4f}" in out
    assert out.count("signature:") == 1 and figures["signature"] not in out  # short, and once
    code, out, _ = binyan("lm", "perplexity", mkn, "--text", folder / "test.txt", *by, "--full-signature")
    assert code == 0 and out.count(figures["signature"]) == 1


def test_perplexity_by_part_of_speech_as_table_and_drawing(binyan, mkn, tmp_path):
    rows = [("der", "DET"), ("hund", "NOUN"), (".", "PUNCT")]
    lines = "".join(f"{i}\t{w}\t_\t{t}" + "\t_" * 6 + "\n" for i, (w, t) in enumerate(rows, 1))
    (tmp_path / "t.conllu").write_text(lines + "\n")
    folders = ["--tsv", tmp_path / "tsv", "--plots", tmp_path / "plots"]
    code, out, _ = binyan("lm", "perplexity", mkn, "--text", tmp_path / "t.conllu", "--by", "pos", "--json", *folders)
    assert code == 0
    assert {row["part of speech"] for row in json.loads(out)["pos"]["rows"]} == {"DET", "NOUN", "PUNCT", "</s>"}
    assert (tmp_path / "tsv" / "pos.tsv").read_text().count("NOUN") == 1
    assert {p.suffix for p in (tmp_path / "plots").iterdir()} == {".png", ".svg"}


def test_score(folder, binyan, mkn):
    code, out, _ = binyan("lm", "score", mkn, "--text", folder / "test.txt", "--json")
    whole = json.loads(out)
    code, out, _ = binyan("lm", "score", mkn, "--text", folder / "test.txt", "--tokens", "--json")
    words = json.loads(out)
    assert len(whole["scores"]) == 10 and len(words["scores"]) == 70
    for i, sentence in enumerate(whole["scores"], 1):
        parts = [w["log10_prob"] for w in words["scores"] if w["sentence"] == i]
        assert sentence["log10_prob"] == pytest.approx(sum(parts))
    assert [w["word"] for w in words["scores"] if w["unknown"]] == ["zaun"]
    assert whole["log10_prob"] == pytest.approx(words["log10_prob"])
    code, out, _ = binyan("lm", "score", mkn, "--text", folder / "test.txt")
    assert code == 0 and len(out.splitlines()) == 12 and out.startswith("# model:mkn")


def test_sample_is_seeded(binyan, mkn):
    first = binyan("lm", "sample", mkn, "-n", 4, "--seed", 5)
    assert first[0] == 0 and len(first[1].splitlines()) == 4
    assert first == binyan("lm", "sample", mkn, "-n", 4, "--seed", 5)
    assert first != binyan("lm", "sample", mkn, "-n", 4, "--seed", 6)


def test_export_and_import(folder, binyan, mkn, hpylm, tmp_path):
    assert binyan("lm", "export", mkn, "--arpa", tmp_path / "m.arpa.gz")[0] == 0
    assert binyan("lm", "import", tmp_path / "m.arpa.gz", "--out", tmp_path / "again")[0] == 0
    figures = [
        json.loads(binyan("lm", "perplexity", model, "--text", folder / "test.txt", "--json")[1])["perplexity"]
        for model in (mkn, tmp_path / "again")
    ]
    assert figures[0] == pytest.approx(figures[1], rel=1e-5)

    code, _, err = binyan("lm", "export", hpylm, "--arpa", tmp_path / "h.arpa")
    assert code == SETTINGS and "averages 4 samples" in err and not (tmp_path / "h.arpa").exists()
    code, out, _ = binyan("lm", "export", hpylm, "--arpa", tmp_path / "h.arpa", "--approximate")
    assert code == 0 and "approximates" in out
    code, out, _ = binyan("lm", "export", hpylm, "--arpa", tmp_path / "h.arpa", "--one-sample")
    assert code == 0 and "exact" in out
    one = language_model.load(hpylm).one_sample()
    again = ArpaModel.read(tmp_path / "h.arpa")
    text = folder / "test.txt"
    assert again.score_text(text).log_prob == pytest.approx(one.score_text(text).log_prob, abs=1e-5)


def test_compare(folder, binyan, mkn, hpylm):
    arguments = ["lm", "compare", mkn, hpylm, "--text", folder / "test.txt", "--top", 3, "--by", "hit-length"]
    code, out, _ = binyan(*arguments, "--json")
    assert code == 0
    tables = json.loads(out)
    assert [row["model"] for row in tables["perplexity"]["rows"]] == ["mkn", "hpylm"]
    assert 1 <= len(tables["differences"]["rows"]) <= 6
    assert binyan(*arguments)[0] == 0


def test_trace(binyan, mkn, hpylm):
    code, out, _ = binyan("lm", "trace", hpylm, "--json")
    assert code == 0 and len(json.loads(out)["rows"]) == 8
    assert binyan("lm", "trace", mkn)[0] == SETTINGS


def test_training_goes_on_to_the_same_model(folder, binyan, hpylm, tmp_path):
    out = tmp_path / "m.binyan"
    train = ["lm", "train", "hpylm", "--text", folder / "train.txt", "--order", 3, "--samples", 2, "--chains", 2]
    train += ["--seed", 4, "--out", out]
    assert binyan(*train, "--iterations", 5)[0] == 0
    assert binyan(*train, "--iterations", 8, "--resume")[0] == 0
    text = folder / "test.txt"
    ours, theirs = (language_model.load(m).score_text(text).log_prob for m in (out, hpylm))
    assert math.isfinite(ours.sum()) and (ours == theirs).all()


# Bad input


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no sentence found"),
        (b"\n \n\t\n", "no sentence found"),
        (b"der hund\n\x7fELF\x00\x01\x02\xff\n", ":2: holds a NUL byte"),
        (bytes(range(1, 256)) * 9, "not UTF-8"),
        ("der hund\nfröhlich\n".encode("latin-1"), ":2: not UTF-8: byte 0xf6 at column 3"),
        ("der hund\n".encode("utf-16"), "UTF-16"),
        (b"der hund\nder " + b"x" * 5000 + b" mond\n", ":2: a word of 5,000 characters"),
        (b"der <s> hund\n", "holds <s> as a word"),
    ],
    ids=["empty", "blank", "binary", "bytes", "latin-1", "utf-16", "long word", "mark"],
)
@pytest.mark.parametrize("command", ["mkn", "hpylm", "perplexity", "score"])
def test_bad_text(binyan, mkn, tmp_path, command, content, message):
    bad, out = tmp_path / "bad.txt", tmp_path / "out.binyan"
    bad.write_bytes(content)
    out.write_bytes(mkn.read_bytes())
    if command in ("mkn", "hpylm"):
        code, _, err = binyan("lm", "train", command, "--text", bad, "--out", out)
    else:
        code, _, err = binyan("lm", command, out, "--text", bad)
    assert code == INPUT, err
    assert err.startswith("binyan: ") and err.count("\n") == 1
    if "<s>" not in message or command in ("mkn", "hpylm"):
        assert message in err and ("bad.txt" in err)
    assert out.read_bytes() == mkn.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.txt", "out.binyan"]


@pytest.mark.parametrize("content", [b"", b"der hund sah den mond\n", b"\x1f\x8b\x08junk"])
def test_what_is_no_model_file(folder, binyan, tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    code, _, err = binyan("lm", "perplexity", tmp_path / "m", "--text", folder / "test.txt")
    assert code == MODEL_FILE and "not a Binyan model file" in err
    assert binyan("lm", "perplexity", tmp_path / "none", "--text", folder / "test.txt")[0] == MODEL_FILE


def test_an_arpa_file_serves_as_a_model(folder, binyan, tmp_path, mkn):
    (tmp_path / "broken").write_bytes(b"\\data\\\nngram 1=3\n")
    code, _, err = binyan("lm", "perplexity", tmp_path / "broken", "--text", folder / "test.txt")
    assert code == INPUT and "broken:" in err
    assert binyan("lm", "export", mkn, "--arpa", tmp_path / "m.arpa.gz")[0] == 0
    figures = [
        json.loads(binyan("lm", "perplexity", model, "--text", folder / "test.txt", "--json")[1])["perplexity"]
        for model in (mkn, tmp_path / "m.arpa.gz")
    ]
    assert figures[0] == pytest.approx(figures[1], rel=1e-5)


def test_a_model_of_another_kind(folder, binyan, tmp_path):
    model_file.save(tmp_path / "m", "recipe", {}, {})
    code, _, err = binyan("lm", "sample", tmp_path / "m")
    assert code == MODEL_FILE and "'recipe'" in err


def test_truncated_and_flipped_model_files(folder, binyan, tmp_path):
    (tmp_path / "tiny.txt").write_text("a b a\nb\n")
    code, _, _ = binyan("lm", "train", "mkn", "--text", tmp_path / "tiny.txt", "--order", 2, "--out", tmp_path / "m")
    assert code == 0
    good, bad = (tmp_path / "m").read_bytes(), tmp_path / "bad"
    for size in range(0, len(good), 7):
        with pytest.raises(ModelFileError):
            from_model_file(model_file.from_bytes(good[:size]))
    for place in range(len(good)):
        flipped = bytearray(good)
        flipped[place] ^= 1 << place % 8
        with pytest.raises(ModelFileError):
            from_model_file(model_file.from_bytes(bytes(flipped)))
    for content in (good[:-1], good[:100], good[:30] + b"\0" + good[31:], good[:-3] + b"xyz"):
        bad.write_bytes(content)
        code, _, err = binyan("lm", "perplexity", bad, "--text", folder / "test.txt")
        assert code == MODEL_FILE and ("damaged" in err or "truncated" in err)


@pytest.mark.parametrize("kind", ["mkn", "hpylm"])
@pytest.mark.parametrize("order", [0, -1])
def test_order_zero(folder, binyan, tmp_path, kind, order):
    options = ["--text", folder / "train.txt", "--order", order, "--out", tmp_path / "m"]
    code, _, err = binyan("lm", "train", kind, *options)
    assert code == SETTINGS and f"1 or more, not {order}" in err
    assert list(tmp_path.iterdir()) == []


def test_a_vocabulary_with_duplicates(folder, binyan, tmp_path):
    (tmp_path / "words").write_text("hund\nmond\nhund\n")
    options = ["--text", folder / "train.txt", "--vocabulary", tmp_path / "words", "--out", tmp_path / "m"]
    code, _, err = binyan("lm", "train", "mkn", *options)
    assert code == INPUT and "words:3: 'hund' is already on line 1" in err


def test_out_is_checked_before_training(folder, binyan, tmp_path):
    for out in (tmp_path, tmp_path / "none" / "m"):
        code, _, err = binyan("lm", "train", "mkn", "--text", folder / "train.txt", "--out", out)
        assert code == SETTINGS and "folder" in err


def test_bad_breakdowns(folder, binyan, mkn):
    code, _, err = binyan("lm", "perplexity", mkn, "--text", folder / "test.txt", "--by", "colour")
    assert code == SETTINGS and "hit-length" in err
    code, _, err = binyan("lm", "perplexity", mkn, "--text", folder / "test.txt", "--by", "pos")
    assert code == INPUT and "CoNLL-U" in err


def test_a_full_disk_while_saving(folder, binyan, mkn, tmp_path, monkeypatch):
    out = tmp_path / "m.binyan"
    out.write_bytes(mkn.read_bytes())
    arpa = tmp_path / "m.arpa"
    arpa.write_text("old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = binyan("lm", "train", "mkn", "--text", folder / "more.txt", "--out", out)
    assert code == MODEL_FILE and "the disk is full; the file that was there is unchanged" in err
    assert out.read_bytes() == mkn.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.arpa", "m.binyan"]


@pytest.mark.posix
@pytest.mark.parametrize("command", ["train", "export"])
def test_no_room_for_the_file(folder, mkn, tmp_path, command):
    """A real limit on the size of files, in a process of its own."""
    import resource

    out = tmp_path / "out"
    out.write_bytes(b"old")
    train = ["train", "mkn", "--text", folder / "train.txt", "--order", "3", "--out", out]
    arguments = {"train": train, "export": ["export", mkn, "--arpa", out]}[command]
    done = subprocess.run(
        [sys.executable, "-c", "from binyan.cli import main; main()", "lm", *map(str, arguments)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == MODEL_FILE, done.stderr
    assert "File too large; the file that was there is unchanged" in done.stderr
    assert out.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
