"""Run tasks serially or on a pool of threads, with progress and a clean stop.

One job per thread takes task numbers from a counter, and the calling thread works too. Which thread
does a task never changes its result, so results are bit-equal for any number of threads.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np

from mercer.config import get_config
from mercer.execution.blas import BLAS
from mercer.execution.cancel import Run, Stopped, check_stop, current_run, set_current_run
from mercer.execution.progress import Progress
from mercer.execution.workspace import Workspace
from mercer.signals import deferred_interrupts

_FEW = 3  # tasks that are not worth waking a thread for
_IDLE_WORKSPACES = 64
Task = Callable[[int, Workspace], None]


class _Pool:
    """Threads and workspaces, kept between runs and forgotten after a fork."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.lock = threading.Lock()
        self.executor: ThreadPoolExecutor | None = None
        self.size = 0
        self.idle: deque[Workspace] = deque(maxlen=_IDLE_WORKSPACES)

    def submit(self, threads: int, job: Callable[[], None]) -> list[Future[None]]:
        with self.lock:
            executor = self._executor(threads)
            # settings live in a context variable, which a thread of the pool would not see
            return [executor.submit(contextvars.copy_context().run, job) for _ in range(threads)]

    def _executor(self, threads: int) -> ThreadPoolExecutor:
        if self.executor is not None and self.size >= threads:
            return self.executor
        if self.executor is not None:
            self.executor.shutdown(wait=False)
        self.executor = ThreadPoolExecutor(threads, thread_name_prefix="mercer")
        self.size = threads
        return self.executor

    def borrow(self) -> Workspace:
        """Working memory that nobody else uses until it is added to the idle ones again."""
        try:
            return self.idle.pop()
        except IndexError:
            return Workspace()


POOL = _Pool()


def _forget_threads() -> None:
    POOL.reset()
    BLAS.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def run(count: int, task: Task, label: str = "kernel") -> None:
    """Call ``task(number, workspace)`` for every number below ``count``."""
    if count <= _FEW:  # without threads and progress
        workspace = POOL.borrow()
        try:
            with np.errstate(all="ignore"):
                for number in range(count):
                    check_stop()
                    task(number, workspace)
        finally:
            POOL.idle.append(workspace)
        return
    state = Run(count)
    progress = Progress(count, label)

    try:
        _work_with_helpers(state, task, progress, _helper_count(count))
    finally:
        progress.close()
        state.release_blas()


def _helper_count(count: int) -> int:
    """Threads beside the caller; none inside another run, whose threads are busy already."""
    if current_run() is not None:
        return 0
    return min(get_config().threads, count) - 1


def _take_tasks(state: Run, task: Task, progress: Progress | None) -> None:
    """Do one task after the other until none is left or the run is stopped."""
    outer = current_run()
    set_current_run(state)
    workspace = POOL.borrow()
    workspace.run = state
    try:
        # the callers look for values that are not finite themselves, and name the rows
        with np.errstate(all="ignore"):
            _take_until_done(state, task, workspace, progress)
    except BaseException:
        state.cancelled = True
        raise
    finally:
        workspace.run = None
        POOL.idle.append(workspace)
        set_current_run(outer)


def _take_until_done(
    state: Run, task: Task, workspace: Workspace, progress: Progress | None
) -> None:
    while True:
        check_stop()
        number = state.next_task()
        if number >= state.count:
            return
        task(number, workspace)
        state.task_done()
        if progress is not None:
            progress.update(state.completed)


def _work_with_helpers(state: Run, task: Task, progress: Progress, threads: int) -> None:
    """Work beside other threads, wait for them, and raise what made the run fail."""
    helpers: list[Future[None]] = []
    errors: list[BaseException] = []
    try:
        try:
            if threads:
                # a thread that has started and is not yet known to its pool would never end
                with deferred_interrupts():
                    helpers = POOL.submit(threads, partial(_take_tasks, state, task, None))
            _take_tasks(state, task, progress)
        except BaseException:
            state.cancelled = True
            raise
        finally:
            errors = _await(helpers)
    except BaseException as failure:
        state.cancelled = True  # also where Ctrl-C came while helpers were awaited
        cause = _first_cause(errors)
        stopped_by_helper = isinstance(failure, Stopped) and not state.stopped_from_outside()
        if stopped_by_helper and cause is not None:
            raise cause from None
        raise
    if errors:
        raise errors[0]
    progress.update(state.count)


def _await(helpers: list[Future[None]]) -> list[BaseException]:
    """Drop helpers that never started, wait for those at work, and collect their errors."""
    for helper in helpers:
        helper.cancel()
    errors = []
    for helper in helpers:
        error = None if helper.cancelled() else helper.exception()
        if error is not None:
            errors.append(error)
    return errors


def _first_cause(errors: list[BaseException]) -> BaseException | None:
    """The first error that did not itself follow from another thread's."""
    return next((error for error in errors if not isinstance(error, Stopped)), None)
