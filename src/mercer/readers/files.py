"""The text of a file, or one line that says why there is none."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from mercer.errors import InputError

MOST_BYTES = 1_000_000_000  # of text; what is made of it takes several times as much
_BYTE_ORDER = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def read_text(path: Path, encoding: str = "utf-8", most: int = MOST_BYTES) -> str:
    """The whole text of a file, plain or compressed by gzip, without a byte-order mark."""
    check_file(path, most)
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError("path", str(path), f"cannot be read ({error})") from None
    if len(raw) > most:  # a small file can unpack to anything
        raise _too_large(path, len(raw), most)
    return _decoded(path, raw, encoding)


def check_file(path: Path, most: int = MOST_BYTES) -> None:
    """There, a file, and not too large to be read."""
    if not path.exists():
        raise InputError("path", str(path), "is not there")
    if path.is_dir():
        raise InputError("path", str(path), "is a folder", "give a file")
    if not path.is_file():  # what is read from a pipe is gone, and it is read more than once
        raise InputError("path", str(path), "is not a file", "save what it gives, and name that")
    if path.stat().st_size > most:
        raise _too_large(path, path.stat().st_size, most)


def _too_large(path: Path, size: int, most: int) -> InputError:
    rule = f"has {size / 1e9:.1f} GB, above the limit of {most / 1e9:.1f} GB"
    return InputError("path", str(path), rule, "give a sample of its rows, or raise the limit")


def _decoded(path: Path, raw: bytes, encoding: str) -> str:
    mark = next((name for mark, name in _BYTE_ORDER.items() if raw.startswith(mark)), None)
    try:
        text = raw.decode("utf-8-sig" if mark is None and encoding == "utf-8" else mark or encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        rule = f"is not {encoding} text (line {line}, byte {error.start})"
        raise InputError(
            "path", str(path), rule, "say which encoding it has, latin-1 perhaps"
        ) from None
    except LookupError:
        raise InputError(
            "encoding", encoding, "is unknown", "utf-8 or latin-1, for instance"
        ) from None
    if "\0" in text[:100_000]:
        raise InputError("path", str(path), "is not text: it holds zero bytes")
    return text
