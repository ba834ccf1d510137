"""The server's side of a worker: start it, ask it, and end it when it takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from mercer.studio.job_limits import Limits
from mercer.studio.wire import Message, unpack
from mercer.studio.worker import LENGTH

Forward = Callable[[bytes], Awaitable[None]]


class WorkerError(Exception):
    """The process of a page has ended: by its limits, by a crash, or because it was stopped."""


def _apart() -> dict[str, Any]:
    """Options by which Ctrl-C in the terminal reaches the server alone, which ends the workers."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


class Worker:
    """A process that answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lock = asyncio.Lock()
        self.is_ready = self.is_stopped = False

    @classmethod
    async def start(cls, limits: Limits) -> Worker:
        """Start a process; it imports its libraries while the page loads."""
        # one thread for each page: tabs do not wait for each other's threads
        settings = {"MERCER_STUDIO_MEMORY": str(limits.memory), "OMP_NUM_THREADS": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "mercer.studio.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **settings},
            **_apart(),
        )
        return cls(process)

    @property
    def is_alive(self) -> bool:
        """Whether the process runs, and nobody has asked it to end."""
        return not self.is_stopped and self.process.returncode is None

    async def ask(self, request: Message, seconds: float, forward: Forward) -> bytes:
        """The frame of the answer; progress before it is forwarded.

        A worker that takes longer than so many seconds is ended.
        """
        async with self.lock:
            if not self.is_ready:
                await self._frame()
                self.is_ready = True
            text = json.dumps(request).encode("utf-8")
            try:
                async with asyncio.timeout(seconds):
                    return await self._converse(text, forward)
            except TimeoutError:
                self.stop()
                reason = f"this took longer than {seconds:g} s and was stopped"
                raise WorkerError(f"{reason}; use fewer samples or a simpler kernel") from None

    async def _converse(self, text: bytes, forward: Forward) -> bytes:
        assert self.process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self.process.stdin.write(LENGTH.pack(len(text)) + text)
            await self.process.stdin.drain()
        while True:
            frame = await self._frame()
            if "progress" not in unpack(frame):
                return frame
            await forward(frame)

    async def _frame(self) -> bytes:
        assert self.process.stdout is not None
        try:
            (length,) = LENGTH.unpack(await self.process.stdout.readexactly(LENGTH.size))
            return await self.process.stdout.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.stop()
            reason = "the computation ended without an answer: it was stopped, or ran out of memory"
            raise WorkerError(reason) from None

    async def end(self) -> None:
        """End the process, and wait until it has ended and its pipes are closed."""
        self.stop()
        with contextlib.suppress(RuntimeError):  # somebody waits for its answer already
            if self.process.stdout is not None:
                await self.process.stdout.read()
        await self.process.wait()

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.is_stopped = True
        with contextlib.suppress(ProcessLookupError, RuntimeError):  # it has ended, or the loop
            self.process.kill()
            if self.process.stdin is not None:
                self.process.stdin.close()
