"""Which source of rows something is: a path, a dask collection, a function, or samples."""

from __future__ import annotations

import os
from collections.abc import Iterator
from numbers import Integral

from mercer.aliases import RawSamples, Targets, Weights
from mercer.errors import InputTypeError, ParameterError
from mercer.gram.blocks.arrays import ArrayRows
from mercer.gram.blocks.base import Rows, as_array
from mercer.gram.blocks.files import ARROW, PARQUET, Columns, FileRows, TextRows, find_files
from mercer.gram.blocks.iterators import IteratorRows
from mercer.gram.blocks.lazy import DaskRows, is_dask
from mercer.params import renamed_arguments

__all__ = ["scan"]


def is_source(X: RawSamples, y: Targets = None) -> bool:
    """Whether X is read block by block: not what is a collection of samples in memory."""
    if isinstance(X, (Rows, os.PathLike)) or is_dask(X) or _is_dataset(X):
        return True
    if isinstance(X, str):
        return (y is None or isinstance(y, str)) and _may_be_path(X)
    return callable(X) and not hasattr(X, "shape") and not isinstance(X, type)


def _may_be_path(text: str) -> bool:
    """Whether a text can be a path or a pattern, and not one sample."""
    return any(sign in text for sign in "./\\*?") or os.path.exists(text)


def _is_dataset(X: RawSamples) -> bool:
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "get_fragments")


@renamed_arguments(weight="sample_weight")
def scan(
    source: RawSamples,
    target: Targets = None,
    *,
    sample_weight: Weights = None,
    columns: list[str] | None = None,
    block_rows: int | None = None,
) -> Rows:
    """Read rows block by block, from data that need not fit in memory.

    Estimators with a parameter ``centers`` take what this returns in the place of X, without y.
    Nothing is read before the fit.

    Parameters
    ----------
    source : path, list of paths, dask collection, callable, or samples in memory
        Parquet, Arrow or CSV files (a path, a folder, a pattern such as "data/*.parquet", a list of
        these, or a ``pyarrow.dataset``), a dask array or data frame, a function without arguments
        that returns an iterator of blocks (X, (X, y) or (X, y, weight)), or any collection of
        samples.
    target : str, list of str, or array-like, default=None
        The column of the target, or several; for collections its values.
    sample_weight : str or array-like, default=None
        The column of the sample weights, or their values.
    columns : list of str, default=None
        The columns that are features, of files and data frames; all others if None.
    block_rows : int, default=None
        The rows of a block; by default as many as 32 MB hold.

    Returns
    -------
    Rows
        The source.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelRidge, scan
    >>> def blocks():
    ...     for start in range(5):
    ...         X = np.linspace(start, start + 1.0, 100)[:, None]
    ...         yield X, np.sin(X[:, 0])
    >>> rows = scan(blocks)
    >>> model = KernelRidge(alpha=0.01, kernel=RBF(), centers=20).fit(rows)
    >>> model.predict([[1.5]]).round(2).tolist()
    [1.0]
    """
    _check_block_rows(block_rows)
    if isinstance(source, Rows):
        return source
    if _is_dataset(source):
        source = list(source.files)
    if _are_paths(source):
        return _files(
            find_files(source), _named_columns(target, sample_weight, columns), block_rows
        )
    if isinstance(source, Iterator):
        rule = "can be read only once"
        remedy = "give a function that returns a new iterator: lambda: iterator()"
        raise InputTypeError("source", type(source).__name__, rule, remedy)
    if hasattr(source, "columns") and isinstance(target, (str, list)):
        parts = _frame_parts(source, target, sample_weight, columns)
        source, target, sample_weight = parts
    if is_dask(source):
        return DaskRows(source, target, sample_weight)
    if callable(source):
        return IteratorRows(source)
    return ArrayRows(source, as_array(target), as_array(sample_weight), block_rows)


def _check_block_rows(block_rows: int | None) -> None:
    """Raise an error for a number of rows that no block can have."""
    if block_rows is None:
        return
    if not isinstance(block_rows, Integral) or block_rows < 1:
        raise ParameterError("block_rows", block_rows, "must be an integer >= 1")


def _named_columns(target: Targets, weight: Weights, columns: list[str] | None) -> Columns:
    """Which columns of files are what, by their names."""
    names = tuple(target) if isinstance(target, list) else target
    features = None if columns is None else tuple(columns)
    return Columns(names, weight, features)


def _frame_parts(
    frame: RawSamples, target: Targets, weight: Weights, columns: list[str] | None
) -> tuple[RawSamples, Targets, Weights]:
    """The features, target and weight of a data frame, by the names of columns."""
    apart = [target] if isinstance(target, str) else list(target)
    named = isinstance(weight, str)
    features = columns
    if features is None:
        leave = {*apart, *([weight] if named else [])}
        features = [name for name in frame.columns if name not in leave]
    return frame[features], frame[target], frame[weight] if named else weight


def _are_paths(source: RawSamples) -> bool:
    if isinstance(source, (str, os.PathLike)):
        return True
    if not isinstance(source, (list, tuple)) or not source:
        return False
    return isinstance(source[0], os.PathLike) or (
        isinstance(source[0], str) and os.path.isfile(source[0])
    )


def _files(paths: list[str], columns: Columns, block_rows: int | None) -> Rows:
    if all(path.lower().endswith((*PARQUET, *ARROW)) for path in paths):
        return FileRows(paths, columns, block_rows)
    return TextRows(paths, columns, block_rows)
