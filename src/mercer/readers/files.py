"""The text of a file, or one line that says why it cannot be read; and the library for tables."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, cast

from mercer.errors import ABSENT, InputError, MissingDependencyError

MOST_BYTES = 1_000_000_000  # of text; a data frame of it takes several times as much memory


def pandas() -> ModuleType:
    """The library pandas, or an error that says how to install it."""
    try:
        import pandas as pd
    except ImportError:
        rule, remedy = "is needed to read tables, and is not installed", "pip install pandas"
        raise MissingDependencyError("pandas", ABSENT, rule, remedy) from None
    return pd


def read_text(path: Path, encoding: str = "utf-8", most: int = MOST_BYTES) -> str:
    """The whole text of a file, plain or compressed by gzip, without a byte-order mark."""
    check_file(path, most)
    try:
        with _open(path) as file:
            raw = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError("path", str(path), f"cannot be read ({error})") from None
    if len(raw) > most:  # a small file can unpack to anything
        raise too_large(path, len(raw), most)
    return _decoded(path, raw, encoding)


def is_gzip(path: Path) -> bool:
    """Whether a file begins as those do that gzip has compressed."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _open(path: Path) -> BinaryIO:
    if is_gzip(path):
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")


def check_file(path: Path, most: int = MOST_BYTES) -> None:
    """Refuse a path that is not a file, or a file that is too large to be read."""
    if not path.exists():
        raise InputError("path", str(path), "is not there")
    if path.is_dir():
        raise InputError("path", str(path), "is a folder", "give a file")
    if not path.is_file():  # a pipe can be read only once, and files are read more often
        raise InputError("path", str(path), "is not a file", "save what it gives, and name that")
    if path.stat().st_size > most:
        raise too_large(path, path.stat().st_size, most)


def too_large(path: Path, size: int, most: int) -> InputError:
    """The error for a file that is too large, as it is or when it is unpacked."""
    rule = f"has {size / 1e9:.1f} GB, above the limit of {most / 1e9:.1f} GB"
    return InputError("path", str(path), rule, "give a sample of its rows, or raise the limit")


def _decoded(path: Path, raw: bytes, encoding: str) -> str:
    try:
        text = raw.decode(_codec(raw, encoding))
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        rule = f"is not {encoding} text (line {line}, byte {error.start})"
        remedy = "name its encoding, latin-1 perhaps"
        raise InputError("path", str(path), rule, remedy) from None
    except (LookupError, ValueError):  # a name with a zero byte is a ValueError
        remedy = "utf-8 or latin-1, for instance"
        raise InputError("encoding", encoding, "is unknown", remedy) from None
    check_zero_bytes(path, text)
    return text


def check_zero_bytes(path: Path, text: str) -> None:
    """Refuse a file with zero bytes, which no text has."""
    at = text.find("\0")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        rule = f"is not text: it holds zero bytes (line {line})"
        remedy = "is it damaged? if its letters have two bytes each, the encoding is utf-16"
        raise InputError("path", str(path), rule, remedy)


def _codec(raw: bytes, encoding: str) -> str:
    """The codec to read a text by: a byte-order mark of UTF-16 prevails over what is asked."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if encoding == "utf-8":
        return "utf-8-sig"
    return encoding
