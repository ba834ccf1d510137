"""One thread for BLAS while mercer's own threads are at work."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from mercer.signals import deferred_interrupts


class BlasGuard:
    """Limits BLAS to one thread while at least one caller asks for it.

    Requests are counted, because overlapping limits of threadpoolctl do not undo each other.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all requests; used in a forked child."""
        self.lock = threading.Lock()
        self.count = 0
        self.controller: Any = None
        self.limit: Any = None

    def enter(self) -> None:
        """Limit BLAS to one thread, if it is not limited yet."""
        with self.lock:
            if self.count == 0:
                self._limit_threads()
            self.count += 1

    def leave(self) -> None:
        """Undo one `enter`; the last one restores the number of threads."""
        with self.lock:
            self.count -= 1
            if self.count == 0 and self.limit is not None:
                self._release_control()
                self.limit.restore_original_limits()
                self._release_control()

    def _limit_threads(self) -> None:
        if self.controller is None:
            from threadpoolctl import ThreadpoolController

            # libraries are listed by a callback from C, which would swallow Ctrl-C
            with deferred_interrupts():
                self.controller = ThreadpoolController()
        libraries = self.controller.lib_controllers
        counts = [each.num_threads for each in libraries if each.user_api == "blas"]
        self.limit = None
        if any(count != 1 for count in counts):  # to limit them takes longer than to ask
            self.limit = self.controller.limit(limits=1, user_api="blas")

    def _release_control(self) -> None:
        """Let another thread change the limit: OpenBLAS obeys only the one that first set it."""
        for library in self.controller.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)


BLAS = BlasGuard()


@contextlib.contextmanager
def serial_blas() -> Iterator[None]:
    """Run BLAS on one thread: for matrices so small that waking threads takes longer."""
    BLAS.enter()
    try:
        yield
    finally:
        BLAS.leave()
