"""Progress of long computations, as the setting ``progress`` asks for it."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from mercer.config import get_config
from mercer.errors import ParameterError

_PATIENCE = 2.0  # seconds of work before progress is shown
ProgressFunction = Callable[[int, int], Any]  # of completed tasks and their total


class ProgressBar(Protocol):
    """What is used of tqdm."""

    def update(self, tasks: int) -> object: ...
    def close(self) -> None: ...


class Progress:
    """A progress bar, or calls of the user's function; nothing for work that ends soon."""

    def __init__(self, total: int, label: str) -> None:
        self.total = total
        self.label = label
        self.start = time.monotonic()
        self.setting = _resolve(get_config().progress)
        self.bar: ProgressBar | None = None
        self.last = 0

    def update(self, completed: int) -> None:
        """Show how many tasks are completed, if this is new and the work takes long."""
        if self.setting is False or completed == self.last:
            return
        if time.monotonic() - self.start < _PATIENCE:
            return
        if callable(self.setting):
            self.setting(completed, self.total)
        else:
            self._advance_bar(completed - self.last)
        self.last = completed

    def close(self) -> None:
        """Remove the progress bar."""
        if self.bar is not None:
            self.bar.close()

    def _advance_bar(self, tasks: int) -> None:
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, desc=self.label, unit="tile", leave=False)
        self.bar.update(tasks)


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
