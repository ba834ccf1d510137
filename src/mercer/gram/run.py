"""Run tiles: serially or on a pool of threads, with progress, and with a clean stop.

One job per thread pulls tile numbers from a counter, and the caller works too. Which thread fills a tile never
changes what is in it, so results are the same to the bit for any number of threads.
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from mercer.config import get_config
from mercer.errors import ParameterError, explain

_FEW = 3  # tiles that are not worth waking a thread for
_KEPT = 16 * 2**20  # bytes of a matrix whose memory a thread keeps
_PATIENCE = 2.0  # seconds of work before progress is shown
Work = Callable[[int, "Workspace"], None]


class _BlasGuard:
    """BLAS on one thread while tiles run on several. Counted, because overlapping limits would not undo each other."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.controller: Any = None
        self.limit: Any = None

    def enter(self) -> None:
        with self.lock:
            if self.count == 0:
                if self.controller is None:
                    from threadpoolctl import ThreadpoolController

                    self.controller = ThreadpoolController()
                self.limit = self.controller.limit(limits=1, user_api="blas")
            self.count += 1

    def leave(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0:
                self._release()
                self.limit.restore_original_limits()
                self._release()

    def _release(self) -> None:
        """OpenBLAS obeys only the thread that first set a limit, and here another may be the one to undo it."""
        for library in self.controller.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)


class Stopped(BaseException):
    """Raised in the threads of a run that another thread has ended."""


_MINE = threading.local()  # the run this thread works for


def check_stop() -> None:
    """For long tasks inside a run: raises once another thread has failed or was interrupted."""
    mine = getattr(_MINE, "run", None)
    if mine is not None and mine.stop:
        raise Stopped


class _Run:
    """What the threads of one run share."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.next = itertools.count().__next__  # atomic under the GIL
        self.told = False
        self.parent: _Run | None = getattr(_MINE, "run", None)  # the run that this one is a part of
        self.guarded = False
        self.done = 0
        self.lock = threading.Lock()

    @property
    def stop(self) -> bool:
        return self.told or (self.parent is not None and self.parent.stop)

    def finished(self) -> None:
        with self.lock:
            self.done += 1

    def guard_blas(self) -> None:
        with self.lock:
            if not self.guarded:
                _BLAS.enter()
                self.guarded = True


class Workspace:
    """Buffers of one thread, reused from tile to tile: ``board`` ones live for a tile, ``temporary`` ones less long."""

    def __init__(self) -> None:
        self._buffers: dict[str, list[np.ndarray]] = {"board": [], "temporary": []}
        self._used = {"board": 0, "temporary": 0}
        self._lookup = np.zeros(0, dtype=np.int64)
        self._out = np.empty(0)
        self._table = np.empty(0, dtype=np.uint8)
        self.run: _Run | None = None

    def _take(self, pool: str, m: int, n: int) -> np.ndarray:
        buffers = self._buffers[pool]
        at = self._used[pool]
        self._used[pool] = at + 1
        if at == len(buffers):
            buffers.append(np.empty(m * n))
        elif buffers[at].size < m * n:
            buffers[at] = np.empty(m * n)
        return buffers[at][: m * n].reshape(m, n)

    def out(self, m: int, n: int) -> np.ndarray:
        """Where a finished tile lies until it is stored or used."""
        if self._out.size < m * n:
            self._out = np.empty(m * n)
        return self._out[: m * n].reshape(m, n)

    def table(self, m: int, n: int, dtype: Any) -> np.ndarray:
        """A small matrix for one task, its memory used again by the next: fresh pages cost as much as what is written there."""
        need = m * n * np.dtype(dtype).itemsize
        if need > _KEPT:
            return np.empty((m, n), dtype=dtype)
        if self._table.nbytes < need:
            self._table = np.empty(need, dtype=np.uint8)
        return self._table[:need].view(dtype).reshape(m, n)

    def board(self, m: int, n: int) -> np.ndarray:
        return self._take("board", m, n)

    def temporary(self, m: int, n: int) -> np.ndarray:
        return self._take("temporary", m, n)

    def mark(self) -> int:
        return self._used["temporary"]

    def release(self, mark: int) -> None:
        self._used["temporary"] = mark

    def reset(self) -> None:
        self._used["board"] = self._used["temporary"] = 0

    def lookup(self, size: int) -> np.ndarray:
        """Zeros, one per feature; who uses them puts the zeros back."""
        if self._lookup.size < size:
            self._lookup = np.zeros(size, dtype=np.int64)
        return self._lookup

    def serial_blas(self) -> None:
        if self.run is not None and not self.run.guarded:
            self.run.guard_blas()


class _Pool:
    """Threads and workspaces, kept between runs and forgotten after a fork."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.lock = threading.Lock()
        self.executor: ThreadPoolExecutor | None = None
        self.size = 0
        self.idle: list[Workspace] = []

    def submit(self, threads: int, job: Callable[[], None]) -> list[Future[None]]:
        with self.lock:
            if self.executor is None or self.size < threads:
                if self.executor is not None:
                    self.executor.shutdown(wait=False)
                self.executor = ThreadPoolExecutor(threads, thread_name_prefix="mercer")
                self.size = threads
            # settings live in a context, which a thread of the pool would not see
            return [self.executor.submit(contextvars.copy_context().run, job) for _ in range(threads)]

    def borrow(self) -> Workspace:
        try:
            return self.idle.pop()
        except IndexError:
            return Workspace()

    def give_back(self, work: Workspace) -> None:
        work.run = None
        if len(self.idle) < 64:
            self.idle.append(work)


_POOL = _Pool()
_BLAS = _BlasGuard()


@contextlib.contextmanager
def serial_blas() -> Iterator[None]:
    """BLAS on one thread: for matrices so small that waking and awaiting threads costs more than the work."""
    _BLAS.enter()
    try:
        yield
    finally:
        _BLAS.leave()


def _forget_threads() -> None:
    _POOL.reset()
    _BLAS.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


class _Progress:
    """Shown only when the work takes longer than a user likes to wait in the dark."""

    def __init__(self, total: int, label: str) -> None:
        self.setting = get_config().progress
        self.total = total
        self.label = label
        self.start = time.monotonic()
        self.bar: Any = None
        self.shown = self.last = 0
        if self.setting == "auto":
            self.setting = sys.stderr is not None and sys.stderr.isatty()
        if self.setting is True:
            try:
                import tqdm  # noqa: F401
            except ImportError:
                if get_config().progress is True:
                    message = explain("progress", True, "needs the package tqdm", "pip install tqdm, or give a function of (done, total)")
                    raise ParameterError(message) from None
                self.setting = False

    def update(self, done: int) -> None:
        if self.setting is False or done == self.last or time.monotonic() - self.start < _PATIENCE:
            return
        self.last = done
        if callable(self.setting):
            self.setting(done, self.total)
            return
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, desc=self.label, unit="tile", leave=False)
        self.bar.update(done - self.shown)
        self.shown = done

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def run(count: int, work: Work, label: str = "kernel") -> None:
    """Call ``work(number, workspace)`` for every tile number below ``count``."""
    # inside a task of another run the threads are busy already
    inside = getattr(_MINE, "run", None) is not None
    threads = min(get_config().threads, count) if count > _FEW and not inside else 1
    if count == 1:
        space = _POOL.borrow()
        try:
            with np.errstate(all="ignore"):
                work(0, space)
        finally:
            _POOL.give_back(space)
        return
    state = _Run(count)
    progress = _Progress(count, label)

    def pull(report: bool = False) -> None:
        space = _POOL.borrow()
        space.run = state
        outer, _MINE.run = getattr(_MINE, "run", None), state
        try:
            with np.errstate(all="ignore"):  # the engine looks for what is not finite itself, and names the rows
                while True:
                    check_stop()
                    number = state.next()
                    if number >= count:
                        break
                    work(number, space)
                    state.finished()
                    if report:
                        progress.update(state.done)
        except BaseException:
            state.told = True
            raise
        finally:
            _MINE.run = outer
            _POOL.give_back(space)

    helpers = _POOL.submit(threads - 1, pull) if threads > 1 else []
    errors: list[BaseException] = []
    try:
        try:
            pull(report=True)
        finally:
            # Helpers that never started are dropped; those at work finish their tile.
            for helper in helpers:
                helper.cancel()
            errors = [e for helper in helpers if not helper.cancelled() and (e := helper.exception()) is not None]
    except BaseException as failure:
        state.told = True  # also where Ctrl-C came while others were waited for
        progress.close()
        real = [e for e in errors if not isinstance(e, Stopped)]
        if isinstance(failure, Stopped) and real and not (state.parent is not None and state.parent.stop):
            raise real[0] from None
        raise
    finally:
        if state.guarded:
            _BLAS.leave()
    for error in errors:
        raise error
    progress.update(count)
    progress.close()
