"""The explorer's server: a page and a few questions in JSON, about models already in memory. It opens no file on request."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from binyan import __version__
from binyan.errors import BinyanError, InputError, MissingExtra
from binyan.explore import answers
from binyan.explore.shelf import Shelf
from binyan.plain_values import finite

try:
    from fastapi import FastAPI, Request, Response
    from fastapi.responses import JSONResponse
    from starlette.middleware.trustedhost import TrustedHostMiddleware
except ImportError as error:  # pragma: no cover
    raise MissingExtra("the explorer", "explore") from error

MOST_BYTES = 65_536  # of a request's body
_PAGE = {
    "/": ("index.html", "text/html"),
    "/style.css": ("style.css", "text/css"),
    "/app.js": ("app.js", "text/javascript"),
}
_HEADERS = {
    # Nothing from elsewhere: the page works without a network and tells nobody what is typed.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def create_app(shelf: Shelf, hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]", "testserver")) -> FastAPI:
    """The application over the models of `shelf`, answering requests for `hosts` only."""
    app = FastAPI(title="Binyan explorer", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts])
    pages = {
        path: (files("binyan.explore.static").joinpath(name).read_bytes(), kind) for path, (name, kind) in _PAGE.items()
    }

    @app.middleware("http")
    async def guard(request: Request, call_next: Any) -> Response:
        length = request.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES or "transfer-encoding" in request.headers:
            response: Response = JSONResponse({"error": f"a request has at most {MOST_BYTES:,} bytes"}, 413)
        else:
            response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    @app.exception_handler(BinyanError)
    async def explain_error(request: Request, error: BinyanError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 422)

    def page(path: str) -> Any:
        content, kind = pages[path]
        return lambda: Response(content, media_type=f"{kind}; charset=utf-8")

    for path in pages:
        app.get(path)(page(path))

    @app.get("/api/models")
    def models() -> Any:
        return answers.models(shelf)

    # Plain functions: they run in a pool of threads, and queries change nothing.
    for name, answer in answers.QUESTIONS.items():
        app.post(f"/api/{name}")(_endpoint(shelf, answer))
    return app


def _endpoint(shelf: Shelf, answer: Any) -> Any:
    def endpoint(question: dict[str, Any]) -> Any:
        try:
            return JSONResponse(finite(answer(shelf, question)))
        except KeyError as error:
            raise InputError(f"the request lacks {error}") from error

    return endpoint


def serve(shelf: Shelf, host: str = "127.0.0.1", port: int = 8765) -> None:
    """Serve until interrupted."""
    import uvicorn

    hosts = ("127.0.0.1", "localhost", "[::1]") if host in ("127.0.0.1", "localhost", "::1") else ("*",)
    uvicorn.run(create_app(shelf, hosts), host=host, port=port, log_level="warning")
