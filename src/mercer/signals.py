"""Ctrl-C that waits until a step has ended which must not end half-way."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any


class DeferredInterrupts:
    """Keeps signals of Ctrl-C while the main thread is in a step that must not be interrupted.

    Python handles signals in the main thread only, so that steps of other threads need no care.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.kept: tuple[int, FrameType | None] | None = None
        self.handler: Any = None  # the user's own, or Python's

    def begin(self) -> None:
        """Replace the handler, in the outermost of nested steps."""
        if threading.current_thread() is not threading.main_thread():
            return
        if self.depth == 0:
            self.handler = signal.getsignal(signal.SIGINT)
            if callable(self.handler):  # not where Ctrl-C is ignored
                signal.signal(signal.SIGINT, self._keep)
        self.depth += 1

    def end(self) -> None:
        """Restore the handler, and let it see a signal that came meanwhile."""
        if threading.current_thread() is not threading.main_thread():
            return
        self.depth -= 1
        if self.depth == 0 and callable(self.handler):
            signal.signal(signal.SIGINT, self.handler)
            kept, self.kept = self.kept, None
            if kept is not None:
                self.handler(*kept)

    def _keep(self, number: int, frame: FrameType | None) -> None:
        self.kept = number, frame


INTERRUPTS = DeferredInterrupts()


@contextlib.contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Raise Ctrl-C after the block, and not in the middle of it."""
    INTERRUPTS.begin()
    try:
        yield
    finally:
        INTERRUPTS.end()
