"""The explorer's server: a page and a few questions in JSON, about models already in memory. It opens no file on request."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from binyan import __version__
from binyan.errors import BinyanError, MissingExtra, SettingsError
from binyan.explore import api
from binyan.explore.dispatch import BusyError, Dispatcher
from binyan.explore.guard import PATIENCE, Connection, Guard, SlowClientError, error_response
from binyan.explore.loaded_models import LoadedModels
from binyan.json_text import json_object
from binyan.json_values import finite

try:
    from fastapi import FastAPI, Request, Response
    from starlette.middleware.trustedhost import TrustedHostMiddleware
except ImportError as error:  # pragma: no cover
    raise MissingExtra("the explorer", "explore") from error

_PAGE = {"/": "index.html"} | {
    f"/{name}": name
    for name in (
        "style.css",
        "app.js",
        "page.js",
        "words.js",
        "sentences.js",
        "vectors.js",
        "translations.js",
        "derivation.js",
    )
}
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_MOST_CONNECTIONS = 1000
_log = logging.getLogger(__name__)


def create_app(
    models: LoadedModels, hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]", "testserver")
) -> FastAPI:
    """The application over `models`, answering requests for `hosts` only."""
    app = FastAPI(title="Binyan explorer", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts])
    app.add_middleware(Guard)
    dispatcher = Dispatcher()

    def page(path: str) -> Any:
        name = _PAGE[path]
        kind = _KINDS[name.rpartition(".")[2]]
        content = files("binyan.explore.static").joinpath(name).read_bytes()

        async def endpoint(request: Request) -> Response:
            return Response(content, media_type=f"{kind}; charset=utf-8")

        return endpoint

    def asked(name: str) -> Any:
        question = api.QUESTIONS[name]

        async def endpoint(request: Request) -> Response:
            try:
                fields = json_object(await request.body())
                measure = api.measure(models, name, fields)
                return await dispatcher.run(lambda: _answer(question, models, fields), measure)
            except SlowClientError:
                return error_response(f"the request did not come within {PATIENCE:.0f} seconds", 408)
            except BusyError as error:
                return error_response(str(error), 503)
            except BinyanError as error:
                return json_response({"error": str(error)}, 422)

        return endpoint

    async def list_models(request: Request) -> Response:
        return json_response(api.list_models(models))

    for path in _PAGE:
        app.add_route(path, page(path))
    app.add_route("/api/models", list_models)
    for name in api.QUESTIONS:
        app.add_route(f"/api/{name}", asked(name), methods=["POST"])
    app.add_route("/translate", asked("translate"), methods=["POST"])  # for programs
    return app


def _answer(
    question: Callable[[LoadedModels, Mapping[str, Any]], Any], models: LoadedModels, fields: Mapping[str, Any]
) -> Response:
    return json_response(question(models, fields))


def json_response(value: Any, status: int = 200) -> Response:
    """A value as JSON; numbers that JSON does not know are null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:  # an infinity or a NaN, which are rare
        text = json.dumps(finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a surrogate pair is a letter in JSON and none in UTF-8.
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def serve(models: LoadedModels, host: str = "127.0.0.1", port: int = 8765, workers: int = 1) -> None:
    """Serve until interrupted. `workers` processes share the models in memory."""
    import uvicorn

    local = host in ("127.0.0.1", "localhost", "::1")
    if not local:
        _log.warning("listening on %s: other machines can ask the models", host)
    if workers > 1 and sys.platform != "linux":
        raise SettingsError("several workers need Linux, which shares a port among processes; leave out --workers")
    app = create_app(models, ("127.0.0.1", "localhost", "[::1]") if local else ("*",))
    config = uvicorn.Config(
        app, http=Connection, ws="none", log_level="error", access_log=False, limit_concurrency=_MOST_CONNECTIONS
    )
    if workers > 1:
        _use_one_thread()
    gc.collect()
    gc.freeze()  # the models stay: no collection need look at them again
    listening = [listen(host, port, workers > 1) for _ in range(workers)]
    children: list[int] = []
    mine = listening[0]
    for other in listening[1:]:
        child = os.fork()
        if child == 0:
            children, mine = [], other
            break
        children.append(child)
    is_child = mine is not listening[0]
    for other in listening:
        if other is not mine:
            other.close()
    # uvicorn raises it again when it is done: end by way of `finally`
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        uvicorn.Server(config).run(sockets=[mine])
    finally:
        if is_child:
            os._exit(0)
        gc.unfreeze()
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)


def _use_one_thread() -> None:
    """A process whose numerical libraries have threads must not be forked: the child would wait for threads it does not have."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def listen(host: str, port: int, shared: bool) -> socket.socket:
    """A socket that listens; with `shared`, several processes can have one on the same port."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    # On Windows SO_REUSEADDR would let another program listen on the same port.
    option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    listener.setsockopt(socket.SOL_SOCKET, option, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise SettingsError(
            f"cannot listen on {host} port {port} ({error.strerror}); choose another with --port"
        ) from error
    listener.listen(2048)
    return listener
