"""Requests to the explorer's application, in this process and without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any


def make_client() -> Callable[[bytes], int]:
    """A function from a request (a JSON object: method, path, headers, body) to the status of its answer."""
    from binyan.explore.loaded_models import LoadedModels
    from binyan.explore.server import create_app
    from binyan.morphology import Morphology
    from binyan.ngram.kneser_ney import KneserNey

    models = LoadedModels()
    models.add("mkn", KneserNey(3).fit(["der hund sah die katze", "die katze sah den hund"] * 3))
    words = ["כתב", "כתבו", "כותב", "מכתב", "למד", "למדו", "לומד", "מלמד"]
    models.add("words", Morphology("tpl", sweeps=4, burn_in=2, chains=1).fit(words, progress=False))
    app = create_app(models)
    loop = asyncio.new_event_loop()

    def ask(data: bytes) -> int:
        try:
            request = json.loads(data)
        except (ValueError, RecursionError):
            request = {"body": data}
        return loop.run_until_complete(_status(app, request if isinstance(request, dict) else {"body": request}))

    return ask


async def _status(app: Any, request: dict[str, Any]) -> int:
    body = request.get("body")
    content = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8", "replace")
    given = request.get("headers")
    headers = {"host": "testserver", "content-type": "application/json", **(given if isinstance(given, dict) else {})}
    if headers.get("content-length", "") is None:
        headers["content-length"] = str(len(content))
    path = str(request.get("path", "/api/sentence")).encode("utf-8", "replace").decode()
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "query_string": b"", "root_path": "",
        "method": str(request.get("method", "POST")), "path": path, "raw_path": path.encode(), "server": ("testserver", 80),
        "headers": [(str(k).lower().encode("latin-1", "replace"), str(v).encode("latin-1", "replace")) for k, v in headers.items()],
        "client": ("127.0.0.1", 1),
    }  # fmt: skip
    status = 0
    messages = iter([{"type": "http.request", "body": content, "more_body": False}])

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]

    await app(scope, receive, send)
    return status
