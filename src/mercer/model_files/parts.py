"""Files under a temporary name, before they are complete, and those that a killed process left.

The process that writes such a file holds a lock on it, which the system releases when the process
ends, in whatever way. A file whose lock is free belongs to nobody.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat

try:
    import fcntl
except ImportError:  # Windows: nothing is locked, and nothing removed
    fcntl = None  # type: ignore[assignment]

LOCKS = fcntl is not None
# The last two exist on some systems only.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW_FILE |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_TOKEN = r"[0-9a-f]{16}"


def create(folder: str, name: str) -> tuple[int, str]:
    """A new file for the parts of another, open for writing and locked, and its path."""
    while True:
        path = os.path.join(folder, f".{name[:64]}.{secrets.token_hex(8)}.part")
        # It gets the permissions of every new file; those of tempfile would be narrower.
        handle = os.open(path, _NEW_FILE, 0o666)
        _lock(handle)
        if os.fstat(handle).st_nlink:
            return handle, path
        os.close(handle)  # another process took it for a leftover before it was locked


def remove_leftovers(folder: str, name: str) -> None:
    """Remove the files that killed processes left behind while they wrote a file of this name."""
    if not LOCKS:
        return
    leftover = re.compile(rf"\.{re.escape(name[:64])}\.{_TOKEN}\.part")
    with contextlib.suppress(OSError):
        leftovers = [entry for entry in os.listdir(folder) if leftover.fullmatch(entry)]
        for entry in leftovers:
            with contextlib.suppress(OSError):  # one that is locked, or not ours
                _remove(os.path.join(folder, entry))


def _remove(path: str) -> None:
    """Remove a file, unless a process holds its lock."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return
    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    if LOCKS:
        with contextlib.suppress(OSError):  # some file systems know no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
