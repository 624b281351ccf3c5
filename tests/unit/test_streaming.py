"""Texts scored while they are read: the same figures and rows as from the whole text, in blocks and line by line."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from binyan import HPYLM, KneserNey, _core
from binyan.errors import InputError
from binyan.evaluation import evaluate, measure, score_rows
from binyan.evaluation.streaming import score_sentences
from binyan.language_model import LanguageModel
from binyan.text.line_blocks import line_blocks

LINES = ["der hund sah den mond .", "", "der zäun  sah\tden hund .", "den baum fand der hund", "der mond ."]


@pytest.fixture(scope="module")
def models() -> dict[str, LanguageModel]:
    text = ["der hund sah den mond .", "der mond fand den hund .", "den baum sah der hund ."] * 4
    with pytest.warns(UserWarning):
        mkn = KneserNey(order=3).fit(text, progress=False)
        lower = KneserNey(order=3, lowercase=True).fit(text, progress=False)
    return {"mkn": mkn, "lower": lower, "hpylm": HPYLM(order=3, sweeps=8, samples=2).fit(text, progress=False)}


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, step: int) -> None:
        self._data, self._step = data, step

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def, override]
        piece, self._data = self._data[: self._step], self._data[self._step :]
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("kind", ["mkn", "lower", "hpylm"])
@pytest.mark.parametrize("step", [1, 7, 1000])
def test_figures_are_those_of_the_whole_text(models: dict[str, LanguageModel], kind: str, step: int) -> None:
    model = models[kind]
    whole = evaluate(model, LINES)
    stream = io.BufferedReader(Trickle("\n".join(LINES).encode(), step))
    streamed = measure(model, stream)
    assert streamed.to_dict() == pytest.approx(whole.to_dict())
    assert str(streamed.signature) == str(whole.signature)
    assert streamed.report() == whole.report()
    assert streamed.log10_prob == pytest.approx(whole.log10_prob)


@pytest.mark.parametrize("kind", ["mkn", "lower", "hpylm"])
@pytest.mark.parametrize("tokens", [False, True])
def test_rows_are_those_of_the_evaluation(
    models: dict[str, LanguageModel], kind: str, tokens: bool, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    evaluation = evaluate(models[kind], tmp_path / "text")
    rows = evaluation.token_rows() if tokens else evaluation.sentence_rows()
    expected = ["\t".join(rows[0])]
    expected += ["\t".join(f"{v:.6f}" if isinstance(v, float) else str(v) for v in row.values()) for row in rows]
    text = b"".join(score_rows(models[kind], tmp_path / "text", tokens)).decode()
    assert text.splitlines() == expected


def test_the_core_writes_what_python_writes_with_any_number_of_threads(models: dict[str, LanguageModel]) -> None:
    model = models["mkn"]
    random = np.random.default_rng(1)
    words = [*model.vocabulary.own_words, "neu", "größer"]
    sentences = [list(random.choice(words, int(random.integers(1, 30)))) for _ in range(3000)]
    text = "".join(" ".join(s) + "\n" for s in sentences).encode()
    scorer = _core.TextScorer(model.native, model.vocabulary.native)  # type: ignore[attr-defined]
    for rows in ("sentences", "words", "none"):
        python = score_sentences(model, sentences, rows, 5)
        answers = [scorer.score(text, rows, 5, 1000, threads) for threads in (1, 2, 5)]
        for answer in answers:
            assert answer[:2] == answers[0][:2]
            assert (answer[2] == answers[0][2]).all()
            assert (answer[3] == answers[0][3]).all()
        assert answers[0][0] == python.rows
        assert answers[0][1] == python.events
        assert answers[0][2] == pytest.approx(python.log_prob)
        assert answers[0][3] == pytest.approx(python.known)
        assert answers[0][4:] == (python.unknown, python.characters)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"der hund\n\xff\n", "<stdin>:2: not UTF-8"),
        (b"der\nhund\nder \0\n", "<stdin>:3: holds a NUL byte"),
        (b"der hund\nder " + b"x" * 1001, "<stdin>:2: a word of 1,001 characters"),
        (b"der <s> hund\n", "<stdin>:1: holds <s> as a word"),
        (b"\n \n", "no sentence found"),
    ],
)
@pytest.mark.parametrize("kind", ["mkn", "lower"])
def test_what_is_no_text_is_refused(models: dict[str, LanguageModel], kind: str, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure(models[kind], io.BytesIO(content))
    with pytest.raises(InputError, match=message):
        list(score_rows(models[kind], io.BytesIO(content)))


def test_blocks_know_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binyan.text.line_blocks.LONGEST_LINE", 50)
    with pytest.raises(InputError, match="<stdin>:3: a line of over 50 bytes"):
        list(line_blocks(io.BytesIO(b"a\nb\n" + b"x" * 60)))
    blocks = list(line_blocks(io.BufferedReader(Trickle(b"\xef\xbb\xbfa\nb\nc", 6), 4)))
    assert [where for block in blocks for where, _ in block.lines()] == ["<stdin>:1", "<stdin>:2", "<stdin>:3"]
    assert [line for block in blocks for _, line in block.lines()] == ["a", "b", "c"]


def test_lines_are_answered_as_they_come(models: dict[str, LanguageModel], tmp_path: Path) -> None:
    models["mkn"].save(tmp_path / "model")
    command = [sys.executable, "-m", "binyan", "lm", "score", str(tmp_path / "model"), "--text", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        for number in (1, 2):
            child.stdin.write(b"der hund sah den mond .\n")
            child.stdin.flush()
            if number == 1:
                assert child.stdout.readline().startswith(b"# model:mkn|order:3|signature:")
                assert child.stdout.readline().startswith(b"sentence\t")
            assert child.stdout.readline().startswith(b"%d\t" % number)
        child.stdin.close()
        assert child.stdout.read() == b""
    assert child.returncode == 0
