"""Files to be written, which are checked before any work is done."""

from __future__ import annotations

from pathlib import Path

from mercer.errors import InputError


def check_writable(file: Path, data: list[Path], whole: bool = True) -> None:
    """Refuse a file that cannot be written, or one of the data, which would be lost.

    A file that has to be ``whole`` replaces another one, and no device, when it is complete.
    """
    if not file.resolve().parent.is_dir():
        raise InputError("path", str(file), "is in a folder that is not there")
    if file.is_dir():
        raise InputError("path", str(file), "is a folder", "give the name of a file")
    if whole and file.exists() and not file.is_file():
        raise InputError("path", str(file), "is a device or a pipe", "give the name of a file")
    if file.resolve() in [source.resolve() for source in data]:
        rule = "is among the data, which would be lost"
        raise InputError("path", str(file), rule, "give another name")
