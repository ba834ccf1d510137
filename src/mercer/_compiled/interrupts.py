"""Ctrl-C while Numba compiles: it is raised when the function is on disk, not in the middle.

Parts of a compilation run in callbacks of LLVM, which swallow exceptions, and one that ends
half-way leaves a library behind that fails with a RuntimeError later. One that is not stored would
have to be waited for again.
"""

from __future__ import annotations

import functools

from numba.core import event
from numba.core.registry import cpu_target

from mercer.signals import INTERRUPTS, deferred_interrupts


class DeferInterrupts(event.Listener):
    """Keeps signals of Ctrl-C until the outermost compilation of the main thread has ended."""

    def on_start(self, _: event.Event | None = None) -> None:
        INTERRUPTS.begin()

    def on_end(self, _: event.Event | None = None) -> None:
        INTERRUPTS.end()


@functools.cache
def register() -> None:
    """Listen to Numba from now on.

    Its tables of types are filled here, and not when a function is first called: an interruption
    would leave them half-filled for ever.
    """
    # Numba holds its lock until a function is stored; its event "compile" ends before that
    event.register("numba:compiler_lock", DeferInterrupts())
    with deferred_interrupts():
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
