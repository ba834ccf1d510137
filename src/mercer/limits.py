"""How much memory this process may use: the machine's, a container's, or the user's limit."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

_UNKNOWN = 8 * 2**30  # bytes, where the system does not report it
_LEAST = 16 * 2**20
_CGROUPS, _MEMBERSHIP, _STATISTICS = "/sys/fs/cgroup", "/proc/self/cgroup", "/proc/self/statm"


def available_memory() -> int:
    """The least of physical memory, limits of control groups, and the rest of the address space."""
    known = [*_physical_memory(), *_group_limits(), *_address_space()]
    return max(min(known, default=_UNKNOWN), _LEAST)


def _physical_memory() -> Iterator[int]:
    with contextlib.suppress(ValueError, OSError, AttributeError):
        yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, AttributeError):
        yield _windows_memory()


def _windows_memory() -> int:
    """The physical memory of a computer with Windows; AttributeError on other systems."""
    library = ctypes.windll.kernel32  # type: ignore[attr-defined]
    status = _MemoryStatus(ctypes.sizeof(_MemoryStatus))
    if not library.GlobalMemoryStatusEx(ctypes.byref(status)):
        raise OSError("GlobalMemoryStatusEx failed")
    return int(status.physical)


class _MemoryStatus(ctypes.Structure):
    """What GlobalMemoryStatusEx fills: MEMORYSTATUSEX."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def _group_limits() -> Iterator[int]:
    """The limits of this process's control groups (versions 1 and 2) and of all groups above."""
    for line in _read(_MEMBERSHIP).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            yield from _limits_upwards(Path(_CGROUPS), path, "memory.max")
        elif "memory" in controllers.split(","):
            yield from _limits_upwards(Path(_CGROUPS, "memory"), path, "memory.limit_in_bytes")


def _limits_upwards(root: Path, path: str, name: str) -> Iterator[int]:
    """A container may show the path of its host, of which only the root exists inside."""
    group = Path(os.path.normpath("/" + path.lstrip("/")).lstrip("/"))
    for folder in (group, *group.parents):
        text = _read(str(root / folder / name)).strip()
        if text.isdecimal():  # not "max"
            yield int(text)


def _address_space() -> Iterator[int]:
    """What RLIMIT_AS leaves beside what is mapped already, libraries included."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int((_read(_STATISTICS) or "0").split()[0])
            yield limit - pages * resource.getpagesize()


def _read(path: str) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
