"""What the explorer refuses before it answers: requests of other pages, long ones, and clients that take too long."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from binyan.errors import MissingExtra

try:
    import httptools
    from starlette.datastructures import MutableHeaders
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError as error:  # pragma: no cover
    raise MissingExtra("the explorer", "explore") from error

MOST_BYTES = 65_536  # of a request's body
MOST_HEADERS, MOST_HEADER_BYTES = 100, 16_384
PATIENCE = 10.0  # seconds that a client has for the head of a request, and for its body
_QUESTIONS = ("/api/", "/translate")  # what is answered in JSON; anything else is a file of the page
_HEADERS = {
    # Nothing from elsewhere: the page works without a network and tells nobody what is typed.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Guard:
    """Refuses what is not a short question of the explorer's own page, and adds the headers of every answer.

    `refuse` says why a request is not answered, `patience` how long its body may take; by default as the explorer has them.

    Written to the protocol: FastAPI's own way costs more than an answer.
    """

    def __init__(
        self,
        app: ASGIApp,
        refuse: Callable[[Scope], tuple[str, int] | None] | None = None,
        patience: Callable[[Scope], float | None] = lambda scope: None,
    ) -> None:
        self.app, self._refuse, self._patience = app, refuse or refusal, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({name: value for name, value in _HEADERS.items() if name not in headers})
            await send(message)

        problem = self._refuse(scope)
        app = self.app if problem is None else error_response(*problem)
        await app(scope, _impatient(receive, self._patience(scope) or PATIENCE), send_with_headers)


def refusal(scope: Scope) -> tuple[str, int] | None:
    """Why a request is not answered, and the status of that; None where it is."""
    pairs = scope["headers"]
    if len(pairs) > MOST_HEADERS or sum(len(name) + len(value) for name, value in pairs) > MOST_HEADER_BYTES:
        return "the request has too many headers, or too long ones", 431
    headers = dict(pairs)
    length = headers.get(b"content-length", b"0")
    is_long = not length.isdigit() or len(length) > 12 or int(length) > MOST_BYTES
    if is_long or b"transfer-encoding" in headers:
        return f"a request has at most {MOST_BYTES:,} bytes", 413
    if not scope["path"].startswith(_QUESTIONS):
        return None
    # Browsers say where a request comes from; a page from elsewhere could not read an answer, but it could make us work.
    own = b"%s://%s" % (scope.get("scheme", "http").encode(), headers.get(b"host", b""))
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin") or headers.get(b"origin", own) != own:
        return "only the explorer's own page may ask", 403
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if scope["method"] == "POST" and kind != b"application/json":
        return "a question has the content type application/json", 415
    return None


def error_response(message: str, status: int) -> Response:
    """An error in words, as JSON."""
    return Response(json.dumps({"error": message}, ensure_ascii=False), status, media_type="application/json")


class SlowClientError(Exception):
    """The body of a request did not come in time."""


def _impatient(receive: Receive, patience: float) -> Receive:
    """The parts of a request's body, as long as all of them come in time."""
    deadline = asyncio.get_running_loop().time() + patience
    complete = False

    async def receive_in_time() -> Message:
        nonlocal complete
        if complete:  # what may still come is the end of the connection
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise SlowClientError from None
        complete = not message.get("more_body", False)
        return message

    return receive_in_time


class Connection(HttpToolsProtocol):
    """A connection whose client has a limited time and limited bytes for the head of each request."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._head_bytes: int | None = 0  # None while a body is read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse a head without end."""
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_BYTES + MOST_HEADER_BYTES:
                self._stop_waiting()
                self.send_400_response("The head of the request is too long.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._head_bytes = 0
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        """The head of a request has come."""
        self._stop_waiting()
        self._head_bytes = None
        super().on_headers_complete()

    def on_url(self, url: bytes) -> None:
        """An address of more than a few thousand bytes is none of ours."""
        super().on_url(url)
        if len(self.url) > MOST_HEADER_BYTES:
            raise httptools.HttpParserInvalidURLError("the address is too long")

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
