"""A scoring service on standard input, or on a port."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from binyan.files import PathLike
from binyan.serving.lines import answer_lines
from binyan.serving.service import ScoringService


def serve(paths: Iterable[PathLike], port: int | None = None, host: str = "127.0.0.1") -> None:
    """Answer requests in JSON for sentences to score: lines of standard input, or over HTTP where `port` is given.

    Lines are answered on standard output as they come, and to their end; over HTTP until interrupted.
    """
    service = ScoringService.load(paths)
    if port is not None:
        from binyan.serving.http import serve_http

        print(f"Scoring at http://{host}:{port}/api/score  (Ctrl-C stops it)", file=sys.stderr, flush=True)
        serve_http(service, host, port)
        return
    for answers in answer_lines(service, sys.stdin.buffer):
        sys.stdout.write(answers)
        sys.stdout.flush()
