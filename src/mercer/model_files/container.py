"""Bytes on disk: one flat file with a JSON header, the arrays behind it, and a checksum of both at the end.

========  =====================================================================================
bytes     what
========  =====================================================================================
8         the magic bytes
4         the version of the format, an unsigned integer (all integers are little-endian)
4         0
32        the version of mercer that wrote the file, ASCII, filled with zeros
8, 8      the length of the header, and of the arrays with the gaps between them
...       the header: JSON in UTF-8, then zeros up to a multiple of 64
...       the arrays, each from a multiple of 64 on
32        SHA-256 of everything before
========  =====================================================================================

Nothing is compressed and nothing is named like a file, so that a file can neither unfold into more than it is nor reach anything beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from mercer.errors import ModelFileError

MAGIC = b"\x89mercer\n"
FORMAT = 1
ALIGNMENT = 64
LONGEST_HEADER = 2**29  # bytes: a tree takes many times more memory than its text
MOST_COMMAS = 40_000_000  # in the header, so that what is made of it has a limit too
_START = struct.Struct("<8sII32sQQ")
_DIGEST = 32
_PIECE = 1 << 20
_DTYPE = re.compile(
    r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c8|<c16|<U[1-9]\d{0,6}|\|S[1-9]\d{0,6}|<[mM]8(\[(\d{1,6})?(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?"
)
_MOST_AXES = 32
_FOREIGN = (  # how other files begin, to say what was found
    (b"PK\x03\x04", "a zip archive (as np.savez and torch.save write)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x93NUMPY", "an array saved by NumPy"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    *(
        (magic, "zlib data (as joblib.dump with compress writes)")
        for magic in (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
    ),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x80", "a pickle (as pickle.dump and joblib.dump write)"),
)


@dataclass(frozen=True)
class Contents:
    """What a file holds, checked as far as bytes can be: the header as JSON values, and the arrays it lists."""

    version: str  # of mercer, when the file was written
    header: dict[str, Any]
    arrays: list[np.ndarray]
    size: int


# -- writing -----------------------------------------------------------------------------------------------------------


def _gap(length: int) -> int:
    """How many bytes are missing to the next multiple of the alignment."""
    return -length % ALIGNMENT


def _stored_dtype(dtype: np.dtype) -> np.dtype:
    """The same values in little-endian order; texts have room for a letter at least."""
    stored = dtype.newbyteorder("<")
    return stored if stored.itemsize or stored.kind not in "US" else np.dtype(f"{stored.kind}1")


def can_store(dtype: np.dtype) -> bool:
    """Whether arrays of this kind are written as bytes."""
    return _DTYPE.fullmatch(_stored_dtype(dtype).str) is not None


def _pieces(
    header: dict[str, Any], arrays: list[np.ndarray], version: str
) -> Iterator[bytes | memoryview]:
    """The file without its checksum, from begin to end."""
    listed, offset = [], 0
    laid = []
    for array in arrays:
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        flat = np.ascontiguousarray(
            array.T if order == "F" else array, dtype=_stored_dtype(array.dtype)
        )
        listed.append(
            {
                "dtype": flat.dtype.str,
                "shape": list(array.shape),
                "order": order,
                "offset": offset,
                "bytes": flat.nbytes,
            }
        )
        laid.append(flat)
        offset += flat.nbytes + _gap(flat.nbytes)
    text = json.dumps(
        {**header, "arrays": listed}, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode()
    if len(text) > LONGEST_HEADER or text.count(b",") > MOST_COMMAS:
        remedy = "keep fewer samples that are not arrays (texts, sets, lists), or leave them out of the model"
        raise ModelFileError(
            "model",
            f"{len(text)} bytes",
            f"is beyond the {LONGEST_HEADER} bytes that a header may have",
            remedy,
        )
    start = _START.pack(
        MAGIC, FORMAT, 0, version.encode("ascii", "replace")[:32], len(text), offset
    )
    yield start
    yield text
    yield bytes(_gap(len(start) + len(text)))
    for flat in laid:
        if flat.nbytes:
            yield flat.reshape(-1).view(np.uint8).data
        yield bytes(_gap(flat.nbytes))


def write(path: str, header: dict[str, Any], arrays: list[np.ndarray], version: str) -> None:
    """Write a file so that whoever looks sees the old one or the new one, each whole, whatever happens meanwhile."""
    path = os.path.realpath(path)  # a link stays a link: what it points to is replaced
    before = _replaceable(path)
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:64]}.{secrets.token_hex(8)}.part")
    # made by ourselves, so that a new file gets the permissions every new file gets; tempfile would keep it from everyone else
    handle = os.open(
        temporary,
        os.O_WRONLY
        | os.O_CREAT
        | os.O_EXCL
        | getattr(os, "O_CLOEXEC", 0)
        | getattr(os, "O_BINARY", 0),
        0o666,
    )
    try:
        with open(handle, "wb") as file:
            if before is not None:
                _take_after(file, before)
            _fill(file, _pieces(header, arrays, version))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _replaceable(path: str) -> os.stat_result | None:
    """The file that is there, if there is one; only a regular file that may be written is replaced."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(
            "path", path, f"is {_kind_of(found.st_mode)}", "give the name of a file"
        )
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is read-only, and is not replaced", path)
    return found


def _take_after(file: BinaryIO, before: os.stat_result) -> None:
    """Permissions of the file that is replaced, and its owner where we may give files away."""
    if hasattr(os, "fchown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(OSError):
            os.fchown(file.fileno(), before.st_uid, before.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), before.st_mode & 0o777)


def _fill(file: BinaryIO, pieces: Iterable[bytes | memoryview]) -> None:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        file.write(piece)
    file.write(digest.digest())


def _sync_folder(folder: str) -> None:
    """Without it a power cut may forget the new name; some systems cannot, and lose nothing else."""
    with contextlib.suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# -- reading -----------------------------------------------------------------------------------------------------------


def read(path: str, arrays: bool = True) -> Contents:
    """Check a file from outside to inside: its kind, its sizes, its checksum, its header; without ``arrays`` none are made."""
    shown = os.fspath(path)
    with _opened(shown) as file:
        size = os.fstat(file.fileno()).st_size
        version, header_length, data_length = _begin(file, size, shown)
        room = _aligned_room(size - _START.size)  # no more than the file has, which was looked at
        if _read_into(file, room) != len(room) or file.read(1):
            raise ModelFileError("file", shown, "changed while it was read", "load it again")
    digest = hashlib.sha256(_begin_bytes(version, header_length, data_length))
    digest.update(room.data[:-_DIGEST])
    if digest.digest() != room[-_DIGEST:].tobytes():
        raise ModelFileError(
            "file",
            shown,
            "is damaged: its checksum is not that of its contents",
            "take it from a copy",
        )
    header = _parsed(room[:header_length].tobytes(), shown)
    first = header_length + _gap(_START.size + header_length)
    found = _arrays(header, room[first : first + data_length], arrays)
    return Contents(version.rstrip(b"\0").decode("ascii", "replace"), header, found, size)


def _begin_bytes(version: bytes, header_length: int, data_length: int) -> bytes:
    return _START.pack(MAGIC, FORMAT, 0, version, header_length, data_length)


def _kind_of(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISREG, "a file"),
    )
    return next((name for test, name in kinds if test(mode)), "a device")


def _opened(path: str) -> BinaryIO:
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise ModelFileError("file", path, f"is {_kind_of(mode)}, not a file saved by mercer.save")
    return open(path, "rb")


def _begin(file: BinaryIO, size: int, path: str) -> tuple[bytes, int, int]:
    """The fixed part, and whether the sizes it tells are those of the file."""
    start = file.read(_START.size)
    if start[: len(MAGIC)] != MAGIC[: len(start)] or not start:
        raise ModelFileError("file", path, f"was not saved by mercer.save: it is {_found(start)}")
    if len(start) < _START.size:
        raise ModelFileError(
            "file", path, f"is cut off: it has {size} bytes", "take it from a copy"
        )
    _, number, zero, version, header_length, data_length = _START.unpack(start)
    if number != FORMAT:
        writer = version.rstrip(b"\0").decode("ascii", "replace")
        remedy = (
            f"update mercer to {writer} or later" if number > FORMAT else "save the model again"
        )
        raise ModelFileError(
            "file",
            path,
            f"has format {number}, written by mercer {writer!r}; this one reads {FORMAT}",
            remedy,
        )
    expected = (
        _START.size + header_length + _gap(_START.size + header_length) + data_length + _DIGEST
    )
    if expected != size or zero:
        rule = (
            f"has {size} bytes, where its first ones tell of {expected}: it is cut off, or damaged"
        )
        raise ModelFileError("file", path, rule, "take it from a copy")
    if header_length > LONGEST_HEADER:
        raise ModelFileError(
            "file",
            path,
            f"has a header of {header_length} bytes, where {LONGEST_HEADER} are allowed",
        )
    return version, header_length, data_length


def _found(start: bytes) -> str:
    """What a foreign file looks like."""
    if not start:
        return "empty"
    for magic, name in _FOREIGN:
        if start.startswith(magic):
            return name
    if all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start[:32]):
        return f"text, beginning with {start[:16].decode('ascii')!r}"
    return f"something that begins with the bytes {start[:8].hex()}"


def _aligned_room(length: int) -> np.ndarray:
    """Memory for what follows the fixed part, placed so that arrays lie in it at multiples of 64."""
    whole = np.empty(length + ALIGNMENT, dtype=np.uint8)
    skip = -whole.ctypes.data % ALIGNMENT  # the fixed part has 64 bytes itself
    return whole[skip : skip + length]


def _read_into(file: BinaryIO, room: np.ndarray) -> int:
    view, done = room.data, 0
    while done < len(view):
        got = file.readinto(view[done : done + _PIECE * 64])  # type: ignore[attr-defined]
        if not got:
            break
        done += got
    return done


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name is given twice")
    return made


def _parsed(text: bytes, path: str) -> dict[str, Any]:
    if text.count(b",") > MOST_COMMAS:
        raise ModelFileError("file", path, f"has a header of more than {MOST_COMMAS} parts")
    try:
        made = json.loads(
            text.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_no_repeats
        )
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ModelFileError("file", path, f"has a header that cannot be read: {reason}") from None
    if not isinstance(made, dict):
        raise ModelFileError("file", path, "has a header that is not an object")
    return made


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _arrays(header: dict[str, Any], data: np.ndarray, make: bool) -> list[np.ndarray]:
    """The arrays, each exactly as many bytes as its shape wants, one after the other and filling the place that is theirs."""
    listed = header.pop("arrays", None)
    if not isinstance(listed, list):
        raise ModelFileError("arrays", type(listed).__name__, "is not a list of arrays")
    made, expected = [], 0
    for number, entry in enumerate(listed):
        what = f"arrays[{number}]"
        if not isinstance(entry, dict) or entry.keys() != {
            "dtype",
            "shape",
            "order",
            "offset",
            "bytes",
        }:
            raise ModelFileError(what, entry, "is not the description of an array")
        dtype, shape, order, offset, length = (
            entry[key] for key in ("dtype", "shape", "order", "offset", "bytes")
        )
        if not isinstance(dtype, str) or _DTYPE.fullmatch(dtype) is None:
            raise ModelFileError(f"{what}: dtype", dtype, "is not one that model files hold")
        if (
            not isinstance(shape, list)
            or len(shape) > _MOST_AXES
            or not all(_is_count(side) and side < 2**48 for side in shape)
        ):
            raise ModelFileError(f"{what}: shape", shape, "is not the shape of an array")
        if order not in ("C", "F") or not _is_count(offset) or not _is_count(length):
            raise ModelFileError(what, entry, "is not the description of an array")
        kind = np.dtype(dtype)
        wanted = kind.itemsize
        for side in shape:
            wanted *= side
        if wanted != length or offset != expected or offset + length > len(data):
            rule = f"of {length} bytes at {offset} does not fit its shape {shape}, or lies where it may not"
            raise ModelFileError(what, dtype, rule)
        expected = offset + length + _gap(length)
        if make:
            made.append(_array(data[offset : offset + length], kind, tuple(shape), order, what))
    if expected != len(data):
        raise ModelFileError(
            "arrays", f"{expected} bytes", f"do not fill the {len(data)} bytes that are theirs"
        )
    return made


def _array(
    raw: np.ndarray, kind: np.dtype, shape: tuple[int, ...], order: str, what: str
) -> np.ndarray:
    if kind.kind == "b" and raw.size and raw.max() > 1:
        raise ModelFileError(what, int(raw.max()), "is neither True nor False")
    if kind.kind == "U" and raw.size and raw.view("<u4").max() > 0x10FFFF:
        raise ModelFileError(what, int(raw.view("<u4").max()), "is not a letter")
    made = raw.view(kind).reshape(shape[::-1] if order == "F" else shape)
    made = made.T if order == "F" else made
    return made if made.dtype.isnative else made.astype(made.dtype.newbyteorder("="))
