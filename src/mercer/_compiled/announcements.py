"""Say that functions are being compiled, to somebody who waits for it for the first time."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from numba.core import event

MESSAGE = (
    "compiling functions for this processor; this happens once, since they are stored on disk "
    "(mercer warmup compiles all of them)"
)
_PATIENCE = 1.0  # seconds of compiling before anything is said


class Announcer(event.Listener):
    """Calls a function with a message, once, after a second of compiling mercer's functions."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say, self.has_spoken = say, False
        self.depth, self.start, self.seconds = 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        """A function is compiled: it was not found on disk."""
        if not self._is_ours(event):
            return
        if self.depth == 0:
            self.start = time.perf_counter()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """Speak when the compilations so far have taken long enough."""
        if not self._is_ours(event):
            return
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.start
            self._speak()

    def _speak(self) -> None:
        if self.seconds > _PATIENCE and not self.has_spoken:
            self.has_spoken = True
            self.say(MESSAGE)

    def _is_ours(self, event: Any) -> bool:
        function = (event.data or {}).get("dispatcher")
        module = getattr(getattr(function, "py_func", None), "__module__", None) or ""
        return module.startswith("mercer.")


@functools.cache
def listen(say: Callable[[str], object]) -> None:
    """Listen to Numba from now on, and announce long compilations by this function."""
    event.register("numba:compile", Announcer(say))
