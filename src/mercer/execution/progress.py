"""Progress of long computations, as the setting ``progress`` asks for it."""

from __future__ import annotations

import contextlib
import contextvars
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from mercer import _compiled
from mercer.config import get_config
from mercer.errors import ParameterError

_PATIENCE = 2.0  # seconds of work before progress is shown
ProgressFunction = Callable[[int, int], Any]  # of completed tasks and their total


_PASSES: contextvars.ContextVar[ProgressFunction | None] = contextvars.ContextVar(
    "passes", default=None
)


@contextlib.contextmanager
def listening_to_passes(listener: ProgressFunction) -> Iterator[None]:
    """Call a function with the passes over all rows that are done, and their number to come."""
    token = _PASSES.set(listener)
    try:
        yield
    finally:
        _PASSES.reset(token)


class ProgressBar(Protocol):
    """The methods of tqdm that are used here."""

    total: int | None

    def update(self, tasks: int) -> object: ...
    def close(self) -> None: ...


class Progress:
    """A progress bar, or calls of the user's function; nothing for work that ends soon."""

    def __init__(self, total: int | None, label: str, unit: str = "tile") -> None:
        self.total = total
        self.label = label
        self.unit = unit
        self.start = time.monotonic()
        listener = _PASSES.get()
        self.setting: bool | ProgressFunction
        if unit == "pass" and listener is not None:
            self.setting = listener
        else:
            self.setting = _resolve(get_config().progress)
        self.bar: ProgressBar | None = None
        self.last = 0

    def update(self, completed: int) -> None:
        """Show how many tasks are completed, if this is new and the work takes long."""
        if self.setting is False or completed == self.last:
            return
        if time.monotonic() - self.start < _PATIENCE:
            return
        if not callable(self.setting):
            self._advance_bar(completed - self.last)
        elif self.total is not None:
            self.setting(completed, self.total)
        self.last = completed

    def expect(self, total: int) -> None:
        """Say how many tasks there will be, as far as is known by now."""
        self.total = total
        if self.bar is not None:
            self.bar.total = total

    def close(self) -> None:
        """Remove the progress bar."""
        if self.bar is not None:
            self.bar.close()

    def _advance_bar(self, tasks: int) -> None:
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, desc=self.label, unit=self.unit, leave=False)
        self.bar.update(tasks)


class Steps:
    """The steps of a solver, whose number nobody knows before: a progress bar without an end.

    A user's function is not called: it wants the total too.
    """

    def __init__(self, label: str) -> None:
        self.progress = Progress(None, label, "step")

    @property
    def shown(self) -> bool:
        """Whether there is anything to show them on."""
        return self.progress.setting is True

    def __call__(self, steps: int, objective: float) -> bool:
        """Show how many steps are done; never ask the solver to stop."""
        self.progress.update(steps)
        return False


def tell(message: str) -> None:
    """Say on the terminal, or in a notebook, what the user waits for."""
    setting = get_config().progress
    if setting is False or callable(setting) or sys.stderr is None:
        return
    if setting is True or sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(f"mercer: {message}", file=sys.stderr, flush=True)


_compiled.say = tell


def _resolve(setting: bool | str | ProgressFunction) -> bool | ProgressFunction:
    """What the setting means here: "auto" needs a terminal and tqdm, True needs tqdm."""
    if isinstance(setting, str):  # "auto"
        in_terminal = sys.stderr is not None and sys.stderr.isatty()
        return in_terminal and _has_tqdm()
    if setting is True and not _has_tqdm():
        remedy = "pip install tqdm, or give a function of (done, total)"
        raise ParameterError("progress", True, "needs the package tqdm", remedy)
    return setting


def _has_tqdm() -> bool:
    return importlib.util.find_spec("tqdm") is not None
