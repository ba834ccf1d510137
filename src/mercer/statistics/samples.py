"""Samples as tests take them: collections of any kind, checked, and two of them pooled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.aliases import Frame, KernelLike, RawSamples
from mercer.domains.base import Batch
from mercer.domains.raw import in_order_of, raw_length
from mercer.domains.tables.columns import table_columns
from mercer.domains.vectors.domain import are_vectors
from mercer.errors import EmptyInputError, InputTypeError, WidthError
from mercer.kernels.base import Kernel


def as_samples(
    raw: RawSamples, argument: str, kernel: KernelLike = "auto", least: int = 2
) -> RawSamples:
    """A collection that kernels read; numbers in a row are a column, unless they are positions.

    Parameters
    ----------
    raw : collection of samples
        What the user gave.
    argument : str
        Its name, for messages.
    kernel : Kernel or str
        The kernel that will read it.
    least : int, default=2
        How many samples there have to be.
    """
    if raw is None:
        raise InputTypeError(argument, None, "is not a collection of samples")
    samples = _listed(raw)
    count = raw_length(samples)
    if count < least:
        words = "samples, which are too few for a test" if least > 1 else "sample"
        rule = f"has fewer than {least} {words}"
        found = "1 sample" if count == 1 else f"{count} samples"
        raise EmptyInputError(argument, found, rule, "give more")
    if isinstance(kernel, Kernel) and not are_vectors(kernel.domain):
        return samples
    return _column_of_numbers(samples)


def _listed(raw: RawSamples) -> RawSamples:
    """A series as an array of numbers or as a list; generators as lists."""
    if hasattr(raw, "to_list") and not hasattr(raw, "columns"):
        values = raw.to_list()
        return np.asarray(values) if _are_numbers(values) else values
    if not hasattr(raw, "__len__") and not hasattr(raw, "shape") and hasattr(raw, "__iter__"):
        return list(raw)
    return raw


def _are_numbers(values: Any) -> bool:
    return all(isinstance(value, (int, float, np.number, np.bool_)) for value in values)


def _column_of_numbers(samples: RawSamples) -> RawSamples:
    """Numbers in a row as one column."""
    if isinstance(samples, (list, tuple, range)) and _are_numbers(samples):
        samples = np.asarray(samples, dtype=float)
    if isinstance(samples, np.ndarray) and samples.ndim == 1 and samples.dtype.kind in "fiub":
        return samples[:, None]
    return samples


def pooled(X: RawSamples, Y: RawSamples) -> RawSamples:
    """The samples of two collections of the same kind, one after the other.

    Columns of data frames are matched by name.
    """
    if hasattr(X, "columns") or hasattr(Y, "columns"):
        return _pooled_frames(X, Y)
    if hasattr(X, "tocsr") or hasattr(Y, "tocsr"):
        return _pooled_sparse(X, Y)
    are_arrays = isinstance(X, np.ndarray) and isinstance(Y, np.ndarray)
    if are_arrays and X.ndim > 1:
        _check_widths(X.shape[1:], Y.shape[1:])
        return np.concatenate([X, Y])
    return [*X, *Y]


def _pooled_sparse(X: RawSamples, Y: RawSamples) -> RawSamples:
    from scipy.sparse import csr_array, vstack

    _check_widths(X.shape[1:], np.shape(Y)[1:])
    return vstack([csr_array(X), csr_array(Y)], format="csr")


def _check_widths(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    """Refuse arrays of different widths."""
    if x != y:
        rule = f"does not fit X, whose rows have the shape {x}"
        raise WidthError("Y", f"rows of shape {y}", rule, "give both the same columns")


def _pooled_frames(X: Frame, Y: Frame) -> Frame:
    names = [sorted(map(str, getattr(table, "columns", ()))) for table in (X, Y)]
    if names[0] != names[1]:
        one, other = set(names[0]), set(names[1])
        value = f"columns {sorted(one ^ other)[:5]}"
        raise WidthError("Y", value, "are in one table only", "give both the same columns")
    Y = in_order_of(Y, list(X.columns))
    if hasattr(X, "iloc"):
        import pandas

        return pandas.concat([X, Y], ignore_index=True)
    import polars

    return polars.concat([X, Y], how="vertical_relaxed")


def same_in_any_order(X: RawSamples, Y: RawSamples) -> bool:
    """Whether two collections have the same samples, as often, in any order.

    Arrays are compared by their rows, data frames by the values of columns of the same name, lists
    by samples that can be hashed, and sets; others are different.
    """
    try:
        if _are_arrays_of_numbers(X, Y):
            return np.array_equal(_sorted_rows(X), _sorted_rows(Y), equal_nan=True)
        return Counter(_hashable_samples(X)) == Counter(_hashable_samples(Y))
    except (TypeError, ValueError):  # samples that cannot be hashed, or cells without an order
        return False


def _are_arrays_of_numbers(X: RawSamples, Y: RawSamples) -> bool:
    are_arrays = isinstance(X, np.ndarray) and isinstance(Y, np.ndarray)
    return are_arrays and X.shape == Y.shape and {X.dtype.kind, Y.dtype.kind} <= set("biuf")


def _sorted_rows(X: np.ndarray) -> np.ndarray:
    flat = X.reshape(len(X), -1)
    return flat[np.lexsort(flat.T)]


def _hashable_samples(samples: RawSamples) -> Iterator[Any]:
    """The samples one by one; rows of a data frame as tuples, in the order of their names."""
    if hasattr(samples, "columns"):
        columns, names = table_columns(Batch(samples))
        samples = zip(*(columns[at] for at in np.argsort(names)), strict=True)
    return map(_hashable, samples)


def _hashable(value: Any) -> Any:
    """A value that equals others by its content, also where it is a set or a missing number."""
    if isinstance(value, (set, frozenset)):
        return frozenset(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return tuple(map(_hashable, value))
    return value if value == value else None
