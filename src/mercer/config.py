"""The only global settings: threads, memory, progress.

>>> import mercer
>>> with mercer.config_context(threads=1, memory_budget="500 MB"):
...     mercer.get_config().threads
1
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import math
import numbers
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from mercer.errors import ParameterError

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


def _default_threads() -> int:
    """The cores we may use; OMP_NUM_THREADS counts, because joblib's workers set it."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    with contextlib.suppress(ValueError, KeyError):
        cores = min(cores, max(1, int(os.environ["OMP_NUM_THREADS"].split(",")[0])))
    return cores


def _default_budget() -> int:
    """Half of the machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError, AttributeError):
        return 4 * 2**30


def parse_bytes(value: int | float | str) -> int:
    """``"2 GB"`` → 2000000000."""
    size = 0.0
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-z]*)\s*", value)
        if match and match[2].upper() in _UNITS:
            size = float(match[1]) * _UNITS[match[2].upper()]
    elif isinstance(value, (numbers.Real)) and not isinstance(value, bool):
        size = float(value) if abs(value) < 1e30 else math.inf
    if 1 <= size < math.inf:
        return int(size)
    raise ParameterError(
        "memory_budget", value, "must be a positive size", "give bytes, or a text such as '2 GB'"
    )


def format_bytes(size: float) -> str:
    """2000000000 → ``2.0 GB``."""
    unit = "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:.3g} {unit}" if size < 999.5 else f"{size:.0f} {unit}"


@dataclasses.dataclass(frozen=True)
class Config:
    """What is in force now; change it with `config_context` or `set_config`."""

    threads: int = dataclasses.field(default_factory=_default_threads)
    memory_budget: int = dataclasses.field(default_factory=_default_budget)
    progress: bool | str | Callable[[int, int], Any] = "auto"


_DEFAULT: list[Config] = []  # made when first asked for, replaced by set_config
_CURRENT: contextvars.ContextVar[Config | None] = contextvars.ContextVar(
    "mercer_config", default=None
)


def get_config() -> Config:
    """The settings in force in this thread."""
    current = _CURRENT.get()
    return _default() if current is None else current


def _default() -> Config:
    if not _DEFAULT:
        _DEFAULT.append(Config())
    return _DEFAULT[0]


def _changed(changes: dict[str, Any], base: Config) -> Config:
    for name in changes:
        if name not in ("threads", "memory_budget", "progress"):
            raise ParameterError(
                "setting", name, "is not known", "use threads, memory_budget or progress"
            )
    threads = changes.get("threads", 1)
    if not isinstance(threads, numbers.Integral) or isinstance(threads, bool) or threads < 1:
        raise ParameterError("threads", threads, "must be an integer >= 1")
    if "threads" in changes:
        changes["threads"] = int(threads)
    if "memory_budget" in changes:
        changes["memory_budget"] = parse_bytes(changes["memory_budget"])
    progress = changes.get("progress", "auto")
    if not (isinstance(progress, bool) or progress == "auto" or callable(progress)):
        raise ParameterError(
            "progress", progress, "must be True, False, 'auto' or a function of (done, total)"
        )
    return dataclasses.replace(base, **changes)


def set_config(**changes: Any) -> None:
    """Change the settings for the rest of the process."""
    _DEFAULT[:] = [_changed(changes, _default())]


@contextlib.contextmanager
def config_context(**changes: Any) -> Iterator[Config]:
    """Change the settings inside a ``with`` block, in this thread only."""
    token = _CURRENT.set(_changed(changes, get_config()))
    try:
        yield get_config()
    finally:
        _CURRENT.reset(token)
