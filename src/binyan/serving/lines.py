"""Requests as lines of JSON, answers as lines of JSON, in the same order; lines that have come together are scored together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from binyan.errors import BinyanError
from binyan.json_text import known_id
from binyan.serving.requests import ScoreRequest, parse_request
from binyan.serving.service import MOST_EVENTS, ScoringService
from binyan.text.line_blocks import line_blocks


def answer_lines(service: ScoringService, source: IO[bytes]) -> Iterator[str]:
    """The answers to lines of JSON, with line ends. What cannot be answered is answered by what is wrong: `error` and the number of the `line`.

    Blank lines are left out.
    """
    for block in line_blocks(source):
        parsed: list[ScoreRequest | dict[str, Any]] = []
        events = 0
        for number, raw in enumerate(block.text.removesuffix(b"\n").split(b"\n"), block.first):
            if not raw.strip():
                continue
            request = _parsed(service, raw, number)
            parsed.append(request)
            if isinstance(request, ScoreRequest):
                events += sum(len(sentence) + 1 for sentence in request.sentences)
            if events > MOST_EVENTS:
                yield _answers(service, parsed)
                parsed, events = [], 0
        if parsed:
            yield _answers(service, parsed)


def _parsed(service: ScoringService, raw: bytes, number: int) -> ScoreRequest | dict[str, Any]:
    try:
        return parse_request(raw, service.models)
    except BinyanError as error:
        return {**known_id(raw), "error": str(error), "line": number}


def _answers(service: ScoringService, parsed: list[ScoreRequest | dict[str, Any]]) -> str:
    answers = iter(service.answer([request for request in parsed if isinstance(request, ScoreRequest)]))
    return "".join(
        json.dumps(next(answers) if isinstance(item, ScoreRequest) else item, ensure_ascii=False, allow_nan=False)
        + "\n"
        for item in parsed
    )
