"""Reading a model file and checking its bytes: kind, lengths, checksum, header and arrays."""

from __future__ import annotations

import hashlib
import io
import math
import os
import stat
from dataclasses import dataclass

import numpy as np

from mercer.errors import ModelFileError
from mercer.model_files import layout, refusal
from mercer.model_files.layout import DIGEST_LENGTH, START_LENGTH, Header, Json

_PIECE = 1 << 26  # bytes that are read at once
_ENTRY = {"dtype", "shape", "order", "offset", "bytes"}  # what the header says of an array


@dataclass(frozen=True)
class Contents:
    """What a file holds, checked as far as bytes can be: the header and the arrays it lists."""

    version: str  # of mercer, when the file was written
    header: Header
    arrays: list[np.ndarray]
    size: int


def read(path: str) -> Contents:
    """Check a file from the outside to the inside, and return what it holds."""
    with _open(path) as file:
        size = os.fstat(file.fileno()).st_size
        raw_start = file.read(START_LENGTH)
        start = layout.read_start(raw_start, size, path)
        body = _aligned_memory(size - START_LENGTH)  # no more than the file has
        if _read_into(file, body) != len(body) or file.read(1):
            raise ModelFileError("file", path, "changed while it was read", "load it again")
    digest = hashlib.sha256(raw_start)
    digest.update(body.data[:-DIGEST_LENGTH])
    if digest.digest() != body[-DIGEST_LENGTH:].tobytes():
        rule = "is damaged: its checksum is not that of its contents"
        raise ModelFileError("file", path, rule, "take it from a copy")
    header = layout.from_json(body[: start.header_length].tobytes(), path)
    data = body[start.data_offset : start.data_offset + start.data_length]
    arrays = _arrays(header.pop("arrays", None), data)
    return Contents(start.version, header, arrays, size)


def _open(path: str) -> io.BufferedReader:
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        rule = f"is {refusal.kind_of_file(mode)}, not a file saved by mercer.save"
        raise ModelFileError("file", path, rule)
    return open(path, "rb")


def _aligned_memory(length: int) -> np.ndarray:
    """Memory for what follows the fixed part, in which arrays begin at multiples of 64."""
    memory = np.empty(length + layout.ALIGNMENT, dtype=np.uint8)
    skip = -memory.ctypes.data % layout.ALIGNMENT  # the fixed part has 64 bytes itself
    return memory[skip : skip + length]


def _read_into(file: io.BufferedReader, memory: np.ndarray) -> int:
    """Fill the memory, and return how many bytes there were."""
    view = memory.data
    done = 0
    while done < len(view):
        count = file.readinto(view[done : done + _PIECE])
        if not count:
            break
        done += count
    return done


def _arrays(entries: Json, data: np.ndarray) -> list[np.ndarray]:
    """The arrays, which must lie one after the other and fill all the bytes that are theirs."""
    if not isinstance(entries, list):
        raise ModelFileError("arrays", type(entries).__name__, "is not a list of arrays")
    arrays = []
    end = 0
    for number, entry in enumerate(entries):
        what = f"arrays[{number}]"
        _check_entry(entry, what)
        length = np.dtype(entry["dtype"]).itemsize * math.prod(entry["shape"])
        raw = data[end : end + length]
        if (entry["offset"], entry["bytes"], len(raw)) != (end, length, length):
            rule = f"of {entry['bytes']} bytes at {entry['offset']} does not fit its shape"
            raise ModelFileError(what, entry["dtype"], f"{rule}, or lies where it may not")
        arrays.append(_array(raw, entry, what))
        end += length + layout.gap(length)
    if end != len(data):
        rule = f"do not fill the {len(data)} bytes that are theirs"
        raise ModelFileError("arrays", f"{end} bytes", rule)
    return arrays


def _check_entry(entry: Json, what: str) -> None:
    """Check that one description of an array has the parts that it needs."""
    is_entry = isinstance(entry, dict) and entry.keys() == _ENTRY
    if not is_entry or entry["order"] not in ("C", "F"):
        raise ModelFileError(what, entry, "is not the description of an array")
    if not layout.is_stored(entry["dtype"]):
        raise ModelFileError(f"{what}: dtype", entry["dtype"], "is not one that model files hold")
    if not layout.is_shape(entry["shape"]):
        raise ModelFileError(f"{what}: shape", entry["shape"], "is not the shape of an array")


def _array(raw: np.ndarray, entry: Header, what: str) -> np.ndarray:
    """One array, as a view of the bytes of the file."""
    dtype = np.dtype(entry["dtype"])
    try:
        layout.check_values(raw, dtype)
    except ValueError as error:
        raise ModelFileError(what, entry["dtype"], str(error)) from None
    if entry["order"] == "F":
        array = raw.view(dtype).reshape(entry["shape"][::-1]).T
    else:
        array = raw.view(dtype).reshape(entry["shape"])
    return array.astype(dtype.newbyteorder("="), copy=False)
