"""The application: the page, one connection for each open page, uploads and reports."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from mercer.studio.assets import assets
from mercer.studio.guard import Guard
from mercer.studio.job_limits import Limits
from mercer.studio.tabs import Tab, Tabs
from mercer.studio.wire import pack
from mercer.studio.workers import WorkerError

_LONGEST_REQUEST = 4 * 2**20  # characters of a request of the page


def application(
    token: str, hosts: Iterable[str], data: Path | None = None, limits: Limits | None = None
) -> Starlette:
    """The studio as an ASGI application.

    Parameters
    ----------
    token : str
        The secret in the address of the page.
    hosts : iterable of str
        The values of the Host header that are accepted, with their port.
    data : path, optional
        The file that every page opens with.
    limits : Limits, optional
        What a page may use.

    Returns
    -------
    Starlette
        The application.
    """
    limits = limits or Limits()
    tabs = Tabs(limits, data)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tabs.spares.prepare()
        yield
        await tabs.close()

    routes = [
        WebSocketRoute("/connection", _connect),
        Route("/upload/{tab}", _upload, methods=["POST"]),
        Route("/report/{tab}/{number:int}", _report),
        Route("/model/{tab}/{number:int}", _model),
        Route("/{name:path}", _asset),
    ]
    guard = Middleware(Guard, token=token, hosts=tuple(hosts))
    app = Starlette(routes=routes, middleware=[guard], lifespan=lifespan)
    app.state.tabs = tabs
    return app


async def _asset(request: Request) -> Response:
    known = assets().get(request.path_params["name"] or "index.html")
    if known is None:
        return PlainTextResponse("there is no such file\n", 404)
    content, kind = known
    return Response(content, media_type=kind)


async def _connect(socket: WebSocket) -> None:
    """Serve one page for as long as it is open; then end everything that it has begun."""
    tabs: Tabs = socket.app.state.tabs
    await socket.accept()
    try:
        tab = tabs.add()
    except WorkerError as error:
        await socket.close(1013, str(error))
        return
    lock = asyncio.Lock()

    async def forward(frame: bytes) -> None:
        async with lock:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page is gone
                await socket.send_bytes(frame)

    running: set[asyncio.Task[None]] = set()
    try:
        file = tab.files[-1][0] if tab.files else None
        await forward(pack({"tab": tab.name, "file": file, "upload": tabs.limits.upload}))
        while True:
            task = asyncio.create_task(tab.answer(_read(await socket.receive_text()), forward))
            running.add(task)
            task.add_done_callback(running.discard)
    except (WebSocketDisconnect, ValueError):
        pass
    finally:
        for task in list(running):
            task.cancel()
        tabs.remove(tab)


def _read(text: str) -> dict[str, Any]:
    """A request of the page."""
    if len(text) > _LONGEST_REQUEST:
        raise ValueError("the request is too long")
    request = json.loads(text)
    if not isinstance(request, dict):
        raise ValueError("a request is an object")
    return request


async def _upload(request: Request) -> Response:
    """Store a file for a page; one that is too large is refused before it is read."""
    tabs: Tabs = request.app.state.tabs
    tab = tabs.open.get(request.path_params["tab"])
    if tab is None:
        return PlainTextResponse("this page is not open any more\n", 404)
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        return PlainTextResponse("the length of the file must be given\n", 411)
    most = tabs.limits.upload
    if int(length) > most:
        text = f"the file has {int(length) / 1e6:.0f} MB; the largest is {most / 1e6:.0f} MB\n"
        return PlainTextResponse(text, 413, headers={"Connection": "close"})
    return await _store(request, tab, most)


async def _store(request: Request, tab: Tab, most: int) -> Response:
    path = tab.add_file(request.query_params.get("name", "data"))
    size = 0
    with path.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                break
            file.write(chunk)
    if size > most:
        tab.drop_file()
        return PlainTextResponse("the file is larger than it said\n", 413)
    return PlainTextResponse(tab.files[-1][0])


def _file(request: Request, pattern: str) -> Path | None:
    """A file of a page by its number; the path is never taken from the address."""
    tab = request.app.state.tabs.open.get(request.path_params["tab"])
    if tab is None:
        return None
    path = tab.folder / pattern.format(request.path_params["number"])
    return path if path.is_file() else None


async def _report(request: Request) -> Response:
    path = _file(request, "report-{}.html")
    if path is None:
        return PlainTextResponse("there is no such report\n", 404)
    return FileResponse(path, media_type="text/html; charset=utf-8")


async def _model(request: Request) -> Response:
    path = _file(request, "model-{}.mercer")
    if path is None:
        return PlainTextResponse("there is no such model\n", 404)
    return FileResponse(path, filename=path.name)
