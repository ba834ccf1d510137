"""Ctrl-C while Numba compiles: it is raised when the function is on disk, not in the middle.

Parts of a compilation run in callbacks of LLVM, which swallow exceptions, and one that ends
half-way leaves a library behind that fails with a RuntimeError later. One that is not stored would
have to be waited for again.
"""

from __future__ import annotations

import functools
import signal
import threading
from types import FrameType
from typing import Any

from numba.core import event
from numba.core.registry import cpu_target


class DeferInterrupts(event.Listener):
    """Keeps signals of Ctrl-C until the outermost compilation of the main thread has ended."""

    def __init__(self) -> None:
        self.depth = 0
        self.kept: tuple[int, FrameType | None] | None = None
        self.handler: Any = None  # the user's own, or Python's

    def on_start(self, _: event.Event | None = None) -> None:
        """Replace the handler; signals reach the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            return
        if self.depth == 0:
            self.handler = signal.getsignal(signal.SIGINT)
            if callable(self.handler):  # not where Ctrl-C is ignored
                signal.signal(signal.SIGINT, self._keep)
        self.depth += 1

    def on_end(self, _: event.Event | None = None) -> None:
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


@functools.cache
def register() -> None:
    """Listen to Numba from now on.

    Its tables of types are filled here, and not when a function is first called: an interruption
    would leave them half-filled for ever.
    """
    listener = DeferInterrupts()
    # Numba holds its lock until a function is stored; its event "compile" ends before that
    event.register("numba:compiler_lock", listener)
    listener.on_start()
    try:
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
    finally:
        listener.on_end()
