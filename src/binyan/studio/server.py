"""The studio's server: a page, questions and actions in JSON, files up and down, and a stream of news. It opens nothing beyond the project's folder."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from binyan import __version__
from binyan.errors import BinyanError, InputError, MissingExtra
from binyan.explore import api
from binyan.explore.dispatch import BusyError, Dispatcher
from binyan.explore.guard import Connection, Guard, SlowClientError, error_response
from binyan.explore.server import json_response, listen
from binyan.files import PathLike
from binyan.json_text import json_object
from binyan.studio.access import BINARY, Access, refusal
from binyan.studio.actions import ACTIONS, UPLOADS
from binyan.studio.archive import archive_bytes, open_archive
from binyan.studio.facts import StaleError
from binyan.studio.project import Project
from binyan.studio.questions import QUESTIONS
from binyan.studio.supervisor import Supervisor
from binyan.studio.workbench import Workbench

try:
    from fastapi import FastAPI, Request, Response
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import StreamingResponse
except ImportError as error:  # pragma: no cover
    raise MissingExtra("the studio", "explore") from error

_STATIC = "binyan.studio.static"
PAGE = {"page.js": ("binyan.explore.static", "page.js"), "base.css": ("binyan.explore.static", "style.css")} | {
    name: (_STATIC, name)
    for name in (
        *("index.html", "style.css", "app.js", "studio.js", "texts.js", "project.js", "grammar.js", "learning.js"),
        *("review.js", "editor.js", "segments.js", "results.js", "models.js"),
    )
}
"""The files of the page, and where they are: some are the explorer's."""

EXPLORER = (
    *("index.html", "style.css", "app.js", "page.js", "words.js", "sentences.js", "vectors.js"),
    *("translations.js", "derivation.js"),
)
"""The explorer's own page, which one of the tabs shows in a frame."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:;"
    " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)

_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_UPLOAD_PATIENCE = 300.0  # seconds
_NEWS_EVERY = 0.5  # seconds
_MOST_LISTENERS = 64
_LOCAL = ("127.0.0.1", "localhost", "::1")
_log = logging.getLogger(__name__)


def create_app(
    bench: Workbench,
    access: Access | None = None,
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]", "testserver"),
) -> FastAPI:
    """The application over one project, answering requests for `hosts` only."""
    access = access or Access()
    app = FastAPI(title="Binyan studio", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts])
    app.add_middleware(
        Guard, refuse=refusal, patience=lambda scope: _UPLOAD_PATIENCE if scope["path"] in BINARY else None
    )
    dispatcher = Dispatcher()
    answering = partial(_answering, access, dispatcher)
    for name in PAGE:
        app.add_route("/" if name == "index.html" else f"/{name}", _page(name))
    for name in EXPLORER:
        path = "/explorer/" + ("" if name == "index.html" else name)
        app.add_route(path, _page(name, "binyan.explore.static"))
    for name in ("models", *api.QUESTIONS):
        methods = ["GET"] if name == "models" else ["POST"]
        app.add_route(f"/explorer/api/{name}", answering("read", _explored(bench, name), True), methods=methods)
    for name, question in QUESTIONS.items():
        app.add_route(f"/api/{name}", answering("read", _asked(bench, question, access)), methods=["POST"])
    for name, action in ACTIONS.items():
        app.add_route(f"/api/{name}", answering("write", _asked(bench, action, access)), methods=["POST"])
    for name, upload in UPLOADS.items():
        app.add_route(f"/api/{name}", answering("write", _uploaded(bench, upload), True), methods=["POST"])
    app.add_route("/api/events", _streaming(access, _News(bench)))
    app.add_route("/api/download/{format}", answering("read", lambda request, _: _download(bench, request), True))
    return app


def _answering(
    access: Access,
    dispatcher: Dispatcher,
    right: str,
    answer: Callable[[Request, bytes], Any],
    may_take_long: bool = False,
) -> Any:
    """An endpoint for those who have a right, whose answer is made by a thread: soon, or it is given up."""

    async def endpoint(request: Request) -> Response:
        try:
            if (refused := _refused(access, request, right)) is not None:
                return refused
            body = await request.body()
            made = (
                await asyncio.to_thread(answer, request, body)
                if may_take_long
                else await dispatcher.run(lambda: answer(request, body))
            )
            return made if isinstance(made, Response) else json_response(made)
        except SlowClientError:
            return error_response("the request did not come in time", 408)
        except BusyError as error:
            return error_response(str(error), 503)
        except StaleError as error:
            return json_response({"error": str(error), "newest": error.newest.to_dict()}, 409)
        except BinyanError as error:
            return json_response({"error": str(error)}, 422)

    return endpoint


def _streaming(access: Access, news: _News) -> Any:
    """The endpoint of server-sent events."""

    async def stream(request: Request) -> Response:
        if (refused := _refused(access, request, "read")) is not None:
            return refused
        if news.listeners >= _MOST_LISTENERS:
            return error_response("too many pages are open", 503)
        return StreamingResponse(
            news.events(request), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    return stream


def _page(name: str, package: str | None = None) -> Any:
    kind = _KINDS[name.rpartition(".")[2]]
    where = PAGE[name] if package is None else (package, name)
    content = files(where[0]).joinpath(where[1]).read_bytes()
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": _POLICY}

    async def endpoint(request: Request) -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)

    return endpoint


def _refused(access: Access, request: Request, right: str) -> Response | None:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    rights = access.rights(bearer or request.query_params.get("token", ""))
    if not rights:
        return error_response("this project is shared by links: open the one you were given", 401)
    if right == "write" and rights != "write":
        return error_response("this link is for reading: nothing can be changed by it", 403)
    return None


def _asked(
    bench: Workbench, answer: Callable[[Workbench, Mapping[str, Any]], Any], access: Access
) -> Callable[[Request, bytes], Any]:
    def made(request: Request, body: bytes) -> Any:
        found = answer(bench, json_object(body))
        if request.url.path == "/api/project":
            bearer = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
            found["can_write"] = access.rights(bearer) == "write"
        return found

    return made


def _explored(bench: Workbench, name: str) -> Callable[[Request, bytes], Any]:
    return lambda request, body: bench.explorer.answer(bench.run, name, json_object(body) if body else {})


def _uploaded(
    bench: Workbench, take: Callable[[Workbench, Mapping[str, Any], bytes], Any]
) -> Callable[[Request, bytes], Any]:
    return lambda request, body: take(bench, dict(request.query_params), body)


def _download(bench: Workbench, request: Request) -> Response:
    format = request.path_params["format"]
    if format == "project":
        name, content, kind = "project.zip", archive_bytes(bench.project), "application/zip"
    else:
        made = bench.results.download(format, bench.run)
        name, content, kind = made.name, made.content, made.media_type
    disposition = "inline" if request.query_params.get("show") and format == "sketch" else "attachment"
    headers = {"Content-Disposition": f"{disposition}; filename*=UTF-8''{quote(name)}"}
    if disposition == "inline":
        headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
    return Response(content, media_type=kind, headers=headers)


class _News:
    """What is new, for all open pages: runs and their progress, and the number of the last change."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.listeners = 0

    def now(self) -> str:
        project = self._bench.project
        runs = [run.to_dict() for run in project.runs.all(10)]
        return json.dumps({"runs": runs, "current": self._bench.run, "change": project.facts.last}, ensure_ascii=False)

    async def events(self, request: Request) -> AsyncIterator[str]:
        """Server-sent events: at once, and whenever something is new; a comment now and then shows that the server lives."""
        self.listeners += 1
        try:
            told, silent = "", 0
            while not await request.is_disconnected():
                text = await asyncio.to_thread(self.now)
                silent += 1
                if text != told:
                    told, silent = text, 0
                    yield f"data: {text}\n\n"
                elif silent * _NEWS_EVERY > 15:
                    silent = 0
                    yield ": still here\n\n"
                await asyncio.sleep(_NEWS_EVERY)
        finally:
            self.listeners -= 1


def serve(
    folder: PathLike = "binyan-project",
    host: str = "127.0.0.1",
    port: int = 8766,
    share: bool = False,
    show: bool = False,
    archive: PathLike | None = None,
) -> None:
    """Open the project in `folder`, which is made if it is missing, and serve its page until interrupted.

    With `share` other machines can connect, by links with a token: one to change things, one to read. `show` opens the browser; an
    `archive` fills a new project.
    """
    import uvicorn

    if host not in _LOCAL and not share:
        raise InputError(f"{host} can be reached from other machines: say --share, which asks everyone for a token")
    access = Access(shared=share)
    project = Project(folder)
    if archive is not None:
        open_archive(archive, project)
    listener = listen(host, port, False)
    supervisor = Supervisor(project.folder)
    supervisor.start()
    app = create_app(Workbench(project), access, ("*",) if share else ("127.0.0.1", "localhost", "[::1]"))
    address = f"http://{host if ':' not in host else f'[{host}]'}:{listener.getsockname()[1]}/"
    own = f"{address}#token={access.owner}" if share else address
    print(f"Studio for {project.folder} at {own}  (Ctrl-C stops it; nothing is lost)", flush=True)
    if share:
        print(f"To read only: {address}#token={access.reader}", flush=True)
    if show:
        threading.Timer(0.5, webbrowser.open, [own]).start()
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="error",
        access_log=False,
        limit_concurrency=1000,
        timeout_graceful_shutdown=2,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        supervisor.stop()
        project.close()
