"""A checksum and the size of a block of rows, whatever the samples are."""

from __future__ import annotations

import pickle
import sys
import zlib
from typing import Any

import numpy as np

from mercer.aliases import Frame, RawSamples


def block_checksum(*parts: RawSamples) -> int:
    """A number that differs, almost surely, where anything in the parts differs."""
    total = 0
    for part in parts:
        for piece in _pieces(part):
            total = zlib.crc32(piece, total)
    return total


def _pieces(part: RawSamples) -> list[Any]:
    """The bytes of a part."""
    if part is None:
        return []
    if hasattr(part, "columns"):
        return _frame_pieces(part)
    if hasattr(part, "tocsr"):
        rows = part.tocsr()
        return list(map(np.ascontiguousarray, (rows.indptr, rows.indices, rows.data)))
    if isinstance(part, np.ndarray) and part.dtype.kind != "O":
        return [np.ascontiguousarray(part).view(np.uint8)]
    return [_text(sample).encode("utf-8", "surrogatepass") for sample in part]


def _frame_pieces(frame: Frame) -> list[Any]:
    """The bytes of the columns of a data frame, one column after the other."""
    pieces = []
    for name in frame.columns:
        pieces += _pieces(np.asarray(frame[name]))
    return pieces


def _text(sample: object) -> str:
    """A sample in words that are the same for equal samples."""
    if isinstance(sample, str):
        return sample
    if isinstance(sample, (set, frozenset)):
        return " ".join(sorted(map(repr, sample)))
    if type(sample).__repr__ is object.__repr__:  # it names a place in memory, not what is there
        return _stored(sample)
    return repr(sample)


def _stored(sample: object) -> str:
    """An object as pickle writes it, or its type where it cannot."""
    try:
        return pickle.dumps(sample).hex()
    except (pickle.PicklingError, TypeError, AttributeError):
        return type(sample).__qualname__


def block_bytes(X: RawSamples) -> int:
    """The memory that samples take, about."""
    if hasattr(X, "memory_usage"):
        return int(np.sum(X.memory_usage(index=False, deep=False)))
    if hasattr(X, "data") and hasattr(X, "tocsr"):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    if hasattr(X, "nbytes"):
        return int(X.nbytes)
    return sum(map(sys.getsizeof, X))
