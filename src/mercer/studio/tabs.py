"""An open page: its process, its folder, its uploads and its fits; all of it ends with the page."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any

from mercer.errors import InputError, MercerError
from mercer.studio.job_limits import Limits
from mercer.studio.wire import pack
from mercer.studio.workers import Forward, Worker, WorkerError

_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,8}){0,2}$")
_SERVER_ONLY = ("path", "folder", "number", "file")
_MOST_FITS = 50


class Tab:
    """One page: requests of the playground go to one process, every fit to a process of its own."""

    def __init__(self, limits: Limits, data: Path | None, spares: Spares) -> None:
        self.limits, self.spares = limits, spares
        self.name = secrets.token_urlsafe(12)
        self.folder = Path(tempfile.mkdtemp(prefix="mercer-studio-"))
        self.files: list[tuple[str, Path]] = []
        if data is not None:
            self.files.append((data.name, data))
        self.worker: Worker | None = None
        self.job: Worker | None = None
        self.fits = 0

    async def answer(self, request: dict[str, Any], forward: Forward) -> None:
        """Answer one request of the page."""
        try:
            frame = await self._ask(request, forward)
        except (MercerError, WorkerError, ValueError) as error:
            frame = pack({"id": request.get("id"), "error": str(error)})
        await forward(frame)

    async def _ask(self, request: dict[str, Any], forward: Forward) -> bytes:
        name = request.get("do")
        if name == "stop":
            return self._stop(request)
        known = {key: value for key, value in request.items() if key not in _SERVER_ONLY}
        known["folder"] = str(self.folder)
        if self.files:
            known["file"], path = self.files[-1]
            known["path"] = str(path)
        if name == "fit":
            return await self._fit(known, forward)
        if name in ("form", "predict"):
            known["number"] = int(request.get("model", 0))
        if self.worker is None or not self.worker.is_alive:
            self.spares.retire(self.worker)
            self.worker = await self.spares.take()
        return await self.worker.ask(known, self.limits.seconds, forward)

    async def _fit(self, request: dict[str, Any], forward: Forward) -> bytes:
        """A fit in a new process, which ends with it."""
        if self.job is not None:
            raise InputError("fit", "another one", "is running", "wait for it, or stop it")
        if self.fits >= _MOST_FITS:
            raise InputError("fits", self.fits, "are as many as a page has", "open a new page")
        self.fits += 1
        self.job = worker = await self.spares.take()
        try:
            request = {**request, "number": self.fits}
            return await worker.ask(request, self.limits.fit_seconds, forward)
        finally:
            self.spares.retire(worker)
            self.job = None

    def _stop(self, request: dict[str, Any]) -> bytes:
        """End the fit, if there is one; its own answer says that it was stopped."""
        stopped = self.job is not None
        if self.job is not None:
            self.job.stop()
        return pack({"id": request.get("id"), "stopped": stopped})

    def add_file(self, name: str) -> Path:
        """A path for a file that is about to arrive; its name is only shown, never a path."""
        shown = Path(name.replace("\\", "/")).name[:120] or "data"
        suffix = _SUFFIX.search(shown)
        path = self.folder / f"upload-{len(self.files)}{suffix[0] if suffix else ''}"
        self.files.append((shown, path))
        return path

    def drop_file(self) -> None:
        """Forget the last file, which did not arrive whole."""
        _, path = self.files.pop()
        path.unlink(missing_ok=True)

    def close(self) -> None:
        """End the processes of the page and remove its files."""
        for worker in (self.worker, self.job):
            self.spares.retire(worker)
        shutil.rmtree(self.folder, ignore_errors=True)


class Spares:
    """A process that is ready before it is needed: libraries take seconds to load."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.spare: asyncio.Task[Worker] | None = None
        self.ending: set[asyncio.Task[None]] = set()

    def prepare(self) -> None:
        """Begin to start a process."""
        if self.spare is None:
            self.spare = asyncio.create_task(Worker.start(self.limits))

    async def take(self) -> Worker:
        """The process that waits, and another one in its place."""
        self.prepare()
        assert self.spare is not None
        task, self.spare = self.spare, None
        worker = await task
        self.prepare()
        return worker if worker.is_alive else await Worker.start(self.limits)

    def retire(self, worker: Worker | None) -> None:
        """End a process that nobody needs any more."""
        if worker is None:
            return
        worker.stop()
        task = asyncio.get_running_loop().create_task(worker.end())
        self.ending.add(task)
        task.add_done_callback(self.ending.discard)

    async def close(self) -> None:
        """End the process that waits, and wait for those that end."""
        if self.spare is not None:
            self.retire(await self.spare)
        await asyncio.gather(*self.ending)


class Tabs:
    """All open pages."""

    def __init__(self, limits: Limits, data: Path | None = None) -> None:
        self.limits, self.data = limits, data
        self.spares = Spares(limits)
        self.open: dict[str, Tab] = {}

    def add(self) -> Tab:
        """A new page."""
        if len(self.open) >= self.limits.tabs:
            raise WorkerError(f"{len(self.open)} pages are open already; close one of them")
        tab = Tab(self.limits, self.data, self.spares)
        self.open[tab.name] = tab
        return tab

    def remove(self, tab: Tab) -> None:
        """The page was closed."""
        self.open.pop(tab.name, None)
        tab.close()

    async def close(self) -> None:
        """The server ends."""
        for tab in list(self.open.values()):
            self.remove(tab)
        await self.spares.close()
