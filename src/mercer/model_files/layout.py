"""The layout of a model file: a fixed start, a JSON header, the arrays, and a checksum of all that.

========  =========================================================================
bytes     contents
========  =========================================================================
8         the magic bytes
4         the version of the format, an unsigned integer (all integers are
          little-endian)
4         0
32        the version of mercer that wrote the file, ASCII, padded with zeros
8, 8      the length of the header, and of the arrays with the gaps between them
...       the header: JSON in UTF-8, then zeros up to a multiple of 64
...       the arrays, each beginning at a multiple of 64
32        SHA-256 of everything before
========  =========================================================================

Nothing is compressed and nothing is named like a file, so that a file can neither expand to more
than its own size nor reach anything beside it.
"""

from __future__ import annotations

import json
import re
import struct
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from mercer.errors import ModelFileError
from mercer.model_files import refusal

Json = Any  # a value that JSON can hold
Header = dict[str, Json]

MAGIC = b"\x89mercer\n"
FORMAT = 1  # the newest version of the format, which is the one that is written
ALIGNMENT = 64
LONGEST_HEADER = 2**29  # bytes: the objects of a header take many times more memory than its text
MOST_COMMAS = 40_000_000  # in the header, which limits the number of its values
MOST_AXES = 32
LONGEST_AXIS = 2**48
DIGEST_LENGTH = 32
_LARGEST_CHARACTER = 0x10FFFF
_START = struct.Struct("<8sII32sQQ")
START_LENGTH = _START.size
_STORED_DTYPE = re.compile(
    r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c8|<c16|<U[1-9]\d{0,6}|\|S[1-9]\d{0,6}"
    r"|<[mM]8(\[(\d{1,6})?(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?"
)


def gap(length: int) -> int:
    """How many bytes are missing to the next multiple of the alignment."""
    return -length % ALIGNMENT


def is_count(value: object, limit: int = 2**63) -> TypeGuard[int]:
    """Whether a JSON value is an integer from 0 to below the limit (True and 1.0 are not)."""
    return type(value) is int and 0 <= value < limit


def is_shape(value: object) -> TypeGuard[list[int]]:
    """Whether a JSON value can be the shape of an array."""
    if not isinstance(value, list) or len(value) > MOST_AXES:
        return False
    return all(is_count(length, LONGEST_AXIS) for length in value)


def stored_dtype(dtype: np.dtype) -> np.dtype:
    """The same type in little-endian order; texts have room for one character at least."""
    if dtype.kind in "US" and not dtype.itemsize:
        dtype = np.dtype(f"{dtype.kind}1")
    return dtype.newbyteorder("<")


def can_store(dtype: np.dtype) -> bool:
    """Whether arrays of this type are written as bytes."""
    return is_stored(stored_dtype(dtype).str)


def is_stored(dtype: object) -> TypeGuard[str]:
    """Whether a JSON value names a type of array that files hold."""
    return isinstance(dtype, str) and _STORED_DTYPE.fullmatch(dtype) is not None


def check_values(raw: np.ndarray, dtype: np.dtype) -> None:
    """Refuse bytes that are no truth value, and numbers that are no character of Unicode."""
    if dtype.kind == "b" and raw.max(initial=0) > 1:
        raise ValueError(f"has {raw.max()}, which is neither True nor False")
    if dtype.kind == "U" and raw.view("<u4").max(initial=0) > _LARGEST_CHARACTER:
        raise ValueError(f"has {raw.view('<u4').max()}, which is not a character")


class Start(NamedTuple):
    """The fixed first part of a file: which mercer wrote it, and how long the other parts are."""

    version: str  # of mercer
    header_length: int
    data_length: int

    def pack(self) -> bytes:
        """The first bytes of a file of the newest version of the format."""
        version = self.version.encode("ascii", "replace")[:32]
        return _START.pack(MAGIC, FORMAT, 0, version, self.header_length, self.data_length)

    @property
    def data_offset(self) -> int:
        """Where the arrays begin, counted from the end of the fixed part."""
        return self.header_length + gap(START_LENGTH + self.header_length)

    @property
    def file_size(self) -> int:
        """How many bytes the whole file must have."""
        return START_LENGTH + self.data_offset + self.data_length + DIGEST_LENGTH


def read_start(raw: bytes, size: int, path: str) -> Start:
    """Read the fixed part, and check that the lengths in it are those of the file."""
    if not raw or not MAGIC.startswith(raw[: len(MAGIC)]):
        kind = refusal.kind_of_contents(raw)
        raise ModelFileError("file", path, f"was not saved by mercer.save: it is {kind}")
    if len(raw) < START_LENGTH:
        rule = f"is cut off: it has {size} bytes"
        raise ModelFileError("file", path, rule, "take it from a copy")
    _, version, zero, writer, header_length, data_length = _START.unpack(raw)
    start = Start(writer.rstrip(b"\0").decode("ascii", "replace"), header_length, data_length)
    _check_version(version, start.version, path)
    _check_lengths(start, size, path)
    if zero:
        rule = "is damaged: its start has bytes where there should be zeros"
        raise ModelFileError("file", path, rule, "take it from a copy")
    return start


def _check_lengths(start: Start, size: int, path: str) -> None:
    """Check that the lengths in the start are those of the file, and not too large."""
    if start.file_size != size:
        rule = f"has {size} bytes, where its start says {start.file_size}: it is cut off or damaged"
        raise ModelFileError("file", path, rule, "take it from a copy")
    if start.header_length > LONGEST_HEADER:
        rule = f"has a header of {start.header_length} bytes, where {LONGEST_HEADER} are allowed"
        raise ModelFileError("file", path, rule)


def _check_version(version: int, writer: str, path: str) -> None:
    """Refuse versions of the format that this mercer does not read."""
    if version > FORMAT:
        rule = f"has version {version} of the format, written by mercer {writer!r}"
        rule += f", and this mercer reads versions up to {FORMAT}"
        raise ModelFileError("file", path, rule, "upgrade mercer")
    if version < 1:
        rule = f"has version {version} of the format, which mercer does not read"
        raise ModelFileError("file", path, rule, "save the model again")


def to_json(header: Header) -> bytes:
    """The header as text, within the limits that reading sets."""
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > LONGEST_HEADER or text.count(b",") > MOST_COMMAS:
        rule = f"is beyond the {LONGEST_HEADER} bytes that a header may have"
        remedy = "keep fewer samples that are not arrays (texts, sets, lists), or none of them"
        raise ModelFileError("model", f"{len(text)} bytes", rule, remedy)
    return text


def from_json(text: bytes, path: str) -> Header:
    """The header of its text: strict JSON, in which no name is given twice."""
    if text.count(b",") > MOST_COMMAS:
        raise ModelFileError("file", path, f"has a header of more than {MOST_COMMAS} parts")
    try:
        return _strict_object(text.decode())
    except ValueError as error:
        raise ModelFileError("file", path, f"has a header that cannot be read: {error}") from None


def _strict_object(text: str) -> Header:
    """The object that a JSON text describes; NaN, infinities and repeated names are errors."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_names)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return value


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _unique_names(items: list[tuple[str, Json]]) -> Header:
    result = dict(items)
    if len(result) != len(items):
        raise ValueError("a name is given twice")
    return result
