"""The files of the page, read from the package once; nothing else is ever served from disk."""

from __future__ import annotations

import functools
from pathlib import Path

_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


@functools.cache
def assets() -> dict[str, tuple[bytes, str]]:
    """Content and type of every file, by its path below the folder."""
    files = [file for file in sorted(_FOLDER.rglob("*")) if file.suffix in _TYPES]
    return {
        file.relative_to(_FOLDER).as_posix(): (file.read_bytes(), _TYPES[file.suffix])
        for file in files
    }
