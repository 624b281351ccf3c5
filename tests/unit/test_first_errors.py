"""The mistakes of a first hour: every message says what was seen, where, and what to do."""

from __future__ import annotations

import os

import pytest
from typer.testing import CliRunner

from binyan.cli import app
from binyan.errors import BinyanError

TEXT = "das haus ist alt\nder hof ist neu\ndas hofhaus ist neu\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    (folder / "text").write_text(TEXT)
    (folder / "empty").touch()
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "latin").write_bytes("schön\n".encode("latin-1"))
    (folder / "utf16").write_bytes("schön\n".encode("utf-16"))
    (folder / "folder").mkdir()
    made = CliRunner().invoke(app, ["lm", "train", "mkn", "-t", f"{folder}/text", "-n", "2", "-o", f"{folder}/mkn"])
    assert made.exit_code == 0
    learn = ["morph", "learn", f"{folder}/text", "-g", "concat", "--sweeps", "5", "-o", f"{folder}/morph"]
    assert CliRunner().invoke(app, learn).exit_code == 0
    (folder / "cut").write_bytes((folder / "mkn").read_bytes()[:100])
    return folder


# Command (names are of the files above), and what its message has.
MISTAKES = [
    # wrong file
    ("morph learn nosuch -o out", ("nosuch: no such file", "We are in")),
    ("lm perplexity nosuch --text text", ("nosuch: no such file", "We are in")),
    ("morph learn folder -o out", ("folder: is a folder; name a file",)),
    ("lm perplexity folder --text text", ("folder: is a folder; name a file",)),
    ("lm train mkn --text text -o folder", ("folder: is a folder; name the file to write",)),
    ("lm train mkn --text text -o none/out", ("none: no such folder; make it first",)),
    # empty and binary files, other encodings
    ("morph learn empty -o out", ("empty: there is not one word", "one word per line")),
    ("lm train mkn --text empty -o out", ("empty: no sentence found",)),
    ("lm perplexity empty --text text", ("empty: not a Binyan model file", "empty")),
    ("lm train mkn --text binary -o out", ("binary:", "NUL byte: this is binary data, not text")),
    ("morph learn latin -o out", ("latin:1: not UTF-8: byte 0xf6 at column 4", "iconv")),
    ("morph learn utf16 -o out", ("utf16: is UTF-16", "iconv")),
    # one thing where another is wanted
    ("morph learn mkn -o out", ("mkn: is a model of Binyan, where text is wanted",)),
    ("lm perplexity text --text text", ("text: not a Binyan model file", "binyan lm train")),
    ("lm perplexity cut --text text", ("cut: damaged or truncated",)),
    ("lm perplexity morph --text text", ("morph: a model of kind 'adaptor' is not a language model", "binyan morph")),
    ("morph segment mkn", ("mkn: holds a KneserNey (kind 'mkn'), not a Morphology", "binyan morph")),
    ("vectors nearest mkn haus", ("mkn: a model of kind 'mkn' has no vectors", "log-bilinear")),
    (
        "compounds split mkn --text text --out out",
        ("mkn: holds a KneserNey (kind 'mkn'), not a CompoundSplitter", "binyan compounds"),
    ),
    ("lm import text --out out", ("text:", "not an ARPA file")),
    ("lm train hpylm+c --text text --segmentation text -o out", ("text:1: 1 columns", "binyan compounds split")),
    # grammars
    ("morph learn text -g tpll -o out", ("no grammar is called tpll", "did you mean tpl", "binyan grammar list")),
    ("morph learn text -g folder -o out", ("folder is a folder, not a grammar file",)),
    ("morph learn text -g text -o out", ("text:1: error:", "das haus ist alt", "a rule is written Left -> Right")),
    ("morph lexicon morph --category Root", ("has no symbol 'Root'", "it has Word")),
    # settings
    ("lm train hpylm --text text --order 0 -o out", ("order of an n-gram model is 1 or more, not 0",)),
    ("reproduce run nosuch", ("no study 'nosuch'; there are hpylm",)),
]


@pytest.mark.parametrize(("command", "says"), MISTAKES, ids=[command for command, _ in MISTAKES])
def test_message_says_what_where_and_what_to_do(folder, monkeypatch, command, says):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, command.split())
    assert isinstance(done.exception, BinyanError), done.output
    message = str(done.exception)
    assert [part for part in says if part not in message] == [], message
    assert not (folder / "out").exists()


def test_a_grammar_without_roots_says_so(folder):
    done = CliRunner().invoke(app, ["morph", "roots", f"{folder}/morph"])
    assert done.exit_code == 0 and "does its grammar have roots? root-template" in done.output


@pytest.mark.posix
@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("", "what would fit"),
        ("import binyan.memory; binyan.memory.available_memory = lambda: None; ", "not enough memory"),
    ],
    ids=["before training", "during training"],
)
def test_too_little_memory_is_said_plainly(tmp_path, setup, message):
    """A text whose n-grams do not fit under the limit of this process: one line, no traceback, nothing half-written."""
    import subprocess
    import sys

    text = tmp_path / "t.txt"
    text.write_text("\n".join(" ".join(f"w{(i * 7919 + j * j) % 50021}" for j in range(40)) for i in range(20_000)))
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (480 << 20, 480 << 20)); "
        f"{setup}from binyan.cli import main; sys.argv = ['binyan', 'lm', 'train', 'hpylm', '--text', 't.txt', '--order', '5', "
        "'--sweeps', '12', '--samples', '6', '--out', 'm', '--quiet']; main()"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 8 and message in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert {p.name for p in tmp_path.iterdir()} <= {"t.txt", "m"}  # a checkpoint may have been saved before
