"""Writing a model file: the old file or the new one is there at any time, each of them whole."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from mercer.errors import ModelFileError
from mercer.model_files import parts, refusal
from mercer.model_files.layout import START_LENGTH, Header, Start, gap, stored_dtype, to_json


def write(path: str, header: Header, arrays: list[np.ndarray], version: str) -> None:
    """Write a model file."""
    write_whole(path, _with_checksum(_pieces(header, arrays, version)))


def write_whole(path: str, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file under a temporary name, and give it its name when it is complete."""
    path = os.path.realpath(path)  # a link remains a link: what it points to is replaced
    replaced = _replaceable(path)
    folder, name = os.path.split(path)
    parts.remove_leftovers(folder, name)
    handle, temporary = parts.create(folder, name)
    try:
        with open(handle, "wb") as file:
            if replaced is not None:
                _copy_permissions(file, replaced)
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
            if parts.LOCKS:
                os.replace(temporary, path)  # before another process may take it for a leftover
        if not parts.LOCKS:  # Windows renames no open file
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _pieces(header: Header, arrays: list[np.ndarray], version: str) -> Iterator[bytes | memoryview]:
    """The file without its checksum, from beginning to end."""
    entries: list[Header] = []
    flattened: list[np.ndarray] = []
    offset = 0
    for array in arrays:
        flat, order = _flatten(array)
        entry = {"dtype": flat.dtype.str, "shape": list(array.shape), "order": order}
        entries.append({**entry, "offset": offset, "bytes": flat.nbytes})
        flattened.append(flat)
        offset += flat.nbytes + gap(flat.nbytes)
    text = to_json({**header, "arrays": entries})
    yield Start(version, len(text), offset).pack()
    yield text
    yield bytes(gap(START_LENGTH + len(text)))
    for flat in flattened:
        if flat.nbytes:
            yield flat.reshape(-1).view(np.uint8).data
        yield bytes(gap(flat.nbytes))


def _flatten(array: np.ndarray) -> tuple[np.ndarray, str]:
    """The array as it lies in the file: by rows ("C"), or by columns ("F") if it was so already."""
    order = "C"
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        order = "F"
        array = array.T
    return np.ascontiguousarray(array, dtype=stored_dtype(array.dtype)), order


def _replaceable(path: str) -> os.stat_result | None:
    """The file that exists, if any; only a regular file that may be written is replaced."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        kind = refusal.kind_of_file(status.st_mode)
        raise ModelFileError("path", path, f"is {kind}", "give the name of a file")
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is read-only, and is not replaced", path)
    return status


def _copy_permissions(file: BinaryIO, replaced: os.stat_result) -> None:
    """Give a file the permissions of the one it replaces, and its owner where that is allowed."""
    owner = (replaced.st_uid, replaced.st_gid)
    if hasattr(os, "fchown") and owner != (os.geteuid(), os.getegid()):
        with contextlib.suppress(OSError):
            os.fchown(file.fileno(), *owner)
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), replaced.st_mode & 0o777)


def _with_checksum(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    yield digest.digest()


def _sync_folder(folder: str) -> None:
    """Write the folder to disk, where the system can: or a power cut may lose the new name."""
    with contextlib.suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
