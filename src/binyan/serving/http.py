"""Requests over HTTP: POST /api/score with a request in JSON, GET /api/models; for programs of this machine unless another address is given."""

from __future__ import annotations

import json
import logging
import socket
from typing import Any

from binyan import __version__
from binyan.errors import BinyanError, MissingExtra, SettingsError
from binyan.serving.requests import parse_request
from binyan.serving.service import Batcher, BusyError, ScoringService

try:
    from fastapi import FastAPI, Request, Response
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    from binyan.explore.guard import PATIENCE, Connection, Guard, SlowClientError, error_response
except ImportError as error:  # pragma: no cover
    raise MissingExtra("the scoring service over HTTP", "explore") from error

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_MOST_CONNECTIONS = 1000
_log = logging.getLogger(__name__)


def create_app(service: ScoringService, hosts: tuple[str, ...] = (*_LOCAL, "testserver")) -> FastAPI:
    """The application over a service, answering requests for `hosts` only."""
    app = FastAPI(title="Binyan scoring", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts])
    app.add_middleware(Guard)
    batcher = Batcher(service)

    async def score(request: Request) -> Response:
        try:
            return _json(await batcher.answer(parse_request(await request.body(), service.models)))
        except SlowClientError:
            return error_response(f"the request did not come within {PATIENCE:.0f} seconds", 408)
        except BusyError as error:
            return error_response(str(error), 503)
        except BinyanError as error:
            return error_response(str(error), 422)

    async def models(request: Request) -> Response:
        return _json({"models": service.describe()})

    app.add_route("/api/score", score, methods=["POST"])
    app.add_route("/api/models", models)
    app.state.batcher = batcher
    return app


def _json(value: Any) -> Response:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), media_type="application/json")


def serve_http(service: ScoringService, host: str, port: int) -> None:
    """Answer until interrupted."""
    import uvicorn

    local = host in ("127.0.0.1", "localhost", "::1")
    if not local:
        _log.warning("listening on %s: other machines can ask the models", host)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise SettingsError(f"cannot listen on {host} port {port} ({error.strerror}); choose another port") from error
    config = uvicorn.Config(
        create_app(service, _LOCAL if local else ("*",)),
        http=Connection,
        ws="none",
        log_level="error",
        access_log=False,
        limit_concurrency=_MOST_CONNECTIONS,
    )
    uvicorn.Server(config).run(sockets=[listener])
