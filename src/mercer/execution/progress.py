"""Progress of long computations, as the setting ``progress`` asks for it."""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import Any

from mercer.config import get_config
from mercer.errors import ParameterError

_PATIENCE = 2.0  # seconds of work before progress is shown


class Progress:
    """A progress bar, or calls of the user's function; nothing for work that ends soon."""

    def __init__(self, total: int, label: str) -> None:
        self.total = total
        self.label = label
        self.start = time.monotonic()
        self.setting = _resolve(get_config().progress)
        self.bar: Any = None
        self.shown = 0
        self.last = 0

    def update(self, completed: int) -> None:
        """Show how many tasks are completed, if this is new and the work takes long."""
        if self.setting is False or completed == self.last:
            return
        if time.monotonic() - self.start < _PATIENCE:
            return
        self.last = completed
        if callable(self.setting):
            self.setting(completed, self.total)
        else:
            self._advance_bar(completed)

    def close(self) -> None:
        """Remove the progress bar."""
        if self.bar is not None:
            self.bar.close()

    def _advance_bar(self, completed: int) -> None:
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, desc=self.label, unit="tile", leave=False)
        self.bar.update(completed - self.shown)
        self.shown = completed


def _resolve(setting: Any) -> Any:
    """True, False or a function: what "auto" means here and now, and whether tqdm is installed."""
    if callable(setting) or setting is False:
        return setting
    if setting == "auto" and not _in_terminal():
        return False
    if importlib.util.find_spec("tqdm") is not None:
        return True
    if setting is True:
        remedy = "pip install tqdm, or give a function of (done, total)"
        raise ParameterError("progress", True, "needs the package tqdm", remedy)
    return False


def _in_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
