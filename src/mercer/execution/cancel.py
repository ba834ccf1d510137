"""Cancellation: a failure or Ctrl-C in one thread ends the other threads of the same run."""

from __future__ import annotations

import itertools
import threading

from mercer.execution.blas import BLAS


class Stopped(BaseException):
    """Raised in the threads of a run that another thread has ended."""


_LOCAL = threading.local()  # holds the run that this thread works for


def current_run() -> Run | None:
    """The run that this thread works for, if any."""
    return getattr(_LOCAL, "run", None)


def set_current_run(run: Run | None) -> None:
    """Declare which run this thread works for."""
    _LOCAL.run = run


def check_stop() -> None:
    """Raise `Stopped` if another thread of this run has failed or was interrupted.

    Long tasks call it from time to time.
    """
    run = getattr(_LOCAL, "run", None)
    while run is not None:
        if run.cancelled:
            raise Stopped
        run = run.parent


class Run:
    """What the threads of one run share."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.next_task = itertools.count().__next__  # atomic under the GIL
        self.cancelled = False
        self.parent = current_run()  # the run that this one is a part of
        self.limits_blas = False
        self.completed = 0
        self.lock = threading.Lock()

    def stopped_from_outside(self) -> bool:
        """Whether a run that this one is a part of was cancelled."""
        if self.parent is None:
            return False
        return self.parent.cancelled or self.parent.stopped_from_outside()

    def task_done(self) -> None:
        """Count one more completed task."""
        with self.lock:
            self.completed += 1

    def limit_blas(self) -> None:
        """Limit BLAS to one thread until the run ends."""
        with self.lock:
            if not self.limits_blas:
                BLAS.enter()
                self.limits_blas = True

    def release_blas(self) -> None:
        """Give BLAS its threads back, if this run had limited them."""
        if self.limits_blas:
            BLAS.leave()
