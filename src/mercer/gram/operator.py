"""The lazy matrix: it computes only what is asked of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from mercer.aliases import DType, Index, Prepared
from mercer.config import format_bytes, get_config
from mercer.errors import ShapeError
from mercer.gram.fill import check_diagonal, dense, multiply


class Gram(LinearOperator):
    """The Gram matrix of a kernel, not stored.

    Made by ``kernel.gram(X, Y)``. ``K @ v`` streams over tiles in a few megabytes, ``K.diag()`` and
    ``K.rows(idx)`` compute what they return, ``K.dense()`` stores it all, within the memory budget.
    It is a `scipy.sparse.linalg.LinearOperator`, so SciPy's solvers take it as it is.
    """

    def __init__(self, kernel: Any, x: Prepared, y: Prepared, dtype: DType = np.float64) -> None:
        self.kernel = kernel
        self.x, self.y = x, y
        super().__init__(np.dtype(dtype), (len(x), len(y)))

    @property
    def symmetric(self) -> bool:
        return self.x is self.y

    @property
    def plan(self) -> str:
        """Whether the matrix would be stored or recomputed, and why."""
        size = self.shape[0] * self.shape[1] * self.dtype.itemsize
        budget = get_config().memory_budget
        verb = "fits" if size <= budget else "exceeds"
        way = "dense() may store it" if size <= budget else "tiles are recomputed in every product"
        return f"{self.shape[0]} x {self.shape[1]} ({format_bytes(size)}) {verb} the budget of {format_bytes(budget)}: {way}"

    def dense(self, dtype: DType = None) -> np.ndarray:
        """The matrix itself."""
        return dense(self.kernel, self.x, self.y, self.dtype if dtype is None else dtype)

    def diag(self) -> np.ndarray:
        """The diagonal, without the matrix."""
        if not self.symmetric:
            raise ShapeError("diag", f"k(X, Y), {self.shape}", "is for k(X) only", "use k.diag(X)")
        with np.errstate(all="ignore"):
            return check_diagonal(self.kernel.diagonal(self.x), self.dtype)

    def rows(self, index: Index) -> np.ndarray:
        """Some rows, all columns; rows keep their identity, so that white noise stays on its sample."""
        index = _positions(index, self.shape[0])
        return dense(self.kernel, self.x.take(index), self.y, self.dtype)

    def __getitem__(self, key: Any) -> np.ndarray:
        """``K[rows]`` or ``K[rows, cols]``, computed now."""
        rows, cols = key if isinstance(key, tuple) else (key, slice(None))
        i, j = _positions(rows, self.shape[0]), _positions(cols, self.shape[1])
        out = dense(self.kernel, self.x.take(i), self.y.take(j), self.dtype)
        if np.ndim(cols) == 0 and not isinstance(cols, slice):
            out = out[:, 0]
        return out[0] if np.ndim(rows) == 0 and not isinstance(rows, slice) else out

    def _matmat(self, v: np.ndarray) -> np.ndarray:
        return multiply(self.kernel, self.x, self.y, np.asarray(v)).astype(self.dtype, copy=False)

    def _matvec(self, v: np.ndarray) -> np.ndarray:
        return self._matmat(np.asarray(v).reshape(-1, 1))

    def _adjoint(self) -> Gram:
        return Gram(self.kernel, self.y, self.x, self.dtype)

    _transpose = _adjoint

    def __repr__(self) -> str:
        return f"<Gram {self.shape[0]} x {self.shape[1]} of {self.kernel!r}>"


def _positions(index: Index, count: int) -> np.ndarray:
    """Integers, slices and masks as positions."""
    if isinstance(index, slice):
        return np.arange(count)[index]
    positions = np.atleast_1d(np.asarray(index))
    if positions.dtype == bool:
        if positions.shape != (count,):
            raise ShapeError(
                "mask",
                f"length {positions.size}",
                f"must have one entry for each of the {count} rows",
            )
        return np.flatnonzero(positions)
    if positions.ndim != 1 or positions.dtype.kind not in "iu" or positions.size == 0:
        raise ShapeError("rows", index, "must be positions: integers, a slice or a mask")
    if positions.min() < -count or positions.max() >= count:
        raise ShapeError("rows", index, f"must lie between {-count} and {count - 1}")
    return np.where(positions < 0, positions + count, positions)
