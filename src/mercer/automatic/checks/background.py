"""The training rows that a model of a table keeps, for explanations to compare with."""

from __future__ import annotations

import numpy as np

from mercer.aliases import DType, Frame, RawSamples
from mercer.automatic.checks.frames import as_pandas, is_list_of_rows, is_list_of_vectors
from mercer.domains.base import pick_rows

KEPT = 100  # rows; a mean over them is known to a tenth of its standard deviation
_HELD = {"category", "string", "str", "boolean", "Int", "UInt", "Float"}  # types in model files


def background_of(X: RawSamples, checked: RawSamples, rows: np.ndarray) -> RawSamples | None:
    """A copy of some of these rows, as they were given; None of samples that have no columns.

    ``checked`` are the samples as the model reads them: a column of texts may be texts. Rows are
    drawn at random, the same ones for the same number of rows: the order of a table may
    mean something.
    """
    if not (_has_columns(X) and _has_columns(checked)):
        return None
    if hasattr(X, "tocsr"):
        X = X.tocsr()  # other forms have no rows to take
    drawn = np.random.default_rng(0).permutation(len(rows))[:KEPT]
    some = pick_rows(X, np.sort(rows[drawn]))
    if hasattr(some, "columns"):
        return _plain(as_pandas(some))
    return some.copy() if hasattr(some, "copy") else [list(row) for row in some]


def _has_columns(X: RawSamples) -> bool:
    if hasattr(X, "columns") or is_list_of_rows(X) or is_list_of_vectors(X):
        return True
    return len(getattr(X, "shape", ())) == 2


def _plain(frame: Frame) -> Frame:
    """A copy without the labels of the rows, with columns that model files hold."""
    frame = frame.reset_index(drop=True)
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if not _is_held(dtype):
            frame[name] = frame[name].astype(object)
    return frame


def _is_held(dtype: DType) -> bool:
    """Whether model files hold columns of a type, which may be one of pandas's own."""
    is_plain = isinstance(dtype, np.dtype) or hasattr(dtype, "tz")
    return is_plain or dtype.name.rstrip("0123456789") in _HELD
