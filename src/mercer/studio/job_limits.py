"""Limits of a process: memory by the system where it can, and the seconds of a request."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a page may use.

    Attributes
    ----------
    seconds : float
        The longest time of an answer of the playground, with what has to be compiled for it.
    fit_seconds : float
        The longest time of a fit in the background.
    memory : int
        Bytes that a process may use beyond those that it has after it started.
    upload : int
        The largest file, in bytes.
    tabs : int
        The largest number of open pages.
    """

    seconds: float = 60.0
    fit_seconds: float = 900.0
    memory: int = 3 * 2**30
    upload: int = 200_000_000
    tabs: int = 8


def limit_memory(extra: int) -> bool:
    """Allow this process so many bytes beyond what it has mapped; whether the system can do so."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):  # Windows has no resource, macOS no /proc
        return False
    if extra <= 0:
        return False
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return True
